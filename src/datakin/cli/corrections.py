r"""Names and corrections as they are typed: --keep, --name, --rename, --recode, --convert, --label-map.

``TABLE::`` in front of a correction is for one table. A ``:``, ``=`` or ``,`` that belongs to a name has
a backslash before it, and so has a backslash: ``--rename 'a\=b=c'`` gives the column ``a=b`` the name ``c``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from datakin._core.addresses import told
from datakin._core.exceptions import DatakinError, listed, repeated, suggest
from datakin._core.typed_options import cut, unescaped

Change = tuple[str, Any]  # a column as it was typed, and what to do with it


def names(entries: Iterable[str] | None) -> list[str]:
    """Return names that were repeated, or separated by commas."""
    return [unescaped(name) for entry in entries or () for name in cut(entry, ",") if name]


def parse_label_map(entries: Iterable[str] | None) -> dict[str, str] | None:
    """Return the `label_map` of read_tables."""
    found = [cut(entry, "=") for text in entries or () for entry in cut(text, ",")]
    if bad := ["=".join(entry) for entry in found if len(entry) != 2]:
        raise DatakinError(f"--label-map must look like old=new. Got {listed(bad)}.")
    return {unescaped(old): unescaped(new) for old, new in found} or None


def _rename(text: str) -> Change | None:
    parts = cut(text, "=")
    return (parts[0], unescaped(parts[1])) if len(parts) == 2 and all(parts) else None


def _recode(text: str) -> Change | None:
    """Return a column and its new value for an old one; an empty one stands for a missing value."""
    column, *values = cut(text, ":", most=1)
    parts = cut(values[0], "=") if values else []
    if not column or len(parts) != 2 or not parts[0]:
        return None
    return column, {unescaped(parts[0]): unescaped(parts[1])}


def _convert(text: str) -> Change | None:
    column, *values = cut(text, "=", most=1)
    line = _line(values[0]) if values else None
    return None if not column or line is None else (column, line)


def _line(text: str) -> tuple[float, float] | str | None:
    """Return slope, which may be 5/9, and intercept, or the format of a date; None for anything else."""
    if "%" in text:
        return unescaped(text)
    try:
        parts = [part.partition("/") for part in text.split(",")]
        slope, *rest = [float(over) / float(under or 1) for over, _, under in parts]
    except (ValueError, ZeroDivisionError):
        return None
    return (slope, rest[0] if rest else 0.0) if len(rest) < 2 else None


def _parsed(
    option: str, shape: str, change: Callable[[str], Change | None], entries: Iterable[str] | None
) -> dict[str, Any] | None:
    """Return an option of read_tables: what to do with columns of all tables, and of tables by name."""
    found: dict[str, dict[str, Any]] = {"": {}}
    for entry in entries or ():
        *table, text = cut(entry, "::", most=1)
        changed = change(text)
        if changed is None:
            raise DatakinError(
                f"{option} must look like {shape}. Got {entry!r}. Put a backslash before a ':', '=' or "
                f"',' that belongs to a name."
            )
        columns = found.setdefault(unescaped("".join(table)), {})
        column, what = unescaped(changed[0]), changed[1]
        columns[column] = {**columns.get(column, {}), **what} if isinstance(what, dict) else what
    # A column may have the name of a table, and then those for all stand apart.
    return found if found.keys() & found[""].keys() else {**found.pop(""), **found} or None


# What becomes of each repeated option: the one of read_tables that has its name.
parse_rename = partial(_parsed, "--rename", "old=new or TABLE::old=new", _rename)
parse_recode = partial(_parsed, "--recode", "column:old=new or TABLE::column:old=new", _recode)
parse_convert = partial(
    _parsed,
    "--convert",
    "column=slope,intercept or, for dates, column=%d/%m/%Y, perhaps with TABLE:: in front",
    _convert,
)


def parse_names(entries: Iterable[str] | None) -> dict[str, str]:
    """Return the new names by what was typed for tables: their files, or values of a domain column."""
    found: dict[str, str] = {}
    for entry in entries or ():
        parts = [unescaped(part).strip() for part in cut(entry, "=")]
        if len(parts) != 2 or not all(parts):
            raise DatakinError(
                f"--name must look like FILE=NAME, such as clinic_2026.csv=ours. Got {told(entry)!r}. Put "
                f"a backslash before a '=' that belongs to a name."
            )
        if found.setdefault(parts[0], parts[1]) != parts[1]:
            raise DatakinError(
                f"--name gives one name to a table. Got {found[parts[0]]!r} and {parts[1]!r} for "
                f"{told(parts[0])!r}."
            )
    return found


def name_tables(tables: Sequence[Any], names: Mapping[str, str]) -> list[Any]:
    """Return tables that were found, with the names of their user, by what `_spellings` has of each."""
    spellings = [_spellings(table) for table in tables]
    given = _given(spellings, names, [known[1] for known in spellings])
    return [replace(table, name=given.get(i)) for i, table in enumerate(tables)]


def name_values(values: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Return what the values of a domain column are called; refuse names of values that are not there."""
    known = list(values)
    given = _given([[value] for value in known], names, known, "the values of the domain column: ")
    return [given.get(i, value) for i, value in enumerate(known)]


def _given(
    spellings: list[list[str]], names: Mapping[str, str], shown: list[str], what: str = ""
) -> dict[int, str]:
    """Return the new names by the places of the tables, each of which has some spellings."""
    given: dict[int, str] = {}
    for table, name in names.items():
        at = [i for i, known in enumerate(spellings) if table in known]
        if len(at) != 1:
            raise DatakinError(
                f"--name: {'no table is' if not at else f'{len(at)} tables are'} called {told(table)!r}. "
                f"The tables are {what}{listed(shown, limit=20)}.{'' if at else suggest(table, shown)}"
            )
        given[at[0]] = name
    called = [given.get(i, known[-1]) for i, known in enumerate(spellings)]
    if twice := [name for name in repeated(called) if name in given.values()]:
        raise DatakinError(
            f"--name must give every table a name of its own. Got {listed(twice)} twice."
        )
    return given


def _spellings(table: Any) -> list[str]:
    """Return the ways to name a table: its path, its file, and without the ending."""
    from datakin.data.files.addresses import stem

    path = os.fspath(table)
    return [path, os.path.basename(path) or path, table.table or stem(path)]
