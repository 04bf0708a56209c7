"""What two datasets share: columns by name, classes by name, and rows by content."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data.dataset import Dataset
from datakin.data.features import Array, Features
from datakin.data.labels import sort_classes

__all__ = ["Pairing", "pair"]

FEW_VALUES = 50  # a numeric column with at most this many values may be a code


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
    notes : tuple of str
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    shared_target: Array
    shared_source: Array
    identical: bool
    notes: tuple[str, ...]


def pair(target: Dataset, source: Dataset) -> Pairing:
    """Find what two datasets share, or say why they cannot be compared."""
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
                f"Column {name!r} must be of one kind. It holds numbers or dates in "
                f"{(source if text is target else target).name!r} and text in {text.name!r} "
                f"({listed(_not_numbers(levels), limit=3)}); correct the text, or leave the column "
                f"out (ignore)."
            )
    for one, other, lacking in ((ours, theirs, "source"), (theirs, ours, "target")):
        if one - other:
            names = listed(sorted(one - other))
            notes.append(f"column(s) not used, absent or constant in the {lacking}: {names}")
    codes = [name for name in shared if _is_disjoint(target.features, source.features, name)]
    if codes:
        notes.append(
            f"column(s) without a value in common, like codes of the dataset (consider to ignore "
            f"them): {listed(codes)}"
        )
    return tuple(shared)


def _is_disjoint(ours: Features, theirs: Features, name: str) -> bool:
    """Whether the values of a column do not overlap: models could only extrapolate on it."""
    if ours.is_sparse or theirs.is_sparse:
        return False
    if ours.kind(name) == "category":
        levels = (f.levels[f.category_names.index(name)] for f in (ours, theirs))
        return not set.intersection(*map(set, levels))
    one, other = (f.numeric[:, f.numeric_names.index(name)] for f in (ours, theirs))
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    apart = one.max() < other.min() or other.max() < one.min()
    coded = all(len(np.unique(v)) <= min(FEW_VALUES, len(v) / 2) for v in (one, other))
    return bool(apart or (coded and not np.isin(one, other).any()))


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
            f"the other like classes; say which task it is (task)."
        )
    ours, theirs = set(target.classes), set(source.classes)
    if target.classes and (not ours & theirs or _coded_otherwise(ours, theirs)):
        raise DatakinError(
            f"Both labels must use the same codes. {target.name!r} has {listed(target.classes)}, "
            f"{source.name!r} has {listed(source.classes)}; "
            f"{source.features.how_to_recode(source.classes, target.classes)}."
        )
    for one, other, lacking in ((ours, theirs, "source"), (theirs, ours, "target")):
        if one - other:
            notes.append(
                f"class(es) missing from the {lacking}: {listed(sort_classes(one - other))}"
            )
    return sort_classes(ours | theirs)


def _coded_otherwise(ours: set[str], theirs: set[str]) -> bool:
    """Whether two pairs of numbers overlap by accident: 0 and 1 here, 1 and 2 there."""
    both = ours | theirs
    return len(ours) == len(theirs) == 2 and len(both) == 3 and all(c.isdigit() for c in both)


def _shared_rows(
    target: Dataset, source: Dataset, columns: tuple[str, ...], notes: list[str]
) -> tuple[Array, Array]:
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    in_target, in_source = np.isin(ours, theirs), np.isin(theirs, ours)
    found = max(in_target.mean(), in_source.mean())
    if not found:
        return in_target, in_source
    counts = f"{int(in_target.sum())} row(s) of the target also stand in the source"
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
    """Return the share of rows that have a copy in their own dataset."""
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return float(np.mean(counts[inverse] > 1))
