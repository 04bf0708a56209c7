"""The same quantity in other units, told by the quantiles of a column in two tables.

Any two normal distributions are linear functions of each other, so that quantiles alone cannot tell other
units from other people. Here the label has the last word: only a conversion with which the source's rule
holds in the target is named.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.checks.names import words_of
from datakin.data.checks.units import Units, known_for
from datakin.data.features import Array
from datakin.explaining.edits import converted, numbers_of
from datakin.explaining.suspects.suspect import Suspect, known, shared_numbers
from datakin.results.words import number, short

__all__ = ["conversion", "other_units", "units_suspect"]

ENOUGH = 20  # values from which quantiles are compared
FEWEST = 8  # different values: with fewer it may be a code
LEVELS = np.linspace(0.06, 0.94, 23)
SCALED = 1.5  # ratio of spreads that asks for a conversion that the name suggests,
FACTOR = 3.0  # and for any other factor: smaller ratios are those of other people
AWAY = 2.3  # distance of the medians that asks for one, too, in standard deviations
APART = 3.0  # distance from which a conversion is plain to see,
TENFOLD = 5.0  # ratio of spreads from which a known one is,
CLOSE = 8.0  # if it brings the quantiles so much nearer
STRAIGHT = 0.06  # what a line may leave unexplained of the quantiles, beside chance
NEAR = 0.2  # distance of quantiles from which a known conversion fits, in standard deviations
CHANCE = 1.5  # of that distance, over the root of the number of rows
ABOUT = 1.25  # ratio of two factors that may be one
TIMES = 3.0  # so much nearer must the converted quantiles be
SURE, UNSURE = 0.15, 0.6  # shares of the excess that a known conversion, or any line, must mend


def other_units(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns of numbers that may be in other units."""
    for name in shared_numbers(target, source):
        way = conversion(numbers_of(target, name), numbers_of(source, name), name)
        if way is not None:
            yield units_suspect(name, way, target, source)


def units_suspect(name: str, way: Units, target: Dataset, source: Dataset) -> Suspect:
    """Return the suspicion that a column of the source must be converted so."""
    (slope, intercept), (typed_slope, typed_intercept) = way.written
    middles = [number(float(np.median(known(numbers_of(each, name))))) for each in (target, source)]
    of = f" (perhaps {way.words})" if way.words else ""
    line = typed_slope if typed_intercept == "0" else f"{typed_slope},{typed_intercept}"
    values = float(slope), float(intercept)  # what is tried is what is proposed
    return Suspect(
        cause="units",
        table=source.name,
        columns=(name,),
        seen=(
            f"{short(name)} looks to be in other units{of}: its median is {middles[0]} in "
            f"{short(target.name)} and {middles[1]} in {short(source.name)}."
        ),
        python=f"convert={{{source.name!r}: {{{name!r}: ({slope}, {intercept})}}}}",
        typed=typed("convert", name, f"={line}", table=source.name),
        mended=lambda one, other: (one, converted(other, name, *values)),
        asked=SURE if way.words else UNSURE,
        is_plain=_is_plain(known(numbers_of(target, name)), known(numbers_of(source, name)), way),
    )


def _is_plain(ours: Array, theirs: Array, way: Units) -> bool:
    """Return whether two columns lie so far apart, and so near once converted, that no label is needed."""
    a, b = np.quantile(ours, LEVELS), np.quantile(theirs, LEVELS)
    spread = float(np.std(a))
    width = float(np.std(b))
    is_apart = abs(float(np.median(a) - np.median(b))) > APART * max(spread, width)
    is_known = bool(way.words) and max(spread / width, width / spread) > TENFOLD
    return (is_apart or is_known) and CLOSE * _distance(a, way.of(b), spread) < _distance(
        a, b, spread
    )


def conversion(ours: Array, theirs: Array, name: str, *, by_name: bool = False) -> Units | None:
    """Return the conversion that lays the quantiles of one column over those of the other, if any does.

    Parameters
    ----------
    ours, theirs : ndarray
    name : str
        Of the column.
    by_name : bool
        Whether only conversions count that the name suggests.
    """
    one, other = known(ours), known(theirs)
    if min(len(one), len(other)) < ENOUGH or min(map(_distinct, (one, other))) < FEWEST:
        return None
    a, b = np.quantile(one, LEVELS), np.quantile(other, LEVELS)
    with np.errstate(over="ignore", invalid="ignore"):
        spread, width = float(np.std(a)), float(np.std(b))
    if not (0 < spread < np.inf and 0 < width < np.inf):  # constant, or too large to be squared
        return None
    is_scaled = max(spread / width, width / spread) > SCALED
    is_away = abs(np.median(a) - np.median(b)) > AWAY * max(spread, width)
    if not (is_scaled or is_away):
        return None
    chance = CHANCE / np.sqrt(min(len(one), len(other)))
    near = NEAR + chance
    is_far = is_away or max(spread / width, width / spread) > FACTOR
    way = _known_way(a, b, spread, name, near, chance / 2, by_name or not is_far)
    is_straight = _unlike(a, b) < STRAIGHT + 3 / min(len(one), len(other))
    if way is None and not by_name and is_far and is_straight:
        way = _factor(a, b, spread, near)
    if way is None or TIMES * _distance(a, way.of(b), spread) > _distance(a, b, spread):
        return None
    return way


def _factor(a: Array, b: Array, spread: float, near: float) -> Units | None:
    """Return the factor that lays one set of quantiles over the other, if one does.

    A line with an intercept is not enough: two tables of other people are linear in each other, too.
    """
    factor = float(np.sum(a * b) / np.sum(b**2))
    is_near = factor > 0 and _distance(a, factor * b, spread) < near
    return Units(factor, 0.0) if is_near else None


def _distinct(values: Array) -> int:
    return len(np.unique(values))


def _known_way(
    a: Array, b: Array, spread: float, name: str, near: float, slack: float, by_name: bool
) -> Units | None:
    """Return the known conversion that fits best, if one fits; those that the name suggests first."""
    named, starred = known_for(words_of(name))
    every = known_for(("temp", "weight", "length"))[0]
    # Around 0 many a factor is near enough. One that the name does not suggest must be about the best one,
    # and what only happens to fit no worse than that.
    factor = float(np.sum(a * b) / np.sum(b**2)) if np.any(b) else 1.0
    fitted = _distance(a, factor * b, spread) + slack
    likely = [way for way in starred if way.intercept or ABOUT > way.slope / factor > 1 / ABOUT]
    if by_name:
        likely, every = [], []
    for ways, limit in ((named, 2 * near), (likely, near), (every, min(near, fitted))):
        found = [(_distance(a, way.of(b), spread), k) for k, way in enumerate(ways)]
        least, best = min(found, default=(np.inf, -1))
        if least < limit:
            return ways[best]
    return None


def _distance(a: Array, b: Array, spread: float) -> float:
    """Return the mean distance of two sets of quantiles, in standard deviations of the first."""
    return float(np.mean(np.abs(a - b))) / spread


def _unlike(a: Array, b: Array) -> float:
    """Return the share of the variance of some quantiles that a line through others leaves."""
    return float(1 - np.corrcoef(a, b)[0, 1] ** 2)
