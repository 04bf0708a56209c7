"""Measures that people know, beside the error: AUC, calibration, accuracy, RMSE, R squared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datakin.learners.metrics import Metrics
from datakin.report.sections import column, section
from datakin.report.words import shortened
from datakin.results import Choice, Comparison
from datakin.results.metrics_table import measure_interval, measure_text

__all__ = ["both_ways", "choice_measures", "measure_facts", "trial_measures"]

MEASURES = {
    "auc": "AUC (0.5 is guessing, 1 is best)",
    "calibration_slope": "calibration slope (1 is right)",
    "calibration_intercept": "calibration intercept (0 is right)",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "brier": "Brier loss",
    "rmse": "RMSE",
    "mae": "mean absolute error",
    "r2": "R² (1 is best)",
}
FEW = ("auc", "calibration_slope", "r2")  # shown of a source in the side sheet


def choice_measures(choice: Choice) -> list[dict[str, Any]]:
    """Return the section of a choice; none in results of earlier versions."""
    names = {
        "alone": f"{shortened(choice.target)} alone",
        "best_single": "best single source",
        "all": "everything pooled",
        "choice": "the choice",
    }
    text = (
        f"The same predictions of held-out rows of {shortened(choice.target)}, measured otherwise."
    )
    return _section("measures", "In other measures", text, choice.metrics, names)


def trial_measures(c: Comparison) -> list[dict[str, Any]]:
    """Return the section of the target alone and with the source."""
    names = {
        "alone": f"{shortened(c.target)} alone",
        "with_source": f"with {shortened(c.source)}",
    }
    text = f"Predictions of held-out rows of {shortened(c.target)}, from the trial of the source."
    return _section("measures", "In other measures", text, c.metrics, names)


def both_ways(c: Comparison) -> list[dict[str, Any]]:
    """Return the section of the predictors of each dataset on itself and on the other."""
    target, source = shortened(c.target), shortened(c.source)
    names = {
        "target": f"{target} on itself",
        "source_to_target": f"{source} on {target}",
        "source": f"{source} on itself",
        "target_to_source": f"{target} on {source}",
    }
    text = (
        "The predictors that the score is made from. They are other learners than those of the trial; "
        "intervals tell of the tested rows alone."
    )
    title = "Both directions in other measures"
    return _section("measures-both", title, text, c.metrics, names)


def measure_facts(c: Comparison) -> list[list[str]]:
    """Return what the side sheet shows: the target alone, and with the source."""
    if not {"alone", "with_source"} <= set(c.metrics):
        return []
    alone, together = c.metrics["alone"], c.metrics["with_source"]
    return [
        [MEASURES[name].split(" (")[0], f"{_amount(alone, name)} alone, {_amount(together, name)} with it"]
        for name in FEW
        if name in alone.values and name in together.values
    ]  # fmt: skip


def _section(
    key: str, title: str, text: str, metrics: Mapping[str, Metrics], names: dict[str, str]
) -> list[dict[str, Any]]:
    found = {who: metrics[who] for who in names if who in metrics}
    rows = [
        {"measure": label, **{who: _said(held, name) for who, held in found.items()}}
        for name, label in MEASURES.items()
        if any(name in held.values for held in found.values())
    ]
    if not rows:
        return []
    columns = [
        column("measure", "measure", "text"),
        *(column(who, names[who], "text") for who in found),
    ]
    positive = next((held.positive for held in found.values() if held.positive), "")
    about = f" AUC and calibration are about the class {positive!r}." if positive else ""
    told = f"{text} In brackets: 90% intervals.{about}"
    short = "Measures" if key == "measures" else "Both directions"
    return [section(key, title, told, columns, rows, table="open", short=short)]


def _said(held: Metrics, name: str) -> str | None:
    """Return a measure with its interval; None where it is not defined."""
    if name not in held.values:
        return None
    if name not in held.intervals:
        return _amount(held, name)
    return f"{_amount(held, name)} ({measure_interval(name, held.intervals[name])})"


def _amount(held: Metrics, name: str) -> str:
    return measure_text(name, held.values[name])
