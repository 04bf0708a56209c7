"""What a user may write for rename, recode and convert: for all tables, or for one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.texts import clean
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
