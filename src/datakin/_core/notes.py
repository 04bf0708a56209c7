"""Warnings, and notes on datasets gathered into a few lines of one warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Protocol

from datakin._core.exceptions import DatakinWarning

__all__ = ["Noted", "announce", "together", "warn"]

NAMES = 4  # names shown for one note
LINES = 8  # lines shown in one warning


class Noted(Protocol):
    """A result about one source, with notes."""

    @property
    def source(self) -> str:
        """The source's name."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""


def together(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line per different note, with the first few names it is about.

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
        # A name may contain line breaks, which would split the note.
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
    """Give one warning with the notes of all pairs."""
    lines = together((pair.source, note) for pair in pairs for note in pair.notes)
    if len(lines) > LINES:
        lines[LINES:] = [f"... and {len(lines) - LINES} more (see .notes)"]
    if lines:
        warn("\n".join(lines))
