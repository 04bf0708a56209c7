"""The parts of a report as plain dicts: a section has rows, and a chart or a table of them.

The chart, the table and the CSV file of a section all use the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from datakin.results import Provenance
from datakin.results.answer import Answer
from datakin.results.words import cut_in_the_middle

# Invisible characters that change the direction of the text around them.
TURNS = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
LONGEST = 48  # characters of a name in a sentence; charts and tables show all of it
ZONES = ("positive", "ambiguous", "negative")  # of the paper


def shortened(name: str) -> str:
    r"""Return a name on one line, shortened in the middle if it is long.

    Examples
    --------
    >>> shortened("two\nlines")
    'two lines'
    >>> len(shortened("x" * 300))
    48
    >>> shortened("\u202etxt")
    '\\u202etxt'
    """
    return cut_in_the_middle(" ".join(name.split()).translate(TURNS), LONGEST)


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


def texts(*keys: str, **labels: str) -> list[dict[str, Any]]:
    """Return columns of texts: those that are called like their keys, and those with a label."""
    labels = {**dict(zip(keys, keys, strict=True)), **labels}
    return [column(key, label, "text") for key, label in labels.items()]


def counts(**labels: str) -> list[dict[str, Any]]:
    """Return columns of whole numbers."""
    return numbers(0, **labels)


def numbers(digits: int = 4, /, **labels: str) -> list[dict[str, Any]]:
    """Return columns of numbers with so many decimals."""
    return [column(key, label, digits=digits) for key, label in labels.items()]


def interval(key: str, to: str, label: str, digits: int = 4, **more: Any) -> dict[str, Any]:
    """Return a column of two numbers, `key` to `to`."""
    return {**column(key, label, "range", digits), "to": to, "between": "to", **more}


def section(
    key: str,
    title: str,
    text: str,
    columns: list[dict[str, Any]],
    rows: Iterable[dict[str, Any]],
    chart: dict[str, Any] | None = None,
    *,
    table: str = "open",
    short: str = "",
    more: bool = False,
) -> dict[str, Any]:
    """Return one section; `key` is its anchor and the name of its CSV file.

    A section of `more` is folded away at first, and so is a "closed" table.
    """
    found = {"id": key, "title": title, "text": text, "columns": columns, "rows": clean(list(rows))}
    return {**found, "chart": chart, "table": table, "short": short or title, "more": more}


def verdict_of(answer: Answer) -> dict[str, Any]:
    """Return the card at the top of a report: the answer of the result."""
    return {"tone": answer.tone, "head": answer.headline, "lines": list(answer.evidence)}


def notes_of(answer: Answer) -> list[str]:
    """Return what to know: what limits the answer, then what was done to the data. Each once."""
    return list(dict.fromkeys([*answer.caveats, *answer.notes]))


def view(
    kind: str, title: str, result: Any, sections: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """Return the content of the page of a result: its answer, its sections, and `more`."""
    answer = result.answer
    found = {"kind": kind, "title": title, "verdict": verdict_of(answer), "sections": sections}
    notes = [] if result.is_text else notes_of(answer)
    return {**found, "tiles": [], "notes": notes, "details": {}, **clean(more)}


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
    prints = {name: text for each in provenances for name, text in each.fingerprints.items()}
    options = (f"{name}={value!r}" for name, value in first.options.items() if value is not None)
    return {
        "Seed": str(first.seed),
        "Options": ", ".join(options),
        "Versions": ", ".join(f"{name} {text}" for name, text in first.versions.items()),
        "Fitted by": ", ".join(f"{name}: {text}" for name, text in first.backends.items()),
        **more,
        "Fingerprints": ", ".join(f"{name}: {text}" for name, text in prints.items()),
    }
