"""Columns that should not be learned from, as far as one table can tell.

Row ids and copies of the label are left out unless the user keeps them. What may give the label away,
but may as well be an honest predictor, is only named.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from datakin._core.exceptions import SERIOUS, Note, listed
from datakin.data.checks.leaks import COPY, NAMED_LEAK, Labels, leak_of
from datakin.data.dataset import ColumnFacts
from datakin.data.features import MISSING, Array, Features

__all__ = ["LEFT_OUT", "Suspicions", "find_suspicions", "is_id", "keep_option", "notes_of_facts"]

ROW_ID = "looks like a row id"
CODE = "is called an id, so that its numbers are codes"
FEW_CODES = "called an id, but used as a number (if it is a code, leave it out: ignore=, --ignore)"
LEFT_OUT = {  # why a column is left out, and how a note says it of several
    ROW_ID: "look like row ids",
    CODE: "are called ids, so that their numbers are codes",
    COPY: "look like copies of the label",
    NAMED_LEAK: "give the label away and share a word with it",
}
UNIQUE = 0.9  # share of different values from which a text is a name or a key
OFTEN = 0.5  # the same for a column that is called an id
LONG = 50  # rows from which numbers that only rise are the order of the rows
SHOWN = 5  # things named in one note
PART = 20  # rows of a part from which it is looked at
MANY = 10  # numbers of a column that is called an id from which they are codes
ID_WORDS = frozenset(["id", "ids", "pid", "uid", "uuid", "guid", "mrn", "ssn"])
NUMBER_WORDS = frozenset(
    ["no", "nr", "num", "number", "index", "idx", "key", "row", "record", "serial", "unnamed"]
)
NOT_IDS = re.compile(  # words in "id" that are no ids, and how such words end in chemistry and medicine
    "(a|av|b|br|bra|car?ot|cov|d|flu|gr|hybr|hum|inval|k|l|liqu|m|pa|rap|rig|sa|sol|tim|unpa|val|viv)id"
    "|.*(ac|brom|carb|carot|cer|chlor|cyan|fluor|hydr|iod|jod|lip|nitr|o|ox|pept|sulf|sulph|ster|zer)id"
)


@dataclass(frozen=True)
class Suspicions:
    """What looks odd about the columns of one table.

    Parameters
    ----------
    left_out : mapping of str to str
        Columns that are not used, and what they look like.
    doubts : mapping of str to str
        Columns that are used, and what is odd about them.
    """

    left_out: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)

    def of(self, names: Sequence[str]) -> Suspicions:
        """Return what is odd about some of the columns."""
        left_out, doubts = (
            {name: why for name, why in found.items() if name in names}
            for found in (self.left_out, self.doubts)
        )
        return Suspicions(left_out, doubts)

    def notes(self) -> list[str]:
        """Return a note for each kind of thing."""
        notes: list[str] = []
        for why, names in _grouped(self.left_out).items():
            back = f"to use them: {keep_option(names)}"
            notes.append(Note(f"left out, {LEFT_OUT[why]}: {listed(names)} ({back})", SERIOUS))
        for why, names in _grouped(self.doubts).items():
            notes.append(Note(f"{why}: {listed(names)}", SERIOUS))
        return notes


def keep_option(names: list[str]) -> str:
    """Return what brings columns back, in Python and on the command line."""
    python = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    cli = ",".join(names[:5]) + (",..." if len(names) > 5 else "")
    return f"keep=[{python}] / --keep {shlex.quote(cli)}"


def _grouped(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, why in reasons.items():
        groups.setdefault(why, []).append(name)
    return groups


def notes_of_facts(facts: Mapping[str, ColumnFacts]) -> list[str]:
    """Return notes on what was converted while columns were read, one for each kind of thing.

    Examples
    --------
    >>> notes_of_facts(
    ...     {"bp": ColumnFacts("number", {".": 3}), "age": ColumnFacts("number", {"-": 1})}
    ... )
    ["read as missing: '.' in 'bp' (3), '-' in 'age' (1)"]
    """
    notes: list[str] = []
    doubts = {name: fact.doubt for name, fact in facts.items() if fact.doubt}
    if doubts:
        some = [f"{name!r}: {doubt}" for name, doubt in doubts.items()]
        notes.append(Note(f"look twice at {_first(some, '; ')}", SERIOUS))
    blanks = [
        f"{word!r} in {name!r} ({count})"
        for name, fact in facts.items()
        for word, count in fact.blanks.items()
    ]
    if blanks:
        notes.append(Note(f"read as missing: {_first(blanks)}"))
    converted = {name: fact.converted for name, fact in facts.items() if fact.converted}
    for what, names in _grouped(converted).items():
        notes.append(Note(f"{what}: {listed(names)}"))
    return notes


def _first(texts: list[str], between: str = ", ") -> str:
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return between.join(texts[:SHOWN]) + more


def find_suspicions(
    features: Features,
    labels: Labels,
    facts: Mapping[str, ColumnFacts],
    *,
    keep: frozenset[str] = frozenset(),
    parts: Array | None = None,
) -> Suspicions:
    """Look at every column of a table.

    Parameters
    ----------
    features : Features
    labels : Labels
    facts : mapping of str to ColumnFacts
        Tells dates from numbers.
    keep : frozenset of str
        Columns that are used whatever they look like.
    parts : ndarray, optional
        A code for each row that tells the datasets apart into which the table will be split: a row
        number may start again in each.
    """
    left_out: dict[str, str] = {}
    doubts: dict[str, str] = {}
    for name, values in _columns(features, labels):
        if name in keep:
            continue
        is_date = name in facts and facts[name].kind == "date"
        if is_id(values, name, is_date=is_date) or _is_id_of_parts(values, name, parts):
            left_out[name] = ROW_ID
            continue
        leak = leak_of(values, name, labels, features.names)
        if leak is None:
            leak = _code_of(values, name)
        if leak is not None:
            (left_out if leak in LEFT_OUT else doubts)[name] = leak
    return Suspicions(left_out, doubts)


def _columns(features: Features, labels: Labels) -> Iterator[tuple[str, Array]]:
    """Yield names and values: floats of numbers, codes of categories."""
    if features.is_sparse:
        yield from _dense_columns(features, labels)
        return
    yield from zip(features.numeric_names, features.numeric.T, strict=True)
    yield from zip(features.category_names, features.codes.T, strict=True)


def _dense_columns(features: Features, labels: Labels) -> Iterator[tuple[str, Array]]:
    """Yield the columns of a sparse block that can be ids or copies: the number of zeros tells."""
    if not features.numeric_names:
        return
    n_rows = features.n_rows
    filled = np.diff(features.numeric.tocsc().indptr)
    possible = {n_rows, n_rows - 1, *(n_rows - labels.counts)}
    for j in np.flatnonzero(np.isin(filled, list(possible))):
        yield features.numeric_names[j], features.numeric[:, [j]].toarray()[:, 0]


def is_id(values: Array, name: str, *, is_date: bool = False) -> bool:
    """Whether a column tells rows apart and nothing else.

    That is text with hardly a value twice; or whole numbers, all different, that come in steps of
    one, only rise from row to row, or are called an id. Dates must only rise.
    """
    if values.dtype.kind != "f":
        return _is_key(values, name)
    known = values[~np.isnan(values)] if _is_called_id(name) else values
    for some in (known[:100], known):  # the first rows settle it for most columns
        if not is_date and np.any(some != np.round(some)):  # a missing value differs, too
            return False
        if not _is_mostly_different(some, name):
            return False
    if len(known) < PART or np.isnan(known).any():
        return False
    if _is_called_id(name) and not is_date:
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        rises = np.diff(known)
        steps = np.diff(np.sort(known))
    in_order = len(known) >= LONG and bool(np.all(rises > 0) or np.all(rises < 0))
    return in_order or (not is_date and bool(np.all(steps == 1)))


def _is_key(codes: Array, name: str) -> bool:
    known = codes[codes != MISSING]
    needed = OFTEN if _words(name) & ID_WORDS or _is_called_id(name) else UNIQUE
    return len(known) >= PART and len(np.unique(known)) >= needed * len(known)


def _is_mostly_different(values: Array, name: str) -> bool:
    """Whether all values differ; of a column that is called an id, most of them."""
    n_different = len(np.unique(values))
    return bool(n_different >= (OFTEN if _is_called_id(name, ID_WORDS) else 1) * len(values))


def _code_of(values: Array, name: str) -> str | None:
    """Say so if whole numbers are called an id, as a hospital's number is in each of its rows.

    A few of them may be grades of something that is called so by chance.
    """
    if values.dtype.kind != "f" or not _is_called_id(name, ID_WORDS):
        return None
    known = values[~np.isnan(values)]
    n_different = len(np.unique(known))
    if n_different < 3 or np.any(known != np.round(known)):
        return None
    return CODE if n_different >= MANY else FEW_CODES


def _is_called_id(name: str, words: frozenset[str] = ID_WORDS | NUMBER_WORDS) -> bool:
    found = _words(name)
    return bool(found & words) or any(
        word.endswith("id") and not NOT_IDS.fullmatch(word) for word in found
    )


def _words(name: str) -> set[str]:
    """Return the words of a name, as in unit_id, unitId and "unit id"."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return set(re.findall(r"[^\W\d_]+", split.lower()))


def _is_id_of_parts(values: Array, name: str, parts: Array | None) -> bool:
    """Whether a number counts the rows of every part."""
    if parts is None or values.dtype.kind != "f":
        return False
    order = np.argsort(parts, kind="stable")
    cuts = np.flatnonzero(np.diff(parts[order])) + 1
    long = [rows for rows in np.split(order, cuts) if len(rows) >= PART]
    return bool(long) and all(is_id(values[rows], name) for rows in long)
