"""The target and its sources: which tables they are, and the line for each that is finished.

Paths are looked up here once; what was found is handed to `read_tables`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import datakin
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.progress import is_hushed, say
from datakin.cli.options import Reading

if TYPE_CHECKING:
    from datakin.data.files import TableFiles

__all__ = ["one_file", "read_sources", "told"]


def one_file(pattern: str) -> TableFiles:
    """Return the one file, or folder of Parquet part files, that a pattern names."""
    from datakin.data.files import find_tables

    found = find_tables([pattern], together=os.path.isdir(pattern))
    if len(found) > 1:
        raise DatakinError(
            f"Expected one file, or a folder of Parquet part files. {pattern!r} names "
            f"{len(found)}: {listed(table.path for table in found)}."
        )
    return found[0]


def read_sources(
    reading: Reading, tables: list[str], domain: str | None, target: str | None
) -> tuple[datakin.Dataset, dict[str, datakin.Dataset]]:
    """Read the target and its sources: the first table and the others, or the parts of one."""
    if domain is None:
        first, others = _target_and_sources(tables, target)
        read = reading.read([first, *others])
        return read.pop(next(iter(read))), read
    read = reading.read(tables, domain)
    return read.pop(_target_domain(target, domain, read)), read


def _target_and_sources(
    tables: list[str], target: str | None
) -> tuple[TableFiles, list[TableFiles]]:
    """Return the target's table and those of its sources."""
    from datakin.data.files import find_tables

    if target is not None:
        raise DatakinError(
            "--target names a value of --domain; without it the first table is the target."
        )
    first = one_file(tables[0])
    found = find_tables([first, *tables[1:]]) if len(tables) > 1 else []
    others = [table for table in found if not os.path.samefile(table, first)]
    if not others:
        raise DatakinError(
            "Give the target's table and at least one source. Got one table; see --domain."
        )
    return first, others


def _target_domain(target: str | None, domain: str, read: dict[str, datakin.Dataset]) -> str:
    """Return the value of the domain column that names the target."""
    if target is None:
        raise DatakinError(
            f"--domain needs --target, one of the values of {domain!r}: {listed(read, limit=20)}."
        )
    if target not in read:
        raise DatakinError(
            f"The target {target!r} must be a usable value of {domain!r}: "
            f"{listed(read, limit=20)}.{suggest(target, read)}"
        )
    return target


def told(n_sources: int) -> Callable[[Any], None]:
    """Return a function that tells of finished sources on a terminal, one line each."""
    done = 0

    def tell(result: Any) -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty() and n_sources > 1 and not is_hushed():
            say(f"{done} of {n_sources}: {result.source}, {result.headline}")

    return tell
