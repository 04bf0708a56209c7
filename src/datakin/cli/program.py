"""The program itself, which the commands add themselves to, and what it prints of its own."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import datakin
from datakin.cli.usage import Commands

__all__ = ["MEASURE", "START", "TRY", "app"]

# Groups of commands in the help.
START, MEASURE, TRY = "Start here", "Measure kinship", "Try methods"

FIRST_WORDS = """\
datakin says which tables to learn from besides yours, and what error to expect.

How is my table read?
  datakin check mine.csv --label died

Which tables should I learn from, and what will my error be?
  datakin choose mine.csv others/*.csv --label died --model kin.datakin

Predict new rows with the model:
  datakin predict kin.datakin new.csv --out predicted.csv

Why does a source not help?
  datakin explain mine.csv theirs.csv --label died

See it at work:       datakin demo
All commands:         datakin --help
"""

EXIT_CODES = (
    "Exit codes: 0 done; 1 bad input, or something could not be written; 3 a call named by --fail-on; "
    "130 interrupted; 141 the reader of the output left."
)

app = typer.Typer(
    cls=Commands,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="Which labelled tables are kin, and will learning from one help on another?\n\n"
    "Each command says more: datakin COMMAND --help. Options may stand in a file, datakin.toml.",
    epilog=EXIT_CODES,
)


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> Any:
    if version:
        print(f"datakin {datakin.__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        print(FIRST_WORDS, end="")
