"""The gain that zones are decided by, held against the gain that came: intervals and verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from threadpoolctl import threadpool_limits

from datakin.compare import CrossLearningScore
from datakin.experiments.canvas import COLOURS, INK, blank_figure
from datakin.experiments.newton import NewtonLogistic
from datakin.experiments.study import Row, Study, Summary, markdown
from datakin.synthetic import Sample, settings

__all__ = ["GAIN_INTERVALS"]

SETTINGS = ("logistic", "probit", "lda", "linear", "nonlinear")
LEVELS = (1.0, 0.9, 0.7, 0.4, 0.0)
SIZES = ((40, 200), (80, 200), (160, 400))
N_TEST = 5000
CLAIMED = 0.90
KEYS = ["setting", "level", "n_target", "n_source"]


def _replicate(cell: Row, seed: int) -> list[Row]:
    made = settings()[str(cell["setting"])](float(cell["level"]))
    sizes = int(cell["n_target"]), int(cell["n_source"])
    sample = made.sample(*sizes, random_state=seed, n_test=N_TEST)
    is_class = made.task != "regression"
    with threadpool_limits(limits=1):
        # One model, the one that forecasts of the whole ensemble are about.
        method = CrossLearningScore(["logistic" if is_class else "linear"], random_state=seed)
        found = method.compare(sample.target, sample.source)
        alone, pooled = (_error(sample, pool, is_class) for pool in (False, True))
    gain = found.gain
    assert gain is not None
    # Regression in units of the target's error, so that settings can be read side by side.
    unit = 1.0 if is_class else alone
    return [
        {
            "realised": (alone - pooled) / unit,
            "forecast": gain.value / unit,
            "low": gain.low90 / unit,
            "high": gain.high90 / unit,
            "zone": found.zone.value,
            "is_tried": found.outlook is not None and found.outlook.trial is not None,
        }
    ]


def _error(sample: Sample, pool: bool, is_class: bool) -> float:
    """Return the error on new rows of the target, with the source's rows in the fit or without."""
    test, parts = sample.target_test, [sample.target, *([sample.source] if pool else [])]
    assert test is not None
    learner = NewtonLogistic() if is_class else LinearRegression()
    learner.fit(
        np.vstack([part.features.numeric for part in parts]),
        np.concatenate([part.y for part in parts]),
    )
    predicted = learner.predict(test.features.numeric)
    wrong = predicted != test.y if is_class else (predicted - test.y) ** 2
    return float(np.mean(wrong))


def _summarise(rows: pd.DataFrame) -> Summary:
    rows = rows.assign(mean=rows.groupby(KEYS)["realised"].transform("mean"))
    cells = pd.DataFrame(
        [
            {**dict(zip(KEYS, key, strict=True)), **_measures(part)}
            for key, part in rows.groupby(KEYS, sort=False)
        ]
    )
    by_size = [
        {"n_target": size, **_measures(part)} for size, part in rows.groupby("n_target", sort=True)
    ]
    overall = pd.DataFrame([*by_size, {"n_target": "all", **_measures(rows)}])
    page = "\n\n".join([_text(rows, cells), markdown(overall), "By cell:", markdown(cells)])
    return Summary(cells, page)


def _measures(part: pd.DataFrame) -> Row:
    """Return how far intervals and verdicts were right, for the mean gain and for the one that came."""
    measures: Row = {
        "n": len(part),
        "realised": part["realised"].mean(),
        "forecast": part["forecast"].mean(),
        "forecast_se": part["forecast"].sem(),
        "holds_mean": _held(part, "mean"),
        "holds_realised": _held(part, "realised"),
    }
    for zone, sign in (("positive", 1), ("negative", -1)):
        called = part[part["zone"] == zone]
        measures[f"{zone}_share"] = len(called) / len(part)
        for name, kind in (("mean_wrong", "mean"), ("realised_wrong", "realised")):
            measures[f"{zone}_{name}"] = (sign * called[kind] < 0).mean()
    return measures


def _held(part: pd.DataFrame, kind: str) -> float:
    return float(((part["low"] <= part[kind]) & (part[kind] <= part["high"])).mean())


def _text(rows: pd.DataFrame, cells: pd.DataFrame) -> str:
    assert rows["is_tried"].all()
    low, high = cells["holds_mean"].min(), cells["holds_mean"].max()
    wrong = {
        kind: (
            ((rows["zone"] == "positive") & (rows[kind] < 0))
            | ((rows["zone"] == "negative") & (rows[kind] > 0))
        ).mean()
        for kind in ("mean", "realised")
    }
    return (
        f"The gain as the product gives it: pools tried on the target's own folds, zones by the 90% interval "
        f"(logistic or linear regression, also in the nonlinear setting, where it is wrong). Realised: error "
        f"of the target's fit minus error of the pooled fit on {N_TEST:,} new rows; regression in units of "
        f"the target's error.\n\n"
        f"Of all intervals, {_held(rows, 'mean'):.1%} hold the mean gain of their cell (claimed "
        f"{CLAIMED:.0%}; single cells {low:.0%} to {high:.0%}) and {_held(rows, 'realised'):.1%} the gain of "
        f"the very sample they were computed from, which varies itself. A zone that is wrong, out of all "
        f"verdicts, ambiguous ones included: {wrong['mean']:.1%} by the cell's mean gain, "
        f"{wrong['realised']:.1%} by the gain of that sample. In the tables, `_wrong` is a share of the "
        f"verdicts of that zone."
    )


def _draw(frame: pd.DataFrame) -> Any:
    """Draw the coverage of every cell, by the size of the target."""
    figure = blank_figure(6.4, 2.8)
    axes = figure.subplots()
    colours = dict(zip(SETTINGS, COLOURS.values(), strict=False))
    place = {size: k for k, (size, _) in enumerate(SIZES)}
    for k, (setting, part) in enumerate(frame.groupby("setting", sort=False)):
        x = part["n_target"].map(place) + 0.13 * (k - 2)
        axes.plot(x, part["holds_mean"], "o", ms=4, color=colours[str(setting)], label=str(setting))
    axes.axhline(CLAIMED, color=INK, lw=0.8)
    axes.set_xticks(list(place.values()), [f"{n}" for n in place])
    axes.set_xlabel("rows of the target")
    axes.set_ylabel("intervals that hold the mean gain")
    axes.legend(loc="lower right", fontsize=7, ncols=2)
    return figure


GAIN_INTERVALS = Study(
    "gain-intervals",
    "Do the 90% intervals of the expected gain hold, and how often is a zone wrong?",
    [
        {"setting": setting, "level": level, "n_target": n_target, "n_source": n_source}
        for setting in SETTINGS
        for level in LEVELS
        for n_target, n_source in SIZES
    ],
    _replicate,
    _summarise,
    100,
    _draw,
)
