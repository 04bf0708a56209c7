"""Where the result of a command goes: the screen, a data file, a report, a picture.

Tables have colours on a terminal and are plain text everywhere else.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Any, ClassVar, NoReturn

import typer

from datakin._core.addresses import printable, without_password
from datakin._core.exceptions import (
    DatakinError,
    DatakinWarning,
    Interrupted,
    Note,
    explaining,
    require,
)
from datakin._core.files import check_file, written_whole
from datakin._core.progress import hushed, say
from datakin._core.streams import is_terminal, printed
from datakin.cli import data_files
from datakin.cli.showing import show
from datakin.cli.wording import for_typing

__all__ = ["DataOutput", "Output", "PlainOutput", "command_line", "error_text"]

command_line: ContextVar[str | None] = ContextVar("command_line", default=None)  # as it was typed

ENDINGS = {"--out": tuple(data_files.ENDINGS), "--report": (".html", ".htm")}
UNREAD = 141  # the exit code of programs whose reader has left, as with `| head -1`


@dataclass(frozen=True)
class Output:
    """Options on where the result goes."""

    panel: ClassVar[str] = "Where the result goes"

    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON and nothing else.")
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(help="Also write the result to a .csv, .xlsx, .md or .json file."),
    ] = None
    details: Annotated[
        bool,
        typer.Option("--details", help="Show all columns, and the reason of every call."),
    ] = False
    report: Annotated[
        Path | None, typer.Option(help="Also write a report: one .html file that needs no network.")
    ] = None
    plot: Annotated[Path | None, typer.Option(help="Also draw a picture: .png, .svg or .pdf.")] = (
        None
    )
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are already there.")
    ] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors only (and what --json prints).")
    ] = False

    @property
    def is_silent(self) -> bool:
        """Whether only errors, or JSON, are to be printed."""
        return self.quiet or self.as_json

    def teller(self, n_sources: int, *, screen: bool = False) -> Callable[[Any], None] | None:
        """Return a function that prints a line for each finished source; None where nobody reads it."""
        if self.quiet or n_sources < 2 or not is_terminal(sys.stderr):
            return None
        numbers = count(1)
        of = "" if screen else f" of {n_sources}"  # how many will be left is not known beforehand
        return lambda result: say(
            f"{next(numbers)}{of}: {printable(result.source)}, {result.headline}"
        )

    def run(
        self, work: Callable[[], Any], closing: Callable[[Any], str] = lambda result: ""
    ) -> Any:
        """Do the work; print notes to standard error, the result and a closing to standard output."""
        notes: list[Note] = []
        with _guarded():
            try:
                self._check()
                with hushed(self.quiet), _noted(notes, self.quiet):
                    result = work()
            except Interrupted as stopped:
                say(str(stopped))
                if stopped.partial is not None:
                    self._deliver(stopped.partial, notes)
                raise typer.Exit(130) from None
            self._deliver(result, notes, closing(result))
        return result

    def _check(self) -> None:
        """Refuse what could not be written, before hours of work."""
        for option, path in (("--out", self.out), ("--report", self.report), ("--plot", self.plot)):
            if path is not None:
                endings = ENDINGS.get(option) or _pictures()
                if path.suffix.lower() not in endings:
                    *others, last = endings if option in ENDINGS else sorted(endings)
                    known = f"{', '.join(others)} or {last}"
                    raise DatakinError(f"{option} must end in {known}. Got {str(path)!r}.")
                check_file(path, option, overwrite=self.force)
        if self.out is not None:
            data_files.check_ending(self.out)

    def _deliver(self, result: Any, notes: Sequence[str], closing: str = "") -> None:
        """Print a result and write the files that were asked for; one fault keeps no other back."""
        n_faults = code = 0
        for deliver in (self._print, self._write_out, self._write_report, self._write_plot):
            try:
                deliver(result, notes)
                if deliver == self._print and closing and not self.is_silent:
                    with printed():
                        print(closing)
            except DatakinError as error:
                say(error_text(error))
                n_faults += 1
            except BrokenPipeError:
                code = UNREAD
        if n_faults or code:
            raise typer.Exit(1 if n_faults else code)

    def _print(self, result: Any, notes: Sequence[str]) -> None:
        if self.quiet and not self.as_json:
            return
        if self.as_json or result.is_text:  # an answer has the notes among its own
            for line in () if self.quiet else notes:
                say(f"Note: {printable(line)}")
        with printed():
            if self.as_json:
                print(result.to_json())
            else:
                show(result, details=self.details, notes=notes)

    def _write_out(self, result: Any, notes: Any) -> None:
        if self.out is not None:
            data_files.write_data(result, self.out)
            self._written(self.out)

    def _write_report(self, result: Any, notes: Any) -> None:
        if self.report is not None:
            from datakin.report import write_report

            command = command_line.get()
            write_report(result, self.report, overwrite=True, command=command, notes=notes)
            self._written(self.report)

    def _write_plot(self, result: Any, notes: Any) -> None:
        if self.plot is not None:
            _draw(result, self.plot)
            self._written(self.plot)

    def _written(self, path: Path) -> None:
        if not self.quiet:
            say(f"Written to {printable(str(path))}")


@dataclass(frozen=True)
class PlainOutput(Output):
    """The same options, for a result of which there is no picture."""

    without: ClassVar[tuple[str, ...]] = ("plot",)


@dataclass(frozen=True)
class DataOutput(Output):
    """The same options, for a result that is a table and nothing else."""

    without: ClassVar[tuple[str, ...]] = ("plot", "report", "details")


@contextmanager
def _guarded() -> Iterator[None]:
    """Turn errors into a sentence and an exit code."""
    try:
        yield
    except DatakinError as error:
        _stop(1, error_text(error))
    except MemoryError:
        _stop(
            1,
            "Error: memory ran out. Use fewer rows (--max-rows, --read-rows) or columns (--ignore).",
        )
    except KeyboardInterrupt:
        _stop(130, "Interrupted.")


def _stop(code: int, text: str) -> NoReturn:
    say(text)
    raise typer.Exit(code) from None


def error_text(error: DatakinError) -> str:
    """Return what to say of an error; names in it cannot steer a terminal, or show a password."""
    text = for_typing(without_password(str(error)))
    return "Error: " + "\n".join(printable(line) for line in text.split("\n"))


@contextmanager
def _noted(kept: list[Note], quiet: bool) -> Iterator[None]:
    """Keep the notes of the work in this block; before an error, print what explains it."""
    failed = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except DatakinError as error:
            failed = str(error)
            raise
        finally:
            notes = [_note_of(w.message) for w in caught if issubclass(w.category, DatakinWarning)]
            kept += dict.fromkeys(
                Note(line, note.rank) for note in notes for line in note.splitlines()
            )
            for line in () if quiet or failed is None else explaining(kept, failed):
                say(f"Note: {printable(for_typing(line))}")
            kept[:] = [Note(for_typing(line), line.rank) for line in kept]


def _note_of(warning: Warning | str) -> Note:
    """Return the text of a warning, with its rank if it has one."""
    text = warning.args[0] if isinstance(warning, Warning) and warning.args else str(warning)
    return text if isinstance(text, Note) else Note(str(text))


def _pictures() -> list[str]:
    """Return the endings of the files that matplotlib writes."""
    figure = require("matplotlib.figure", "report", "Drawing").Figure()
    return [f".{ending}" for ending in figure.canvas.get_supported_filetypes()]


def _draw(result: Any, path: Path) -> None:
    """Draw the picture that says most of a result."""
    from matplotlib.figure import Figure

    from datakin import plots
    from datakin.results import Choice, Comparison, Explanation, Gain, Ordered, Square

    draw: Any = plots.ranking
    match result:
        case Ordered():
            rows = len(result.frame)
        case Comparison():
            rows = 1
        case Square():
            draw, rows = plots.matrix, 12
        case Gain():
            draw, rows = plots.gain, 6
        case Choice():
            draw, rows = plots.choice, len(result.choices) + 2
        case Explanation():
            draw, rows = plots.explanation, len(result.parts) + 2
        case _:
            kind = type(result).__name__
            raise DatakinError(f"There is no picture of a {kind}: leave out --plot.")
    # A figure of its own: nothing global, and no window anywhere.
    figure = Figure(figsize=(7.0, min(40.0, 1.4 + 0.32 * rows)), layout="constrained")
    try:
        with written_whole(path) as partial:
            plots.save(draw(result, ax=figure.add_subplot()), partial)
    except OSError as error:
        reason = error.strerror or error
        raise DatakinError(f"--plot {str(path)!r} could not be written: {reason}.") from None
