"""The gain of pooling by the formula, held against the gain that came: intervals and verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from threadpoolctl import threadpool_limits

from datakin import CrossLearningScore, forecast_gain
from datakin.synthetic import Sample, settings
from reproduction.gain_runs import N_TEST, logistic, mean_loss
from reproduction.harness import Row, by_group, markdown
from reproduction.study import COLOURS, INK, Study, Summary, blank_figure

SETTINGS = ("logistic", "probit", "lda", "linear", "nonlinear")
LEVELS = (1.0, 0.9, 0.7, 0.4, 0.0)
SIZES = ((40, 200), (80, 200), (160, 400))
CLAIMED = 0.90
NUMBERS = ("linear", "nonlinear")  # regression
KEYS = ["setting", "level", "n_target", "n_source"]


def _replicate(cell: Row, seed: int) -> list[Row]:
    made = settings()[str(cell["setting"])](float(cell["level"]))
    sizes = int(cell["n_target"]), int(cell["n_source"])
    sample = made.sample(*sizes, random_state=seed, n_test=N_TEST)
    is_class = made.task != "regression"
    with threadpool_limits(limits=1):
        # One model, the one that forecasts of the whole ensemble are about.
        models = ["logistic" if is_class else "linear"]
        method = CrossLearningScore(models, zones="paper", random_state=seed)
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
            "zone": forecast_gain(found).zone.value,
        }
    ]


def _error(sample: Sample, pool: bool, is_class: bool) -> float:
    """Return the error on new rows of the target, with the source's rows in the fit or without."""
    test, parts = sample.target_test, [sample.target, *([sample.source] if pool else [])]
    assert test is not None
    learner = logistic() if is_class else LinearRegression()
    learner.fit(
        np.vstack([part.features.numeric for part in parts]),
        np.concatenate([part.y for part in parts]),
    )
    return mean_loss(learner.predict(test.features.numeric), test.y, is_class)


def _summarise(rows: pd.DataFrame) -> Summary:
    rows = rows.assign(
        mean=rows.groupby(KEYS)["realised"].transform("mean"),
        label=np.where(rows["setting"].isin(NUMBERS), "number", "class"),
    )
    cells = by_group(rows, KEYS, _measures)
    page = [
        _text(rows, cells),
        "By task and size:",
        markdown(by_group(rows, ["label", "n_target", "n_source"], _measures)),
        "By task and level (1: the same rule):",
        markdown(by_group(rows, ["label", "level"], _measures)),
        "By cell:",
        markdown(cells),
    ]
    return Summary(cells, "\n\n".join(page))


def _measures(part: pd.DataFrame) -> Row:
    """Return how far intervals and verdicts were right, for the mean gain and for the one that came."""
    measures: Row = {
        "n": len(part),
        "realised": part["realised"].mean(),
        "realised_se": part["realised"].sem(),
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
    low, high = cells["holds_mean"].min(), cells["holds_mean"].max()
    kin = cells[(cells["level"] == 1.0) & (cells["setting"] == "linear")]
    numbers = rows[(rows["level"] == 1.0) & (rows["label"] == "number")]
    middle = _measures(rows[rows["level"].between(0.6, 0.95)])
    every = _measures(rows)
    over = ", ".join(
        f"{row['forecast']:.3f} for {row['realised']:.3f} ({row['n_target']:.0f} rows)"
        for _, row in kin.iterrows()
    )
    text = f"""\
The gain of pooling by the formula, and the zones of its 90% interval: a diagnostic, which decides where a
source cannot be tried (logistic or linear regression, also in the nonlinear setting, where it is wrong).
Realised: error of the target's fit minus error of the pooled fit on {N_TEST:,} new rows; regression in
units of the target's error.

**Intervals.** {_held(rows, "mean"):.1%} of all hold the mean gain of their cell (claimed {CLAIMED:.0%};
single cells, each within some 3 points, {low:.0%} to {high:.0%}) and {_held(rows, "realised"):.1%} the gain
of the very sample they were computed from, which varies itself.

**The gain of true kin where the label is a number.** Linear, same rule, forecast for realised: {over}.
There (level 1, both regression settings) {_held(numbers, "mean"):.0%} of the intervals hold the mean gain and
{_held(numbers, "realised"):.0%} that of the sample.

**Zones.** Positive is wrong in {every["positive_mean_wrong"]:.0%} of its verdicts by the cell's mean gain
and in {every["positive_realised_wrong"]:.0%} by that of the sample; negative in
{every["negative_mean_wrong"]:.1%} and {every["negative_realised_wrong"]:.1%}. That is over five levels, from
the same rule (1) to an unrelated one (0). Between, at levels .7 and .9, where gain and loss are small,
positive is wrong in {middle["positive_mean_wrong"]:.0%} and {middle["positive_realised_wrong"]:.0%},
negative in {middle["negative_mean_wrong"]:.0%} and {middle["negative_realised_wrong"]:.0%}, and
{1 - middle["positive_share"] - middle["negative_share"]:.0%} are ambiguous. In the tables, `_wrong` is a
share of the verdicts of that zone."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


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
