"""What two datasets share: columns and classes by name, rows by content."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from datakin._core.exceptions import MINOR, SERIOUS, DatakinError, Note, listed
from datakin.data.checks.copies import chance_by_repeats, chance_of_a_copy
from datakin.data.checks.differences import (
    Difference,
    class_options,
    class_recoding,
    differences,
    no_value_in_common,
)
from datakin.data.checks.groups import note_on_groups
from datakin.data.checks.suspicions import keep_option
from datakin.data.columns.labels import sort_classes
from datakin.data.dataset import Dataset
from datakin.data.features import Array

__all__ = ["Pairing", "pair"]

ENOUGH = 20  # rows from which their repeats tell chance
SHOWN = 3  # differences of one kind in a note


@dataclass(frozen=True, eq=False)
class Pairing:
    """What a target and a source share.

    Attributes
    ----------
    columns : tuple of str
        Shared columns, sorted by name.
    classes : tuple of str
        Union of the class names; empty for regression.
    shared_target, shared_source : ndarray of bool
        Rows that are in both datasets: models have seen them, so they are left out of the cross
        error.
    identical : bool
        Both hold the same columns and rows.
    notes, back_notes : tuple of str
        What users should know, with these roles and with the roles swapped.
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    shared_target: Array
    shared_source: Array
    identical: bool
    notes: tuple[str, ...]
    back_notes: tuple[str, ...]


def pair(target: Dataset, source: Dataset) -> Pairing:
    """Find what two datasets share, or say why they cannot be compared."""
    classes = _all_classes(target, source)
    if target.features.is_sparse != source.features.is_sparse:
        raise DatakinError(
            f"Both datasets must be sparse, or neither. Got a sparse "
            f"{(target if target.features.is_sparse else source).name!r} only."
        )
    columns, codes = _shared_columns(target, source)
    identical = _same_rows(target, source)
    rows, by_chance = _shared_rows(target, source, columns)
    notes = [
        tuple(_notes(one, other, codes, found, by_chance))
        for one, other, found in ((target, source, rows[0]), (source, target, rows[1]))
    ]
    if by_chance:
        rows = np.zeros_like(rows[0]), np.zeros_like(rows[1])
    return Pairing(columns, classes, *rows, identical, *notes)


def _shared_columns(target: Dataset, source: Dataset) -> tuple[tuple[str, ...], list[str]]:
    """Return the columns that both use, and those left out as codes of the dataset."""
    ours, theirs = set(target.columns), set(source.columns)
    shared = sorted(ours & theirs)
    if not shared:
        raise DatakinError(
            f"Two datasets must share at least one column. {target.name!r} has "
            f"{listed(sorted(ours))}; {source.name!r} has {listed(sorted(theirs))}."
            f"{_renaming(target, source)}"
        )
    for name in shared:
        kinds = target.features.kind(name), source.features.kind(name)
        if kinds[0] != kinds[1]:
            raise _two_kinds(name, target, source)
    kept = target.keep | source.keep
    codes = [
        name for name in shared if name not in kept and no_value_in_common(name, target, source)
    ]
    if len(codes) == len(shared):
        raise DatakinError(
            f"Two datasets must share a column with values in common. In {target.name!r} and "
            f"{source.name!r} {listed(codes)} have none, like codes of the dataset; to use them say "
            f"{keep_option(codes)}."
        )
    return tuple(name for name in shared if name not in codes), codes


def _renaming(target: Dataset, source: Dataset) -> str:
    """Offer names that may be the same."""
    found = [d for d in differences(target, source) if d.kind == "name"]
    if not found:
        return ""
    return f" {'; '.join(each.advice for each in found[:3])}."


def _two_kinds(name: str, target: Dataset, source: Dataset) -> DatakinError:
    text, numbers = target, source
    if target.features.kind(name) != "category":
        text, numbers = source, target
    levels = text.features.levels[text.features.category_names.index(name)]
    return DatakinError(
        f"Column {name!r} must be of one kind. It holds numbers or dates in {numbers.name!r} and "
        f"text in {text.name!r} ({listed(_not_numbers(levels), limit=3)}); correct the text, or "
        f"leave the column out (ignore=[{name!r}] / --ignore {shlex.quote(name)})."
    )


def _notes(
    target: Dataset, source: Dataset, codes: list[str], rows: Array, by_chance: bool
) -> Iterator[str]:
    """Yield what users should know, as the target sees it, worst first."""
    found = differences(target, source)
    yield from _notes_of_differences(found, "units")
    if rows.any():
        done = (
            ", about as many as repeat within one dataset: kept"
            if by_chance
            else ": left out of the cross errors"
        )
        text = f"{int(rows.sum())} row(s) of the target also stand in the source{done}"
        yield Note(text, MINOR if by_chance else SERIOUS)
    yield from note_on_groups(target, source)
    yield from _notes_of_differences(found, "name")
    yield from _notes_of_differences(found, "levels")
    if codes:
        yield Note(
            f"left out, column(s) without a value in common, like codes of the dataset: "
            f"{listed(codes)} (to use them: {keep_option(codes)})",
            SERIOUS,
        )
    apart = [each.column for each in found if each.kind == "range"]
    if apart:
        yield Note(f"ranges do not overlap, models can only extrapolate: {listed(apart)}")
    gaps = set(target.columns) - set(source.columns), set(source.columns) - set(target.columns)
    classes = set(target.classes), set(source.classes)
    for lacking, names in zip(("source", "target"), gaps, strict=True):
        if names:
            text = (
                f"column(s) not used, absent or constant in the {lacking}: {listed(sorted(names))}"
            )
            yield Note(text, MINOR)
    for lacking, few in (("source", classes[0] - classes[1]), ("target", classes[1] - classes[0])):
        if few:
            yield f"class(es) missing from the {lacking}: {listed(sort_classes(few))}"


def _notes_of_differences(found: Sequence[Difference], kind: str) -> Iterator[str]:
    """Yield the first few differences of one kind in one note."""
    some = [each for each in found if each.kind == kind]
    if some:
        more = f"; and {len(some) - SHOWN} more" if len(some) > SHOWN else ""
        yield Note("; ".join(each.advice for each in some[:SHOWN]) + more, SERIOUS)


def _not_numbers(levels: tuple[str, ...]) -> list[str]:
    def is_number(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    return [level for level in levels if not is_number(level)] or list(levels)


def _all_classes(target: Dataset, source: Dataset) -> tuple[str, ...]:
    if bool(target.classes) != bool(source.classes):
        regression = source if target.classes else target
        raise DatakinError(
            f"Both labels must pose the same task. {regression.name!r} looks like regression, "
            f"the other like classes; say which task it is (task)."
        )
    recoding = class_recoding(target, source)
    if target.classes and (recoding or not set(target.classes) & set(source.classes)):
        how = source.features.how_to_recode(source.classes, target.classes)
        if recoding and not source.features.is_sparse:
            python, cli = class_options(target, source)
            how = f"if they mean the same, say {python} / {cli}; otherwise {how}"
        raise DatakinError(
            f"Both labels must use the same codes. {target.name!r} has {listed(target.classes)}, "
            f"{source.name!r} has {listed(source.classes)}; {how}."
        )
    return sort_classes({*target.classes, *source.classes})


def _shared_rows(
    target: Dataset, source: Dataset, columns: tuple[str, ...]
) -> tuple[tuple[Array, Array], bool]:
    """Return which rows stand in both datasets, and whether that is chance.

    In discrete tables rows coincide by chance, about as often as rows repeat within one dataset, or as
    independent columns would give. Rows that are in both tell nothing of that: a copied table may stand
    twice in the other.
    """
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    in_target, in_source = np.isin(ours, theirs), np.isin(theirs, ours)
    if not in_target.any():
        return (in_target, in_source), False
    sides = (target, source, ours, in_target), (source, target, theirs, in_source)
    # Distinct rows: one row that stands there a hundred times is one coincidence.
    share = max(len(np.unique(rows[found])) / len(np.unique(rows)) for _, _, rows, found in sides)
    repeats = [
        [
            chance_by_repeats(one.features, columns, one.label_hashes, some)
            for some in (rows, rows[~found])[: 1 + int((~found).sum() >= ENOUGH)]
        ]
        for one, _, rows, found in sides
    ]
    overall = min(first for first, *_ in repeats)
    chances = [others[0] if others else overall for _, *others in repeats]
    for one, other, _, _ in sides:
        chances.append(chance_of_a_copy(one.features, columns, one.label_hashes, other.n_rows))
    return (in_target, in_source), bool(share <= 2 * max(chances))


def _same_rows(target: Dataset, source: Dataset) -> bool:
    """Whether both hold the same columns and rows, in any order."""
    if target.n_rows != source.n_rows or set(target.columns) != set(source.columns):
        return False
    columns = tuple(sorted(target.columns))
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    return bool(np.array_equal(np.sort(ours), np.sort(theirs)))
