"""Where the result of a command goes: the screen, a data file, a report, a picture."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from datakin._core.exceptions import DatakinError, DatakinWarning, Interrupted, require
from datakin._core.files import written_whole
from datakin._core.progress import hushed

__all__ = ["Output", "command_line", "guarded"]

command_line: ContextVar[str | None] = ContextVar("command_line", default=None)  # as it was typed

ENDINGS = {"--out": (".json", ".csv"), "--report": (".html", ".htm")}


@dataclass(frozen=True)
class Output:
    """Options on where the result goes."""

    panel: ClassVar[str] = "Where the result goes"

    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON and nothing else.")
    ] = False
    out: Annotated[
        Path | None, typer.Option(help="Also write the result to a .json or .csv file.")
    ] = None
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

    def run(self, work: Callable[[], Any]) -> Any:
        """Do the work; print notes to standard error, the result to standard output."""
        notes: list[str] = []

        def whole() -> Any:
            self.check()
            with hushed(self.quiet):
                return _with_notes(work, notes, self.quiet)

        def deliver(result: Any) -> None:
            # On the screen first: what took hours is seen even where a disk is full.
            self.show(result)
            guarded(lambda: self.write(result, notes))

        result = guarded(whole, deliver)
        deliver(result)
        return result

    def check(self) -> None:
        """Refuse what could not be written, before hours of work."""
        for option, path in (("--out", self.out), ("--report", self.report), ("--plot", self.plot)):
            if path is not None:
                from datakin.report.page import check_file

                _check_ending(option, path)
                check_file(path, option, overwrite=self.force)

    def show(self, result: Any) -> None:
        """Print a result."""
        if self.as_json:
            typer.echo(result.to_json())
        elif not self.quiet:
            from datakin.cli.terminal import show

            show(result)

    def write(self, result: Any, notes: list[str]) -> None:
        """Write the files that were asked for."""
        if self.out is not None:
            _write_data(result, self.out)
            self._written(self.out)
        if self.report is not None:
            from datakin.report import write_report

            command = command_line.get()
            write_report(result, self.report, overwrite=True, command=command, notes=notes)
            self._written(self.report)
        if self.plot is not None:
            _draw(result, self.plot)
            self._written(self.plot)

    def _written(self, path: Path) -> None:
        if not self.quiet:
            typer.echo(f"Written to {path}", err=True)


def guarded(work: Callable[[], Any], keep: Callable[[Any], None] = lambda partial: None) -> Any:
    """Turn errors into a sentence and an exit code; keep what an interrupted run has finished."""
    try:
        return work()
    except DatakinError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(1) from None
    except MemoryError:
        typer.echo(
            "Error: memory ran out. Use fewer rows (--max-rows, --read-rows) or columns (--ignore).",
            err=True,
        )
        raise typer.Exit(1) from None
    except Interrupted as stopped:
        typer.echo(str(stopped), err=True)
        if stopped.partial is not None:
            keep(stopped.partial)
        raise typer.Exit(130) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(130) from None


def _with_notes(work: Callable[[], Any], kept: list[str], quiet: bool) -> Any:
    """Do the work; keep its notes, and print them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return work()
        finally:
            notes = [str(w.message) for w in caught if issubclass(w.category, DatakinWarning)]
            kept += dict.fromkeys(line for note in notes for line in note.splitlines())
            for line in () if quiet else kept:
                typer.echo(f"Note: {line}", err=True)


def _check_ending(option: str, path: Path) -> None:
    endings = ENDINGS.get(option) or _pictures()
    if path.suffix.lower() not in endings:
        known = " or ".join(endings) if len(endings) < 4 else ", ".join(sorted(endings))
        raise DatakinError(f"{option} must end in {known}. Got {str(path)!r}.")


def _pictures() -> list[str]:
    """Return the endings of the files that matplotlib writes."""
    figure = require("matplotlib.figure", "report", "Drawing").Figure()
    return [f".{ending}" for ending in figure.canvas.get_supported_filetypes()]


def _write_data(result: Any, path: Path) -> None:
    try:
        with written_whole(path) as partial:
            if path.suffix.lower() == ".json":
                partial.write_text(result.to_json(indent=1), encoding="utf-8")
            else:
                result.frame.to_csv(partial, index=False)
    except OSError as error:
        raise DatakinError(f"--out {str(path)!r} could not be written: {error.strerror}.") from None


def _draw(result: Any, path: Path) -> None:
    """Draw the picture that says most of a result."""
    from matplotlib.figure import Figure

    from datakin import plots
    from datakin.results import Comparison, Gain, Ordered, Square

    pictures: dict[type, tuple[Any, int]] = {
        Ordered: (plots.ranking, len(result) if isinstance(result, Ordered) else 1),
        Comparison: (plots.ranking, 1),
        Square: (plots.matrix, 12),
        Gain: (plots.gain, 6),
    }
    found = next((drawn for kind, drawn in pictures.items() if isinstance(result, kind)), None)
    if found is None:
        raise DatakinError(f"There is no picture of a {type(result).__name__}: leave out --plot.")
    draw, rows = found
    # A figure of its own: nothing global, and no window anywhere.
    figure = Figure(figsize=(7.0, min(40.0, 1.4 + 0.32 * rows)), layout="constrained")
    with written_whole(path) as partial:
        plots.save(draw(result, ax=figure.add_subplot()), partial)
