"""What differs between the numbers of a column in two datasets: kind, codes, units or range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin._core.exceptions import listed
from datakin.data.checks.difference_kinds import (
    About,
    Difference,
    no_value_in_common,
    other_kind,
    other_levels,
    other_range,
    other_units,
    other_values,
)
from datakin.data.checks.names import says_code
from datakin.data.checks.spelling import shifted_codes
from datakin.data.checks.units import (
    ENOUGH,
    Sketch,
    Units,
    distance,
    find_units,
    outlines_of,
    overlap,
)
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.text_columns import NO_FACTOR
from datakin.data.dataset import Dataset

__all__ = ["columns_to_compare", "number_difference", "units_of"]

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
        return other_levels(about, codes if there else {}, back if here else {})
    way = units_of(name, target, source, ours, theirs)
    if way is not None:
        return other_units(about, _percent(name, target, source, way) or way)
    if are_two and not (_is_zero_or_one(ours) and _is_zero_or_one(theirs)):
        return _other_kind(about, kinds, ours, theirs)
    are_apart = bool(ours.codes and theirs.codes) and not ours.codes & theirs.codes
    if are_apart and says_code(name) and name not in target.keep | source.keep:
        return no_value_in_common(about)
    if overlap(ours, theirs):
        return other_values(about, (_some(ours), _some(theirs))) if are_apart else None
    if min(len(ours.values), len(theirs.values)) < ENOUGH:
        return None
    return other_range(about, (_range(ours, kinds[0]), _range(theirs, kinds[1])))


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


def _other_kind(
    about: About, kinds: tuple[str, str], ours: Sketch, theirs: Sketch
) -> Difference | None:
    if not len(ours.values) or not len(theirs.values):
        return None
    numbers = dict(zip(kinds, (ours, theirs), strict=True)).get("number")
    are_dates = numbers is not None and numbers.is_whole and 1e7 < numbers.low <= numbers.high < 1e8
    ranges = _range(ours, kinds[0]), _range(theirs, kinds[1])
    return other_kind(about, kinds, ranges, are_dates=are_dates)


def _is_zero_or_one(column: Sketch) -> bool:
    return column.is_whole and column.low >= 0 and column.high <= 1


def _shifted_codes(ours: Sketch, theirs: Sketch) -> dict[str, str]:
    """Return what recodes theirs if it is ours but for the codes, as 0 and 1 here, 1 and 2 there."""
    one, other = sorted(ours.codes), sorted(theirs.codes)
    if not 2 <= len(one) == len(other) <= MOST_CODES:
        return {}
    if len(one) == 2 and not {tuple(one), tuple(other)} <= PAIRS:
        return {}
    if len(one) > 2:
        shifted = theirs.values + one[0] - other[0]
        if 2 * distance(ours.values, shifted) > distance(ours.values, theirs.values):
            return {}
    return shifted_codes(*([canonical_label(value) for value in codes] for codes in (one, other)))


def _some(column: Sketch) -> str:
    return listed([int(value) for value in sorted(column.codes)], limit=3)
