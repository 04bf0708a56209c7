"""--fail-on: an exit code of its own where a source is called what it should not be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

from datakin._core.addresses import printable
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin._core.streams import say
from datakin.cli.options import completed, separated

__all__ = ["CALLED", "Failing"]

CALLED = 3  # the exit code
CALLS = ("helps", "harmless", "unclear", "hurts")


@dataclass(frozen=True)
class Failing:
    """The option, and the end that it asks for."""

    panel: ClassVar[str] = "Where the result goes"

    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="CALLS",
            help="End with exit code 3 if a source is called so: hurts, or hurts,unclear.",
            autocompletion=completed(CALLS),
        ),
    ] = None

    def check(self) -> None:
        """Refuse words that are no calls."""
        words = separated(self.fail_on or "")
        wrong = [word for word in words if word not in CALLS]
        if wrong or (self.fail_on is not None and not words):
            raise DatakinError(
                f"--fail-on takes calls, separated by commas: {', '.join(CALLS)}. Got "
                f"{listed(wrong) or 'none'}.{suggest(wrong[0], CALLS) if wrong else ''}"
            )

    def stop(self, called: Iterable[tuple[str, str]]) -> None:
        """End with the exit code if one of some sources, each with its call, is called so."""
        found: dict[str, list[str]] = {word: [] for word in separated(self.fail_on or "")}
        for name, call in called:
            if call in found:
                found[call].append(printable(name))
        said = [f"{call}: {listed(names)}" for call, names in found.items() if names]
        if said:
            say(f"Exit code {CALLED}, as --fail-on asks. Called {'; called '.join(said)}.")
            raise typer.Exit(CALLED)

    def stop_on_pairs(self, calls: Any) -> None:
        """Do the same with the square of calls of a matrix."""
        self.stop(
            (f"{source} for {target}", calls.loc[source, target])
            for source in calls.index
            for target in calls.columns
        )
