"""One column read as what it was when a model was learned, whatever it looks like on its own.

A few new rows may not show what a column is: "03/04/2020" alone can be two dates, and a column of
codes may happen to hold digits only.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data.columns.column import (
    arrow_of,
    is_text_series,
    listed_values,
    readable,
)
from datakin.data.columns.date_texts import days_in_form
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.numerals import NUMBER
from datakin.data.columns.objects import is_none
from datakin.data.columns.text_columns import Column, as_categories, read_text
from datakin.data.columns.texts import SOFT_BLANKS, Texts, arrow_texts
from datakin.data.dataset import ColumnFacts
from datakin.data.features import MISSING, Array

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["as_known"]

WORDS = {
    "number": "numbers",
    "truth value": "truth values",
    "date": "dates",
    "duration": "durations",
    "category": "text",
}
ALIKE = ({"number", "truth value"}, {"date"}, {"duration"})


def as_known(
    column: Column, series: nw.Series[Any], name: str, kind: str, *, form: str = ""
) -> Column:
    """Return a column as what it must be, or say why it cannot be that.

    Parameters
    ----------
    column : Column
        As it was read on its own.
    series : narwhals Series
        As it stands in its table.
    name : str
    kind : str
        What it must be, as in `ColumnFacts`.
    form : str
        How its dates are spelled, if that is known.
    """
    if kind == "category":
        return column if column.levels is not None else _categories(column, series, name)
    if form and is_text_series(series):
        days = _days(series, name, form)
        column = column if days is None else Column(days, None, ColumnFacts("date"))
    if column.levels is not None:
        column = _measured(column, name, kind)
    if np.isnan(column.values).all():
        return replace(column, facts=ColumnFacts(kind))
    if not any({kind, column.facts.kind} <= alike for alike in ALIKE):
        raise _other_kind(name, kind, WORDS[column.facts.kind])
    if kind == "truth value":
        odd = np.unique(
            column.values[~np.isin(column.values, (0.0, 1.0)) & ~np.isnan(column.values)]
        )
        if len(odd):
            raise _other_kind(name, kind, f"the numbers {listed(f'{v:g}' for v in odd)}")
    return column


def _categories(column: Column, series: nw.Series[Any], name: str) -> Column:
    """Return numbers, truth values or dates as the words they are written in."""
    if is_text_series(series):
        with readable(name):
            return as_categories(Texts.of(arrow_of(series)))
    if column.facts.kind in ("date", "duration") and not np.isnan(column.values).all():
        raise _other_kind(name, "category", WORDS[column.facts.kind])
    values = (None if is_none(v) or pd.isna(v) else v for v in listed_values(series))
    words = (
        v if v is None or isinstance(v, (bool, np.bool_)) else canonical_label(v) for v in values
    )
    return as_categories(Texts.of(arrow_texts(words)))


def _days(series: nw.Series[Any], name: str, form: str) -> Array | None:
    """Return the days of dates in a known spelling, None if some are in another."""
    with readable(name):
        texts = Texts.of(arrow_of(series))
    known = ~texts.is_soft_blank
    days = days_in_form(texts.distinct.filter(known), form)
    if days is None:
        return None
    table = np.full(len(texts.distinct), np.nan)
    table[known] = days
    return texts.spread(table)


def _measured(column: Column, name: str, kind: str) -> Column:
    """Return text as numbers or dates, where its words are some."""
    levels = column.levels or ()
    read = read_text(arrow_texts(levels), name) if levels else None
    if read is not None and read.levels is None:  # declared as categories by its table
        table, found = read.values, read.facts.kind
    else:
        table, found = np.array([_number(level) for level in levels]), "number"
        odd = np.isinf(table) if kind in ALIKE[0] else ~np.isnan(table)
        if odd.any():
            raise _text(name, kind, column, odd)
    values = np.append(table, np.nan)[column.values]  # code -1 picks the last
    return Column(values, None, ColumnFacts(found))


def _number(level: str) -> float:
    """Return a number such as 007, NaN for a word that stands for none; infinity for all others."""
    if level.lower() in SOFT_BLANKS:
        return np.nan
    return float(level) if re.fullmatch(NUMBER, level) else np.inf


def _text(name: str, kind: str, column: Column, odd: Array) -> DatakinError:
    at = np.flatnonzero((column.values != MISSING) & np.append(odd, False)[column.values])
    wrong = [level for level, is_odd in zip(column.levels or (), odd, strict=True) if is_odd]
    return DatakinError(
        f"Column {name!r} must hold {WORDS[kind]}, as it did when the model was learned. Got "
        f"{listed(wrong, limit=3)} in {len(at)} row{'s' * (len(at) > 1)}, first in row {at[0]} counted "
        f"from 0; correct {'them' if len(wrong) > 1 else 'it'}, or leave the "
        f"cell{'s' * (len(at) > 1)} empty for a missing value."
    )


def _other_kind(name: str, kind: str, got: str) -> DatakinError:
    return DatakinError(
        f"Column {name!r} must hold {WORDS[kind]}, as it did when the model was learned. Got {got}; is "
        f"it the right column, in the same spelling?"
    )
