"""What a user may write for rename, recode and convert: for all tables, or for one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    rename : dict of str to dict
        Table, empty for all -> old name -> new name.
    recode, convert : dict
        Table (empty for all) and column -> what to do.
    """

    rename: dict[str, dict[str, str]] = field(default_factory=dict)
    recode: dict[Place, Recode] = field(default_factory=dict)
    convert: dict[Place, Convert] = field(default_factory=dict)

    @classmethod
    def of(cls, how: Origin) -> Requests:
        """Return what the options ask for, or say what is wrong with them."""
        rename: dict[str, dict[str, str]] = {}
        for place, new in _spread("rename", how.rename, 1):
            if not isinstance(new, str) or not new.strip():
                raise DatakinError(
                    f"rename must be a mapping of old name to new name. Got {new!r} for {place[1]!r}."
                )
            rename.setdefault(place[0], {})[place[1]] = clean(new)
        recode = {
            place: _codes(place[1], codes) for place, codes in _spread("recode", how.recode, 2)
        }
        convert = {
            place: _line(place[1], line) for place, line in _spread("convert", how.convert, 1)
        }
        return cls(rename, recode, convert)

    def renamed(self, table: str) -> dict[str, str]:
        """Return the new names for one table."""
        return {**self.rename.get("", {}), **(self.rename.get(table, {}) if table else {})}

    def check_tables(self, names: Iterable[str], values: Iterable[str]) -> None:
        """Refuse the name of a table that is not there; a value of the domain column is one, too."""
        names, values = list(names), list(values)
        for option, wanted in (
            ("rename", self.rename),
            ("recode", [part for part, _ in self.recode]),
            ("convert", [part for part, _ in self.convert]),
        ):
            for part in wanted:
                if part and option == "rename" and part in values and part not in names:
                    raise DatakinError(
                        f"rename is for whole tables. {part!r} is a value of the domain column, whose "
                        f"rows have the same columns as all others: leave it out."
                    )
                known = names if option == "rename" else [*names, *values]
                if part and part not in known:
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


def _spread(option: str, given: Any, depth: int) -> Iterable[tuple[Place, Any]]:
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
            depth == 1 or (what and all(isinstance(inner, Mapping) for inner in what.values()))
        )
        if deep:
            yield from (((str(key), clean(str(column))), inner) for column, inner in what.items())
        else:
            yield ("", clean(str(key))), what


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
    if (
        not isinstance(pair, (tuple, list))
        or len(pair) != 2
        or not all(_is_number(number) for number in pair)
    ):
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
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return bool(np.isfinite(float(value)))


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
