"""What differs between two datasets that should be alike: looked for once for each pair."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from datakin.data.checks.difference_kinds import (
    Difference,
    no_value_in_common,
    one_sided,
    other_levels,
    other_name,
    other_units,
)
from datakin.data.checks.number_differences import (
    columns_to_compare,
    number_difference,
    units_of,
)
from datakin.data.checks.spelling import matching_values, same_names
from datakin.data.checks.units import sketch_of, sketches_of
from datakin.data.dataset import Dataset

__all__ = ["differences"]

MOST_LEVELS = 2000  # levels of two columns up to which they are matched


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
        alone = (
            _alone(target.classes, source.classes, here),
            _alone(source.classes, target.classes, there),
        )
        yield other_levels(about, there, here, alone, kind="classes")


def _are_truths(dataset: Dataset) -> bool:
    said = dataset.facts.get(dataset.label)
    is_truth = said is not None and said.kind == "truth value"
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


def _alone(
    ours: Collection[str], theirs: Collection[str], recoded: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the values of ours that the others do not have, and that are not recoded into theirs."""
    return tuple(value for value in ours if value not in theirs and value not in recoded)


def _name_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.columns == source.columns and target.left_out.keys() == source.left_out.keys():
        return
    ours, theirs = ({**dict.fromkeys(d.columns), **d.left_out} for d in (target, source))
    for their_name, our_name in same_names(ours, theirs).items():
        if our_name not in theirs:
            yield other_name((our_name, target.name, source.name), their_name)


def _response_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if not target.classes and not source.classes:
        sketches = sketch_of(target.y), sketch_of(source.y)
        way = units_of(target.label, target, source, *sketches)
        if way is not None:
            yield other_units((target.label, target.name, source.name), way)


def _column_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.features.is_sparse or source.features.is_sparse:
        return
    ours, theirs = sketches_of(target), sketches_of(source)
    for name in columns_to_compare(target, source):
        found = number_difference(name, target, source, ours[name], theirs[name])
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
        alone = _alone(ours, theirs, here), _alone(theirs, ours, there)
        yield other_levels(about, there, here, alone, has_none=has_none)
    elif has_none:
        yield no_value_in_common(about)


def _one_sided(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.columns == source.columns:
        return
    for one, other, lacking in ((target, source, "source"), (source, target, "target")):
        alone = sorted(set(one.columns) - set(other.columns))
        reasons: dict[str, list[str]] = {}
        for name in alone:
            reasons.setdefault(other.left_out.get(name, ""), []).append(name)
        for why, names in reasons.items():
            about = names[0], target.name, source.name
            yield one_sided(about, tuple(names), lacking, why)
