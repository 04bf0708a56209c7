"""Measures that people know, beside the error: AUC, calibration, accuracy, RMSE, R squared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datakin.learners.metrics import Metrics
from datakin.report.sections import column, section, shortened
from datakin.results import Choice, Comparison
from datakin.results.metrics_table import MEASURES as TITLES
from datakin.results.metrics_table import measure_interval, measure_text

MEASURES = {
    **TITLES,
    "auc": "AUC (0.5 is guessing, 1 is best)",
    "calibration_slope": "calibration slope (1 is right)",
    "calibration_intercept": "calibration intercept (0 is right)",
    "rmse": "RMSE",
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
    return _section(text, choice.metrics, names)


def trial_measures(c: Comparison) -> list[dict[str, Any]]:
    """Return the section of the target alone and with the source."""
    target = shortened(c.target)
    names = {"alone": f"{target} alone", "with_source": f"with {shortened(c.source)}"}
    text = f"Predictions of held-out rows of {target}, from the trial of the source."
    return _section(text, c.metrics, names)


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
    heads = {"title": "Both directions in other measures", "short": "Both directions"}
    return [{**each, "id": "measures-both", **heads} for each in _section(text, c.metrics, names)]


def measure_facts(c: Comparison) -> list[list[str]]:
    """Return what the side sheet shows: the target alone, and with the source."""
    if not {"alone", "with_source"} <= set(c.metrics):
        return []
    alone, together = c.metrics["alone"], c.metrics["with_source"]
    return [
        [
            MEASURES[name].split(" (")[0],
            f"{measure_text(name, alone.get(name))} alone, {measure_text(name, together.get(name))} with it",
        ]
        for name in FEW
        if name in alone.values and name in together.values
    ]


def _section(
    text: str, metrics: Mapping[str, Metrics], names: dict[str, str]
) -> list[dict[str, Any]]:
    """Return one column for each of `names`; no section without any measure."""
    found = {who: metrics[who] for who in names if who in metrics}
    rows = [
        {"measure": label, **{who: _said(held, name) for who, held in found.items()}}
        for name, label in MEASURES.items()
        if any(name in held.values for held in found.values())
    ]
    if not rows:
        return []
    columns = [column(who, names[who], "text") for who in found]
    columns.insert(0, column("measure", "measure", "text"))
    positive = next((held.positive for held in found.values() if held.positive), "")
    about = f" AUC and calibration are about the class {positive!r}." if positive else ""
    told = f"{text} In brackets: 90% intervals.{about}"
    return [section("measures", "In other measures", told, columns, rows, short="Measures")]


def _said(held: Metrics, name: str) -> str | None:
    """Return a measure with its interval; None where it is not defined."""
    if name not in held.values:
        return None
    ends = held.intervals.get(name)
    reach = f" ({measure_interval(name, ends)})" if ends is not None else ""
    return f"{measure_text(name, held.get(name))}{reach}"
