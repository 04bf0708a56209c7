"""A result on the screen: its answer, with colours on a terminal, plain text everywhere else."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from datakin._core.addresses import printable
from datakin._core.exceptions import USUAL, Note
from datakin._core.streams import is_terminal
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
    answer = _answer(result, notes)
    if answer is None:
        console.print(_coloured_text(result, width), soft_wrap=True)
    else:
        _show_answer(answer, console, details=details)
    if details:
        console.print(f"\n{_all_columns(result)}", markup=False, soft_wrap=True)


def shown_text(
    result: Any, width: int = 80, *, details: bool = False, notes: Iterable[str] = ()
) -> str:
    """Return a result as plain text, as it is printed where there are no colours."""
    answer = _answer(result, notes)
    if answer is None:
        parts = [_own_text(result, width)]
    else:
        parts = [answer.text(width, details=details)]
    return "\n\n".join([*parts, *([_all_columns(result)] if details else [])])


def _harmless(note: str) -> Note:
    """Return a note that cannot steer a terminal; its rank stays."""
    return Note(printable(note), getattr(note, "rank", USUAL))


def _own_text(result: Any, width: int) -> str:
    """Return the text of a result that has no answer, with options as they are typed."""
    if hasattr(result, "text"):
        return str(result.text(width, word=for_typing))
    return str(result)


def _answer(result: Any, notes: Iterable[str]) -> Answer | None:
    """Return the answer of a result; None for one that is text of its own, such as a description."""
    if result.is_text:
        return None
    answer: Answer = result.answer
    return answer.said_as(for_typing).with_notes(_harmless(note) for note in notes)


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
                _colour_calls(text)
            console.print(text, soft_wrap=True)


def _colour_calls(text: Any) -> None:
    """Give the words of calls their colours, where they stand apart as in a column."""
    for call, colour in CALLS.items():
        text.highlight_regex(rf"(?<=  ){call}(?=  |$)", colour)


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
    return "\n".join(
        ["All columns", *(f"{n:<{room}}  {v}" for n, v in zip(names, values, strict=True))]
    )
