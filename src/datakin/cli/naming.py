"""--name: tables are called what their user calls them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from datakin._core.addresses import told
from datakin._core.exceptions import DatakinError, listed, repeated, suggest
from datakin._core.typed_options import cut, unescaped

if TYPE_CHECKING:
    from datakin import Dataset

__all__ = ["check_values", "name_parts", "name_tables", "parse_names"]


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
    """Return tables that were found, with the names of their user.

    Parameters
    ----------
    tables : sequence of TableFiles
    names : mapping of str to str
        New names, by paths as they were typed, names of files, or those without their ending.
    """
    given: dict[int, str] = {}
    for file, name in names.items():
        at = [i for i, table in enumerate(tables) if file in _spellings(table)]
        if len(at) != 1:
            known = [_spellings(table)[1] for table in tables]
            raise DatakinError(
                f"--name: {'no table is' if not at else f'{len(at)} tables are'} called {told(file)!r}. "
                f"The tables are {listed(known, limit=20)}.{'' if at else suggest(file, known)}"
            )
        given[at[0]] = name
    called = [given.get(i, _spellings(table)[-1]) for i, table in enumerate(tables)]
    _check_once(called, set(given.values()))
    return [replace(table, name=given.get(i)) for i, table in enumerate(tables)]


def name_parts(parts: Mapping[str, Dataset], names: Mapping[str, str]) -> dict[str, Dataset]:
    """Return the datasets of one table, by value of its domain column, with the names of their user."""
    called = check_values(parts, names)
    return {name: part.renamed(name) for name, part in zip(called, parts.values(), strict=True)}


def check_values(values: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Return what the values of a domain column are called; refuse names of values that are not there."""
    known = list(values)
    for value in names:
        if value not in known:
            raise DatakinError(
                f"--name: no table is called {value!r}. The tables are the values of the domain column: "
                f"{listed(known, limit=20)}.{suggest(value, known)}"
            )
    called = [names.get(value, value) for value in known]
    _check_once(called, set(names.values()))
    return called


def _check_once(called: list[str], given: set[str]) -> None:
    if twice := [name for name in repeated(called) if name in given]:
        raise DatakinError(
            f"--name must give every table a name of its own. Got {listed(twice)} twice."
        )


def _spellings(table: Any) -> list[str]:
    """Return the ways to name a table: its path, its file, and without the ending."""
    from datakin.data.files.opening import stem

    path = os.fspath(table)
    return [path, os.path.basename(path) or path, table.table or stem(path)]
