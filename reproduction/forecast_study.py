"""Forecast against realised gain, and how well both zone rules decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from datakin import CrossLearningScore
from datakin.synthetic import settings
from datakin.transfer import Concatenate
from reproduction.gain_runs import default_learner, formula_gain, mean_loss
from reproduction.harness import Row, by_group, markdown
from reproduction.study import COLOURS, Study, Summary, blank_figure

SETTINGS = ("logistic", "lda", "linear", "nonlinear")
LEVELS = (1.0, 0.9, 0.7, 0.0)
SIZES = ((30, 300), (60, 200), (200, 200), (100, 1000))
LEARNERS = ("glm", "forest", "xgboost")
# Trees take ten times as long: a part of the settings and levels must do for them.
OF_TREES = {"settings": ("lda", "nonlinear"), "levels": (1.0, 0.7)}
TREES = 25  # of a forest: enough for a study of differences, and affordable
FAR = 0.15  # oracle discrepancy up to which coverage is claimed


def _learner(name: str, task: str) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from xgboost import XGBClassifier, XGBRegressor

    is_class = task != "regression"
    if name == "glm":
        return default_learner(is_class)
    if name == "forest":
        kind = RandomForestClassifier if is_class else RandomForestRegressor
        return kind(TREES, random_state=0)
    boosting = XGBClassifier if is_class else XGBRegressor
    return boosting(n_estimators=100, max_depth=6, learning_rate=0.3, n_jobs=1)


def _replicate(cell: Row, seed: int) -> list[Row]:
    make = settings()[str(cell["setting"])]
    made = make(float(cell["level"]))
    sample = made.sample(
        int(cell["n_target"]), int(cell["n_source"]), random_state=seed, n_test=5000
    )
    learner = _learner(str(cell["learner"]), made.task)
    with threadpool_limits(limits=1):
        method = CrossLearningScore(
            {"one": learner}, estimate="one", zones="paper", random_state=seed
        )
        found = method.compare(sample.target, sample.source)
        test = sample.target_test
        assert test is not None
        errors = []
        for sources in ([], [(sample.source.features.numeric, sample.source.y)]):
            model = Concatenate(learner).fit(
                sample.target.features.numeric, sample.target.y, sources=sources
            )
            predicted = model.predict(test.features.numeric)
            errors.append(mean_loss(predicted, test.y, bool(test.classes)))
    gain, zone = formula_gain(found)
    # Regression in units of the target's error, so that settings can be read side by side.
    unit = 1.0 if test.classes else errors[0]
    return [
        {
            "oracle": made.oracle(),
            "realised": (errors[0] - errors[1]) / unit,
            "forecast": gain.value / unit,
            "low": gain.low / unit,
            "high": gain.high / unit,
            "gain_zone": zone,
            "paper_zone": found.zone.value,
        }
    ]


def _measures(part: pd.DataFrame) -> Row:
    """Return mean forecast and gain of a cell, and coverage of the mean gain."""
    n, mean = len(part), part["realised"].mean()
    return {
        "oracle": part["oracle"].iloc[0],
        "realised": mean,
        "realised_se": part["realised"].std(ddof=1) / np.sqrt(n),
        "forecast": part["forecast"].mean(),
        "forecast_se": part["forecast"].std(ddof=1) / np.sqrt(n),
        "coverage": ((part["low"] <= mean) & (part["high"] >= mean)).mean(),
        "n": n,
    }


def _precision(rows: pd.DataFrame) -> pd.DataFrame:
    """Return for both rules how often a verdict was right: a gain realised in that replicate."""
    table = []
    for learner, part in [("all", rows), *rows.groupby("learner", sort=False)]:
        for rule in ("paper_zone", "gain_zone"):
            zones = part[rule]
            plus, minus = part[zones == "positive"], part[zones == "negative"]
            table.append(
                {
                    "learner": learner,
                    "rule": rule.partition("_")[0],
                    "positive_right": (plus["realised"] > 0).mean(),
                    "positive_share": len(plus) / len(part),
                    "negative_right": (minus["realised"] < 0).mean(),
                    "negative_share": len(minus) / len(part),
                    "ambiguous_share": (zones == "ambiguous").mean(),
                    "mean_gain_of_positive": plus["realised"].mean(),
                    "n": len(part),
                }
            )
    return pd.DataFrame(table)


def _summarise(rows: pd.DataFrame) -> Summary:
    cells = by_group(rows, ["setting", "level", "n_target", "n_source", "learner"], _measures)
    text = []
    for learner, part in cells.groupby("learner", sort=False):
        clear = part[part["realised"].abs() > 2 * part["realised_se"]]
        agree = (np.sign(clear["forecast"]) == np.sign(clear["realised"])).mean()
        near = part[part["oracle"] <= FAR] if len(part) else part
        text.append(
            f"{learner}: the forecast has the sign of the mean gain in {agree:.0%} of the {len(clear)} "
            f"cells whose gain is clear; coverage {part['coverage'].mean():.0%} over all cells, "
            f"{near['coverage'].mean():.0%} where the oracle discrepancy is at most {FAR}."
        )
    large = cells[(cells["learner"] == "glm") & (cells["n_target"] >= 100)]
    small = large[large["realised"].abs() < 0.03]
    gap = (small["forecast"] - small["realised"]).abs()
    bound = np.maximum(0.005, 2 * np.hypot(small["forecast_se"], small["realised_se"]))
    text.append(
        f"glm, n_target >= 100, |mean gain| < .03: {int((gap <= bound).sum())} of {len(small)} cells have "
        f"the mean forecast within 2 combined standard errors or .005 of the mean gain."
    )
    near = large[large["oracle"] <= FAR]
    text.append(
        f"glm, n_target >= 100: coverage {near['coverage'].mean():.0%} in {len(near)} near cells."
    )
    page = "\n\n".join(
        [
            "Gain = error of the target alone - error of target and source pooled, on 5,000 test rows; "
            "regression in units of the target's error. Coverage: share of 95% intervals that hold the "
            "cell's mean gain. The forecast is the formula's alone, and the gain rule its 80% interval; "
            "where the product tries pools and decides by the 90% interval, see "
            "[gain-intervals](gain-intervals.md).",
            *text,
            "Zone precision: of the replicates called positive (negative), the share in which pooling "
            "did bring a gain (loss).",
            markdown(_precision(rows)),
            markdown(cells),
        ]
    )
    return Summary(cells, page)


def _draw(frame: pd.DataFrame) -> Any:
    """Draw mean forecast against mean gain, one panel per learner."""
    figure = blank_figure(8.4, 3.2)
    colours = dict(zip(SETTINGS, COLOURS.values(), strict=False))
    for axes, learner in zip(figure.subplots(1, len(LEARNERS)), LEARNERS, strict=True):
        part = frame[frame["learner"] == learner]
        ends = [
            part[["realised", "forecast"]].min().min(),
            part[["realised", "forecast"]].max().max(),
        ]
        axes.plot(ends, ends, color="#888888", linewidth=0.8)
        for setting, group in part.groupby("setting", sort=False):
            axes.errorbar(
                group["realised"],
                group["forecast"],
                xerr=2 * group["realised_se"],
                yerr=2 * group["forecast_se"],
                fmt="o",
                markersize=3,
                linewidth=0.7,
                color=colours[str(setting)],
                label=str(setting),
            )
        axes.set_title(learner)
        axes.set_xlabel("mean realised gain")
    figure.get_axes()[0].set_ylabel("mean forecast gain")
    figure.legend(
        handles=figure.get_axes()[0].get_legend_handles_labels()[0],
        loc="outside upper center",
        ncols=4,
    )
    return figure


FORECAST = Study(
    "forecast",
    "Does the forecast gain agree with the realised one, and which zone rule decides better?",
    [
        {
            "run": f"forecast-{learner}",
            "setting": setting,
            "level": level,
            "n_target": n_target,
            "n_source": n_source,
            "learner": learner,
        }
        for learner in LEARNERS
        for setting in SETTINGS
        for level in LEVELS
        for n_target, n_source in SIZES
        if learner == "glm" or (setting in OF_TREES["settings"] and level in OF_TREES["levels"])
    ],
    _replicate,
    _summarise,
    20,
    _draw,
)
