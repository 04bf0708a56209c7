"""Sheets of .xlsx, .xlsm, .xlsb, .xls and .ods workbooks -> pyarrow tables.

python-calamine reads the cells in a process of its own (`workbook_process`); here they become a
table: which sheet, which row is the header, what is empty.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, time, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from datakin._core.exceptions import DatakinError, listed, require, suggest
from datakin.data.files.arrow_columns import table_of, text_of
from datakin.data.files.error_cells import cell_notes, counted
from datakin.data.files.formats import members_of
from datakin.data.files.headers import notes_of_first_row, notes_of_names
from datakin.data.files.reading import Read, check_file_columns, draw_rows
from datakin.data.origin import Origin

MEMORY = 6_000_000_000  # bytes that the reading process may ask for
MEMORY_XLS = 1_500_000_000  # the same for .xls, whose sheets are small
MOST_CELLS = 100_000_000  # of a sheet, empty ones between others too
MOST_CELLS_XLS = 1 << 24  # the format has no more: more are damage
PATIENCE = 600  # seconds that reading may take
UNPACKED = 2_000_000_000  # bytes that a workbook may unpack to
DIGITS = 10**15  # from here on a workbook rounds whole numbers
LOOKED_AT = 20  # rows below the header that tell whether it is a title

Row = Sequence[Any]


class Sheet(NamedTuple):
    """What is known of a sheet beside its rows."""

    name: str
    start: int  # number of its first column
    wide: list[int]  # rows with cells that are merged over columns
    filled: list[tuple[int, int]]  # columns from the first, and how many cells were filled in them


def read_workbook(files: Sequence[str], how: Origin) -> Read:
    """Read a sheet of a workbook, all rows or a sample."""
    path = files[0]
    require("python_calamine", "excel", "Reading workbooks", package="python-calamine")
    is_old = not zipfile.is_zipfile(path)  # the format before 2007
    _check_unpacked(path)
    with _messages_of(path, is_old, how) as messages:
        sheet, notes = _found_sheet(path, how.table, messages)
        top, header, batches = _header(messages, how.header)
        rows, n_rows = draw_rows(batches, how.read_rows)
    where = f"The sheet {sheet.name!r} of {path!r}"
    if header is not None:
        _check_title(header, rows, top in sheet.wide, where, top)
    names, used, unnamed = _names(header, rows)
    if unnamed:
        notes.append(f"column(s) without a name in the header called {listed(unnamed)}")
    notes += _header_notes(header, rows)
    check_file_columns(names, path)
    table = table_of([[row[j] for j in used] for row in rows], names, how.unread, whole=True)
    notes += _rounded(table)
    by_place = {j: name for j, name in zip(used, names, strict=True) if name not in how.unread}
    filled = {by_place[j]: n for j, n in sheet.filled if j in by_place}
    if filled:
        notes.append(f"merged cells filled down: {counted(filled)}")
    notes += cell_notes(
        path, sheet.name, {sheet.start + j: n for j, n in by_place.items()}, table, how
    )
    return Read(table, n_rows, tuple(names), tuple(notes))


def _header_notes(header: Row | None, rows: Sequence[Row]) -> list[str]:
    """Return a note if names look like data, or the first row like names, as for text files."""
    if header is not None:
        return notes_of_names([text_of(cell) for cell in header if cell is not None])
    some = rows[: LOOKED_AT + 1]
    return notes_of_first_row(
        [["" if cell is None else text_of(cell) for cell in row] for row in some]
    )


def _check_unpacked(path: str) -> None:
    """Refuse an archive that unpacks to more than any sheet of a spreadsheet needs."""
    n_bytes = sum(info.file_size for info in members_of(path))
    if n_bytes > UNPACKED:
        raise DatakinError(
            f"The workbook {path!r} must unpack to at most {UNPACKED / 1e9:g} GB. Got {n_bytes / 1e9:.1f} GB "
            f"from {os.path.getsize(path) / 1e6:.1f} MB; save its table as CSV or Parquet."
        )


def _found_sheet(
    path: str, wanted: str | None, messages: Iterator[tuple[str, Any]]
) -> tuple[Sheet, list[str]]:
    """Return what is known of the sheet, and a note if others were left out."""
    notes: list[str] = []
    for kind, content in messages:
        if kind == "sheet":
            return Sheet(*content), notes
        if kind == "chosen":
            name, hidden, empty = content
            others = [f"hidden: {listed(hidden)}"] if hidden else []
            others += [f"without a table: {listed(empty)}"] if empty else []
            notes.append("; ".join([f"sheet {name!r} read", *others]))
        elif kind == "no sheet":
            raise DatakinError(
                f"The workbook {path!r} has no sheet {wanted!r}. It has {listed(content, limit=12)}."
                f"{suggest(wanted, content)}"
            )
        elif kind == "too large":
            raise DatakinError(
                f"A sheet must have at most {MOST_CELLS:,} cells. Got {content[0]:,} x {content[1]:,} in "
                f"{path!r}; save its table as CSV or Parquet."
            )
        elif kind == "which sheet" and content:
            first = content[0]
            raise DatakinError(
                f"The workbook {path!r} has several sheets: {listed(content, limit=12)}. Say which, "
                f"with table={first!r} (--sheet {shlex.quote(first)}), or as {path + '#' + first!r}."
            )
    raise DatakinError(f"The workbook {path!r} has no sheet with cells.")


def _header(
    messages: Iterator[tuple[str, Any]], is_header: bool
) -> tuple[int, Row | None, Iterator[Sequence[Row]]]:
    """Return the number of the first row, its cells if they are names, and the rows that follow."""
    found = next(messages, None)
    if found is None:
        return 0, None, iter(())
    top, _ = found[1][0]
    batches = (batch for _, batch in chain([found], messages))
    rows = (
        [[None if cell == "" else cell for cell in row] for _, row in batch] for batch in batches
    )
    if not is_header:
        return top, None, rows
    header, *rest = next(rows)
    return top, header, chain([rest], rows)


def _check_title(header: Row, rows: Sequence[Row], is_merged: bool, where: str, top: int) -> None:
    """Refuse a first row that is a title above the header."""
    n_names = sum(cell is not None for cell in header)
    widest = max((sum(cell is not None for cell in row) for row in rows[:LOOKED_AT]), default=0)
    if is_merged or (n_names == 1 and widest > 1):
        first = next(text_of(cell) for cell in header if cell is not None)
        raise DatakinError(
            f"{where} must have the names of its columns in the first row. Row {top + 1} looks like a "
            f"title ({first[:60]!r}, over {widest} columns); delete the rows above the names."
        )


def _names(header: Row | None, rows: Sequence[Row]) -> tuple[list[str], list[int], list[str]]:
    """Return names and positions of the columns that hold something, and made-up names."""
    cells: Row = [None] * len(rows[0] if rows else []) if header is None else header
    is_named = [cell is not None for cell in cells]
    used = [j for j in range(len(cells)) if is_named[j] or any(r[j] is not None for r in rows)]
    if header is None:
        return [f"x{i}" for i in range(len(used))], used, []
    unnamed = [f"Unnamed: {j}" for j in used if header[j] is None]
    names = [f"Unnamed: {j}" if header[j] is None else text_of(header[j]) for j in used]
    return names, used, unnamed


def _rounded(table: pa.Table) -> list[str]:
    """Return a note on numbers of more digits than a workbook keeps."""
    long = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            top = pc.max(pc.abs(column)).as_py()
            if top is not None and DIGITS <= top < 1e19:
                long.append(name)
    text = "numbers of more than 15 digits, which a workbook rounds (write ids as text)"
    return [f"{text}: {listed(long)}"] if long else []


@contextmanager
def _messages_of(path: str, is_old: bool, how: Origin) -> Iterator[Iterator[tuple[str, Any]]]:
    """Start the process that reads, and give what it sends."""
    script = Path(__file__).with_name("workbook_process.py")
    memory, most_cells = (MEMORY_XLS, MOST_CELLS_XLS) if is_old else (MEMORY, MOST_CELLS)
    with suppress(AttributeError, ValueError, OSError):  # at most half of what there is
        memory = min(memory, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    # As JSON, in which names may hold every letter.
    words = json.dumps([os.path.abspath(path), how.table, memory, most_cells, how.header])
    folders = os.pathsep.join(folder for folder in sys.path if folder)
    process = subprocess.Popen(
        [sys.executable, "-P", str(script), words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": folders, "RUST_BACKTRACE": "0"},
    )
    clock = threading.Timer(PATIENCE, process.kill)
    clock.start()
    try:
        yield _received(process.stdout, path, memory)
    finally:
        clock.cancel()
        process.kill()
        process.communicate()


def _received(stream: Any, path: str, memory: int) -> Iterator[tuple[str, Any]]:
    while True:
        try:
            kind, content = json.loads(stream.readline(), object_hook=_untagged)
        except ValueError:  # the process has ended in the middle
            raise DatakinError(
                f"The workbook {path!r} could not be read: it is damaged, or asks for more than "
                f"{memory / 1e9:.1f} GB of memory or {PATIENCE / 60:g} minutes. Open it in a spreadsheet "
                f"and save its table as CSV."
            ) from None
        if kind == "end":
            return
        if kind == "error":
            raise _fault(path, *content)
        yield kind, content


def _untagged(found: dict[str, Any]) -> Any:
    """Return the date or time that `tagged` sent."""
    for kind in (datetime, date, time):
        if kind.__name__ in found:
            return kind.fromisoformat(found[kind.__name__])
    return timedelta(**found)


def _fault(path: str, kind: str, message: str) -> DatakinError:
    if kind == "PasswordError" or "password" in message.lower() or "encrypt" in message.lower():
        return DatakinError(
            f"The workbook {path!r} is protected by a password. Open it in a spreadsheet and save it "
            f"without one."
        )
    return DatakinError(
        f"The file {path!r} could not be read as a workbook ({' '.join(message.split())[:120]}); is it "
        f"complete, and does the suffix fit?"
    )
