"""What differs between two datasets that should be alike, with the option that would mend it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from datakin._core.exceptions import listed
from datakin.data.checks.spelling import matching_values, recode_options, same_names
from datakin.data.checks.suspicions import keep_option
from datakin.data.checks.units import ENOUGH, Units, find_units, overlap, sketch, sketch_of
from datakin.data.dataset import Dataset

__all__ = [
    "KINDS",
    "Difference",
    "class_options",
    "class_recoding",
    "differences",
    "no_value_in_common",
]

KINDS = ("classes", "units", "name", "levels", "codes", "range", "columns")  # worst first


@dataclass(frozen=True)
class Difference:
    """One thing that differs between a target and a source.

    Parameters
    ----------
    kind : str
        One of "classes", "units", "name", "levels", "codes", "range" and "columns".
    column : str
        The column that it is about, as the target calls it.
    sentence : str
        What differs, in words.
    option_python, option_cli : str
        What to type to mend it; empty if there is nothing to type.
    """

    kind: str
    column: str
    sentence: str
    option_python: str = ""
    option_cli: str = ""

    @property
    def advice(self) -> str:
        """The sentence, with the option in Python and on the command line."""
        if not self.option_python:
            return self.sentence
        return f"{self.sentence}: {self.option_python} / {self.option_cli}"


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
    found = _class_differences(target, source) + _name_differences(target, source)
    if not target.classes and not source.classes:
        ways = find_units(sketch_of(target.y), sketch_of(source.y), target.label)
        found += [_units(target.label, target, source, ways)] if ways is not None else []
    shared = [name for name in target.columns if name in source.columns]
    is_sparse = target.features.is_sparse or source.features.is_sparse
    for name in () if is_sparse else shared:
        kinds = target.features.kind(name), source.features.kind(name)
        if kinds[0] == kinds[1]:
            look = _number_difference if kinds[0] == "numeric" else _level_difference
            found += look(name, target, source)
    found += _column_differences(target, source)
    return sorted(found, key=lambda each: KINDS.index(each.kind))


def class_recoding(target: Dataset, source: Dataset) -> dict[str, str]:
    """Return which of the source's classes look like another spelling of the target's."""
    return matching_values(target.classes, source.classes)


def class_options(target: Dataset, source: Dataset) -> tuple[str, str]:
    """Return what recodes the classes of one of two datasets, in Python and on the command line."""
    said = source.facts.get(source.label)
    # Truth values are called 0 and 1 here, whatever stands in the table: recode the other one.
    if said is not None and said.kind == "truth value" and set(source.classes) == {"0", "1"}:
        target, source = source, target
    return recode_options(source.name, source.label, class_recoding(target, source))


def _class_differences(target: Dataset, source: Dataset) -> list[Difference]:
    recoding = class_recoding(target, source)
    if not recoding:
        return []
    sentence = (
        f"the classes look coded differently: {listed(target.classes)} in {target.name!r}, "
        f"{listed(source.classes)} in {source.name!r}"
    )
    return [Difference("classes", target.label, sentence, *class_options(target, source))]


def _name_differences(target: Dataset, source: Dataset) -> list[Difference]:
    ours, theirs = (_all_names(dataset) for dataset in (target, source))
    found = []
    for theirs_name, our_name in same_names(ours, theirs).items():
        if our_name in theirs:
            continue
        renaming = f"{source.name}::{theirs_name}={our_name}"
        found.append(
            Difference(
                "name",
                our_name,
                f"{theirs_name!r} of {source.name!r} may be {our_name!r} of {target.name!r}",
                f"rename={{{source.name!r}: {{{theirs_name!r}: {our_name!r}}}}}",
                f"--rename {shlex.quote(renaming)}",
            )
        )
    return found


def _all_names(dataset: Dataset) -> list[str]:
    """Return the columns of a dataset, also those that are left out."""
    return [*dataset.columns, *(name for name in dataset.left_out if name not in dataset.columns)]


def _number_difference(name: str, target: Dataset, source: Dataset) -> list[Difference]:
    ours, theirs = sketch(target, name), sketch(source, name)
    way = find_units(ours, theirs, name)
    if way is not None:
        return [_units(name, target, source, way)]
    if no_value_in_common(name, target, source):
        return [_codes(name, target, source)]
    if overlap(ours, theirs) or min(len(ours.values), len(theirs.values)) < ENOUGH:
        return []
    sentence = (
        f"{name!r} is {ours.low:.4g} to {ours.high:.4g} in {target.name!r} and {theirs.low:.4g} to "
        f"{theirs.high:.4g} in {source.name!r}: models can only extrapolate"
    )
    return [Difference("range", name, sentence)]


def no_value_in_common(name: str, target: Dataset, source: Dataset) -> bool:
    """Whether a shared column looks like a code of the dataset, such as a site's wards.

    That is categories of which none is in both, or few whole numbers of which none is in both and
    which are not the same quantity in other units.
    """
    if target.features.is_sparse or source.features.is_sparse:
        return False
    if target.features.kind(name) == "category":
        return not set(_levels(target, name)) & set(_levels(source, name))
    one, other = sketch(target, name), sketch(source, name)
    if one.few is None or other.few is None or not (one.is_whole and other.is_whole):
        return False
    if one.few & other.few:
        return False
    return find_units(one, other, name) is None


def _levels(dataset: Dataset, name: str) -> tuple[str, ...]:
    return dataset.features.levels[dataset.features.category_names.index(name)]


def _units(name: str, target: Dataset, source: Dataset, way: Units) -> Difference:
    """Say how the source's column would become the target's."""
    back = way.back
    plus = f" {'+' if back.intercept > 0 else '-'} {abs(back.intercept):.4g}"
    relation = f"{back.slope:.4g} x{plus if abs(back.intercept) > 1e-12 else ''}"
    words = f" ({way.words})" if way.words else ""
    slope, intercept = f"{way.slope:.4g}", f"{way.intercept + 0.0:.4g}"
    return Difference(
        "units",
        name,
        f"other units? {name!r} of {source.name!r} looks like {relation} of {target.name!r}{words}",
        f"convert={{{source.name!r}: {{{name!r}: ({slope}, {intercept})}}}}",
        f"--convert {shlex.quote(f'{source.name}::{name}={slope},{intercept}')}",
    )


def _codes(name: str, target: Dataset, source: Dataset) -> Difference:
    option = keep_option([name]).split(" / ")
    sentence = f"{name!r} has no value in common, like a code of the dataset, and is left out"
    return Difference("codes", name, sentence, *option)


def _level_difference(name: str, target: Dataset, source: Dataset) -> list[Difference]:
    ours, theirs = _levels(target, name), _levels(source, name)
    if len(ours) + len(theirs) <= 2000 and set(ours) != set(theirs):
        recoding = matching_values(ours, theirs)
        if recoding:
            some = dict(list(recoding.items())[:5])
            sentence = f"levels of {name!r} in {source.name!r} look like others in {target.name!r}"
            return [Difference("levels", name, sentence, *recode_options(source.name, name, some))]
    return [_codes(name, target, source)] if not set(ours) & set(theirs) else []


def _column_differences(target: Dataset, source: Dataset) -> list[Difference]:
    found = []
    for one, other in ((target, source), (source, target)):
        alone = sorted(set(one.columns) - set(other.columns))
        unused = [name for name in alone if name in other.left_out]
        absent = [name for name in alone if name not in other.left_out]
        for names, why in ((absent, "absent from"), (unused, "not used in")):
            if names:
                sentence = f"{listed(names)} of {one.name!r}: {why} {other.name!r}"
                found.append(Difference("columns", names[0], sentence))
    return found
