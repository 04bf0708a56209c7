"""Where the result of a command goes: the screen, a data file, a report, a picture, an exit code.

Tables have colours on a terminal and are plain text everywhere else. What hurts may be explained first.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import typer

import datakin
from datakin._core.addresses import printable, without_password
from datakin._core.exceptions import (
    SERIOUS,
    USUAL,
    DatakinError,
    DatakinWarning,
    Interrupted,
    Note,
    explaining,
    listed,
    require,
    suggest,
    warn,
)
from datakin._core.files import check_file, is_terminal, printed, written_whole
from datakin._core.progress import hushed, say
from datakin.cli.options import Given, option, separated
from datakin.cli.showing import WRITERS, show, write_data
from datakin.cli.usage import command_line
from datakin.cli.wording import for_typing

ENDINGS = {"--out": tuple(WRITERS), "--report": (".html", ".htm")}
MEMORY = "Error: memory ran out. Use fewer rows (--max-rows, --read-rows) or columns (--ignore)."
UNREAD = 141  # the exit code of programs whose reader has left, as with `| head -1`
CALLED = 3  # the exit code
CALLS = ("helps", "harmless", "unclear", "hurts")
NONE = "No source hurts: there is nothing to explain. datakin explain looks at any one of them."


@dataclass(frozen=True)
class Output(Given):
    """Options on where the result goes."""

    panel = "Where the result goes"

    as_json: bool = option("Print the result as JSON and nothing else.", False, flag="--json")
    out: Path | None = option("Also write the result to a .csv, .xlsx, .md or .json file.")
    details: bool = option("Show all columns, and the reason of every call.", False)
    report: Path | None = option("Also write a report: one .html file that needs no network.")
    plot: Path | None = option("Also draw a picture: .png, .svg or .pdf.")
    force: bool = option("Replace files that are already there.", False)
    quiet: bool = option("Print errors only (and what --json prints).", False, flag="--quiet -q")

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
        partial = None  # the result of what was finished
        try:
            self._check()
            with hushed(self.quiet), _noted(notes, self.quiet):
                result = work()
            self._deliver(result, notes, closing(result))
            return result
        except DatakinError as error:
            code, said = 1, error_text(error)
        except MemoryError:
            code, said = 1, MEMORY
        except KeyboardInterrupt as stopped:
            code, said = 130, "Interrupted."
            if isinstance(stopped, Interrupted):
                said, partial = str(stopped), stopped.partial
        say(said)
        if partial is not None:
            self._deliver(partial, notes)
        raise typer.Exit(code)

    def _check(self) -> None:
        """Refuse what could not be written, before hours of work."""
        for flag, path in (("--out", self.out), ("--report", self.report), ("--plot", self.plot)):
            if path is not None:
                endings = list(ENDINGS.get(flag, ()))
                if flag == "--plot":
                    canvas = require("matplotlib.figure", "report", "Drawing").Figure().canvas
                    endings = sorted(f".{each}" for each in canvas.get_supported_filetypes())
                if path.suffix.lower() not in endings:
                    known = f"{', '.join(endings[:-1])} or {endings[-1]}"
                    raise DatakinError(f"{flag} must end in {known}. Got {str(path)!r}.")
                check_file(path, flag, overwrite=self.force)
        if self.out is not None and self.out.suffix.lower() == ".xlsx":
            require("openpyxl", "excel", "Writing .xlsx files")

    def _deliver(self, result: Any, notes: Sequence[str], closing: str = "") -> None:
        """Print a result and write the files that were asked for; one fault keeps no other back."""
        steps: list[Callable[[], None]] = [
            lambda: self._print(result, notes, closing),
            lambda: self._write(self.out, lambda path: write_data(result, path)),
            lambda: self._write(self.report, lambda path: _write_report(result, path, notes)),
            lambda: self._write(self.plot, lambda path: _draw(result, path)),
        ]
        n_faults = code = 0
        for deliver in steps:
            try:
                deliver()
            except DatakinError as error:
                say(error_text(error))
                n_faults += 1
            except BrokenPipeError:
                code = UNREAD
        if n_faults or code:
            raise typer.Exit(1 if n_faults else code)

    def _print(self, result: Any, notes: Sequence[str], closing: str) -> None:
        if self.quiet and not self.as_json:
            return
        if self.as_json or result.is_text:  # an answer has the notes among its own
            for line in () if self.quiet else notes:
                say(f"Note: {printable(line)}")
        with printed():
            if self.as_json:
                print(result.to_json())
                return
            show(result, details=self.details, notes=notes)
            if closing:
                print(closing)

    def _write(self, path: Path | None, write: Callable[[Path], None]) -> None:
        if path is not None:
            write(path)
            if not self.quiet:
                say(f"Written to {printable(str(path))}")


class PlainOutput(Output):
    """The same options, for a result of which there is no picture."""

    without = ("plot",)


class DataOutput(Output):
    """The same options, for a result that is a table and nothing else."""

    without = ("plot", "report", "details")


def called(result: Any) -> Iterator[tuple[str, str]]:
    """Yield the sources of a result, each with its call."""
    match result:
        case datakin.Matrix():
            pairs: Any = result.calls.T.unstack()
            yield from ((f"{one} for {other}", call) for (one, other), call in pairs.items())
        case datakin.Comparison():
            yield result.source, result.call
        case _:
            every = result.choices if isinstance(result, datakin.Choice) else result
            yield from ((each.source, each.call) for each in every)


@dataclass(frozen=True)
class CallsOutput(Output):
    """The same options, for a result that calls sources: what hurts is explained, or an exit code."""

    fail_on: str | None = option(
        "End with exit code 3 if a source is called so: hurts, or hurts,unclear.",
        metavar="CALLS",
        choices=CALLS,
    )
    explain: bool = option("Also say why the sources that hurt do so.", False, panel=None)

    def _check(self) -> None:
        """Refuse words that are no calls, too."""
        super()._check()
        words = separated(self.fail_on or "")
        wrong = [word for word in words if word not in CALLS]
        if wrong or (self.fail_on is not None and not words):
            raise DatakinError(
                f"--fail-on takes calls, separated by commas: {', '.join(CALLS)}. Got "
                f"{listed(wrong) or 'none'}.{suggest(wrong[0], CALLS) if wrong else ''}"
            )

    def explained(
        self,
        result: Any,
        target: datakin.Dataset,
        sources: Mapping[str, datakin.Dataset],
        seed: int = 0,
    ) -> Any:
        """Return the result with its explanations, if they are asked for; a fault does not keep it back."""
        if not self.explain:
            return result
        known = {name: each for name, each in sources.items() if name != target.name}
        try:
            return datakin.explain_sources(result, target, known, random_state=seed)
        except DatakinError as error:
            warn(Note(f"not explained: {error}", SERIOUS))
        except MemoryError:
            warn(Note("not explained: memory ran out", SERIOUS))
        return result

    def closing(self, result: Any) -> str:
        """Return a sentence, below an empty line, if no source is there to be explained."""
        if not self.explain or isinstance(result, datakin.Comparison):
            return ""
        return "" if any(call == "hurts" for _, call in called(result)) else f"\n{NONE}"

    def stop(self, result: Any) -> None:
        """End with the exit code if a source of the result is called so."""
        found: dict[str, list[str]] = {word: [] for word in separated(self.fail_on or "")}
        for name, call in called(result) if found else ():
            if call in found:
                found[call].append(printable(name))
        said = [f"{call}: {listed(names)}" for call, names in found.items() if names]
        if said:
            say(f"Exit code {CALLED}, as --fail-on asks. Called {'; called '.join(said)}.")
            raise typer.Exit(CALLED)


class SquareOutput(CallsOutput):
    """The same options, for all tables with all others, which are not explained."""

    without = ("explain",)


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
            told = [w.message for w in caught if issubclass(w.category, DatakinWarning)]
            notes = [each.args[0] if isinstance(each, Warning) else each for each in told]
            kept += dict.fromkeys(
                Note(line, getattr(note, "rank", USUAL))
                for note in notes
                for line in str(note).splitlines()
            )
            for line in () if quiet or failed is None else explaining(kept, failed):
                say(f"Note: {printable(for_typing(line))}")
            kept[:] = [Note(for_typing(line), line.rank) for line in kept]


def _write_report(result: Any, path: Path, notes: Sequence[str]) -> None:
    from datakin.report import write_report

    write_report(result, path, overwrite=True, command=command_line(), notes=notes)


def _draw(result: Any, path: Path) -> None:
    """Draw the picture that says most of a result."""
    from matplotlib.figure import Figure

    from datakin import plots
    from datakin.results import Choice, Comparison, Explanation, Gain, Ordered, Square

    draw: Any = plots.ranking
    match result:
        case Ordered() | Comparison():
            rows = len(result.frame)
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
