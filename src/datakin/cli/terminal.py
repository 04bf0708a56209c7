"""Results on a terminal: tables with colour there, plain text everywhere else."""

from __future__ import annotations

import sys
import textwrap
from typing import Any

from datakin.results import Comparison, Gain, Ordered, Square
from datakin.results.text import cell

__all__ = ["show"]

COLOURS = {"positive": "green", "ambiguous": "yellow", "negative": "red"}
# Columns of a ranking with their titles, and those that a narrow terminal leaves out, the first first.
TITLES = {
    "source": "source",
    "score": "score",
    "low": "low",
    "high": "high",
    "zone": "zone",
    "source_to_target": "to target",
    "target_to_source": "to source",
    "gain": "gain",
    "gain_low": "gain low",
    "gain_high": "gain high",
    "weight": "weight",
    "n_rows": "rows",
    "p_first": "p first",
}
LEFT_OUT = (
    ("gain_low", "gain_high"),
    ("source_to_target", "target_to_source", "n_rows"),
    ("p_first",),
    ("weight",),
)
INDENT = 20  # where the values of a comparison begin
LONGEST = 24  # a longer name is folded before a column is left out


def show(result: Any) -> None:
    """Print a result to standard output."""
    if not sys.stdout.isatty():
        print(result)
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console()
    if isinstance(result, Ordered):
        console.print(_ranking(result, console.width))
        console.print(escape(result.closing), highlight=False)
    elif isinstance(result, Gain):
        console.print(_gain(result))
    elif isinstance(result, Comparison):
        colour = COLOURS[result.zone.value]
        head, _, rest = str(result).partition("\n")
        rest = _wrapped(rest, console.width)
        console.print(f"[bold {colour}]{escape(head)}[/]\n{escape(rest)}", highlight=False)
    elif isinstance(result, Square):
        console.print(escape(result.text(console.width)), highlight=False)
    else:
        console.print(escape(str(result)))


def _wrapped(text: str, width: int) -> str:
    """Return lines that fit, the rest of a long one below its beginning."""
    indent = " " * INDENT
    lines = (textwrap.wrap(line, width, subsequent_indent=indent) for line in text.splitlines())
    return "\n".join(part for parts in lines for part in parts)


def _ranking(result: Ordered[Any], width: int) -> Any:
    """Return the table, with as many columns as the terminal has room for."""
    from rich.markup import escape

    rows = result.frame.to_dict("records")
    cells = {name: [_cell(name, row[name]) for row in rows] for name in TITLES if name in rows[0]}
    for names in LEFT_OUT:
        if sum(_width(name, texts) for name, texts in cells.items()) <= width:
            break
        cells = {name: texts for name, texts in cells.items() if name not in names}
    table = _plain_table(result.title)
    for name, texts in cells.items():
        if name == "source":
            table.add_column("source", overflow="fold", min_width=8)
        else:
            side = "left" if name == "zone" else "right"
            table.add_column(TITLES[name], justify=side, no_wrap=True)
        colours = COLOURS if name == "zone" else {}
        cells[name] = [
            f"[{colours[text]}]{text}[/]" if text in colours else escape(text) for text in texts
        ]
    for row in zip(*cells.values(), strict=True):
        table.add_row(*row)
    return table


def _cell(name: str, value: Any) -> str:
    return f"{value:.2f}" if name in ("weight", "p_first") else cell(value)


def _width(name: str, texts: list[str]) -> int:
    """Return the room that a column takes, two spaces to the next one included."""
    longest = max(len(TITLES[name]), *map(len, texts))
    return 2 + (min(longest, LONGEST) if name == "source" else longest)


def _gain(result: Gain) -> Any:
    """Return the table of methods, standard errors beside what they belong to."""
    from rich.markup import escape

    table = _plain_table(result.title)
    table.add_column("method", overflow="fold", min_width=8)
    for title in ("on the target", "on the source", "average"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, found in result.methods.items():
        pairs = (
            (found.target_rer, found.target_se),
            (found.source_rer, found.source_se),
            (found.average_rer, found.average_se),
        )
        table.add_row(escape(name), *(f"{value:.4f} ± {error:.4f}" for value, error in pairs))
    return table


def _plain_table(title: str) -> Any:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    return Table(
        title=escape(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
