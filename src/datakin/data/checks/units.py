"""The same quantity in other units, told by how two columns are distributed and by what they are called.

Conversions that are known stand in ``conversions.csv``, with the names of columns that suggest them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from math import isclose

import numpy as np

from datakin.data.checks.names import words_of
from datakin.data.dataset import Dataset
from datakin.data.features import Array

LAPSES = ("hours", "days", "weeks", "years")  # children and adults differ by such factors, too
LONGEST = 100_000  # largest number in a fraction that is shown as one
SAMPLE = 500  # values that are compared
FEW_VALUES = 50  # a numeric column with at most this many values may be a code
FAR = 0.7  # distance of two distributions from which they may be of other units
NEAR = 0.5  # distance of two distributions that may agree, for a column with the name of a quantity
NEARER = 0.15  # the same for any column
ALIKE = 1.8  # ratio of two spreads that may be those of one quantity
ENOUGH = 20  # values from which distributions are compared


@dataclass(frozen=True)
class Units:
    """A linear relation: what the target would have is slope * source + intercept."""

    slope: float
    intercept: float
    words: str = ""  # what the units may be; empty if the relation is none that is known
    _forth: Units | None = field(default=None, repr=False, compare=False)

    @property
    def back(self) -> Units:
        """The way back, without what is left by rounding; that of the way back is this one."""
        if self._forth is not None:
            return self._forth
        there = " to ".join(reversed(self.words.split(" to ")))
        return Units(_plain(1 / self.slope), _plain(-self.intercept / self.slope), there, self)

    @property
    def written(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Slope and intercept in Python and on the command line: in full if the relation is known."""
        slope, intercept = self.slope, self.intercept + 0.0
        if not self.words:
            rounded = f"{slope:.4g}", f"{intercept:.4g}"
            return rounded, rounded
        python = repr(slope).removesuffix(".0"), repr(intercept).removesuffix(".0")
        return python, (_exact(slope), _exact(intercept))

    def of(self, values: Array) -> Array:
        """Return converted values."""
        return np.asarray(self.slope * values + self.intercept)


def _plain(number: float) -> float:
    """Return a number without what is left of it by rounding, where it has few digits.

    Examples
    --------
    >>> _plain(1 / (5 / 9)), _plain(1 / 2.54)
    (1.8, 0.39370078740157477)
    """
    few = float(f"{number:.12g}")
    return few if isclose(few, number, rel_tol=4e-16) else number


def _exact(number: float) -> str:
    """Return a number as the command line takes it, a plain fraction as such.

    Examples
    --------
    >>> _exact(-160 / 9), _exact(0.45359237), _exact(60.0)
    ('-160/9', '0.45359237', '60')
    """
    text = repr(number).removesuffix(".0")
    near = Fraction(number).limit_denominator(LONGEST)
    is_short = abs(near.numerator) <= LONGEST and near.numerator / near.denominator == number
    return f"{near.numerator}/{near.denominator}" if len(text) > 12 and is_short else text


@lru_cache(maxsize=10_000)
def known_for(words: tuple[str, ...]) -> tuple[list[Units], list[Units]]:
    """Return the conversions that a column's name suggests, and those that must fit closely.

    By chance some of so many factors fits any two columns: only those with a star are tried on every
    column.
    """
    named: list[Units] = []
    starred: list[Units] = []
    for one, hints in _known():
        is_named = any(_is_called(word, hint) for word in words for hint in hints)
        if is_named and not one.words.endswith(LAPSES):
            named += [one, one.back]
        elif is_named or "*" in hints:
            starred += [one, one.back]
    if named:  # the name says what it is, and so that it is no temperature
        starred = [way for way in starred if way.intercept == 0]
    return named, starred


@cache
def _known() -> list[tuple[Units, list[str]]]:
    """Return the known conversions, and how columns in them are called."""
    lines = (files("datakin.data.checks") / "conversions.csv").read_text(encoding="utf-8")
    return [
        (Units(_ratio(row["slope"]), _ratio(row["intercept"]), row["units"]), row["names"].split())
        for row in csv.DictReader(lines.splitlines())
    ]


def _ratio(text: str) -> float:
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def _is_called(word: str, hint: str) -> bool:
    """Whether a word is that of a quantity, or begins with it."""
    is_begun = len(hint) > 3 and word.startswith(hint)
    return word == hint or is_begun or (len(hint) > 5 and hint in word)


@dataclass(frozen=True, eq=False)
class Sketch:
    """What is kept of a numeric column for comparisons.

    `codes` are all its values if they are few whole numbers, and there are rows enough to tell.
    """

    values: Array  # some of them, sorted
    low: float  # of all values
    high: float
    is_whole: bool  # whether all are whole numbers
    codes: frozenset[float] = frozenset()

    def at(self, share: float) -> float:
        """Return a quantile."""
        return float(self.values[int(share * (len(self.values) - 1))])


def sketches_of(dataset: Dataset) -> Mapping[str, Sketch]:
    """Return the sketches of all numeric columns, made once for each dataset."""
    if "sketches" not in dataset.kept:
        names, numbers = dataset.features.numeric_names, dataset.features.numeric.T
        dataset.kept["sketches"] = dict(zip(names, map(sketch_of, numbers), strict=True))
    found: Mapping[str, Sketch] = dataset.kept["sketches"]
    return found


def sketch_of(numbers: Array) -> Sketch:
    """Return the sketch of some numbers."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return Sketch(known, np.nan, np.nan, False)
    some = known
    if len(known) > SAMPLE:
        some = known[np.linspace(0, len(known) - 1, SAMPLE).astype(np.int64)]
    is_whole = bool(np.all(some == np.round(some)) and np.all(known == np.round(known)))
    codes: frozenset[float] = frozenset()
    most = min(FEW_VALUES, len(known) / 2)
    # The sample settles it for most columns.
    if is_whole and len(known) >= ENOUGH and len(np.unique(some)) <= most:
        different = np.unique(known)
        codes = frozenset(different.tolist() if len(different) <= most else ())
    return Sketch(np.sort(some), float(known.min()), float(known.max()), is_whole, codes)


def overlap(one: Sketch, other: Sketch) -> bool:
    """Whether the ranges of two columns have a part in common."""
    return one.high >= other.low and other.high >= one.low


@np.errstate(over="ignore", invalid="ignore")  # numbers near 1e300 agree with none
def find_units(ours: Sketch, theirs: Sketch, name: str) -> Units | None:
    """Return the conversion that makes a source's column agree with the target's, if there is one.

    The two must be far apart as they are. A conversion that the name suggests comes first; populations
    differ, so that it need not bring them together. Others must.
    """
    if min(len(ours.values), len(theirs.values)) < ENOUGH:
        return None
    if theirs.at(0.5) < ours.at(0.5):  # looked at in one direction, to say the same in both
        way = find_units(theirs, ours, name)
        return None if way is None else way.back
    if theirs.at(0.2) <= ours.at(0.5) or theirs.at(0.5) <= ours.at(0.8):
        return None
    if ours.at(0.1) == ours.at(0.9):
        return None
    if overlap(ours, theirs) and distance(ours.values, theirs.values) < FAR:
        return None
    named, starred = known_for(words_of(name))
    way = _best(ours, theirs, named, NEAR)
    are_codes = any(0 < len(column.codes) < 8 for column in (ours, theirs))
    return _best(ours, theirs, starred, NEARER) if way is None and not are_codes else way


def _best(ours: Sketch, theirs: Sketch, ways: list[Units], limit: float) -> Units | None:
    """Return the conversion that brings two columns nearest, if that is near enough."""
    found = [(_converted_distance(ours, theirs, way), way) for way in ways]
    near, best = min(found, key=lambda each: each[0], default=(1.0, None))
    return best if near <= limit else None


def _converted_distance(ours: Sketch, theirs: Sketch, way: Units) -> float:
    # A step of whole numbers may hide the agreement of narrow columns.
    step = max(1.0, way.slope) if ours.is_whole or theirs.is_whole else 0.0
    spreads = ours.at(0.9) - ours.at(0.1), way.slope * (theirs.at(0.9) - theirs.at(0.1))
    if max(spreads) > ALIKE * min(spreads) + step:
        return 1.0
    if abs(way.slope * theirs.at(0.5) + way.intercept - ours.at(0.5)) > max(*spreads, step):
        return 1.0
    converted, own = way.of(theirs.values), ours.values
    if ours.is_whole:
        converted = np.round(converted)
    elif theirs.is_whole:
        own = np.round((own - way.intercept) / way.slope) * way.slope + way.intercept
    return distance(own, converted + 0.0)


def distance(one: Array, other: Array) -> float:
    """Return the distance of Kolmogorov and Smirnov of two sorted samples."""
    every = np.concatenate([one, other])
    shares = (np.searchsorted(v, every + 1e-9 * abs(every), "right") / len(v) for v in (one, other))
    return float(np.max(np.abs(np.subtract(*shares))))
