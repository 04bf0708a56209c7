"""The same quantity in other units, told by how two columns are distributed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from datakin.data.checks.conversions import Units, known_for
from datakin.data.checks.names import words_of
from datakin.data.dataset import Dataset
from datakin.data.features import Array

__all__ = [
    "ENOUGH",
    "Sketch",
    "distance",
    "find_units",
    "outlines_of",
    "overlap",
    "sketch_of",
    "sketches_of",
]

SAMPLE = 500  # values that are compared
FEW_VALUES = 50  # a numeric column with at most this many values may be a code
FAR = 0.7  # distance of two distributions from which they may be of other units
NEAR = 0.5  # distance of two distributions that may agree, for a column with the name of a quantity
NEARER = 0.15  # the same for any column
ALIKE = 1.8  # ratio of two spreads that may be those of one quantity
ENOUGH = 20  # values from which distributions are compared
MANY = 100  # the same where no known conversion helps
SPREAD = 2  # ratio of two spreads that is nothing unusual
SHAPED = 0.025  # what a normal distribution leaves unexplained of quantiles that have another shape
TIMES = 6  # another column of the same shape explains them so much better
LEVELS = np.linspace(0.025, 0.975, 39)
NORMAL = ndtri(LEVELS)


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

    @property
    def codes(self) -> frozenset[float]:
        """All its values if they are few whole numbers, none otherwise."""
        return self.few if self.few and self.is_whole else frozenset()

    def at(self, share: float) -> float:
        """Return a quantile."""
        return float(self.values[int(share * (len(self.values) - 1))])

    @cached_property
    def quantiles(self) -> Array:
        """Many quantiles."""
        return np.asarray(self.values[(LEVELS * (len(self.values) - 1)).astype(np.int64)])

    @cached_property
    def shape(self) -> float:
        """How far it is from a normal distribution: what that leaves unexplained of its quantiles."""
        return _unlike(self.quantiles, NORMAL)


def sketches_of(dataset: Dataset) -> Mapping[str, Sketch]:
    """Return the sketches of all numeric columns, made once for each dataset."""
    if not dataset.sketches:
        features = dataset.features
        columns = zip(features.numeric_names, features.numeric.T, strict=True)
        # At once, since other threads may look at the same dataset.
        dataset.sketches.update({name: sketch_of(numbers) for name, numbers in columns})
    return dataset.sketches


def outlines_of(dataset: Dataset) -> Array:
    """Return seven numbers for each numeric column, made once for each dataset.

    Low, three quantiles, high, how many values are kept, and whether all values are few.
    """
    if "outlines" not in dataset.kept:
        found = np.full((7, len(dataset.features.numeric_names)), np.nan)
        for j, column in enumerate(sketches_of(dataset).values()):
            n, is_few = len(column.values), column.few is not None
            middle = [column.at(share) for share in (0.2, 0.5, 0.8)] if n else [np.nan] * 3
            found[:, j] = column.low, *middle, column.high, n, is_few
        dataset.kept["outlines"] = found
    return np.asarray(dataset.kept["outlines"])


def sketch_of(numbers: Array) -> Sketch:
    """Return the sketch of some numbers."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return Sketch(known, np.nan, np.nan, False, None)
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


@np.errstate(over="ignore", invalid="ignore")  # numbers near 1e300 agree with none
def find_units(ours: Sketch, theirs: Sketch, name: str) -> Units | None:
    """Return the conversion that makes a source's column agree with the target's, if there is one.

    The two must lie far apart as they are. A conversion that the name suggests comes first; populations
    differ, so that it need not bring them together. Others must. Any two normal distributions are linear
    functions of each other, so that a relation that is not known needs another shape.
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
    if way is None and not (_may_be_codes(ours) or _may_be_codes(theirs)):
        way = _best(ours, theirs, starred, NEARER)
    return way if way is not None or overlap(ours, theirs) else _linear(ours, theirs)


def _may_be_codes(column: Sketch) -> bool:
    return 0 < len(column.codes) < 8


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
    converted = way.of(theirs.values)
    own = ours.values
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


def _linear(ours: Sketch, theirs: Sketch) -> Units | None:
    """Return the relation of two columns that have one shape, and not that of a normal distribution."""
    if min(len(ours.values), len(theirs.values)) < MANY or ours.few or theirs.few:
        return None
    unlike = min(ours.shape, theirs.shape)
    if unlike < SHAPED or _unlike(ours.quantiles, theirs.quantiles) > unlike / TIMES:
        return None
    slope, intercept = np.polyfit(theirs.quantiles, ours.quantiles, 1)
    if 1 / SPREAD < slope < SPREAD:  # another place, not another unit
        return None
    return Units(float(slope), float(intercept))


def _unlike(one: Array, other: Array) -> float:
    """Return the share of some quantiles' variance that others do not explain."""
    x, y = one - one.mean(), other - other.mean()
    both = (x @ x) * (y @ y)
    return float(1 - (x @ y) ** 2 / both) if 0 < both < np.inf else 0.0
