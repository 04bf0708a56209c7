"""Sheets of .xlsx, .xlsm, .xlsb, .xls and .ods workbooks -> pyarrow tables.

python-calamine reads the cells in a process of its own (`workbook_process`); here they become a
table: which sheet, which row is the header, what is empty.
"""

from __future__ import annotations

import os
import pickle
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinError, listed, require, suggest
from datakin.data.files.cells import draw_rows, table_of, text_of
from datakin.data.files.error_cells import error_cells
from datakin.data.files.reading import Read, check_file_columns
from datakin.data.origin import Origin

__all__ = ["read_workbook"]

UNPACKED = 2_000_000_000  # bytes that a workbook may unpack to
MEMORY = 6_000_000_000  # bytes that the reading process may ask for
MEMORY_XLS = 1_500_000_000  # the same for .xls, whose sheets are small
MOST_CELLS = 100_000_000  # of a sheet, empty ones between others too
MOST_CELLS_XLS = 1 << 24  # the format has no more: more are damage
DIGITS = 10**15  # from here on a workbook rounds whole numbers
LOOKED_AT = 20  # rows below the header that tell whether it is a title

Row = Sequence[Any]


def read_workbook(files: Sequence[str], how: Origin) -> Read:
    """Read a sheet of a workbook, all rows or a sample."""
    path = files[0]
    require("python_calamine", "excel", "Reading workbooks", package="python-calamine")
    _check_unpacked(path)
    with _messages(path, how.table) as messages:
        (sheet, start, merged), notes = _found_sheet(path, how.table, messages)
        top, header, batches = _header(messages, how.header)
        rows, n_rows = draw_rows(batches, how.read_rows)
    where = f"The sheet {sheet!r} of {path!r}"
    if header is not None:
        _check_title(header, rows, top in merged, where, top)
    names, used, unnamed = _names(header, rows)
    if unnamed:
        notes.append(f"column(s) without a name in the header called {listed(unnamed)}")
    check_file_columns(names, path)
    table = table_of([[row[j] for j in used] for row in rows], names, how.unread, whole=True)
    notes += _rounded(table)
    letters = {start + j: name for j, name in zip(used, names, strict=True)}
    if found := error_cells(path, sheet, letters):
        shown = ", ".join(f"{name!r} {n}" for name, n in found.items() if name not in how.unread)
        notes.append(f"error cells such as #N/A or #DIV/0! read as missing values: {shown}")
    return Read(table, n_rows, tuple(names), tuple(notes))


def _check_unpacked(path: str) -> None:
    """Refuse an archive that unpacks to more than any sheet of a spreadsheet needs."""
    try:
        with zipfile.ZipFile(path) as archive:
            n_bytes = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return  # .xls is no archive; of a damaged one its reader will tell
    if n_bytes > UNPACKED:
        raise DatakinError(
            f"The workbook {path!r} must unpack to at most {UNPACKED / 1e9:g} GB. Got {n_bytes / 1e9:.1f} GB "
            f"from {os.path.getsize(path) / 1e6:.1f} MB; save its table as CSV or Parquet."
        )


@contextmanager
def _messages(path: str, sheet: str | None) -> Iterator[Iterator[tuple[str, Any]]]:
    """Start the process that reads, and give what it sends."""
    script = Path(__file__).with_name("workbook_process.py")
    # The first letter keeps an empty name apart from none.
    arguments = [os.path.abspath(path), "" if sheet is None else f"={sheet}"]
    arguments += [str(_memory(path)), str(MOST_CELLS_XLS if _is_old(path) else MOST_CELLS)]
    command = [sys.executable, "-P", str(script), *arguments]
    folders = os.pathsep.join(folder for folder in sys.path if folder)
    environment = {**os.environ, "PYTHONPATH": folders, "RUST_BACKTRACE": "0"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )
    try:
        yield _received(process.stdout, path)
    finally:
        process.kill()
        process.communicate()


def _is_old(path: str) -> bool:
    """Whether it is no archive, but a workbook of the format before 2007."""
    return not zipfile.is_zipfile(path)


def _memory(path: str) -> int:
    """Return how much memory reading may take: at most half of what there is."""
    most = MEMORY_XLS if _is_old(path) else MEMORY
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return most
    return min(most, there // 2)


def _received(stream: Any, path: str) -> Iterator[tuple[str, Any]]:
    while True:
        try:
            kind, content = pickle.load(stream)  # of our own process
        except (EOFError, pickle.UnpicklingError):
            raise DatakinError(
                f"The workbook {path!r} could not be read: it is damaged, or asks for more than "
                f"{_memory(path) / 1e9:.1f} GB of memory. Open it in a spreadsheet and save its table as CSV."
            ) from None
        if kind == "end":
            return
        if kind == "error":
            raise _fault(path, *content)
        yield kind, content


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


def _found_sheet(
    path: str, wanted: str | None, messages: Iterator[tuple[str, Any]]
) -> tuple[tuple[str, int, list[int]], list[str]]:
    """Return name, first column and merged rows of the sheet, and a note if others were left out."""
    notes: list[str] = []
    for kind, content in messages:
        if kind == "sheet":
            return content, notes
        if kind == "chosen":
            name, others = content
            notes.append(f"sheet {name!r} read; without a table: {listed(others)}")
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
    top, batch = found[1]
    batches = chain([batch], (rows for _, (_, rows) in messages))
    rows = ([[None if cell == "" else cell for cell in row] for row in rows] for rows in batches)
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
    width = max((len(row) for row in [header or [], *rows[:1]]), default=0)
    if header is None:
        used = [j for j in range(width) if any(row[j] is not None for row in rows)]
        return [f"x{i}" for i in range(len(used))], used, []
    names, used, unnamed = [], [], []
    for j, cell in enumerate(header):
        if cell is None:
            if all(row[j] is None for row in rows):
                continue
            unnamed.append(f"Unnamed: {j}")
        names.append(f"Unnamed: {j}" if cell is None else text_of(cell))
        used.append(j)
    return names, used, unnamed


def _rounded(table: Any) -> list[str]:
    """Return a note on numbers of more digits than a workbook keeps."""
    import pyarrow as pa
    import pyarrow.compute as pc

    long = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            top = pc.max(pc.abs(column)).as_py()
            if top is not None and DIGITS <= top < 1e19:
                long.append(name)
    if not long:
        return []
    return [
        f"numbers of more than 15 digits, which a workbook rounds (write ids as text): {listed(long)}"
    ]
