"""One column of any library -> numbers or categories: the only place where values are interpreted.

A column of text is read as a whole: as truth values, numbers or dates if all its values are, and as
categories otherwise. So a table gives the same columns as CSV, where all is text, and as Parquet.

A few new rows may not show what a column is: "03/04/2020" alone can be two dates, and a column of codes
may happen to hold digits only. `as_known` reads them as what the column was when a model was learned.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from datakin._core.exceptions import DatakinError, listed
from datakin.data.columns.dates import DAY, OTHER_ZONE, TIMES, UTC, days_in_form, days_of_numbers
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.numerals import NUMBER
from datakin.data.columns.placeholders import doubt_of_numbers
from datakin.data.columns.series import (
    arrow_of,
    content_of,
    dtype_of,
    floats_of,
    is_none,
    is_text_series,
    listed_values,
    long_numbers,
    mixed_types,
    readable,
    refuse,
)
from datakin.data.columns.text_columns import Column, as_categories, read_text
from datakin.data.columns.texts import SOFT_BLANKS, Texts, arrow_texts, fit_all
from datakin.data.dataset import ColumnFacts
from datakin.data.features import MISSING, Array

WORDS = {
    "number": "numbers",
    "truth value": "truth values",
    "date": "dates",
    "duration": "durations",
    "category": "text",
}
FIRST, LAST = -719_162, 2_932_896  # days: 0001-01-01 and 9999-12-31
UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1, "D": DAY}  # in microseconds
ALIKE = ({"number", "truth value"}, {"date"}, {"duration"})


def read_column(series: nw.Series[Any], name: str, *, decimal: str = "") -> Column:
    """Return a column as numbers or categories.

    Truth values become 0 and 1, dates and times days since 1970, durations days. `decimal` is the
    decimal sign of the table, as in `read_text`.
    """
    with readable(name):
        column = _read(series, name, decimal)
    if column.facts.kind == "number":
        days = days_of_numbers(column.values, name)
        if days is not None:
            column = replace(column, values=days).noted(kind="date", converted="dates yyyymmdd")
    if column.facts.doubt or column.facts.kind not in ("number", "date"):
        return column
    return column.noted(doubt=doubt_of_numbers(column.values, name, kind=column.facts.kind))


def _read(series: nw.Series[Any], name: str, decimal: str) -> Column:
    dtype = dtype_of(series)
    if dtype == nw.Boolean:
        return Column(floats_of(series), None, ColumnFacts("truth value"))
    if dtype.is_numeric() and dtype != nw.Decimal:
        whole = long_numbers(series)
        if whole is not None:  # ids, or numbers with a doubt, as in a text file
            return read_text(arrow_texts(whole), name, decimal)
        return Column(floats_of(series), None, ColumnFacts("number"))
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        return _of_stamps(arrow_of(series), name)
    if dtype == nw.Time:
        return _of_times(arrow_of(series))
    if dtype in (nw.Categorical, nw.Enum):
        return _of_categories(series)
    if dtype not in (nw.Decimal, nw.Object, nw.Unknown) and not is_text_series(series):
        raise refuse(name, str(dtype))
    found = content_of(series, name)
    if isinstance(found, Column):
        return found
    column = read_text(found, name, decimal)
    if column.levels is None or column.facts.doubt or not (mixed := mixed_types(series)):
        return column
    return column.noted(doubt=f"text of mixed types ({mixed})")


def _of_stamps(stamps: pa.Array, name: str) -> Column:
    """Return dates, times or durations as days; those with a time zone count from 1970 in UTC."""
    kind = "duration" if pa.types.is_duration(stamps.type) else "date"
    if pa.types.is_date32(stamps.type):
        whole, unit = stamps.cast(pa.int32()), "D"
    else:
        whole = stamps.cast(pa.int64())
        unit = "ms" if pa.types.is_date64(stamps.type) else stamps.type.unit
    numbers = whole.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if unit == "ns":
        numbers, unit = numbers // 1_000, "us"
    is_far = np.abs(numbers.astype(float) * UNITS[unit]).max(initial=0.0) > 9.2e18
    days: Array = numbers * UNITS[unit] / float(DAY)
    if is_far or (kind == "date" and ((days < FIRST) | (days >= LAST + 1)).any()):
        raise refuse(name, f"{kind}s beyond the years 1 to 9999")
    days[np.asarray(stamps.is_null())] = np.nan
    said = OTHER_ZONE if getattr(stamps.type, "tz", None) not in (None, *UTC) else ""
    return Column(days, None, ColumnFacts(kind, converted=said))


def _of_times(times: pa.Array) -> Column:
    """Return times of day as hours."""
    whole = times.cast(pa.time64("ns")).cast(pa.int64())  # with NaN for none
    hours: Array = whole.to_numpy(zero_copy_only=False) // 1_000 / (DAY / 24)
    return Column(hours, None, ColumnFacts("number", converted=TIMES))


def _of_categories(series: nw.Series[Any]) -> Column:
    """Return a column that its table declares to be one of categories; it stays one."""
    codes, uniques = pd.factorize(np.asarray(series.to_list(), dtype=object))
    raw = Texts.of(arrow_texts(uniques))
    column = as_categories(Texts(raw.distinct, np.append(raw.codes, -1)[codes], raw.n_merged))
    if not column.levels or not fit_all(arrow_texts(column.levels), NUMBER):
        return column
    # Said because a text file would give numbers.
    return column.noted(converted="numbers kept as categories, as the table declares them")


def as_known(
    column: Column, series: nw.Series[Any], name: str, kind: str, *, form: str = ""
) -> Column:
    """Return a column, as it was read on its own, as what it must be, or say why it cannot be that.

    `series` is the column in its table, `kind` what it must be, and `form` how its dates are spelled.
    """
    if kind == "category":
        return column if column.levels is not None else _categories(column, series, name)
    if form and is_text_series(series):
        with readable(name):
            texts = Texts.of(arrow_of(series))
        days = days_in_form(texts.known, form)
        if days is not None:
            column = Column(texts.spread_known(days), None, ColumnFacts("date"))
    if column.levels is not None:
        column = _measured(column, name, kind)
    values = column.values
    if np.isnan(values).all():
        return replace(column, facts=ColumnFacts(kind))
    if not any({kind, column.facts.kind} <= alike for alike in ALIKE):
        raise _other_kind(name, kind, WORDS[column.facts.kind])
    odd = ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    if kind == "truth value" and odd.any():
        numbers = listed(f"{v:g}" for v in np.unique(values[odd]))
        raise _other_kind(name, kind, f"the numbers {numbers}")
    return column


def _categories(column: Column, series: nw.Series[Any], name: str) -> Column:
    """Return numbers, truth values or dates as the words they are written in."""
    if is_text_series(series):
        with readable(name):
            return as_categories(Texts.of(arrow_of(series)))
    if column.facts.kind in ("date", "duration") and not np.isnan(column.values).all():
        raise _other_kind(name, "category", WORDS[column.facts.kind])
    words = (
        None if is_none(v) else v if isinstance(v, (bool, np.bool_)) else canonical_label(v)
        for v in listed_values(series)
    )
    return as_categories(Texts.of(arrow_texts(words)))


def _measured(column: Column, name: str, kind: str) -> Column:
    """Return text as numbers or dates, where its words are some."""
    levels = column.levels or ()
    read = read_text(arrow_texts(levels), name) if levels else None
    if read is not None and read.levels is None:  # declared as categories by its table
        return Column(column.of_levels(read.values), None, ColumnFacts(read.facts.kind))
    table = np.array([number_of(level) for level in levels])
    odd = np.isinf(table) if kind in ALIKE[0] else ~np.isnan(table)
    if odd.any():
        raise _text(name, kind, column, odd)
    return Column(column.of_levels(table), None, ColumnFacts("number"))


def number_of(level: str) -> float:
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
