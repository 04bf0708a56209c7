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
    if isinstance(result, Ranking):
        console.print(_ranking(result))
        console.print(escape(result.caution), highlight=False)
    elif isinstance(result, Comparison):
        colour = COLOURS[result.zone.value]
        head, _, rest = str(result).partition("\n")
        console.print(f"[bold {colour}]{escape(head)}[/]\n{escape(rest)}", highlight=False)
    elif isinstance(result, Matrix):
        console.print(escape(str(result)), highlight=False)
    else:
        console.print(escape(str(result)))


def _ranking(result: Ranking) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=f"Sources for {escape(repr(result.target))}, closest kin first", title_justify="left"
    )
    table.add_column("source")
    for name in ("score", "95% interval"):
        table.add_column(name, justify="right")
    table.add_column("zone")
    for name in ("source to target", "target to source", "weight", "rows"):
        table.add_column(name, justify="right")
    for c in result:
        low, high = c.interval
        table.add_row(
            escape(c.source),
            cell(c.score),
            f"{low:.4f} to {high:.4f}",
            f"[{COLOURS[c.zone.value]}]{c.zone.value}[/]",
            cell(c.source_to_target),
            cell(c.target_to_source),
            f"{c.weight:.2f}",
            str(c.n_rows[c.source]),
        )
    return table
