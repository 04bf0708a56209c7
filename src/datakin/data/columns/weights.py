"""The column that says how much each row counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.data.columns.column import listed_values, read_column
from datakin.data.columns.numerals import NUMBER
from datakin.data.columns.objects import is_none
from datakin.data.columns.text_columns import Column
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["read_weights"]


def read_weights(
    series: nw.Series[Any],
    name: str | None,
    used: Array,
    where: str = "",
    beside: Mapping[str, ColumnFacts] | None = None,
) -> tuple[Array, ColumnFacts]:
    """Return row weights as they are given; refuse what is no finite number, or negative.

    Parameters
    ----------
    series : narwhals Series
    name : str or None
        Of the column; None for weights held in memory.
    used : ndarray of bool
        Rows that need a weight; the others will be dropped.
    where : str
        What messages say of where the column is, such as " of 'icu'".
    beside : mapping of str to ColumnFacts, optional
        How other columns were read, which may show the decimal sign of the table.
    """
    called = name or "weights"
    column = read_column(series, called)
    signs = {facts.decimal for facts in (beside or {}).values()} & {",", "."}
    if column.facts.decimal == "?" and len(signs) == 1:
        column = read_column(series, called, decimal=signs.pop())
    numbers = _numbers(column)
    bad = np.flatnonzero(used & ~(np.isfinite(numbers) & (numbers >= 0)))
    if len(bad):
        value = listed_values(series)[bad[0]]
        plain = value if isinstance(value, (str, int, float)) else str(value)
        got = "no value" if is_none(value) or value == "" else repr(plain)
        more = f" ({len(bad)} such rows)" if len(bad) > 1 else ""
        what = "weights" if name is None else f"The weight column {name!r}{where}"
        raise DatakinError(
            f"{what} must hold a finite number, 0 or above, for every labelled row. Got {got} in row "
            f"{bad[0]} counted from 0{more}; correct it, or leave the row out."
        )
    facts = column.facts
    doubt = facts.doubt if facts.decimal == "?" else ""  # what else is odd about it is no value
    return numbers, ColumnFacts("number", facts.blanks, facts.converted, doubt, facts.decimal)


def _numbers(column: Column) -> Array:
    """Return a column as numbers of its own, NaN for what is none."""
    if column.levels is not None:
        # Numbers may be kept as categories, such as 007, or since one of them is a word.
        table = [float(each) if re.fullmatch(NUMBER, each) else np.nan for each in column.levels]
        return np.append(table, np.nan)[column.values]  # code -1 picks the last
    if column.facts.kind in ("date", "duration"):
        return np.full(len(column.values), np.nan)
    return np.array(column.values, dtype=float)
