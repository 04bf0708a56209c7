"""What two datasets share: columns by name, classes by name, and rows by content."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data.dataset import Dataset
from datakin.data.features import Array
from datakin.data.labels import sort_classes

__all__ = ["Pairing", "pair"]


@dataclass(frozen=True, eq=False)
class Pairing:
    """The common ground of a target and a source.

    Attributes
    ----------
    columns : tuple of str
        Shared columns, sorted by name.
    classes : tuple of str
        Union of the class names; empty for regression.
    shared_target, shared_source : ndarray of bool
        Rows that stand in both datasets: they have been trained on, so they are left out
        of the cross error.
    identical : bool
        The two datasets are one and the same.
    notes : tuple of str
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    shared_target: Array
    shared_source: Array
    identical: bool
    notes: tuple[str, ...]


def pair(target: Dataset, source: Dataset) -> Pairing:
    """Find the common ground, or say why there is none."""
    notes: list[str] = []
    columns = _shared_columns(target, source, notes)
    classes = _all_classes(target, source, notes)
    if target.features.is_sparse != source.features.is_sparse:
        raise DatakinError(
            f"Both datasets must be sparse, or neither. Got a sparse "
            f"{(target if target.features.is_sparse else source).name!r} only."
        )
    identical = _same_rows(target, source)
    in_target, in_source = _shared_rows(target, source, columns, notes)
    return Pairing(columns, classes, in_target, in_source, identical, tuple(notes))


def _shared_columns(target: Dataset, source: Dataset, notes: list[str]) -> tuple[str, ...]:
    ours, theirs = set(target.columns), set(source.columns)
    shared = sorted(ours & theirs)
    if not shared:
        raise DatakinError(
            f"Two datasets must share at least one column. {target.name!r} has "
            f"{listed(sorted(ours))}; {source.name!r} has {listed(sorted(theirs))}."
        )
    for name in shared:
        kinds = target.features.kind(name), source.features.kind(name)
        if kinds[0] != kinds[1]:
            text = target if kinds[0] == "category" else source
            levels = text.features.levels[text.features.category_names.index(name)]
            raise DatakinError(
                f"Column {name!r} must be of one kind. It holds numbers in one dataset and text in "
                f"{text.name!r} ({listed(_not_numbers(levels), limit=3)}); correct the text, "
                f"or leave the column out with ignore=[{name!r}]."
            )
    for one, other, name in ((ours, theirs, target.name), (theirs, ours, source.name)):
        if one - other:
            notes.append(f"column(s) of {name!r} only, not used: {listed(sorted(one - other))}")
    return tuple(shared)


def _not_numbers(levels: tuple[str, ...]) -> list[str]:
    def is_number(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    return [level for level in levels if not is_number(level)] or list(levels)


def _all_classes(target: Dataset, source: Dataset, notes: list[str]) -> tuple[str, ...]:
    if bool(target.classes) != bool(source.classes):
        regression = source if target.classes else target
        raise DatakinError(
            f"Both labels must pose the same task. {regression.name!r} looks like regression, "
            f"the other like classes; say task= when reading them."
        )
    ours, theirs = set(target.classes), set(source.classes)
    if target.classes and not ours & theirs:
        raise DatakinError(
            f"Both labels must use the same codes. {target.name!r} has {listed(target.classes)}, "
            f"{source.name!r} has {listed(source.classes)}; map one to the other, for instance "
            f"label_map={{{source.classes[0]!r}: {target.classes[0]!r}, ...}}, or name the positive "
            f"class of each with positive=."
        )
    for one, other, name in ((ours, theirs, source.name), (theirs, ours, target.name)):
        if one - other:
            notes.append(f"class(es) missing from {name!r}: {listed(sort_classes(one - other))}")
    return sort_classes(ours | theirs)


def _shared_rows(
    target: Dataset, source: Dataset, columns: tuple[str, ...], notes: list[str]
) -> tuple[Array, Array]:
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    in_target, in_source = np.isin(ours, theirs), np.isin(theirs, ours)
    found = max(in_target.mean(), in_source.mean())
    if not found:
        return in_target, in_source
    counts = f"{int(in_target.sum())} row(s) of {target.name!r} also stand in {source.name!r}"
    # In discrete tables rows coincide by chance, about as often as they repeat within one dataset.
    if found <= 2 * max(_repeated(ours), _repeated(theirs)):
        notes.append(f"{counts}, about as many as repeat within one dataset: kept")
        return np.zeros_like(in_target), np.zeros_like(in_source)
    notes.append(f"{counts}: left out of the cross errors")
    return in_target, in_source


def _same_rows(target: Dataset, source: Dataset) -> bool:
    """Whether both hold the same columns and rows, in any order."""
    if target.n_rows != source.n_rows or set(target.columns) != set(source.columns):
        return False
    columns = tuple(sorted(target.columns))
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    return bool(np.array_equal(np.sort(ours), np.sort(theirs)))


def _repeated(hashes: Array) -> float:
    """Return the share of rows that have a twin in their own dataset."""
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return float(np.mean(counts[inverse] > 1))
