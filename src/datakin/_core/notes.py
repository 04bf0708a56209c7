"""Notes on datasets, gathered into few lines and passed on as warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Protocol

from datakin._core.exceptions import DatakinWarning

__all__ = ["Noted", "announce", "together"]

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


def announce(pairs: Iterable[Noted], *, stacklevel: int) -> None:
    """Warn once about what the user should know of all pairs."""
    lines = together((pair.source, note) for pair in pairs for note in pair.notes)
    if len(lines) > LINES:
        lines[LINES:] = [f"... and {len(lines) - LINES} more (see .notes)"]
    if lines:
        warnings.warn("\n".join(lines), DatakinWarning, stacklevel=stacklevel)
