"""The parts of a report as plain dicts: a section has rows, and a chart or a table of them.

A chart draws from its section's rows, the table shows them, the CSV file holds them: there is one
set of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from datakin.report.words import plural
from datakin.results import DataFacts, Provenance

__all__ = [
    "FACTS",
    "GAIN",
    "MODELS",
    "PROBABILITY",
    "bars",
    "clean",
    "column",
    "fact_row",
    "forest",
    "gain_forest",
    "gain_row",
    "origin",
    "records",
    "section",
    "view",
]


def clean(value: Any) -> Any:
    """Return a value as JSON has it; what is no number becomes null."""
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def column(key: str, label: str, kind: str = "number", digits: int = 4) -> dict[str, Any]:
    """Return a column of a table: kind is "number", "text", "zone" or "name" (can be selected)."""
    return {"key": key, "label": label, "kind": kind, "digits": digits}


def section(
    key: str,
    title: str,
    text: str,
    columns: list[dict[str, Any]],
    rows: Iterable[dict[str, Any]],
    *,
    chart: dict[str, Any] | None = None,
    table: str = "closed",
) -> dict[str, Any]:
    """Return one section.

    Parameters
    ----------
    key : str
        Its anchor, and the name of its CSV file.
    title, text : str
        The heading, and how to read what is below.
    columns, rows : list of dict
    chart : dict, optional
        "type" and what that type needs; none for a table alone.
    table : {"open", "closed"}
        Whether the table is in sight at once.
    """
    return {
        "id": key,
        "title": title,
        "text": text,
        "columns": columns,
        "rows": clean(list(rows)),
        "chart": chart,
        "table": table,
    }


def view(
    kind: str, title: str, verdict: dict[str, Any], sections: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """Return what a page shows."""
    found = {"kind": kind, "title": title, "verdict": verdict, "sections": sections}
    return {**found, "tiles": [], "notes": [], "details": {}, **clean(more)}


def fact_row(name: str, role: str, facts: DataFacts | None, n_rows: int) -> dict[str, Any]:
    """Return the row of a dataset in the table of facts."""
    row: dict[str, Any] = {"name": name, "role": role, "rows": n_rows}
    if facts is None:
        return row
    classes = ", ".join(
        f"{label}: {share:.0%}" for label, share in list(facts.classes.items())[:12]
    )
    left_out = ", ".join(facts.left_out)
    if facts.n_left_out > len(facts.left_out):
        left_out += f" and {facts.n_left_out - len(facts.left_out)} more"
    if len(facts.classes) > 12:
        classes += (
            f" and {plural(len(facts.classes) - 12, 'more class').replace('classs', 'classes')}"
        )
    return {
        **row,
        "classes": classes or "a number is predicted",
        "columns": facts.n_columns,
        "missing": 100 * facts.missing,
        "left_out": left_out or "none",
    }


FACTS = [
    column("name", "dataset", "name"),
    column("role", "role", "text"),
    column("rows", "rows", digits=0),
    column("columns", "columns used", digits=0),
    column("classes", "classes", "text"),
    column("missing", "missing, %", digits=1),
    column("shared", "rows in common", digits=0),
    column("left_out", "columns left out", "text"),
]


MODELS = [
    column("model", "model", "text"),
    column("score", "score"),
    column("target_weight", "weight on target", digits=2),
    column("source_weight", "weight on source", digits=2),
]

GAIN = [column("gain", "gain"), column("low", "95% low"), column("high", "95% high")]
PROBABILITY = column("probability", "P(gain)", digits=2)


def gain_row(gain: Any) -> dict[str, float]:
    """Return the numbers of an expected gain in a row."""
    return {
        "gain": gain.value,
        "low": gain.low,
        "high": gain.high,
        "low90": gain.low90,
        "high90": gain.high90,
        "probability": gain.probability,
    }


def forest(name: str, value: str, axis: str, **more: Any) -> dict[str, Any]:
    """Return a chart of a dot and an interval, "low" to "high", for each row."""
    chart = {"type": "forest", "name": name, "value": value, "low": "low", "high": "high"}
    return {**chart, **more, "axis": axis}


def gain_forest(name: str, axis: str) -> dict[str, Any]:
    """Return a chart of expected gains, with a thick line for the inner interval."""
    return forest(name, "gain", axis, inner=["low90", "high90"], good="right")


def bars(name: str, value: str, axis: str, **more: Any) -> dict[str, Any]:
    """Return a chart of a bar for each row."""
    return {"type": "bars", "name": name, "value": value, "axis": axis, **more}


def origin(*provenances: Provenance, **more: str) -> dict[str, Any]:
    """Return where the numbers came from: the first record, what else is known, all fingerprints."""
    first = provenances[0]
    options = {k: v for k, v in first.options.items() if v is not None}
    prints: dict[str, str] = {}
    for provenance in provenances:
        prints |= provenance.fingerprints
    return {
        "Seed": str(first.seed),
        "Options": ", ".join(f"{name}={value!r}" for name, value in options.items()),
        "Versions": ", ".join(f"{name} {text}" for name, text in first.versions.items()),
        "Fitted by": ", ".join(f"{name}: {text}" for name, text in first.backends.items()),
        **more,
        "Fingerprints": ", ".join(f"{name}: {text}" for name, text in prints.items()),
    }
