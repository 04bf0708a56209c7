"""What users are told: errors, warnings, notes on datasets, and the words they are made of."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any, TypeVar

NAMES = 4  # names shown for one note
LONGEST = 60  # signs shown of one name
LINES = 8  # lines shown in one warning
SCREEN = 14  # notes shown when tables are read
MINOR = 2  # rank of a note on what was merely dropped
USUAL = 1  # rank of a note that has none
SERIOUS = 0  # rank of a note on what may make numbers wrong
URGENT = -1  # rank of a note on what may make the whole answer that to another question
D = TypeVar("D")


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
    """Return the first few items, quoted and cut where they are long, and how many more there are.

    Examples
    --------
    >>> listed("abc", limit=2)
    "'a', 'b' and 1 more"
    """
    return first_of([repr(_cut(str(item))) for item in items], limit)


def first_of(texts: Sequence[str], limit: int, between: str = ", ") -> str:
    """Return the first few texts as they are, and how many more there are.

    Examples
    --------
    >>> first_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return between.join(texts[:limit]) + more


def counted(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "random split"), counted(20, "fold")
    ('1 random split', '20 folds')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


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
    return (
        f" Did you mean {' or '.join(repr(_cut(names[name])) for name in close)}?" if close else ""
    )


def require(module: str, extra: str, purpose: str, *, package: str | None = None) -> Any:
    """Return an imported module, or raise a DatakinError that says how to install it: by an extra.

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


class Note(str):
    """A note with a rank, by which the worst come first.

    It is a plain text to everyone else: results, files and comparisons.

    Examples
    --------
    >>> Note("rows repeat", SERIOUS).rank
    0
    """

    rank: int

    def __new__(cls, text: str, rank: int = USUAL) -> Note:
        """Return the text with its rank."""
        note = super().__new__(cls, text)
        note.rank = rank
        return note


def announce(pairs: Iterable[Any]) -> None:
    """Give one warning with the notes of all pairs, each a result about one source."""
    lines = together((pair.source, note) for pair in pairs for note in pair.notes)
    if lines:
        warn("\n".join(shown(lines, LINES, "see .notes")))


def announce_reading(datasets: list[D]) -> list[D]:
    """Warn once for each kind of note, naming the datasets it is about; return the datasets."""
    every: list[Any] = [*datasets]
    lines = together((dataset.name, note) for dataset in every for note in dataset.notes)
    for line in shown(lines, SCREEN, "see .notes, or `datakin check`"):
        warn(line)
    return datasets


def shown(lines: list[str], limit: int, where: str) -> list[str]:
    """Return the first lines, and how many more there are and where.

    Examples
    --------
    >>> shown(["a", "b", "c"], 2, "see .notes")
    ['a', 'b', '... and 1 more (see .notes)']
    """
    more = [f"... and {len(lines) - limit} more ({where})"] if len(lines) > limit else []
    return lines[:limit] + more


def together(notes: Iterable[tuple[str, str]]) -> list[str]:
    """Return one line per kind of note, with the first few names it is about, worst first.

    Notes that differ only in numbers and quoted names are of one kind: the first is shown.

    Examples
    --------
    >>> together([("north", "2 rows dropped"), ("south", "2 rows dropped"), ("", "no group")])
    ['north, south: 2 rows dropped', 'no group']
    >>> together([("north", "2 rows dropped"), ("south", "5 rows dropped")])
    ['north: 2 rows dropped (similar for south)']
    """
    about: dict[str, dict[str, None]] = {}
    ranks: dict[str, int] = {}
    for name, note in notes:
        about.setdefault(note, {}).update({name: None} if name else {})
        ranks.setdefault(note, getattr(note, "rank", USUAL))
    kinds: dict[str, list[str]] = {}
    for note in sorted(about, key=ranks.__getitem__):
        kind = re.sub(r"'[^']*'(, )?|[^\s']+::|[\d.,]+", "", note)
        alike = kinds.setdefault(kind, [])
        if about[note] and not any(about[note].keys() & about[other].keys() for other in alike):
            alike.append(note)
        else:  # two notes on one name, or on none: each has its line
            kinds[note] = [note]
    lines: list[str] = []
    for note, *similar in filter(None, kinds.values()):
        names = [name for other in similar for name in about[other] if name not in about[note]]
        also = f" (similar for {_few(names)})" if names else ""
        line = (f"{_few(about[note])}: " if about[note] else "") + note + also
        lines.append(Note(line, ranks[note]))
    return lines


def _few(names: Iterable[str]) -> str:
    """Return the first few names, without line breaks, which would split a note."""
    every = dict.fromkeys(names)
    return first_of([" ".join(name.split()) or repr(name) for name in every], NAMES)


def explaining(notes: Iterable[str], error: str) -> list[str]:
    """Return the notes that speak of a thing that an error names.

    Examples
    --------
    >>> explaining(["no value: 'a'", "no value: 'b'"], "Column 'b' must vary.")
    ["no value: 'b'"]
    """
    named = set(re.findall(r"'[^']+'", error))
    return [note for note in notes if named & set(re.findall(r"'[^']+'", note))]
