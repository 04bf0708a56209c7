"""A result on the screen, with colours on a terminal, and in data files: .json, .csv, .md or .xlsx."""

from __future__ import annotations

import math
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datakin._core.addresses import printable
from datakin._core.exceptions import USUAL, DatakinError, Note, require
from datakin._core.files import is_terminal, written_whole
from datakin.cli.wording import for_typing

if TYPE_CHECKING:
    from datakin.results.answer import Answer

CALLS = {"helps": "green", "harmless": "cyan", "unclear": "yellow", "hurts": "red"}
TONES = {"good": "bold green", "plain": "bold", "open": "bold yellow", "bad": "bold red"}
TABLES = ("table", "second")
TITLED = ("reasons", "remedies", "caveats", "notes")  # blocks that begin with a title
MOST_ROWS = 1_048_575  # of a sheet, below its first row
MOST_COLUMNS = 16_384
MOST_DIGITS = 2**53  # larger whole numbers are not exact in a sheet
# Titles of the sheet with words and of the one with the table; an answer stands first.
SHEETS = {
    "Gain": ("answer", "methods"),
    "Matrix": ("answer", "pairs"),
    "Explanation": ("answer", "parts"),
    "Predictions": ("about", "predictions"),
    "Description": ("about", "columns"),
}
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # not in a sheet
MARKS = re.compile(r"([\\`*\[\]|])")  # what Markdown would take for more than text


def show(result: Any, *, details: bool = False, notes: Iterable[str] = ()) -> None:
    """Print a result to standard output.

    Parameters
    ----------
    result : Record
    details : bool
        Also print all columns, and the reason of every call.
    notes : iterable of str
        Notes of reading the tables, shown with those of the result, each once.
    """
    width = shutil.get_terminal_size().columns
    if not is_terminal(sys.stdout):
        print(shown_text(result, width, details=details, notes=notes))
        return
    from rich.console import Console

    console = Console(width=width, highlight=False)
    if result.is_text:
        console.print(_coloured_text(result, width), soft_wrap=True)
    else:
        _show_answer(_answer(result, notes), console, details=details)
    if details:
        console.print(f"\n{_all_columns(result)}", markup=False, soft_wrap=True)


def shown_text(
    result: Any, width: int = 80, *, details: bool = False, notes: Iterable[str] = ()
) -> str:
    """Return a result as plain text, as it is printed where there are no colours."""
    if result.is_text:  # it has no answer, as a description
        text = _own_text(result, width)
    else:
        text = _answer(result, notes).text(width, details=details)
    return f"{text}\n\n{_all_columns(result)}" if details else text


def _own_text(result: Any, width: int) -> str:
    """Return the text of a result that has no answer, with options as they are typed."""
    return str(result.text(width, word=for_typing) if hasattr(result, "text") else result)


def _answer(result: Any, notes: Iterable[str]) -> Answer:
    """Return the answer of a result; the notes with it keep their rank and cannot steer a terminal."""
    harmless = (Note(printable(note), getattr(note, "rank", USUAL)) for note in notes)
    answer: Answer = result.answer.said_as(for_typing).with_notes(harmless)
    return answer


def _show_answer(answer: Answer, console: Any, *, details: bool) -> None:
    from rich.text import Text

    styles = {"headline": TONES[answer.tone], "legend": "dim"}
    for k, (name, lines) in enumerate(answer.blocks(console.width, details=details)):
        if k and name != "evidence":
            console.print()
        for n, line in enumerate(lines):
            text = Text(printable(line), style=styles.get(name, ""))
            if n == 0 and name in (*TABLES, *TITLED):
                text.stylize("bold")
            if name in TABLES:
                for call, colour in CALLS.items():  # where they stand apart, as in a column
                    text.highlight_regex(rf"(?<=  ){call}(?=  |$)", colour)
            console.print(text, soft_wrap=True)


def _coloured_text(result: Any, width: int) -> Any:
    from rich.text import Text

    if not hasattr(result, "tone"):
        return Text(str(result))
    head, _, rest = _own_text(result, width).partition("\n")
    return Text.assemble((head, TONES[result.tone]), "\n", rest)


def _all_columns(result: Any) -> str:
    """Return all numbers of a result: side by side, or one below the other if there is one row."""
    from datakin.results.record import cell, plain, table

    frame = result.frame
    if len(frame) != 1:
        return f"All columns\n{table(frame)}"
    names = [plain(str(name)) for name in frame.columns]
    room = max(map(len, names), default=0)
    values = [cell(frame[name].iloc[0]) for name in frame.columns]
    lines = [f"{name:<{room}}  {value}" for name, value in zip(names, values, strict=True)]
    return "\n".join(["All columns", *lines])


def write_data(result: Any, path: Path) -> None:
    """Write a result to a file; the ending of its name says how."""
    write = WRITERS[path.suffix.lower()]
    try:
        with written_whole(path) as partial:
            write(result, partial)
    except OSError as error:
        raise DatakinError(f"--out {str(path)!r} could not be written: {error.strerror}.") from None


def _write_csv(result: Any, path: Path) -> None:
    from datakin.results.record import for_spreadsheet

    for_spreadsheet(result.frame).to_csv(path, index=False, errors="backslashreplace")


def _write_markdown(result: Any, path: Path) -> None:
    from datakin.results.record import cell

    frame = result.frame
    lines = [part for text in _sentences(result) for part in (_marked(text), "")]
    lines.append(_row(map(str, frame.columns)))
    lines.append(_row("---" for _ in frame.columns))
    columns = [
        [cell(value) if isinstance(value, float) else str(value) for value in held]
        for held in (frame[name].tolist() for name in frame.columns)
    ]
    lines += [_row(row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="backslashreplace")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(text if text == '---' else _marked(text) for text in cells)} |"


def _marked(text: str) -> str:
    """Return a text in one line, in which no sign means more than itself."""
    plain = MARKS.sub(r"\\\1", CONTROL.sub("?", " ".join(text.split())))
    return plain.replace("&", "&amp;").replace("<", "&lt;")


def _write_workbook(result: Any, path: Path) -> None:
    import pandas as pd

    from datakin.results.record import for_spreadsheet

    openpyxl = require("openpyxl", "excel", "Writing .xlsx files")
    frame = result.frame
    for n, most, what in (
        (len(frame), MOST_ROWS, "rows"),
        (len(frame.columns), MOST_COLUMNS, "columns"),
    ):
        if n > most:
            raise DatakinError(
                f"A sheet holds at most {most:,} {what}. The result has {n:,}; write a .csv file."
            )
    book = openpyxl.Workbook(write_only=True)
    about, main = SHEETS.get(type(result).__name__, ("answer", "sources"))
    sentences = _sentences(result)
    words = [(about, pd.DataFrame({about: sentences}))] if sentences else []
    sheets = [*words, (main, frame)] if about == "answer" else [(main, frame), *words]
    for title, each in sheets:
        _add_sheet(book, title, for_spreadsheet(each))
    book.save(path)


def _add_sheet(book: Any, title: str, frame: Any) -> None:
    from openpyxl.cell import WriteOnlyCell

    sheet = book.create_sheet(title)

    def cell(value: Any) -> Any:
        made = WriteOnlyCell(sheet, value=_storable(value))
        if isinstance(made.value, str):
            made.data_type = "s"  # a text, whatever it begins with
        return made

    sheet.append([cell(str(name)) for name in frame.columns])
    columns = [frame[name].tolist() for name in frame.columns]
    for row in zip(*columns, strict=True):
        sheet.append([cell(value) for value in row])


def _storable(value: Any) -> Any:
    """Return a value as a sheet can hold it: a number, a truth value, a text, or nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and abs(value) <= MOST_DIGITS:
        return value
    return CONTROL.sub("?", str(value))


def _sentences(result: Any) -> list[str]:
    """Return what a result says in words; nothing if it is a table alone."""
    if result.is_text:  # predictions close with the error to expect
        return str(getattr(result, "closing", "")).splitlines()
    answer = result.answer
    # Reasons of calls are in the table; those of an explanation are what it is for.
    reasons = answer.reasons if type(result).__name__ == "Explanation" else ()
    return [answer.headline, *answer.evidence, *reasons, *answer.caveats]


WRITERS: dict[str, Callable[[Any, Path], object]] = {
    ".json": lambda result, path: path.write_text(result.to_json(indent=1), encoding="utf-8"),
    ".csv": _write_csv,
    ".md": _write_markdown,
    ".xlsx": _write_workbook,
}
