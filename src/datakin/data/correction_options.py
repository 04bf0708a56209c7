"""What a user may write for rename, recode and convert: for all tables, or for one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.texts import clean
from datakin.data.origin import Origin

__all__ = ["Convert", "Place", "Recode", "Requests", "describe_line", "for_parts"]

Recode = dict[str, str | None]  # canonical spelling -> new value; None for a missing value
Convert = tuple[float, float] | str  # slope and intercept, or the format of a date
Place = tuple[str, str]  # name of a table, empty for all of them, and a column


@dataclass(frozen=True)
class Requests:
    """The corrections that were asked for, checked.

    Parameters
    ----------
    rename, recode, convert : dict
        Table (empty for all) and column -> its new name, or what to do.
    """

    rename: dict[Place, str]
    recode: dict[Place, Recode]
    convert: dict[Place, Convert]

    @classmethod
    def of(cls, how: Origin) -> Requests:
        """Return what the options ask for, or say what is wrong with them."""
        return cls(
            {place: _new_name(place[1], new) for place, new in _spread("rename", how.rename)},
            {place: _codes(place[1], codes) for place, codes in _spread("recode", how.recode)},
            {place: _line(place[1], line) for place, line in _spread("convert", how.convert)},
        )

    def check_tables(self, names: Sequence[str], values: Sequence[str]) -> None:
        """Refuse the name of a table that is not there; a value of the domain column is one, too."""
        for option in ("rename", "recode", "convert"):
            known = names if option == "rename" else [*names, *values]
            unknown = (p for p, _ in getattr(self, option) if p and p not in known)
            for part in unknown:
                if option == "rename" and part in values:
                    raise DatakinError(
                        f"rename is for whole tables. {part!r} is a value of the domain column, whose "
                        f"rows have the same columns as all others: leave it out."
                    )
                raise DatakinError(
                    f"{option}: no table is called {part!r}. The tables are "
                    f"{listed([n for n in known if n]) or 'without names'}.{suggest(part, known)}"
                )


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


def _spread(option: str, given: Any) -> Iterable[tuple[Place, Any]]:
    """Return (table, column) and what is asked, from a mapping for all tables or for each."""
    if given is None:
        return
    example = {
        "rename": "{'old name': 'new name'}",
        "recode": "{'column': {'old value': 'new value'}}",
        "convert": "{'column': (slope, intercept)}",
    }[option]
    if not isinstance(given, Mapping):
        raise DatakinError(
            f"{option} must be a mapping such as {example}, or of the name of a table to such a mapping. "
            f"Got {given!r}."
        )
    for key, what in given.items():
        deep = isinstance(what, Mapping) and (
            option != "recode" or (what and all(isinstance(v, Mapping) for v in what.values()))
        )
        if deep:
            yield from (((str(key), clean(str(column))), inner) for column, inner in what.items())
        else:
            yield ("", clean(str(key))), what


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
