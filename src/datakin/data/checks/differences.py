"""What differs between two datasets that should be alike: looked for once for each pair."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from datakin._core.exceptions import listed
from datakin._core.typed_options import convert_options, typed
from datakin.data.checks import units
from datakin.data.checks.difference_kinds import About, Difference, no_value_in_common, other_levels
from datakin.data.checks.names import says_code
from datakin.data.checks.spelling import matching_values, same_names, shifted_codes
from datakin.data.checks.units import ENOUGH, Sketch
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.text_columns import NO_FACTOR
from datakin.data.columns.texts import grouped
from datakin.data.dataset import ColumnFacts, Dataset

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
    found = [*_class_differences(target, source), *_name_differences(target, source)]
    if not target.classes and not source.classes:
        about = target.label, target.name, source.name
        responses = units.sketch_of(target.y), units.sketch_of(source.y)
        found += _other_units(about, target, source, *responses)
    found += [*_column_differences(target, source), *_one_sided(target, source)]
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
    for other, name in same_names(ours, theirs).items():
        if name not in theirs:
            sentence = f"{other!r} of {source.name!r} may be {name!r} of {target.name!r}"
            python = f"rename={{{source.name!r}: {{{other!r}: {name!r}}}}}"
            options = python, typed("rename", other, "=", name, table=source.name)
            yield Difference("name", name, target.name, source.name, sentence, options)


def _column_differences(target: Dataset, source: Dataset) -> Iterator[Difference]:
    if target.features.is_sparse or source.features.is_sparse:
        return
    theirs = units.sketches_of(source)
    for name, ours in units.sketches_of(target).items():
        if name in theirs:
            yield from _number_differences(name, target, source, ours, theirs[name])
    levels, others = (
        dict(zip(d.features.category_names, d.features.levels, strict=True))
        for d in (target, source)
    )
    for name in levels:
        if name in others and set(levels[name]) != set(others[name]):
            yield from _level_differences(name, levels[name], others[name], target, source)


def _level_differences(
    name: str, ours: tuple[str, ...], theirs: tuple[str, ...], target: Dataset, source: Dataset
) -> Iterator[Difference]:
    about = name, target.name, source.name
    has_none = not set(ours) & set(theirs) and name not in target.keep | source.keep
    few = len(ours) + len(theirs) <= MOST_LEVELS
    there, here = _both_ways(ours, theirs) if few else ({}, {})
    if there or here:
        yield other_levels(about, there, here, (ours, theirs), has_none=has_none)
    elif has_none:
        yield no_value_in_common(about)


def _one_sided(target: Dataset, source: Dataset) -> Iterator[Difference]:
    """Yield columns that one of the two does not use, those of one reason together."""
    if target.columns == source.columns:
        return
    for one, other, lacking in ((target, source, "source"), (source, target, "target")):
        alone = sorted(set(one.columns) - set(other.columns))
        reasons = {name: other.left_out.get(name, "") for name in alone}
        for why, names in grouped(alone, reasons.__getitem__).items():
            done, end = ("left out of", f" ({why})") if why else ("absent from", "")
            yield Difference(
                *("columns", names[0], target.name, source.name),
                f"not used: {listed(names)} of {one.name!r}, {done} {other.name!r}{end}",
                lacking=lacking,
                note=f"not used, {done} the {lacking}{end}: {listed(names)}",
            )


def _number_differences(
    name: str, target: Dataset, source: Dataset, ours: Sketch, theirs: Sketch
) -> Iterator[Difference]:
    """Yield what differs between the numbers of a column: one thing at most."""
    about = name, target.name, source.name
    kinds = _kind(target, name), _kind(source, name)
    are_two = "" not in kinds and kinds[0] != kinds[1]
    are_apart = bool(ours.codes and theirs.codes) and not ours.codes & theirs.codes
    if are_two and "date" in kinds:
        yield from _other_kind(about, kinds, ours, theirs)
    elif codes := _shifted_codes(ours, theirs):
        back = {new: old for old, new in codes.items()}
        # Truth values stand as words in the table: recode the numbers.
        there, here = (kind != "truth value" for kind in reversed(kinds))
        yield other_levels(about, codes if there else {}, back if here else {})
    elif converted := _other_units(about, target, source, ours, theirs):
        yield from converted
    elif are_two and not (_is_zero_or_one(ours) and _is_zero_or_one(theirs)):
        yield from _other_kind(about, kinds, ours, theirs)
    elif are_apart and says_code(name) and name not in target.keep | source.keep:
        yield no_value_in_common(about)
    elif units.overlap(ours, theirs) and are_apart:
        one, other = (listed([int(v) for v in sorted(c.codes)], limit=3) for c in (ours, theirs))
        sentence = (
            f"{name!r} has no value in common: {one} in {target.name!r}, {other} in {source.name!r}; if "
            f"these are codes, leave it out"
        )
        options = f"ignore=[{name!r}]", typed("ignore", name)
        yield Difference("values", *about, sentence, options)
    elif not units.overlap(ours, theirs) and min(len(ours.values), len(theirs.values)) >= ENOUGH:
        sentence = (
            f"{name!r} is {_range(ours, kinds[0])} in {target.name!r} and {_range(theirs, kinds[1])} in "
            f"{source.name!r}: models can only extrapolate"
        )
        yield Difference("range", *about, sentence)


def _other_units(
    about: About, target: Dataset, source: Dataset, ours: Sketch, theirs: Sketch
) -> list[Difference]:
    """Return a quantity in other units; nothing also if no factor is right for all its numbers."""
    name = about[0]
    facts = [d.facts.get(name, ColumnFacts("number")) for d in (target, source)]
    if any(said.doubt.endswith(NO_FACTOR) for said in facts):
        return []
    way = units.find_units(ours, theirs, name)
    if way is None:
        return []
    signs = [PERCENT in said.converted for said in facts]
    if name in target.columns and signs[0] != signs[1] and signs[1] == (way.slope < 1):
        way = units.Units(0.01, 0, "percent to shares")
        way = way if signs[1] else way.back
    back = way.back
    plus = f" {'+' if back.intercept > 0 else '-'} {abs(back.intercept):.4g}"
    sentence = (
        f"other units? {name!r} in {source.name!r} is about {back.slope:.4g} x that in {target.name!r}"
        f"{plus if abs(back.intercept) > 1e-12 else ''} ({way.words})"
    )
    python, cli = way.written
    options = convert_options(source.name, name, f"({', '.join(python)})", ",".join(cli))
    return [Difference("units", *about, sentence, options)]


def _kind(dataset: Dataset, name: str) -> str:
    return dataset.facts[name].kind if name in dataset.facts else ""


def _range(column: Sketch, kind: str) -> str:
    if kind == "date":
        return " to ".join(str(np.datetime64(int(v), "D")) for v in (column.low, column.high))
    digits = 10 if column.is_whole else 4
    return f"{column.low:.{digits}g} to {column.high:.{digits}g}"


def _other_kind(about: About, kinds: tuple[str, str], *columns: Sketch) -> Iterator[Difference]:
    """Yield dates, durations or truth values in one dataset and other numbers in the other.

    Dates cannot be compared with numbers; if these look like dates, such as 20240131, they may be read
    so.
    """
    if not all(len(column.values) for column in columns):
        return
    name, *tables = about
    ours, theirs = (
        f"{kind}s in {table!r} ({_range(column, kind)}{' days' * (kind == 'duration')})"
        for kind, table, column in zip(kinds, tables, columns, strict=True)
    )
    sentence = f"{name!r} holds {ours} and {theirs}"
    if "date" not in kinds:
        yield Difference("kinds", *about, f"{sentence}: do both mean the same?")
        return
    options = "", ""
    if "number" in kinds:
        place = kinds.index("number")
        numbers = columns[place]
        if numbers.is_whole and 1e7 < numbers.low <= numbers.high < 1e8:
            options = convert_options(tables[place], name, "'%Y%m%d'", "%Y%m%d")
    yield Difference("dates", *about, sentence, options)


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
        if 2 * units.distance(ours.values, shifted) > units.distance(ours.values, theirs.values):
            return {}
    return shifted_codes(*([canonical_label(value) for value in codes] for codes in (one, other)))
