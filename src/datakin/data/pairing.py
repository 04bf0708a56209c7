"""What users pass to be compared, and what two datasets share: columns, classes and rows.

Columns and classes are shared by name, rows by content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.arrays import as_dataset
from datakin.data.dataset import Dataset
from datakin.data.features import Array, Features
from datakin.data.labels import sort_classes

__all__ = [
    "Kind",
    "Pairing",
    "check_names",
    "coerce",
    "for_comparison",
    "for_matrix",
    "for_ranking",
    "pair",
]

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


Notes = tuple[list[str], list[str]]  # as the target sees it, and as the source would as a target


def pair(target: Dataset, source: Dataset) -> Pairing:
    """Find what two datasets share, or say why they cannot be compared."""
    notes: Notes = [], []
    columns = _shared_columns(target, source, notes)
    classes = _all_classes(target, source, notes)
    if target.features.is_sparse != source.features.is_sparse:
        raise DatakinError(
            f"Both datasets must be sparse, or neither. Got a sparse "
            f"{(target if target.features.is_sparse else source).name!r} only."
        )
    identical = _same_rows(target, source)
    in_target, in_source = _shared_rows(target, source, columns, notes)
    return Pairing(columns, classes, in_target, in_source, identical, *map(tuple, notes))


def _shared_columns(target: Dataset, source: Dataset, notes: Notes) -> tuple[str, ...]:
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
    _note_gaps(notes, "column(s) not used, absent or constant in", ours, theirs, sorted)
    codes = [name for name in shared if _is_disjoint(target.features, source.features, name)]
    for found in notes if codes else ():
        found.append(
            f"column(s) without a value in common, like codes of the dataset (consider to ignore "
            f"them): {listed(codes)}"
        )
    return tuple(shared)


def _note_gaps(
    notes: Notes,
    what: str,
    ours: set[str],
    theirs: set[str],
    ordered: Callable[[set[str]], Sequence[str]],
) -> None:
    """Note what one dataset has and the other lacks, what the source lacks first."""
    gaps = ours - theirs, theirs - ours
    for found, both in zip(notes, (gaps, gaps[::-1]), strict=True):
        for lacking, names in zip(("source", "target"), both, strict=True):
            if names:
                found.append(f"{what} the {lacking}: {listed(ordered(names))}")


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


def _all_classes(target: Dataset, source: Dataset, notes: Notes) -> tuple[str, ...]:
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
    _note_gaps(notes, "class(es) missing from", ours, theirs, sort_classes)
    return sort_classes(ours | theirs)


def _coded_otherwise(ours: set[str], theirs: set[str]) -> bool:
    """Whether two pairs of numbers overlap by accident: 0 and 1 here, 1 and 2 there."""
    both = ours | theirs
    return len(ours) == len(theirs) == 2 and len(both) == 3 and all(c.isdigit() for c in both)


def _shared_rows(
    target: Dataset, source: Dataset, columns: tuple[str, ...], notes: Notes
) -> tuple[Array, Array]:
    ours, theirs = target.row_hashes(columns), source.row_hashes(columns)
    in_target, in_source = np.isin(ours, theirs), np.isin(theirs, ours)
    found = max(in_target.mean(), in_source.mean())
    if not found:
        return in_target, in_source
    # In discrete tables rows coincide by chance, about as often as they repeat within one dataset.
    by_chance = found <= 2 * max(_repeated(ours), _repeated(theirs))
    done = ", about as many as repeat within one dataset: kept"
    for said, rows in zip(notes, (in_target, in_source), strict=True):
        said.append(
            f"{int(rows.sum())} row(s) of the target also stand in the source"
            f"{done if by_chance else ': left out of the cross errors'}"
        )
    if by_chance:
        return np.zeros_like(in_target), np.zeros_like(in_source)
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


@dataclass(frozen=True)
class Kind:
    """A kind of data.

    Attributes
    ----------
    make : callable
        ``make(X, y, name=name)`` returns a Dataset.
    advice : str
        How to get a dataset of this kind, for users who pass something else.
    """

    make: Callable[..., Dataset]
    advice: str


TABLES = Kind(as_dataset, "read tables and files with datakin.read_table(table, label=...)")


def coerce(data: Any, name: str = "", kind: Kind = TABLES) -> Dataset:
    """Return a Dataset for a Dataset or an (X, y) pair, naming it when it has no name."""
    if isinstance(data, Dataset):
        return data if data.name else data.renamed(name)
    if isinstance(data, (tuple, list)) and len(data) == 2:
        return kind.make(data[0], data[1], name=name)
    raise DatakinError(
        f"A dataset must be a Dataset or a pair (X, y). Got {type(data).__name__}; {kind.advice}."
    )


def _collect(data: Any, stem: str, kind: Kind) -> list[Dataset]:
    """Return the datasets of a list or mapping; a mapping's keys are their names."""
    if isinstance(data, Mapping):
        return [coerce(d, str(name), kind).renamed(str(name)) for name, d in data.items()]
    if isinstance(data, (list, tuple)):
        return [coerce(d, f"{stem} {i}", kind) for i, d in enumerate(data, start=1)]
    raise DatakinError(
        f"Several datasets must come as a list, or as a mapping of name to dataset. "
        f"Got {type(data).__name__}."
    )


def check_names(datasets: Sequence[Dataset]) -> None:
    """Refuse datasets of the same name."""
    twice = repeated(d.name for d in datasets)
    if twice:
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; "
            f"pass name= when reading them, or a mapping of name to dataset."
        )


def for_comparison(target: Any, source: Any, kind: Kind = TABLES) -> list[Dataset]:
    """Return target and source; a dataset may be compared with itself."""
    datasets = [coerce(target, "target", kind), coerce(source, "source", kind)]
    if datasets[0].name == datasets[1].name and pair(*datasets).identical:
        datasets[1] = datasets[1].renamed(f"{datasets[1].name} (again)")
    check_names(datasets)
    return datasets


def for_ranking(target: Any, sources: Any, kind: Kind = TABLES) -> list[Dataset]:
    """Return the target, then its sources, at least one."""
    datasets = [coerce(target, "target", kind), *_collect(sources, "source", kind)]
    if len(datasets) < 2:
        raise DatakinError("A ranking needs at least one source. Got none.")
    check_names(datasets)
    return datasets


def for_matrix(datasets: Any, kind: Kind = TABLES) -> list[Dataset]:
    """Return the members of a matrix, at least two."""
    members = _collect(datasets, "dataset", kind)
    if len(members) < 2:
        raise DatakinError(f"A matrix needs at least two datasets. Got {len(members)}.")
    check_names(members)
    return members
