"""What a command does about the calls of its result: explain those that hurt, or end with an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import typer

import datakin
from datakin._core.addresses import printable
from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed, suggest, warn
from datakin._core.files import say
from datakin.cli.options import Given, option, separated

__all__ = ["Explaining", "Failing"]

CALLED = 3  # the exit code
CALLS = ("helps", "harmless", "unclear", "hurts")
NONE = "No source hurts: there is nothing to explain. datakin explain looks at any one of them."


@dataclass(frozen=True)
class Explaining(Given):
    """The option by which a command also explains what it found."""

    explain: bool = option("Also say why the sources that hurt do so.", False)

    def apply(
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
        called = result.choices if isinstance(result, datakin.Choice) else result
        return "" if any(each.call == "hurts" for each in called) else f"\n{NONE}"


@dataclass(frozen=True)
class Failing(Given):
    """--fail-on: an exit code of its own where a source is called what it should not be."""

    panel = "Where the result goes"

    fail_on: str | None = option(
        "End with exit code 3 if a source is called so: hurts, or hurts,unclear.",
        metavar="CALLS",
        choices=CALLS,
    )

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
