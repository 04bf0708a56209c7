"""Notes on datasets, gathered into few lines and passed on as warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Protocol

from datakin._core.exceptions import DatakinWarning

__all__ = ["Noted", "announce", "together", "warn"]

NAMES = 4  # of those that a note is about
LINES = 8


class Noted(Protocol):
    """What is known of a source, with notes on it."""

    @property
    def source(self) -> str:
        """The source's name."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""


def together(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each different note, with the first few names that it is about.

    Examples
    --------
    >>> together([("north", "2 rows dropped"), ("south", "2 rows dropped"), ("", "no group")])
    ['north, south: 2 rows dropped', 'no group']
    """
    about: dict[str, dict[str, None]] = {}
    for name, note in notes:
        about.setdefault(note, {}).update({name: None} if name else {})
    lines = []
    for note, found in about.items():
        names = list(found)
        more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
        # A name may hold anything; a line break would make two notes of one.
        shown = [" ".join(name.split()) or repr(name) for name in names[:NAMES]]
        head = f"{', '.join(shown)}{more}: " if names else ""
        lines.append(head + note)
    return lines


def warn(text: str, category: type[DatakinWarning] = DatakinWarning) -> None:
    """Warn, pointing at the line of the user's own code that called datakin."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("datakin."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def announce(pairs: Iterable[Noted]) -> None:
    """Warn once about what the user should know of all pairs."""
    lines = together((pair.source, note) for pair in pairs for note in pair.notes)
    if len(lines) > LINES:
        lines[LINES:] = [f"... and {len(lines) - LINES} more (see .notes)"]
    if lines:
        warn("\n".join(lines))
