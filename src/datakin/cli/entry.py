"""The way in: words are taken, a command runs, and every end has its exit code."""

from __future__ import annotations

import shlex
import sys
from typing import Any

from datakin._core.addresses import printable, without_password
from datakin._core.exceptions import DatakinError
from datakin._core.streams import printed, say
from datakin.cli import choosing, commands, distances, explaining, moved
from datakin.cli.output import UNREAD, command_line, error_text
from datakin.cli.program import app
from datakin.cli.usage import typed

__all__ = ["app", "main"]

ROOMS = (commands, explaining, choosing, distances, moved)  # each adds its commands to the app


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Exits with 0, 1 (bad input, or a result that could not be written), 3 (a call that --fail-on names),
    130 (interrupted) or 141 (the reader of standard output has left).
    """
    if arguments is None:
        arguments = sys.argv[1:]
    typed.set(arguments)
    shown = (printable(without_password(word)) for word in arguments)
    command_line.set(shlex.join(["datakin", *shown]))
    try:
        app(args=arguments, prog_name="datakin")
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # the help, half read
            sys.exit(_flushed(UNREAD))
        # A wrong option is bad input like any other.
        sys.exit(_flushed(1 if stop.code == 2 else stop.code))
    except DatakinError as error:  # before a command begins, as of datakin.toml
        say(error_text(error))
        sys.exit(_flushed(1))
    except OSError as error:
        # What is printed by Typer itself has no file of a name.
        place = "standard output" if error.filename is None else repr(error.filename)
        say(f"Error: {place} could not be read or written: {error.strerror or error}.")
        sys.exit(_flushed(1))


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
