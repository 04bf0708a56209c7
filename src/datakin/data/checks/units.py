"""The same quantity in other units, told by how two columns are distributed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from datakin.data.dataset import Dataset
from datakin.data.features import Array

__all__ = ["ENOUGH", "Sketch", "Units", "find_units", "overlap", "sketch"]

SAMPLE = 500  # values that are compared
FEW_VALUES = 50  # a numeric column with at most this many values may be a code
FAR = 0.8  # distance of two distributions from which they may be of other units
FARTHER = 0.95  # the same where no known conversion helps
NEAR = 0.25  # distance of two distributions that agree, for a column with the name of a quantity
NEARER = 0.15  # the same for any column
ENOUGH = 20  # values from which distributions are compared
SPREAD = 1.5  # ratio of two spreads that is nothing unusual
LEVELS = np.linspace(0.025, 0.975, 39)


@dataclass(frozen=True, eq=False)
class Sketch:
    """What is kept of a numeric column for comparisons.

    Parameters
    ----------
    values : ndarray
        Some of its values, sorted.
    low, high : float
        Of all its values.
    is_whole : bool
        Whether all are whole numbers.
    few : frozenset of float or None
        All its values if they are few, and there are rows enough to tell.
    """

    values: Array
    low: float
    high: float
    is_whole: bool
    few: frozenset[float] | None

    def at(self, share: float) -> float:
        """Return a quantile."""
        return float(self.values[int(share * (len(self.values) - 1))])


def sketch(dataset: Dataset, name: str) -> Sketch:
    """Return the sketch of a numeric column, made once for each dataset."""
    if name not in dataset.sketches:
        numbers = dataset.features.numeric[:, dataset.features.numeric_names.index(name)]
        dataset.sketches[name] = sketch_of(numbers)
    kept: Sketch = dataset.sketches[name]
    return kept


def sketch_of(numbers: Array) -> Sketch:
    """Return the sketch of some numbers, of which one at least is not missing."""
    known = numbers[~np.isnan(numbers)]
    some = known
    if len(known) > SAMPLE:
        some = known[np.linspace(0, len(known) - 1, SAMPLE).astype(np.int64)]
    is_whole = bool(np.all(some == np.round(some)) and np.all(known == np.round(known)))
    few = None
    if len(known) >= ENOUGH and len(np.unique(some)) <= min(FEW_VALUES, len(known) / 2):
        different = np.unique(known)
        if len(different) <= min(FEW_VALUES, len(known) / 2):
            few = frozenset(different.tolist())
    return Sketch(np.sort(some), float(known.min()), float(known.max()), is_whole, few)


def overlap(one: Sketch, other: Sketch) -> bool:
    """Whether the ranges of two columns have a part in common."""
    return one.high >= other.low and other.high >= one.low


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

    @property
    def back(self) -> Units:
        """The way back."""
        there = " to ".join(reversed(self.words.split(" to ")))
        return Units(1 / self.slope, -self.intercept / self.slope, there)

    def of(self, values: Array) -> Array:
        """Return converted values."""
        return np.asarray(self.slope * values + self.intercept)


# Slope, intercept, units, and how columns in them are called. By chance some of so many factors fits
# any two columns: only those with a star are tried on every column.
_KNOWN: tuple[tuple[float, float, str, str], ...] = (
    (5 / 9, -160 / 9, "Fahrenheit to Celsius", "* temp fever"),
    (1, -273.15, "Kelvin to Celsius", "* temp"),
    (5 / 9, 459.67 * 5 / 9, "Fahrenheit to Kelvin", "* temp"),
    (0.01, 0, "percent to shares", "* percent pct share rate ratio"),
    (1e-3, 0, "units to thousands", "*"),
    (1e-6, 0, "units to millions", "*"),
    (0.1, 0, "mm to cm, or the like", "height length width depth size"),
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
    (1 / 7, 0, "days to weeks", "time age dur gest los stay"),
    (1 / 12, 0, "months to years", "age time dur tenure"),
    (1 / 365.25, 0, "days to years", "age time dur tenure"),
    (4.184, 0, "kcal to kJ", "energy cal"),
    (3.785412, 0, "gallons to litres", "volume fuel"),
    (0.09290304, 0, "square feet to square metres", "area sq size living"),
)
CONVERSIONS = [
    (way, hints.split())
    for slope, intercept, words, hints in _KNOWN
    for way in (Units(slope, intercept, words), Units(slope, intercept, words).back)
]


def find_units(ours: Sketch, theirs: Sketch, name: str) -> Units | None:
    """Return the conversion that makes a source's column agree with the target's, if there is one.

    The two must lie far apart as they are. Any two normal distributions are linear functions of each
    other, so that a relation that is not known needs columns that hardly overlap, and another spread.
    """
    if theirs.at(0.5) < ours.at(0.5):  # looked at in one direction, to say the same in both
        way = find_units(theirs, ours, name)
        return None if way is None else way.back
    if theirs.at(0.2) <= ours.at(0.5) or theirs.at(0.5) <= ours.at(0.8):
        return None
    if min(len(ours.values), len(theirs.values)) < ENOUGH or ours.at(0.1) == ours.at(0.9):
        return None
    far = _distance(ours.values, theirs.values)
    if far < FAR:
        return None
    are_codes = _may_be_codes(ours) or _may_be_codes(theirs)
    found = []
    for way, hints in CONVERSIONS:
        is_named = _is_called(name, hints)
        if is_named or ("*" in hints and not are_codes):
            near = _converted_distance(ours, theirs, way)
            if near <= (NEAR if is_named else NEARER):
                found.append((near, way))
    if found:
        return min(found, key=lambda each: each[0])[1]
    return _linear(ours, theirs) if far >= FARTHER else None


def _may_be_codes(column: Sketch) -> bool:
    return column.is_whole and column.few is not None and len(column.few) < 8


def _is_called(name: str, hints: list[str]) -> bool:
    """Whether a name has one of these words, or begins one with it."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    words = re.findall(r"[^\W\d_]+", text)
    return any(
        word == hint
        or (len(hint) > 3 and word.startswith(hint))
        or (len(hint) > 5 and hint in word)
        for hint in hints
        for word in words
    )


def _converted_distance(ours: Sketch, theirs: Sketch, way: Units) -> float:
    median, low, high = ours.at(0.5), theirs.at(0.2), theirs.at(0.8)
    if not way.slope * low + way.intercept <= median <= way.slope * high + way.intercept:
        # A step of whole numbers may hide the agreement of narrow columns.
        step = max(1.0, way.slope) if ours.is_whole or theirs.is_whole else 0.0
        if abs(way.slope * theirs.at(0.5) + way.intercept - median) > step:
            return 1.0
    converted = way.of(theirs.values)
    own = ours.values
    if ours.is_whole:
        converted = np.round(converted)
    elif theirs.is_whole:
        own = np.round((own - way.intercept) / way.slope) * way.slope + way.intercept
    return _distance(own, converted + 0.0)


def _distance(one: Array, other: Array) -> float:
    """Return the distance of Kolmogorov and Smirnov of two sorted samples."""
    every = np.concatenate([one, other])
    shares = (np.searchsorted(v, every + 1e-9 * abs(every), "right") / len(v) for v in (one, other))
    return float(np.max(np.abs(np.subtract(*shares))))


def _linear(ours: Sketch, theirs: Sketch) -> Units | None:
    if min(len(ours.values), len(theirs.values)) < 100 or ours.few or theirs.few:
        return None
    x, y = np.quantile(theirs.values, LEVELS), np.quantile(ours.values, LEVELS)
    if np.ptp(x) == 0 or np.corrcoef(x, y)[0, 1] ** 2 < 0.995:
        return None
    slope, intercept = np.polyfit(x, y, 1)
    if 1 / SPREAD < slope < SPREAD:  # another place, not another unit
        return None
    return Units(float(slope), float(intercept))
