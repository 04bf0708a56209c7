"""What users are told: errors, warnings, notes on datasets, and the words they are made of."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Protocol

__all__ = [
    "DatakinError",
    "DatakinWarning",
    "FitFailure",
    "Interrupted",
    "announce",
    "collecting",
    "listed",
    "repeated",
    "require",
    "suggest",
    "together",
    "warn",
]

NAMES = 4  # names shown for one note
LINES = 8  # lines shown in one warning


class DatakinError(ValueError):
    """A problem with the input or the options that the user can fix."""


class DatakinWarning(UserWarning):
    """Something the user should know about a result that was still computed."""


@dataclass(frozen=True)
class FitFailure:
    """A fit that raised: which, and what it said."""

    dataset: str
    model: str
    fit: str
    reason: str


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; what was finished before is kept.

    Attributes
    ----------
    partial : Ranking, Matrix, Gain, CrossErrors or None
        The result over the datasets (or splits) that were finished, None when too few were.
    """

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


def listed(items: Iterable[object], limit: int = 5) -> str:
    """Return the first few items, quoted, and how many more there are.

    Examples
    --------
    >>> listed("abc", limit=2)
    "'a', 'b' and 1 more"
    """
    texts = [repr(str(item)) for item in items]
    if len(texts) <= limit:
        return ", ".join(texts)
    return f"{', '.join(texts[:limit])} and {len(texts) - limit} more"


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that come more than once, sorted.

    Examples
    --------
    >>> repeated(["b", "a", "b"])
    ['b']
    """
    return sorted(name for name, count in Counter(names).items() if count > 1)


def suggest(wanted: object, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return " Did you mean 'x'?" for the closest known names, or an empty string.

    Examples
    --------
    >>> suggest("dide", ["died", "age"])
    " Did you mean 'died'?"
    """
    names = {name.lower(): name for name in known}
    close = get_close_matches(str(wanted).lower(), names, n=3, cutoff=cutoff)
    return f" Did you mean {' or '.join(repr(names[name]) for name in close)}?" if close else ""


def require(module: str, extra: str, purpose: str, *, package: str | None = None) -> Any:
    """Return an imported module, or raise a DatakinError that says how to install it.

    Parameters
    ----------
    module : str
    extra : str
        The extra of datakin that installs it.
    purpose : str
        What it is needed for; the first words of the error.
    package : str, optional
        The package's name, if it differs from the module's.

    Examples
    --------
    >>> require("no_such_package", "deep", "Flying")
    Traceback (most recent call last):
    datakin._core.exceptions.DatakinError: Flying needs the package 'no_such_package'. It is not
    installed: pip install 'datakin[deep]'.
    """
    try:
        return import_module(module)
    except ImportError:
        raise DatakinError(
            f"{purpose} needs the package {package or module.partition('.')[0]!r}. It is not installed: "
            f"pip install 'datakin[{extra}]'."
        ) from None


def _is_inside(module: str) -> bool:
    """Whether a frame is ours, or of what stands between us and the user's code."""
    return module.startswith("datakin.") or module in ("contextlib", "functools")


_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[list[str]]:
    """Give a list that receives the warnings of this block, in this thread, instead of the user."""
    texts: list[str] = []
    token = _collected.set(texts)
    try:
        yield texts
    finally:
        _collected.reset(token)


def warn(text: str, category: type[DatakinWarning] = DatakinWarning) -> None:
    """Warn, pointing at the line of the user's own code that called datakin."""
    texts = _collected.get()
    if texts is not None:
        texts.append(text)
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_inside(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


class Noted(Protocol):
    """A result about one source, with notes."""

    @property
    def source(self) -> str:
        """The source's name."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know."""


def announce(pairs: Iterable[Noted]) -> None:
    """Give one warning with the notes of all pairs."""
    lines = together((pair.source, note) for pair in pairs for note in pair.notes)
    if len(lines) > LINES:
        lines[LINES:] = [f"... and {len(lines) - LINES} more (see .notes)"]
    if lines:
        warn("\n".join(lines))


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
