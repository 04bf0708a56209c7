"""Read a workbook in a process of its own, and send its rows to the one that asked.

A damaged workbook can make its reader ask for all memory or end the process; here it can only end
this one. It is run as a script and imports nothing of datakin, so that it starts quickly.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

BATCH = 10_000  # rows sent together


def limit_memory(n_bytes: int) -> None:
    """Let this process ask for no more memory, where the system knows such a limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def send(kind: str, content: Any) -> None:
    """Write one message to standard output: a line of JSON."""
    sys.stdout.write(json.dumps([kind, content], default=tagged) + "\n")


def tagged(cell: Any) -> dict[str, Any]:
    """Return a date or time in a form that JSON has."""
    if isinstance(cell, timedelta):
        return {"days": cell.days, "microseconds": cell.seconds * 1_000_000 + cell.microseconds}
    name = next(kind.__name__ for kind in (datetime, date, time) if isinstance(cell, kind))
    return {name: cell.isoformat()}


def send_sheet(sheet: Any, most_cells: int, is_header: bool) -> None:
    """Send what is known of a sheet, and its rows that are not empty, each with its number.

    Cells merged over rows of one column have their value in all of them.
    """
    if sheet.height * sheet.width > most_cells:
        send("too large", (sheet.height, sheet.width))
        return
    top, left = sheet.start or (0, 0)
    merged = getattr(sheet, "merged_cell_ranges", None) or []  # none where the format does not tell
    wide = [start[0] for start, end in merged if start[1] != end[1]]
    tall = [
        (start[0], end[0], start[1] - left)
        for start, end in merged
        if start[0] != end[0] and left <= start[1] == end[1] < left + sheet.width
        and (start[0] > top or not is_header)
    ]  # fmt: skip
    counts: Counter[int] = Counter()
    for first, last, column in tall:
        counts[column] += last - first
    send("sheet", (sheet.name, left, wide, list(counts.items())))
    rows = filled_rows(sheet, tall)
    while batch := list(islice(rows, BATCH)):
        send("rows", batch)


def filled_rows(sheet: Any, tall: list[tuple[int, int, int]]) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows that are not empty, with their numbers, merged cells filled down."""
    begins: dict[int, list[tuple[int, int]]] = {}
    for first, last, column in tall:
        begins.setdefault(first, []).append((last, column))
    open_ranges: dict[int, tuple[int, Any]] = {}
    for number, row in enumerate(sheet.iter_rows()):
        for last, column in begins.get(number, ()):
            open_ranges[column] = last, row[column]
        if not any(cell != "" for cell in row):
            continue
        for column, (last, value) in open_ranges.items():
            if number <= last:
                row[column] = value
        yield number, row


def choose_sheet(book: Any, wanted: str | None) -> Any:
    """Return the sheet that was asked for, or the only one with a table; None if there is none."""
    names = list(book.sheet_names)
    if wanted is not None:
        if wanted not in names:
            send("no sheet", names)
            return None
        return book.get_sheet_by_name(wanted)
    if len(names) == 1:
        return book.get_sheet_by_name(names[0])
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    found, empty = [], []
    for about in book.sheets_metadata:
        is_sheet = about.typ == SheetTypeEnum.WorkSheet
        sheet = book.get_sheet_by_name(about.name) if is_sheet else None
        if sheet is None or sheet.height < 2:
            empty.append(about.name)
        else:
            found.append((about.name, about.visible == SheetVisibleEnum.Visible, sheet))
    visible = [entry for entry in found if entry[1]] or found
    if len(visible) != 1:
        send("which sheet", [name for name, _, _ in visible] or names)
        return None
    hidden = [name for name, _, _ in found if name != visible[0][0]]
    send("chosen", (visible[0][0], hidden, empty))
    return visible[0][2]


def open_book(path: str) -> Any:
    """Open a workbook by its content; where that fails, by its suffix, which tells more of the fault."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        with open(path, "rb") as file:
            return CalamineWorkbook.from_filelike(file)
    except CalamineError:
        if path.isascii():  # the library knows no path that is not text
            return CalamineWorkbook.from_path(path)
        raise


def main(path: str, wanted: str | None, memory: int, most_cells: int, is_header: bool) -> None:
    """Send the rows of one sheet, or what is wrong with the workbook."""
    limit_memory(memory)
    try:
        sheet = choose_sheet(open_book(path), wanted)
        if sheet is not None:
            send_sheet(sheet, most_cells, is_header)
    except BaseException as error:
        # Also what the library raises when it panics, which is no Exception.
        send("error", (type(error).__name__, str(error)[:300]))
    send("end", None)


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
