"""Results on a terminal: tables with colour there, plain text everywhere else."""

from __future__ import annotations

import sys
from typing import Any

from datakin.results import Comparison, Matrix, Ranking
from datakin.results.text import cell

__all__ = ["show"]

COLOURS = {"positive": "green", "ambiguous": "yellow", "negative": "red"}


def show(result: Any) -> None:
    """Print a result to standard output."""
    if not sys.stdout.isatty():
        print(result)
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console()
    if isinstance(result, Ranking) and result.first:
        console.print(_ranking(result, console.width))
        console.print(escape(result.caution), highlight=False)
    elif isinstance(result, Comparison):
        colour = COLOURS[result.zone.value]
        head, _, rest = str(result).partition("\n")
        console.print(f"[bold {colour}]{escape(head)}[/]\n{escape(rest)}", highlight=False)
    elif isinstance(result, Matrix):
        console.print(escape(str(result)), highlight=False)
    else:
        console.print(escape(str(result)))


def _ranking(result: Ranking, width: int) -> Any:
    """Return the table, with as many columns as the terminal has room for."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    wide = width >= 110
    table = Table(
        title=escape(result.title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table.add_column("source", overflow="fold", min_width=8)
    for name in ("score", "low", "high"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("zone", no_wrap=True)
    for name in ("to target", "to source", "weight", "rows") if wide else ("weight",):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("p first", justify="right", no_wrap=True)
    for c in result:
        details = (cell(c.source_to_target), cell(c.target_to_source)) if wide else ()
        rows = (str(c.n_rows[c.source]),) if wide else ()
        table.add_row(
            escape(c.source),
            *map(cell, (c.score, *c.interval)),
            f"[{COLOURS[c.zone.value]}]{c.zone.value}[/]",
            *details,
            f"{c.weight:.2f}",
            *rows,
            f"{result.first[c.source]:.2f}",
        )
    return table
