"""A result on the screen: its answer, with colours on a terminal, plain text everywhere else."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from datakin._core.addresses import printable
from datakin._core.exceptions import USUAL, Note
from datakin._core.files import is_terminal
from datakin.cli.wording import for_typing

if TYPE_CHECKING:
    from datakin.results.answer import Answer

__all__ = ["show", "shown_text"]

CALLS = {"helps": "green", "harmless": "cyan", "unclear": "yellow", "hurts": "red"}
TONES = {"good": "bold green", "plain": "bold", "open": "bold yellow", "bad": "bold red"}
TABLES = ("table", "second")
TITLED = ("reasons", "remedies", "caveats", "notes")  # blocks that begin with a title


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
