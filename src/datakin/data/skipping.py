"""Reading several tables of which some cannot be used."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from datakin._core.exceptions import DatakinError, listed
from datakin.data.columns.tables import RawTable
from datakin.data.dataset import Dataset, Origin
from datakin.data.drafts import Draft, make_draft
from datakin.data.files.opening import find_tables, open_tables

__all__ = ["make_usable", "notes_of_skipped", "open_usable", "reasons"]


def open_usable(source: Any, how: Origin, left_out: dict[str, str]) -> list[RawTable]:
    """Open several tables; those that cannot be read go to `left_out`, but for the first."""
    one: list[Any]
    if isinstance(source, Mapping):
        one = [{name: table} for name, table in source.items()]
    elif isinstance(source, (str, os.PathLike)):
        one = [[found] for found in find_tables([source])]
    elif isinstance(source, (list, tuple)):
        one = [[found] for found in find_tables(source)]
    else:
        return open_tables(source, how)
    tables: list[RawTable] = []
    for i, each in enumerate(one):
        try:
            tables += open_tables(each, how)
        except DatakinError as error:
            if i == 0:  # the target
                raise
            left_out[str(next(iter(each)))] = str(error)
    return tables


def make_usable(tables: Sequence[tuple[RawTable, Origin]], left_out: dict[str, str]) -> list[Draft]:
    """Make drafts; tables whose columns cannot be read go to `left_out`, but for the first."""
    drafts: list[Draft] = []
    for table, how in tables:
        try:
            drafts.append(make_draft(table, how))
        except DatakinError as error:
            if not drafts:
                raise
            left_out[table.name] = str(error)
    return drafts


def notes_of_skipped(left_out: Mapping[str, str], datasets: Sequence[Dataset]) -> list[str]:
    """Say what was left out, or refuse if only the target remains."""
    if not left_out:
        return []
    if len(datasets) < 2:
        raise DatakinError(
            f"Besides {datasets[0].name!r} at least one table must be usable. Got none: "
            f"{reasons(left_out)}"
        )
    return [
        f"{len(left_out)} table(s) left out (skip_unusable=True / --skip-unusable): "
        f"{listed(left_out)}. {reasons(left_out)}"
    ]


def reasons(left_out: Mapping[str, str]) -> str:
    """Return the first few reasons why something was left out."""
    return " ".join(list(left_out.values())[:3]) + (" ..." if len(left_out) > 3 else "")
