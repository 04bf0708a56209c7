"""--explain: why sources hurt, beside what another command found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

import datakin
from datakin._core.exceptions import SERIOUS, DatakinError, Note, warn

__all__ = ["Explaining"]

NONE = "No source hurts: there is nothing to explain. datakin explain looks at any one of them."


@dataclass(frozen=True)
class Explaining:
    """The option by which a command also explains what it found."""

    panel: ClassVar[str | None] = None

    explain: Annotated[
        bool, typer.Option("--explain", help="Also say why the sources that hurt do so.")
    ] = False

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
