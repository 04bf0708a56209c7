"""Known conversions of units, and the names of columns that suggest them."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files
from math import isclose

import numpy as np

from datakin.data.features import Array

__all__ = ["Units", "known_for"]

TIMES = ("hours", "days", "weeks", "years")  # children and adults differ by such factors, too
LONGEST = 100_000  # largest number in a fraction that is shown as one


@dataclass(frozen=True)
class Units:
    """A linear relation: what the target would have is slope * source + intercept.

    Parameters
    ----------
    slope, intercept : float
    words : str
        What the units may be; empty if the relation is none that is known.
    """

    slope: float
    intercept: float
    words: str = ""
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
    is_short = max(abs(near.numerator), near.denominator) <= LONGEST
    if len(text) > 12 and is_short and near.numerator / near.denominator == number:
        return f"{near.numerator}/{near.denominator}"
    return text


@cache
def _known() -> list[tuple[Units, list[str]]]:
    """Return the conversions of the table beside this file, and how columns in them are called.

    By chance some of so many factors fits any two columns: only those with a star are tried on every
    column.
    """
    lines = (files("datakin.data.checks") / "conversions.csv").read_text(encoding="utf-8")
    return [
        (Units(_ratio(row["slope"]), _ratio(row["intercept"]), row["units"]), row["names"].split())
        for row in csv.DictReader(lines.splitlines())
    ]


def _ratio(text: str) -> float:
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


@lru_cache(maxsize=10_000)
def known_for(words: tuple[str, ...]) -> tuple[list[Units], list[Units]]:
    """Return the conversions that a column's name suggests, and those that must fit closely."""
    named: list[Units] = []
    starred: list[Units] = []
    for one, hints in _known():
        is_named = any(_is_called(word, hint) for word in words for hint in hints)
        if is_named and not one.words.endswith(TIMES):
            named += [one, one.back]
        elif is_named or "*" in hints:
            starred += [one, one.back]
    if named:  # the name says what it is, and so that it is no temperature
        starred = [way for way in starred if way.intercept == 0]
    return named, starred


def _is_called(word: str, hint: str) -> bool:
    """Whether a word is that of a quantity, or begins with it."""
    return (
        word == hint
        or (len(hint) > 3 and word.startswith(hint))
        or (len(hint) > 5 and hint in word)
    )
