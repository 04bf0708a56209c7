"""What differs between two datasets that should be alike: looked for once for each pair."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from datakin._core.exceptions import listed
from datakin.data.checks.difference_kinds import (
    About,
    Difference,
    no_value_in_common,
    one_sided,
    other_kind,
    other_levels,
    other_name,
    other_range,
    other_units,
    other_values,
)
from datakin.data.checks.names import says_code
from datakin.data.checks.spelling import matching_values, same_names, shifted_codes
from datakin.data.checks.units import (
    ENOUGH,
    Sketch,
    Units,
    distance,
    find_units,
    overlap,
    sketch_of,
    sketches_of,
)
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.text_columns import NO_FACTOR
from datakin.data.columns.texts import grouped
from datakin.data.dataset import Dataset

MOST_LEVELS = 2000  # levels of two columns up to which they are matched
PERCENT = "percent signs"  # what is said of numbers that had them
MOST_CODES = 12  # values of a column that may be counted from 0 or from 1
PAIRS = {(0.0, 1.0), (1.0, 2.0), (-1.0, 1.0)}  # usual codes of two values


def differences(target: Dataset, source: Dataset) -> list[Difference]:
    """Return what differs between two datasets, worst first.

    Examples
    --------
    >>> import numpy as np
    >>> from datakin import as_dataset
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> here = as_dataset(rng.normal(20, 5, (200, 1)), y, name="here")
    >>> there = as_dataset(rng.normal(68, 9, (200, 1)), y, name="there")
    >>> [difference.kind for difference in differences(here, there)]
    ['units']
    """
    found = [
        *_class_differences(target, source),
        *_name_differences(target, source),
        *_response_differences(target, source),
        *_column_differences(target, source),
        *_one_sided(target, source),
    ]
    return sorted(found, key=lambda each: each.order)


def _class_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.classes == source.classes:
        return
    about = target.label, target.name, source.name
    there, here = _both_ways(target.classes, source.classes)
    # Truth values are called 0 and 1 here, whatever stands in the table: recode the other one.
    if here and _are_truths(source):
        there = {}
    elif there and _are_truths(target):
        here = {}
    if there or here:
        yield other_levels(about, there, here, (target.classes, source.classes), kind="classes")


def _are_truths(dataset: Dataset) -> bool:
    is_truth = _kind(dataset, dataset.label) == "truth value"
    return is_truth and set(dataset.classes) == {"0", "1"}


def _both_ways(
    ours: Collection[str], theirs: Collection[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what recodes their values into ours, and ours into theirs, as far as that can be told."""
    there, here = matching_values(ours, theirs), matching_values(theirs, ours)
    return there or _turned(here, ours), here or _turned(there, theirs)


def _turned(values: dict[str, str], own: Collection[str]) -> dict[str, str]:
    """Return the way back, unless two values have become one."""
    back = {new: old for old, new in values.items()}
    return back if len(back) == len(values) and not back.keys() & set(own) else {}


def _name_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.columns == source.columns and target.left_out.keys() == source.left_out.keys():
        return
    ours, theirs = ({**dict.fromkeys(d.columns), **d.left_out} for d in (target, source))
    for their_name, our_name in same_names(ours, theirs).items():
        if our_name not in theirs:
            yield other_name((our_name, target.name, source.name), their_name)


def _response_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if not target.classes and not source.classes:
        way = _units_of(target.label, target, source, sketch_of(target.y), sketch_of(source.y))
        if way is not None:
            yield other_units((target.label, target.name, source.name), way)


def _column_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.features.is_sparse or source.features.is_sparse:
        return
    theirs = sketches_of(source)
    for name, ours in sketches_of(target).items():
        found = (
            _number_difference(name, target, source, ours, theirs[name]) if name in theirs else None
        )
        if found is not None:
            yield found
    levels, others = (
        dict(zip(d.features.category_names, d.features.levels, strict=True))
        for d in (target, source)
    )
    for name in levels:
        if name in others:
            yield from _level_differences(name, levels[name], others[name], target, source)


def _level_differences(
    name: str, ours: tuple[str, ...], theirs: tuple[str, ...], target: Dataset, source: Dataset
) -> Iterator[Difference]:
    about = name, target.name, source.name
    if set(ours) == set(theirs):
        return
    has_none = not set(ours) & set(theirs) and name not in target.keep | source.keep
    few = len(ours) + len(theirs) <= MOST_LEVELS
    there, here = _both_ways(ours, theirs) if few else ({}, {})
    if there or here:
        yield other_levels(about, there, here, (ours, theirs), has_none=has_none)
    elif has_none:
        yield no_value_in_common(about)


def _one_sided(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.columns == source.columns:
        return
    for one, other, lacking in ((target, source, "source"), (source, target, "target")):
        alone = sorted(set(one.columns) - set(other.columns))
        reasons = {name: other.left_out.get(name, "") for name in alone}
        for why, names in grouped(alone, reasons.__getitem__).items():
            about = names[0], target.name, source.name
            yield one_sided(about, tuple(names), lacking, why)


def _number_difference(
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
    way = _units_of(name, target, source, ours, theirs)
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


def _units_of(
    name: str, target: Dataset, source: Dataset, ours: Sketch, theirs: Sketch
) -> Units | None:
    """Return what connects two columns, None also if no factor is right for all their numbers."""
    facts = [d.facts[name] for d in (target, source) if name in d.facts]
    if any(said.doubt.endswith(NO_FACTOR) for said in facts):
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
    return dataset.facts[name].kind if name in dataset.facts else ""


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
