"""A result on the screen: with colours on a terminal, plain text everywhere else."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Any

from datakin._core.addresses import printable
from datakin._core.streams import is_terminal

if TYPE_CHECKING:
    from datakin.results import Choice, Gain, Ordered

__all__ = ["show"]

CALLS = {"helps": "green", "harmless": "cyan", "unclear": "yellow", "hurts": "red"}
COLOURS = {
    **{"positive": "green", "ambiguous": "yellow", "negative": "red"},
    **CALLS,
    "screened out": "dim",
}
# Columns of a ranking with their titles, and those that a narrow terminal leaves out, the first first.
TITLES = {
    "source": "source",
    "group": "group",
    "call": "call",
    "gain": "gain",
    "gain_low": "gain low",
    "gain_high": "gain high",
    "p_gain": "p gain",
    "score": "score",
    "low": "low",
    "high": "high",
    "zone": "zone",
    "source_to_target": "to target",
    "target_to_source": "to source",
    "weight": "weight",
    "n_rows": "rows",
    "p_first": "p first",
}
LEFT_OUT = (
    ("source_to_target", "target_to_source", "n_rows"),
    ("p_first",),
    ("weight",),
    ("score",),
    ("p_gain",),
    ("gain_low", "gain_high"),
)
WORDS = ("zone", "call")  # columns of words that have colours
SHORT = ("weight", "p_first", "p_gain")  # with two decimals
DROPPED = ("rows", "worth", "if pooled", "90% interval")  # left out of a choice, the first first
INDENT = 20  # where the values of a comparison begin
LONGEST = 24  # a longer name is folded before a column is left out


def show(result: Any) -> None:
    """Print a result to standard output."""
    if not is_terminal(sys.stdout):
        print(result)
        return
    from rich.console import Console
    from rich.markup import escape

    from datakin.results import Choice, Comparison, Description, Gain, Ordered, Square

    console = Console()
    match result:
        case Ordered():
            console.print(_ranking(result, console.width))
            console.print(escape(result.closing), highlight=False)
        case Gain():
            console.print(_gain(result))
        case Choice():
            _show_choice(result, console)
        case Comparison():
            colour = COLOURS[result.decision.word]
            head, _, rest = str(result).partition("\n")
            rest = _wrapped(rest, console.width)
            console.print(f"[bold {colour}]{escape(head)}[/]\n{escape(rest)}", highlight=False)
        case Description():
            colour = "red" if not result.is_usable else "yellow" if result.things else "green"
            head, _, rest = result.text(console.width).partition("\n")
            said = f"[bold {colour}]{escape(head)}[/]\n{escape(rest)}"
            console.print(said, highlight=False, soft_wrap=True)  # options stay in one line
        case Square():
            console.print(escape(result.text(console.width)), highlight=False)
        case _:
            console.print(escape(str(result)))


def _wrapped(text: str, width: int) -> str:
    """Return lines that fit, the rest of a long one below its beginning."""
    indent = " " * INDENT
    lines = (textwrap.wrap(line, width, subsequent_indent=indent) for line in text.splitlines())
    return "\n".join(part for parts in lines for part in parts)


def _ranking(result: Ordered[Any], width: int) -> Any:
    """Return the table, with as many columns as the terminal has room for."""
    from rich.markup import escape

    rows = result.shown.to_dict("records")
    cells = {name: [_cell(name, row[name]) for row in rows] for name in TITLES if name in rows[0]}
    for names in LEFT_OUT:
        if sum(_width(name, texts) for name, texts in cells.items()) <= width:
            break
        cells = {name: texts for name, texts in cells.items() if name not in names}
    table = _plain_table(result.title, "source")
    for name, texts in cells.items():
        if name != "source":
            side: Any = "left" if name in WORDS else "right"
            table.add_column(TITLES[name], justify=side, no_wrap=True)
        colours = COLOURS if name in WORDS else {}
        cells[name] = [
            f"[{colours[text]}]{text}[/]" if text in colours else escape(text) for text in texts
        ]
    for row in zip(*cells.values(), strict=True):
        table.add_row(*row)
    return table


def _cell(name: str, value: Any) -> str:
    from datakin.results.record import cell

    is_short = name in SHORT and value == value
    if name == "group" and isinstance(value, float):  # beside sources that were screened out
        return f"{value:.0f}" if value == value else "-"
    return f"{value:.2f}" if is_short else cell(value)


def _width(name: str, texts: list[str]) -> int:
    """Return the room that a column takes, two spaces to the next one included."""
    return _room(TITLES[name], texts)


def _room(title: str, texts: list[str]) -> int:
    longest = max(len(title), *map(len, texts))
    return 2 + (min(longest, LONGEST) if title == "source" else longest)


def _gain(result: Gain) -> Any:
    """Return the table of methods, standard errors beside what they belong to."""
    from rich.markup import escape

    table = _plain_table(result.title, "method")
    titles = {"target": "on the target", "source": "on the source", "average": "average"}
    sides = (*result.sides, "average") if len(result.sides) > 1 else result.sides
    for side in sides:
        table.add_column(titles[side], justify="right", no_wrap=True)
    for name, found in result.methods.items():
        pairs = [(getattr(found, f"{side}_rer"), getattr(found, f"{side}_se")) for side in sides]
        table.add_row(escape(name), *(f"{value:.4f} ± {error:.4f}" for value, error in pairs))
    return table


def _show_choice(result: Choice, console: Any) -> None:
    """Print a choice: what to do in bold, why, the sources, and what else there is to say."""
    from rich.markup import escape

    from datakin.results.choice_text import legend_of, remarks_of

    console.print(f"[bold]{escape(printable(result.headline))}[/]", highlight=False)
    for line in result.evidence:
        console.print(escape(line), highlight=False)
    if result.choices:
        console.print()
        console.print(_choice(result, console.width))
        console.print(f"[dim]{escape(legend_of(result))}[/]", highlight=False)
    for k, line in enumerate(remarks_of(result)):
        if k == 0:
            console.print()
        console.print(escape(printable(line)), highlight=False)


def _choice(result: Choice, width: int) -> Any:
    """Return the table of sources, with as many columns as the terminal has room for."""
    from rich.markup import escape

    from datakin.results.choice_text import shown_table
    from datakin.results.record import plain

    frame = shown_table(result)
    for name in DROPPED:
        if sum(_room(str(title), list(frame[title])) for title in frame) <= width:
            break
        frame = frame.drop(columns=name)
    table = _plain_table("", "source")
    for title in frame.columns[1:]:
        side: Any = "left" if title == "call" else "right"
        table.add_column(title, justify=side, no_wrap=True)
    for source, call, *rest in frame.itertuples(index=False):
        table.add_row(escape(plain(source)), f"[{CALLS[call]}]{call}[/]", *rest)
    return table


def _plain_table(title: str, first: str) -> Any:
    """Return a table with its first column, in which long names are folded."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=escape(title) or None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    table.add_column(first, overflow="fold", min_width=8)
    return table
