"""What a variant is, how it is judged, and the list of all of them.

Expectations come from what a careful analyst wants, not from what the code does:

- ``same``: the dataset equals that of the clean table, value for value;
- ``noted``: it differs, and a note names the column and the fault;
- ``refused``: a `DatakinError` names the fault.

Where more than one of these is right, the variant allows both and says why. A variant that differs
without the note that is asked for is *silent*; any other exception or warning is *foreign*.
"""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import datakin
from datakin import Comparison, DatakinError, DatakinWarning, Dataset
from tests.messy.table import GROUP, LABEL, table, texts

KINDS = ("same", "noted", "refused")
SCREEN = 24  # lines

# Alone, or with what it is compared with where that is not the clean one.
Made = Dataset | Comparison | tuple[Dataset, Dataset] | tuple[Comparison, Comparison]


@dataclass(frozen=True)
class Variant:
    """One way to spoil the table, or to bring it in another form."""

    name: str
    make: Callable[[Path], Made]
    expect: tuple[str, ...]
    says: str | None = None  # a note, or the refusal, must match
    never: str | None = None  # no note may match
    holds: Callable[[Any], bool] | None = None  # what else is true of a dataset or comparison
    why: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a variant."""

    kind: str  # one of KINDS, "silent" or "foreign"
    said: tuple[str, ...]
    fault: str = ""  # why it is not as expected

    @property
    def is_expected(self) -> bool:
        return not self.fault


VARIANTS: dict[str, Variant] = {}


def variant(name: str, expect: str, says: str | None = None, **more: Any) -> Callable[[Any], Any]:
    """Register a function that writes and reads a variant; `expect` joins kinds by "or"."""
    kinds = tuple(expect.split(" or "))
    assert set(kinds) <= set(KINDS), expect
    assert name not in VARIANTS, name

    def register(make: Callable[[Path], Made]) -> Callable[[Path], Made]:
        VARIANTS[name] = Variant(name, make, kinds, says, **more)
        return make

    return register


def named(column: str, *words: str) -> str:
    """Return an expression for a note that has the column's name and one of the words."""
    return rf"(?=.*{re.escape(column)})(?=.*({'|'.join(words)}))" if words else re.escape(column)


def read(source: Any, **options: Any) -> Dataset:
    """Read the table as its users would."""
    return datakin.read_table(source, **{"label": LABEL, "group": GROUP, **options})


def write(folder: Path, name: str = "stays.csv", rows: Any = None, **form: Any) -> Path:
    """Write texts as a text file, comma-separated UTF-8 unless said otherwise."""
    rows = texts() if rows is None else rows
    path = folder / name
    rows.to_csv(path, **{"index": False, "encoding": "utf-8", **form})
    return path


def compare(source: Any, target: Any = None, **options: Any) -> Comparison:
    """Score the clean table as target against a source, each read alone."""
    ours = read(table() if target is None else target, name="mine")
    theirs = source if isinstance(source, Dataset) else read(source, name="theirs", **options)
    # Notes and scores are judged, not the trial of the source, which takes longer than both.
    return datakin.score(ours, theirs, models=["logistic"], cv=3, zones="paper")


@cache
def clean() -> str:
    """Return the fingerprint of the clean table."""
    return read(table()).fingerprint


@cache
def clean_score() -> float:
    """Return the score of the clean table against other patients of the same kind."""
    return compare(table(1)).score


def judge(one: Variant) -> Outcome:
    """Make a variant and compare what came with what is expected."""
    expected = clean(), clean_score()  # before warnings are caught
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            made: Any = one.make(Path(folder))
        except DatakinError as error:
            made, said = None, [str(error)]
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            return Outcome("foreign", (text,), f"foreign exception {text[:150]}")
        else:
            made, reference = made if isinstance(made, tuple) else (made, None)
            said = [*made.notes]
    for each in caught:
        if not issubclass(each.category, DatakinWarning):
            text = f"{each.category.__name__}: {each.message}"
            return Outcome("foreign", (text,), f"foreign warning {text[:150]}")
        said += str(each.message).splitlines()
    # A dataset's note stands in its warning, too.
    said = [s for s in dict.fromkeys(said) if not any(s != t and s in t for t in said)]
    kind = "refused"
    if made is not None:
        is_same = _is_same(made, reference, *expected)
        kind = "same" if is_same else "noted" if _has(one.says, said) else "silent"
    return Outcome(kind, tuple(said), _fault(one, kind, said, made))


def _is_same(made: Any, reference: Any, fingerprint: str, score: float) -> bool:
    if isinstance(made, Dataset):
        return made.fingerprint == (fingerprint if reference is None else reference.fingerprint)
    return bool(made.score == (score if reference is None else reference.score))


def _has(expression: str | None, said: list[str]) -> bool:
    if expression is None:
        return False
    return any(re.search(expression, line, re.IGNORECASE | re.DOTALL) for line in said)


def _fault(one: Variant, kind: str, said: list[str], made: Any) -> str:
    """Return why an outcome is not as expected, nothing if it is."""
    if kind not in one.expect:
        return f"expected {' or '.join(one.expect)}, got {kind}"
    if one.says is not None and not _has(one.says, said):
        return f"{kind}, but nothing says {one.says!r}"
    if _has(one.never, said):
        return f"{kind}, but something says {one.never!r}"
    if one.holds is not None and made is not None and not one.holds(made):
        return f"{kind}, but what must hold does not"
    if sum(len(line.splitlines()) for line in said) > SCREEN:
        return f"{kind}, but the notes fill more than a screen ({len(said)})"
    return ""
