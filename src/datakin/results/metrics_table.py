"""Metrics that people know, as a small table below an answer."""

from __future__ import annotations

from collections.abc import Mapping

from datakin.learners.metrics import Metrics
from datakin.results.answer import AnswerTable, Row
from datakin.results.words import number

# In the order in which they are shown; shares are written as percentages.
MEASURES = {
    "auc": "AUC",
    "calibration_slope": "calibration slope",
    "calibration_intercept": "calibration intercept",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "brier": "Brier loss",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "r2": "R squared",
}
PERCENT = ("accuracy", "balanced_accuracy")
PLACES = ("auc", "calibration_slope", "calibration_intercept", "r2")  # with two decimals


def metrics_table(
    found: Mapping[str, Metrics], columns: Mapping[str, str], caption: str, *, interval_of: str = ""
) -> AnswerTable | None:
    """Return one row for each measure and one column for each of `columns`; None without any.

    The 90% intervals of `interval_of` stand in a last column.
    """
    shown = {key: title for key, title in columns.items() if key in found}
    names = [name for name in MEASURES if any(name in found[key].values for key in shown)]
    if not names:
        return None
    heads = ["measure", *shown.values()]
    if "calibration_slope" in names or "calibration_intercept" in names:
        caption = f"{caption.removesuffix(':')} (a slope of 1 and an intercept of 0 are right):"
    rows = []
    for name in names:
        cells = [MEASURES[name], *(measure_text(name, found[key].get(name)) for key in shown)]
        if interval_of in shown:
            cells.append(measure_interval(name, found[interval_of].intervals.get(name)))
        rows.append(Row(tuple(cells)))
    if interval_of in shown:
        heads.append("90% interval")
    return AnswerTable(tuple(heads), tuple(rows), tuple(heads[1:]), caption=caption)


def metrics_line(found: Metrics) -> str:
    """Return the measures in one line."""
    parts = [
        f"{title} {measure_text(name, found.get(name))}"
        for name, title in MEASURES.items()
        if name in found.values
    ]
    return f"In other measures: {', '.join(parts)}."


def measure_text(name: str, value: float | None) -> str:
    """Return a measure as it is written."""
    if value is None:
        return "-"
    if name in PERCENT:
        return f"{100 * value:.1f}%"
    return f"{value:.2f}" if name in PLACES else number(value)


def measure_interval(name: str, ends: tuple[float, float] | None) -> str:
    """Return its interval as it is written."""
    if ends is None:
        return "-"
    low, high = (measure_text(name, end) for end in ends)
    return f"{low.removesuffix('%')} to {high}"
