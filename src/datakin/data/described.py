"""What is known of a column: its kind, its values as they stand in the file, and its part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from datakin.data.columns.labels import canonical_label, is_missing
from datakin.data.columns.series import is_none, listed_values
from datakin.data.columns.texts import BLANKS
from datakin.data.dataset import ColumnFacts
from datakin.data.features import MISSING, Array, Features

EXAMPLES = 3
LEVELS = 6  # levels shown of a column of categories
FEW = 3  # numbers with at most this many values are counted like categories
MOSTLY = 0.8  # share of missing values from which they are named
LOOK = 1000  # rows that examples are taken from
LONGEST = 40  # characters of an example


@dataclass(frozen=True)
class ColumnDescription:
    """How one column of a table is read.

    Attributes
    ----------
    name : str
    role : str
        "label", "group", "domain", "weight", "feature" or "left out".
    kind : str
        "number", "truth value", "date", "duration", "category", or "not read".
    examples : tuple of str
        The first different values, as they stand in the file.
    n_missing, n_distinct : int
        Rows without a value; different values.
    low, high : str
        The range of numbers and dates; empty otherwise.
    levels : dict of str to int
        The most frequent values of a category, or the few values of numbers, and how often they
        stand there.
    converted : str
        What was done to the values; empty if nothing was.
    doubt : str
        What looks odd; empty if nothing does.
    why : str
        Why the column is left out; empty if it is used.
    """

    name: str
    role: str
    kind: str
    examples: tuple[str, ...] = ()
    n_missing: int = 0
    n_distinct: int = 0
    low: str = ""
    high: str = ""
    levels: dict[str, int] = field(default_factory=dict)
    converted: str = ""
    doubt: str = ""
    why: str = ""

    @property
    def values(self) -> str:
        """The range, or the most frequent values, in a few words."""
        if self.low and not self.levels:
            text = self.low if self.low == self.high else f"{self.low} to {self.high}"
        else:
            text = ", ".join(f"{level} ({n})" for level, n in list(self.levels.items())[:3])
            more = self.n_distinct - 3
            text += f" and {more} more" if more > 0 and text else ""
        return text or "no value"

    @property
    def remark(self) -> str:
        """What is not as expected, in a few words; empty if all is."""
        return "; ".join(filter(None, (self.why, self.doubt, self.converted)))


def describe_feature(
    name: str, role: str, features: Features, facts: Mapping[str, ColumnFacts], **more: Any
) -> ColumnDescription:
    """Return what is known of a column that was read as a feature."""
    known = facts.get(name)
    values, levels = features.column(name)
    if levels is None:
        found = _of_numbers(values, "number" if known is None else known.kind)
    else:
        counts = np.bincount(values[values != MISSING], minlength=len(levels)).tolist()
        table = {level: n for level, n in zip(levels, counts, strict=True) if n}
        found = _of_levels(table, len(values))
    return _column(name, role, features.n_rows, known, {**found, **more})


def _column(
    name: str, role: str, n_rows: int, known: ColumnFacts | None, found: dict[str, Any]
) -> ColumnDescription:
    """Return a column with what was said of it; one that is nearly empty is odd."""
    known = known or ColumnFacts(found["kind"])
    odd = [f"{word!r} ({n})" for word, n in known.blanks.items() if word not in BLANKS]
    read = f"read as missing: {', '.join(odd[:3])}" if odd else ""
    share = found["n_missing"] / max(1, n_rows)
    is_empty = MOSTLY <= share < 1 and not found.get("why")
    empty = f"{min(share, 0.99):.0%} missing" if is_empty else ""
    converted, doubt = (
        "; ".join(filter(None, both)) for both in ((known.converted, read), (known.doubt, empty))
    )
    return ColumnDescription(name, role, converted=converted, doubt=doubt, **found)


def describe_values(
    name: str,
    role: str,
    values: Array,
    known: ColumnFacts | None,
    *,
    spread: bool = False,
    **more: Any,
) -> ColumnDescription:
    """Return what is known of the label, the group, the domain or the weight column.

    With `spread`, many different numbers are a quantity with a range, otherwise classes.
    """
    there = values[~is_missing(values)]
    if spread and there.dtype.kind == "f" and len(np.unique(there)) > FEW:
        found = _of_numbers(values, "number")
    else:
        texts = pd.Series([canonical_label(v) for v in there], dtype=object).value_counts()
        found = _of_levels({str(k): int(n) for k, n in texts.items()}, len(values))
        if known is not None:
            found["kind"] = known.kind
    return _column(name, role, len(values), known, {**found, **more})


def _of_numbers(values: Array, kind: str) -> dict[str, Any]:
    there = values[~np.isnan(values)]
    found: dict[str, Any] = {"kind": kind, "n_missing": len(values) - len(there)}
    if not len(there):
        return found
    distinct, counts = np.unique(there, return_counts=True)
    spelled = [_spelled(float(value), kind) for value in (*distinct[:FEW], distinct[-1])]
    found |= {"n_distinct": len(distinct), "low": spelled[0], "high": spelled[-1]}
    if len(distinct) <= FEW:
        found["levels"] = dict(zip(spelled, counts.tolist(), strict=False))
    return found


def _spelled(value: float, kind: str) -> str:
    """Return a number as people write it; dates are days since 1970."""
    if kind == "date":
        try:
            return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
        except OverflowError:
            return f"day {value:.6g}"
    if kind == "duration":
        return f"{value:.6g} days"
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6g}"


def _of_levels(counts: dict[str, int], n_rows: int) -> dict[str, Any]:
    often = sorted(counts.items(), key=lambda item: -item[1])[:LEVELS]
    return {
        "kind": "category",
        "n_missing": n_rows - sum(counts.values()),
        "n_distinct": len(counts),
        "levels": {level[:LONGEST]: n for level, n in often},
    }


def examples_of(series: nw.Series[Any]) -> tuple[str, ...]:
    """Return the first different values of a column, as they stand in the file."""
    known = (value for value in listed_values(series.head(LOOK)) if not is_none(value))
    different = dict.fromkeys(str(value)[:LONGEST] for value in known)
    return tuple(different)[:EXAMPLES]
