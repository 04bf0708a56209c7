r"""Corrections as they are typed: --rename old=new, --recode column:old=new, --convert column=0.5,-3.

``TABLE::`` in front is for one table. A ``:``, ``=`` or ``,`` that belongs to a name has a backslash
before it, and so has a backslash: ``--rename 'a\=b=c'`` gives the column ``a=b`` the name ``c``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin._core.typed_options import cut, unescaped

__all__ = ["parse_convert", "parse_recode", "parse_rename"]

Found = dict[str, dict[str, Any]]  # name of a table, empty for all of them -> column -> what to do


def parse_rename(entries: Iterable[str] | None) -> dict[str, Any] | None:
    """Return the `rename` of read_tables."""
    found: Found = {"": {}}
    for entry in entries or ():
        table, rest = _table(entry)
        parts = cut(rest, "=")
        if len(parts) != 2 or not all(parts):
            raise _wrong("--rename", "old=new or TABLE::old=new", entry)
        found.setdefault(table, {})[unescaped(parts[0])] = unescaped(parts[1])
    return _option(found)


def parse_recode(entries: Iterable[str] | None) -> dict[str, Any] | None:
    """Return the `recode` of read_tables; an empty new value stands for a missing one."""
    found: Found = {"": {}}
    for entry in entries or ():
        table, rest = _table(entry)
        column, *values = cut(rest, ":", most=1)
        parts = cut(values[0], "=") if values else []
        if not column or len(parts) != 2 or not parts[0]:
            raise _wrong("--recode", "column:old=new or TABLE::column:old=new", entry)
        codes = found.setdefault(table, {}).setdefault(unescaped(column), {})
        codes[unescaped(parts[0])] = unescaped(parts[1])
    return _option(found)


def parse_convert(entries: Iterable[str] | None) -> dict[str, Any] | None:
    """Return the `convert` of read_tables."""
    found: Found = {"": {}}
    for entry in entries or ():
        table, rest = _table(entry)
        column, *text = cut(rest, "=", most=1)
        line = _line(text[0]) if text else None
        if not column or line is None:
            shape = "column=slope,intercept or, for dates, column=%d/%m/%Y, perhaps with TABLE::"
            raise _wrong("--convert", f"{shape} in front", entry)
        found.setdefault(table, {})[unescaped(column)] = line
    return _option(found)


def _option(found: Found) -> dict[str, Any] | None:
    """Return the option: a column may have the name of a table, and then those for all stand apart."""
    if found.keys() & found[""].keys():
        return found
    return {**found.pop(""), **found} or None


def _table(entry: str) -> tuple[str, str]:
    """Return the name of the table, if there is one, and the rest."""
    table, *rest = cut(entry, "::", most=1)
    return (unescaped(table), rest[0]) if rest else ("", table)


def _line(text: str) -> tuple[float, float] | str | None:
    """Return slope and intercept, or the format of a date; None for anything else."""
    if "%" in text:
        return unescaped(text)
    try:
        numbers = [_number(part) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        return None
    return (numbers[0], numbers[1] if len(numbers) == 2 else 0.0) if len(numbers) < 3 else None


def _number(text: str) -> float:
    """Return a number; 5/9 is one, too."""
    over, _, under = text.partition("/")
    return float(over) / float(under) if under else float(over)


def _wrong(option: str, shape: str, entry: str) -> DatakinError:
    return DatakinError(
        f"{option} must look like {shape}. Got {entry!r}. Put a backslash before a ':', '=' or ',' that "
        f"belongs to a name."
    )
