"""The parts of a report as plain dicts: a section has rows, and a chart or a table of them.

The chart, the table and the CSV file of a section all use the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from datakin.results import DataFacts, LearningCurve, Provenance

__all__ = [
    "FACTS",
    "MODELS",
    "bars",
    "clean",
    "column",
    "curve_section",
    "fact_row",
    "forest",
    "interval",
    "origin",
    "pairs",
    "records",
    "section",
    "view",
]


def clean(value: Any) -> Any:
    """Return a value that JSON can hold; NaN and infinity become None."""
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


def column(
    key: str, label: str, kind: str = "number", digits: int = 4, **more: Any
) -> dict[str, Any]:
    """Return a column of a table: kind is "number", "text", "zone" or "name" (selectable)."""
    return {"key": key, "label": label, "kind": kind, "digits": digits, **more}


def interval(key: str, to: str, label: str, digits: int = 4, **more: Any) -> dict[str, Any]:
    """Return a column of two numbers, `key` to `to`."""
    return {**column(key, label, "range", digits), "to": to, "between": "to", **more}


def section(
    key: str,
    title: str,
    text: str,
    columns: list[dict[str, Any]],
    rows: Iterable[dict[str, Any]],
    *,
    chart: dict[str, Any] | None = None,
    table: str = "closed",
    short: str | None = None,
    more: bool = False,
) -> dict[str, Any]:
    """Return one section.

    Parameters
    ----------
    key : str
        The section's anchor, and the name of its CSV file.
    title, text : str
        The heading, and a sentence on how to read the section.
    columns, rows : list of dict
    chart : dict, optional
        "type" and the options of that type; None for a table only.
    table : {"open", "closed", "none"}
        Whether the table is shown at first.
    short : str, optional
        The title in the navigation.
    more : bool
        Whether the section is for those who want to know more: it is folded away at first.
    """
    return {
        "id": key,
        "title": title,
        "text": text,
        "columns": columns,
        "rows": clean(list(rows)),
        "chart": chart,
        "table": table,
        "short": short or title,
        "more": more,
    }


def view(
    kind: str, title: str, verdict: dict[str, Any], sections: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """Return the content of a page."""
    found = {"kind": kind, "title": title, "verdict": verdict, "sections": sections}
    made = {**found, "tiles": [], "notes": [], "details": {}, **clean(more)}
    return {**made, "notes": list(dict.fromkeys(made["notes"]))}


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
        more = len(facts.classes) - 12
        classes += f" and {more} more class{'es' if more > 1 else ''}"
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


def forest(name: str, value: str, axis: str, **more: Any) -> dict[str, Any]:
    """Return a chart with a dot and an interval, "low" to "high", for each row."""
    chart = {"type": "forest", "name": name, "value": value, "low": "low", "high": "high"}
    return {**chart, **more, "axis": axis}


def bars(name: str, value: str, axis: str, **more: Any) -> dict[str, Any]:
    """Return a chart with a bar for each row."""
    return {"type": "bars", "name": name, "value": value, "axis": axis, **more}


def pairs(name: str, axis: str, *series: tuple[str, str, str, str]) -> dict[str, Any]:
    """Return a chart with a dot and an interval per series, (value, low, high, label), for each row."""
    keys = ("value", "low", "high", "label")
    parts = [dict(zip(keys, one, strict=True)) for one in series]
    return {"type": "pairs", "name": name, "series": parts, "axis": axis}


def origin(*provenances: Provenance, **more: str) -> dict[str, Any]:
    """Return the origin of the numbers: the first provenance, `more`, and all fingerprints."""
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


def curve_section(curves: list[LearningCurve]) -> list[dict[str, Any]]:
    """Return the section of learning curves; no section without curves."""
    if not curves:
        return []
    rows, fits = [], []
    for curve in curves:
        spread = zip(curve.n_train, curve.errors, curve.standard_errors, strict=True)
        rows += [
            {"dataset": curve.dataset, "n_train": n, "error": e, "standard_error": s, "kind": "measured"}
            for n, e, s in spread
        ]  # fmt: skip
        full, limit = curve.n_rows, curve.limit
        rows.append(
            {"dataset": curve.dataset, "n_train": float(full), "error": curve.error_at(full),
             "kind": "expected with all rows"}
        )  # fmt: skip
        rows.append(
            {"dataset": curve.dataset, "error": limit.value, "standard_error": limit.standard_error,
             "kind": "limit"}
        )  # fmt: skip
        fits.append(
            {"dataset": curve.dataset, "slope": curve.slope, "limit": limit.value, "n": full}
        )
    columns = [
        column("dataset", "dataset", "text"),
        column("n_train", "training rows", digits=0),
        column("error", "error"),
        column("standard_error", "standard error"),
        column("kind", "kind", "text"),
    ]
    text = (
        "Own error against training rows: the measured points, and a line through them extended to more "
        "rows (dashed: the limit). It shows how far more rows of the same kind would lower the error."
    )
    chart = {"type": "curve", "fits": fits, "axis": "training rows", "value_axis": "error"}
    title = "Would more rows help?"
    return [
        section("curve", title, text, columns, rows, chart=chart, more=True, short="learning curve")
    ]
