"""What differs between the numbers of a column in two datasets: kind, codes, units or range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin._core.exceptions import listed
from datakin.data.checks.conversions import Units
from datakin.data.checks.difference_kinds import (
    Difference,
    NoValueInCommon,
    OtherRange,
    OtherValues,
)
from datakin.data.checks.names import says_code
from datakin.data.checks.units import (
    ENOUGH,
    Sketch,
    distance,
    find_units,
    outlines_of,
    overlap,
)
from datakin.data.checks.value_kinds import OtherKind, OtherLevels, OtherUnits, Relation, WithDates
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.text_columns import NO_FACTOR
from datakin.data.dataset import Dataset

__all__ = ["columns_to_compare", "in_other_units", "number_difference", "units_of"]

About = tuple[str, str, str]  # a column, and the names of target and source
PERCENT = "percent signs"  # what is said of numbers that had them
MOST_CODES = 12  # values of a column that may be counted from 0 or from 1
PAIRS = {(0.0, 1.0), (1.0, 2.0), (-1.0, 1.0)}  # usual codes of two values


def columns_to_compare(target: Dataset, source: Dataset) -> Sequence[str]:
    """Return the numeric columns of both in which `number_difference` may find something.

    Most columns of most pairs are many numbers in one place. Their quantiles, all looked at at once,
    tell that without a closer look.
    """
    names, others = target.features.numeric_names, source.features.numeric_names
    if names != others or _kinds(target) != _kinds(source):
        return [name for name in names if name in set(others)]
    ours, theirs = outlines_of(target), outlines_of(source)
    is_above = theirs[2] < ours[2]
    low, _, middle, upper, high, n, few = np.where(is_above, theirs, ours)
    other_low, other_lower, other_middle, _, other_high, other_n, other_few = np.where(
        is_above, ours, theirs
    )
    in_place = (other_lower <= middle) | (other_middle <= upper)
    in_range = (high >= other_low) & (other_high >= low)
    many = (np.minimum(n, other_n) >= ENOUGH) & (few * other_few == 0)
    return [names[j] for j in np.flatnonzero(~(in_place & in_range & many))]


def number_difference(
    name: str, target: Dataset, source: Dataset, ours: Sketch, theirs: Sketch
) -> Difference | None:
    """Return what differs between the numbers of a column, if anything does."""
    about = name, target.name, source.name
    kinds = _kind(target, name), _kind(source, name)
    are_two = "" not in kinds and kinds[0] != kinds[1]
    if are_two and "date" in kinds:
        return _other_kind(about, kinds, ours, theirs)
    codes = _shifted_codes(ours, theirs)
    if codes:
        back = {new: old for old, new in codes.items()}
        # Truth values stand as words in the table: recode the numbers.
        there, here = (kind != "truth value" for kind in reversed(kinds))
        return OtherLevels(*about, codes if there else {}, back if here else {})
    way = units_of(name, target, source, ours, theirs)
    if way is not None:
        return in_other_units(about, _percent(name, target, source, way) or way)
    if are_two and not (_is_zero_or_one(ours) and _is_zero_or_one(theirs)):
        return _other_kind(about, kinds, ours, theirs)
    if _are_apart(ours, theirs) and says_code(name) and name not in target.keep | source.keep:
        return NoValueInCommon(*about)
    if overlap(ours, theirs) and _are_apart(ours, theirs):
        return OtherValues(*about, (_some(ours), _some(theirs)))
    if overlap(ours, theirs) or min(len(ours.values), len(theirs.values)) < ENOUGH:
        return None
    return OtherRange(*about, (_range(ours, kinds[0]), _range(theirs, kinds[1])))


def units_of(
    name: str, target: Dataset, source: Dataset, ours: Sketch, theirs: Sketch
) -> Units | None:
    """Return what connects two columns, None also if no factor is right for all their numbers."""
    facts = (dataset.facts.get(name) for dataset in (target, source))
    if any(said is not None and said.doubt.endswith(NO_FACTOR) for said in facts):
        return None
    return find_units(ours, theirs, name)


def _percent(name: str, target: Dataset, source: Dataset, way: Units) -> Units | None:
    """Return the way from percent to shares, or back, where one of the two had percent signs."""
    signs = [name in d.facts and PERCENT in d.facts[name].converted for d in (target, source)]
    if signs[0] == signs[1] or signs[1] != (way.slope < 1):
        return None
    found = Units(0.01, 0, "percent to shares")
    return found if signs[1] else found.back


def _kind(dataset: Dataset, name: str) -> str:
    said = dataset.facts.get(name)
    return "" if said is None else said.kind


def _kinds(dataset: Dataset) -> tuple[str, ...]:
    """Return the kinds of all numeric columns, made once for each dataset."""
    if "kinds" not in dataset.kept:
        names = dataset.features.numeric_names
        dataset.kept["kinds"] = tuple(_kind(dataset, name) for name in names)
    found: tuple[str, ...] = dataset.kept["kinds"]
    return found


def _range(column: Sketch, kind: str) -> str:
    if kind == "date":
        return " to ".join(str(np.datetime64(int(v), "D")) for v in (column.low, column.high))
    digits = 10 if column.is_whole else 4
    return f"{column.low:.{digits}g} to {column.high:.{digits}g}"


def in_other_units(about: About, way: Units) -> Difference:
    """Return the difference of two columns that a linear relation connects."""
    return OtherUnits(*about, way) if way.words else Relation(*about, way)


def _other_kind(
    about: About, kinds: tuple[str, str], ours: Sketch, theirs: Sketch
) -> Difference | None:
    both = dict(zip(kinds, (ours, theirs), strict=True))
    if not all(len(column.values) for column in both.values()):
        return None
    ranges = _range(ours, kinds[0]), _range(theirs, kinds[1])
    if "date" not in kinds:
        return OtherKind(*about, kinds, ranges)
    numbers = both.get("number")
    are_dates = numbers is not None and numbers.is_whole and 1e7 < numbers.low <= numbers.high < 1e8
    return WithDates(*about, kinds, ranges, are_dates)


def _is_zero_or_one(column: Sketch) -> bool:
    return column.is_whole and column.low >= 0 and column.high <= 1


def _shifted_codes(ours: Sketch, theirs: Sketch) -> dict[str, str]:
    """Return what recodes theirs if it is ours but for the codes, as 0 and 1 here, 1 and 2 there."""
    if ours.few is None or theirs.few is None or not (ours.is_whole and theirs.is_whole):
        return {}
    if ours.few == theirs.few or not 2 <= len(ours.few) == len(theirs.few) <= MOST_CODES:
        return {}
    one, other = sorted(ours.few), sorted(theirs.few)
    if len(one) == 2 and not {tuple(one), tuple(other)} <= PAIRS:
        return {}
    if len(one) > 2:
        shift = one[0] - other[0]
        if {one[0], other[0]} != {0, 1} or not _are_counted(one) or not _are_counted(other):
            return {}
        if 2 * distance(ours.values, theirs.values + shift) > distance(ours.values, theirs.values):
            return {}
    names = (canonical_label(value) for value in other), (canonical_label(value) for value in one)
    return {old: new for old, new in zip(*names, strict=True) if old != new}


def _are_counted(values: list[float]) -> bool:
    return values[-1] - values[0] == len(values) - 1


def _are_apart(ours: Sketch, theirs: Sketch) -> bool:
    """Whether two columns are few whole numbers of which none is in both."""
    if ours.few is None or theirs.few is None or not (ours.is_whole and theirs.is_whole):
        return False
    return not ours.few & theirs.few


def _some(column: Sketch) -> str:
    assert column.few is not None
    return listed([int(value) for value in sorted(column.few)], limit=3)
