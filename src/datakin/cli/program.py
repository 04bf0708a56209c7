"""The program itself, which the commands add themselves to, and the way in: every end has its exit code."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

import datakin
from datakin._core.exceptions import DatakinError
from datakin._core.files import printed, say
from datakin.cli.output import UNREAD, error_text
from datakin.cli.usage import Commands, typed

__all__ = ["MEASURE", "START", "TRY", "app", "main"]

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


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Exits with 0, 1 (bad input, or a result that could not be written), 3 (a call that --fail-on names),
    130 (interrupted) or 141 (the reader of standard output has left).
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    typed.set(arguments)
    try:
        app(args=arguments, prog_name="datakin")
    except SystemExit as stop:
        # A wrong option is bad input like any other.
        code = 1 if stop.code == 2 else stop.code
        if isinstance(stop.__context__, BrokenPipeError):  # the help, half read
            code = UNREAD
    except DatakinError as error:  # before a command begins, as of datakin.toml
        code = 1
        say(error_text(error))
    except OSError as error:
        # What is printed by Typer itself has no file of a name.
        code, place = 1, "standard output" if error.filename is None else repr(error.filename)
        say(f"Error: {place} could not be read or written: {error.strerror or error}.")
    sys.exit(_flushed(code))


def _flushed(code: Any) -> Any:
    """Return the exit code, and 1 for a success whose last words cannot be printed."""
    if sys.stdout is None:
        return code
    try:
        with printed():
            return code
    except BrokenPipeError:
        return code or UNREAD
    except DatakinError as error:
        if not code:
            say(f"Error: {error}")
        return code or 1
