"""Known conversions of units, and the names of columns that suggest them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
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


# Slope, intercept, units, and how columns in them are called. By chance some of so many factors fits
# any two columns: only those with a star are tried on every column.
_KNOWN: tuple[tuple[float, float, str, str], ...] = (
    (5 / 9, -160 / 9, "Fahrenheit to Celsius", "* temp fever"),
    (1, -273.15, "Kelvin to Celsius", "* temp"),
    (5 / 9, 459.67 * 5 / 9, "Fahrenheit to Kelvin", "* temp"),
    (0.01, 0, "percent to shares", "* percent pct share rate ratio"),
    (0.1, 0, "a factor of 10", "*"),
    (1e-3, 0, "units to thousands", "*"),
    (1e-6, 0, "units to millions", "*"),
    (0.1, 0, "mm to cm", "height length width depth size"),
    (0.01, 0, "cm to m", "height length width depth size"),
    (0.45359237, 0, "pounds to kg", "weight wt mass load"),
    (2.54, 0, "inches to cm", "height length width depth size"),
    (0.3048, 0, "feet to m", "height length width depth altitude"),
    (30.48, 0, "feet to cm", "height length"),
    (0.0254, 0, "inches to m", "height length"),
    (1.609344, 0, "miles to km", "dist speed range mile"),
    (1 / 18.016, 0, "mg/dl to mmol/l of glucose", "gluc sugar glu"),
    (1 / 38.67, 0, "mg/dl to mmol/l of cholesterol", "chol ldl hdl"),
    (1 / 88.57, 0, "mg/dl to mmol/l of triglycerides", "trig"),
    (88.42, 0, "mg/dl to umol/l of creatinine", "crea scr"),
    (17.104, 0, "mg/dl to umol/l of bilirubin", "bili"),
    (0.357, 0, "mg/dl to mmol/l of urea nitrogen", "bun urea"),
    (0.6206, 0, "g/dl to mmol/l of haemoglobin", "hgb hemo haemo hb"),
    (10, 0, "g/dl to g/l", "hgb hemo haemo hb albumin protein"),
    (0.0689476, 0, "psi to bar", "press druck"),
    (6.894757, 0, "psi to kPa", "press druck"),
    (100, 0, "bar to kPa", "press druck"),
    (0.133322, 0, "mmHg to kPa", "press bp pco po"),
    (750.0617, 0, "bar to mmHg", "press druck"),
    (1 / 60, 0, "minutes to hours", "time dur los stay wait delay"),
    (1 / 24, 0, "hours to days", "time dur los stay wait delay"),
    (1 / 1440, 0, "minutes to days", "time dur los stay wait delay"),
    (1 / 3600, 0, "seconds to hours", "time dur wait delay"),
    (1 / 86400, 0, "seconds to days", "time dur wait delay"),
    (1 / 7, 0, "days to weeks", "time dur gest los stay"),
    (1 / 12, 0, "months to years", "age time dur tenure"),
    (1 / 365.25, 0, "days to years", "age time dur tenure"),
    (4.184, 0, "kcal to kJ", "energy cal"),
    (3.785412, 0, "gallons to litres", "volume fuel"),
    (0.09290304, 0, "square feet to square metres", "area sq size living"),
)


@lru_cache(maxsize=10_000)
def known_for(words: tuple[str, ...]) -> tuple[list[Units], list[Units]]:
    """Return the conversions that a column's name suggests, and those that must fit closely."""
    named: list[Units] = []
    starred: list[Units] = []
    for slope, intercept, text, hints in _KNOWN:
        one = Units(slope, intercept, text)
        is_named = any(_is_called(word, hint) for word in words for hint in hints.split())
        if is_named and not text.endswith(TIMES):
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
