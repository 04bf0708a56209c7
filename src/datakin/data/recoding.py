"""What a user may write for rename, recode and convert, and new values for old ones in one column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data.columns.labels import as_numbers, canonical_label, is_missing, sort_classes
from datakin.data.columns.numerals import DIGITS, EXACT, LEADING_ZERO, NUMBER
from datakin.data.columns.series import listed_values, object_array, refuse
from datakin.data.columns.text_columns import read_text
from datakin.data.columns.texts import BLANKS, SOFT_BLANKS, arrow_texts, clean
from datakin.data.features import Array
from datakin.data.origin import Origin

Recode = dict[str, str | None]  # canonical spelling -> new value; None for a missing value
Convert = tuple[float, float] | str  # slope and intercept, or the format of a date
Place = tuple[str, str]  # name of a table, empty for all of them, and a column


def for_parts(asked: Mapping[Place, Any], *parts: str | None) -> dict[str, Any]:
    """Return what is asked for each column of some parts: the later ones override the earlier ones."""
    found: dict[str, Any] = {}
    for part in dict.fromkeys(parts):
        for (where, column), what in asked.items():
            if where == part:
                old = found.get(column)
                if isinstance(old, dict) and isinstance(what, dict):
                    what = {**old, **what}
                found[column] = what
    return found


def _new_name(old: str, new: Any) -> str:
    if not isinstance(new, str) or not new.strip():
        raise DatakinError(
            f"rename must be a mapping of old name to new name. Got {new!r} for {old!r}."
        )
    return clean(new)


def _codes(column: str, codes: Any) -> Recode:
    if not isinstance(codes, Mapping) or any(
        isinstance(v, (Mapping, list)) for v in codes.values()
    ):
        raise DatakinError(
            f"recode must be a mapping of column to {{old value: new value}}. Got {codes!r} for {column!r}."
        )
    dotted = next((old for old, new in codes.items() if new in (..., "...")), None)
    if dotted is not None:
        raise DatakinError(
            f"A new value must be a value, or empty for a missing one. Got '...' for {dotted!r} of "
            f"{column!r}; write the value that it shall have."
        )
    made: Recode = {}
    for old, new in codes.items():
        text = new if isinstance(new, str) else canonical_label(new)
        made[canonical_label(old)] = None if new is None or new == "" else text
    return made


def _line(column: str, line: Any) -> Convert:
    """Return the slope and the intercept of a conversion, or the format of its dates."""
    if isinstance(line, str) and "%" in line:
        return line
    pair = (line, 0.0) if _is_number(line) else line
    is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
    if not is_pair or not all(map(_is_number, pair)):
        raise DatakinError(
            f"convert must be (slope, intercept), two numbers, or the format of a date such as "
            f"'%d/%m/%Y'. Got {line!r} for {column!r}."
        )
    if pair[0] == 0:
        raise DatakinError(
            f"The slope of a conversion must not be 0: {column!r} would be {pair[1]:g} everywhere."
        )
    return float(pair[0]), float(pair[1])


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and bool(np.isfinite(float(value)))


OPTIONS: dict[str, tuple[str, Callable[[str, Any], Any]]] = {  # an example, and what checks a value
    "rename": ("{'old name': 'new name'}", _new_name),
    "recode": ("{'column': {'old value': 'new value'}}", _codes),
    "convert": ("{'column': (slope, intercept)}", _line),
}


def requests_of(how: Origin) -> dict[str, dict[Place, Any]]:
    """Return what each option asks for, table and column -> what to do, or say what is wrong with it."""
    return {option: _requests(option, getattr(how, option)) for option in OPTIONS}


def _requests(option: str, given: Any) -> dict[Place, Any]:
    """Return what is asked for, from a mapping for all tables or for each."""
    example, checked = OPTIONS[option]
    if not isinstance(given, Mapping | None):
        raise DatakinError(
            f"{option} must be a mapping such as {example}, or of the name of a table to such a mapping. "
            f"Got {given!r}."
        )
    found: dict[Place, Any] = {}
    for key, what in (given or {}).items():
        is_table = isinstance(what, Mapping) and (
            option != "recode" or (what and all(isinstance(v, Mapping) for v in what.values()))
        )
        for name, each in (what if is_table else {key: what}).items():
            column = clean(str(name))
            found[str(key) if is_table else "", column] = checked(column, each)
    return found


def corrections_for(how: Origin, *parts: str | None) -> dict[str, dict[str, Any]]:
    """Return option -> column -> what is asked for it in a table, to which all its `parts` apply."""
    return {option: for_parts(asked, *parts) for option, asked in requests_of(how).items()}


def describe_line(slope: float, intercept: float) -> str:
    """Return a linear function as text.

    Examples
    --------
    >>> describe_line(5 / 9, -160 / 9)
    '0.5556 x - 17.78'
    """
    if intercept == 0:
        return f"{slope:.4g} x"
    return f"{slope:.4g} x {'-' if intercept < 0 else '+'} {abs(intercept):.4g}"


class Recoding:
    """A column whose values can be replaced, all at once."""

    def __init__(self, series: nw.Series[Any]) -> None:
        self.series = series
        self.values = object_array(listed_values(series))
        there = self.values.copy()
        there[is_missing(there)] = None
        try:
            self.places, distinct = pd.factorize(there)
        except TypeError:  # what has no hash
            raise refuse(series.name, "lists or records") from None
        self.distinct = list(distinct)
        self._numbers = _numbers_of(self.distinct, series.name)
        self._named: dict[str, list[int]] = {}
        for i, value in enumerate(self.distinct):
            for name in dict.fromkeys((canonical_label(value), clean(str(value)))):
                self._named.setdefault(name, []).append(i)

    def find(self, old: str, rows: Array) -> Array:
        """Return the rows that hold a value: the same text, or the same number."""
        found = list(self._named.get(old, ()))
        if re.fullmatch(NUMBER, old) and not re.fullmatch(LEADING_ZERO, old):
            number = float(old)
            if abs(number) < EXACT or not re.fullmatch(DIGITS, old):  # 1e30, inf
                found += np.flatnonzero(self._numbers == number).tolist()
        return rows & np.isin(self.places, found)

    def replace(self, codes: Recode, rows: Array) -> str:
        """Replace values in some rows, and say which."""
        counts: dict[str, int] = {}
        for old, new in codes.items():
            there = self.find(old, rows)
            self.values[there] = new
            counts[old] = int(there.sum())
        often = sorted(((old, n) for old, n in counts.items() if n), key=lambda item: -item[1])
        done = ", ".join(
            f"{old!r} to {'missing' if codes[old] is None else repr(codes[old])} "
            f"({n} value{'s' * (n > 1)})"
            for old, n in often[:5]
        )
        return f"{self.series.name!r} recoded: {done}" if done else ""

    def known(self, rows: Array) -> tuple[str, ...]:
        """Return the values of some rows as they stand in the table."""
        there = (self.distinct[i] for i in np.unique(self.places[rows]) if i >= 0)
        return sort_classes(clean(v) if isinstance(v, str) else canonical_label(v) for v in there)

    def recoded(self) -> nw.Series[Any]:
        """Return the column with its new values."""
        return _series(self.series, self.values)


def _numbers_of(distinct: Iterable[Any], name: str) -> Array:
    """Return the numbers that different values are, NaN for those of a column of words or codes."""
    values = list(distinct)
    if not any(isinstance(value, str) for value in values):
        numbers = as_numbers(object_array(values))
        return np.full(len(values), np.nan) if numbers is None else numbers
    column = read_text(arrow_texts(map(canonical_label, values)), name)
    is_number = column.facts.kind in ("number", "truth value")  # which is read as 0 or 1
    return column.values if is_number else np.full(len(values), np.nan)


def iso_dates(series: nw.Series[Any], form: str, rows: Array) -> nw.Series[Any]:
    """Return a column of text with its dates in ISO spelling, which is read as dates later."""
    name = series.name
    if series.dtype in (nw.Date, nw.Datetime):
        raise DatakinError(
            f"Column {name!r} is a column of dates already; leave out convert={{{name!r}: {form!r}}} "
            f"(--convert {name}={form})."
        )
    values = object_array(listed_values(series))
    wrong: dict[str, None] = {}
    for i in np.flatnonzero(rows & ~is_missing(values)):
        text = canonical_label(values[i])
        if text in BLANKS or text.lower() in SOFT_BLANKS:
            continue
        try:
            values[i] = datetime.strptime(text, form).isoformat()
        except ValueError as error:
            if "bad directive" in str(error) or "stray %" in str(error):
                raise DatakinError(
                    f"The date format of {name!r} must be like '%d/%m/%Y' (%Y year, %m month, %d day). "
                    f"Got {form!r}."
                ) from None
            wrong[text] = None
    if wrong:
        raise DatakinError(
            f"The dates of {name!r} must look like {form!r}. Got {listed(wrong, limit=3)}; correct the "
            f"format, or recode={{{name!r}: {{{next(iter(wrong))!r}: ''}}}} (--recode) for a missing value."
        )
    return _series(series, values)


def _series(old: nw.Series[Any], values: Array) -> nw.Series[Any]:
    """Return new values as numbers if the column had fractions and they are numbers, else as text."""
    missing = is_missing(values)
    if old.dtype.is_float():
        numbers = as_numbers(np.where(missing, np.nan, values))
        if numbers is not None:
            return nw.new_series(old.name, numbers.tolist(), nw.Float64, backend=old.implementation)
    texts = [
        None if gone else value if isinstance(value, str) else canonical_label(value)
        for value, gone in zip(values, missing, strict=True)
    ]
    return nw.new_series(old.name, texts, nw.String, backend=old.implementation)
