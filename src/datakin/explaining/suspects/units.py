"""The same quantity in other units, and missing values that are coded as a value.

Any two normal distributions are linear functions of each other, so that quantiles alone cannot tell other
units from other people. Here the label has the last word: only a conversion with which the source's rule
holds in the target is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from datakin._core.typed_options import convert_options, recode_options
from datakin.data import Dataset
from datakin.data.checks.names import words_of
from datakin.data.checks.units import Units, known_for
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.placeholders import is_placeholder
from datakin.data.columns.texts import SOFT_BLANKS
from datakin.data.features import Array
from datakin.explaining.suspects.suspect import (
    Suspect,
    converted,
    is_time,
    known,
    numbers_of,
    recoded,
    shared_numbers,
)
from datakin.results.words import number, percent, short

ENOUGH = 20  # Values from which quantiles are compared.
FEWEST = 8  # Different values that there must be: fewer may be a code.
LEVELS = np.linspace(0.06, 0.94, 23)
SCALED = 1.5  # Ratio of spreads from which a conversion that the name suggests is looked for.
FACTOR = 3.0  # Ratio of spreads from which any other is: smaller ones are those of other people.
AWAY = 2.3  # Distance of the medians, in standard deviations, from which any is looked for.
APART = 3.0  # Distance of the medians from which a conversion is plain to see.
TENFOLD = 5.0  # Ratio of spreads from which a known conversion is plain to see.
CLOSE = 8.0  # What is plain brings the quantiles so many times nearer.
STRAIGHT = 0.06  # Share of the quantiles' variance that a line may leave, in addition to noise.
NEAR = 0.2  # Distance of quantiles, in standard deviations, up to which a conversion fits.
NOISE = 1.5  # Noise of that distance, over the root of the number of rows.
ABOUT = 1.25  # Ratio up to which two factors may be one.
TIMES = 3.0  # Any conversion brings the quantiles so many times nearer.
SURE, UNSURE = 0.15, 0.6  # Shares of the excess that a known conversion, or any line, must fix.
OFTEN, ROWS = 0.02, 5  # Share of the rows, and number of them, that a code for missing values has.
RARE = 0.2  # Share of its frequency that it may have in the other table.
FEWEST_OTHERS = 8  # Other values that there must be, or the column may be a code itself.
MORE_OFTEN = 5  # It is so many times more frequent than any other value.
GAP = 0.5  # Its distance from all other values, in ranges of their middle half.


@dataclass(frozen=True, eq=False)
class _Quantiles:
    """Quantiles of one column in both tables, and the number of values in the smaller one."""

    ours: Array
    theirs: Array
    n: int

    @classmethod
    def of(cls, ours: Array, theirs: Array) -> _Quantiles | None:
        """Return the quantiles; None of few values, of constants, and of what cannot be squared."""
        n = min(len(ours), len(theirs))
        if n < ENOUGH or min(len(np.unique(ours)), len(np.unique(theirs))) < FEWEST:
            return None
        found = cls(np.quantile(ours, LEVELS), np.quantile(theirs, LEVELS), n)
        is_usable = all(0 < spread < np.inf for spread in found.spreads)
        return found if is_usable else None

    @cached_property
    def spreads(self) -> tuple[float, float]:
        """Standard deviations of both."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.std(self.ours)), float(np.std(self.theirs))

    @property
    def ratio(self) -> float:
        """How many times wider the wider one is."""
        return max(self.spreads) / min(self.spreads)

    @property
    def between_medians(self) -> float:
        """The distance of the medians, in standard deviations of the wider one."""
        return abs(float(np.median(self.ours) - np.median(self.theirs))) / max(self.spreads)

    @property
    def factor(self) -> float:
        """What their quantiles are best multiplied by."""
        return float(np.sum(self.ours * self.theirs) / np.sum(self.theirs**2))

    @property
    def is_straight(self) -> bool:
        """Whether one is a linear function of the other."""
        left = float(1 - np.corrcoef(self.ours, self.theirs)[0, 1] ** 2)
        return left < STRAIGHT + 3 / self.n

    def distance(self, way: Units | None = None) -> float:
        """Return their mean distance in our standard deviations, perhaps once theirs are converted."""
        theirs = self.theirs if way is None else way.of(self.theirs)
        return float(np.mean(np.abs(self.ours - theirs))) / self.spreads[0]

    def is_plain(self, way: Units) -> bool:
        """Return whether they are so far apart, and so near once converted, that no label is needed."""
        is_known = bool(way.words) and self.ratio > TENFOLD
        is_far = self.between_medians > APART or is_known
        return is_far and CLOSE * self.distance(way) < self.distance()

    def conversion(self, name: str, *, by_name: bool) -> Units | None:
        """Return the conversion that lays theirs over ours, if any does; see `units_suspect`."""
        is_away = self.between_medians > AWAY
        if not (is_away or self.ratio > SCALED):
            return None
        is_far = is_away or self.ratio > FACTOR
        way = self._known_conversion(name, by_name=by_name or not is_far)
        if way is None and not by_name and is_far and self.is_straight:
            # A line with an intercept is not enough: two tables of other people are linear, too.
            line = Units(self.factor, 0.0)
            is_near = line.slope > 0 and self.distance(line) < NEAR + NOISE / np.sqrt(self.n)
            way = line if is_near else None
        return way if way is not None and TIMES * self.distance(way) <= self.distance() else None

    def _known_conversion(self, name: str, *, by_name: bool) -> Units | None:
        """Return the known conversion that fits best, if one fits; those that the name suggests first."""
        noise = NOISE / np.sqrt(self.n)
        near = NEAR + noise
        named, starred = known_for(words_of(name))
        every = known_for(("temp", "weight", "length"))[0]
        # Around 0 many a factor is near enough. One that the name does not suggest must be about the best
        # one, and what only happens to fit no worse than that.
        factor = self.factor
        fitted = self.distance(Units(factor, 0.0)) + noise / 2
        likely = [way for way in starred if way.intercept or ABOUT > way.slope / factor > 1 / ABOUT]
        if by_name:
            likely, every = [], []
        for ways, limit in ((named, 2 * near), (likely, near), (every, min(near, fitted))):
            distances = [(self.distance(way), k) for k, way in enumerate(ways)]
            least, best = min(distances, default=(np.inf, -1))
            if least < limit:
                return ways[best]
        return None


def other_units(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns of numbers that may be in other units."""
    for name in shared_numbers(target, source):
        suspect = _units_suspect(name, target, source)
        if suspect is not None:
            yield suspect


def label_units(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield a label that is a number in other units, where its name suggests them or all values are apart.

    Any other factor is a scale, which is a part of the ladder.
    """
    if target.classes or source.classes or target.label != source.label:
        return
    by_name = _units_suspect(target.label, target, source, by_name=True)
    suspect = by_name or _units_suspect(target.label, target, source)
    if suspect is not None and (suspect is by_name or suspect.is_plain):
        yield suspect


def _units_suspect(
    name: str, target: Dataset, source: Dataset, *, by_name: bool = False
) -> Suspect | None:
    """Return the suspicion that a column must be converted, if a conversion (that its name suggests) fits."""
    values = [known(numbers_of(table, name)) for table in (target, source)]
    quantiles = _Quantiles.of(*values)
    way = None if quantiles is None else quantiles.conversion(name, by_name=by_name)
    if quantiles is None or way is None:
        return None
    (slope, intercept), (typed_slope, typed_intercept) = way.written
    ours, theirs = (number(float(np.median(column))) for column in values)
    perhaps = f" (perhaps {way.words})" if way.words else ""
    seen = (
        f"{short(name)} looks to be in other units{perhaps}: its median is {ours} in "
        f"{short(target.name)} and {theirs} in {short(source.name)}."
    )
    line = typed_slope if typed_intercept == "0" else f"{typed_slope},{typed_intercept}"
    options = convert_options(source.name, name, f"({slope}, {intercept})", line)
    # What is tried is what is proposed.
    edit = partial(converted, column=name, slope=float(slope), intercept=float(intercept))
    asked, is_plain = SURE if way.words else UNSURE, quantiles.is_plain(way)
    return Suspect("units", source.name, (name,), seen, *options, edit, asked, is_plain)


def blank_values(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield values that may stand for a missing one in one of the tables."""
    for name in shared_numbers(target, source):
        for table, other in ((target, source), (source, target)):
            here, there = numbers_of(table, name), numbers_of(other, name)
            value = _blank(here, there)
            if value is not None:
                others = known(here[here != value])
                text = canonical_label(value)
                seen = (
                    f"{short(name)} is {text} in {percent(float(np.mean(here == value)))}% of the "
                    f"rows of {short(table.name)}, beside values from {number(float(others.min()))} to "
                    f"{number(float(others.max()))}: it may stand for a missing value."
                )
                yield _suspect(name, text, seen, table)
    yield from _blank_levels(target, source)


def _blank_levels(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield levels of one table that may stand for the missing values of the other.

    Only one of the tables has the level, and only the other one has missing values. Words such as "unknown"
    are plain; of others there must be just one, and its fix has to pay.
    """
    for name in target.features.category_names:
        if name not in source.features.category_names or is_time(name, target, source):
            continue
        for table, other in ((target, source), (source, target)):
            here, there = _counts(table, name), _counts(other, name)
            n, m = sum(here.values()), sum(there.values())
            gaps, missing = here.pop(None, 0) / n, there.pop(None, 0) / m
            if missing < OFTEN or gaps > RARE * missing:
                continue
            own = [
                level
                for level, count in here.items()
                if count >= max(ROWS, OFTEN * n) and there.get(level, 0) / m <= RARE * count / n
            ]
            words = [level for level in own if str(level).casefold() in SOFT_BLANKS]
            if len(words or own) != 1:
                continue
            (level,) = words or own
            seen = (
                f"{short(name)} is {short(str(level))!r} in {percent(here[level] / n)}% of the rows of "
                f"{short(table.name)}, and missing in {percent(missing)}% of those of the other table: it "
                f"may stand for a missing value."
            )
            yield _suspect(name, str(level), seen, table, is_plain=bool(words))


def _counts(dataset: Dataset, name: str) -> dict[str | None, int]:
    """Return how many rows each level of a column has; None for a missing one."""
    codes, levels = dataset.features.column(name)
    pairs = zip(*np.unique(codes, return_counts=True), strict=True)
    names = (*(levels or ()), None)  # The code of a missing value picks the last.
    return {names[code]: int(count) for code, count in pairs}


def _suspect(name: str, text: str, seen: str, table: Dataset, *, is_plain: bool = True) -> Suspect:
    options = recode_options(table.name, name, {text: ""})
    edit = partial(recoded, column=name, values={text: None})
    return Suspect("blanks", table.name, (name,), seen, *options, edit, is_plain=is_plain)


def _blank(here: Array, there: Array) -> float | None:
    """Return the value of a column that may stand for a missing one, if there is one."""
    values, counts = np.unique(known(here), return_counts=True)
    if len(values) <= FEWEST_OTHERS:
        return None
    for k in np.argsort(-counts)[:3]:
        value, share = float(values[k]), counts[k] / len(here)
        if share < OFTEN or counts[k] < ROWS:
            break
        if np.mean(there == value) <= RARE * share and _is_apart(k, values, counts, there):
            return value
    return None


def _is_apart(k: int, values: Array, counts: Array, there: Array) -> bool:
    """Return whether a value is outside all others, or is the one that the other table has as missing."""
    value, others, other_counts = float(values[k]), np.delete(values, k), np.delete(counts, k)
    gap = max(float(others.min()) - value, value - float(others.max()))
    if gap <= 0:
        return False
    low, high = np.quantile(np.repeat(others, other_counts), [0.25, 0.75])
    is_frequent = counts[k] > MORE_OFTEN * other_counts.max(initial=0)
    is_missing_there = float(np.mean(np.isnan(there))) > RARE * counts[k] / counts.sum()
    return bool(
        gap > GAP * (high - low) or is_placeholder(value) or (is_frequent and is_missing_there)
    )
