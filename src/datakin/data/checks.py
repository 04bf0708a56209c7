"""From drafts to datasets: what is refused, what is dropped, and what looks odd.

Datasets that are read together get one task. Columns without use are dropped and named; columns
that look like row ids or copies of the label are kept and named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import sparse

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.columns import Block, check_finite
from datakin.data.dataset import Dataset, hash_labels, hash_rows, task_of
from datakin.data.draft import Draft
from datakin.data.features import MISSING, Array, Features
from datakin.data.labels import (
    Labelling,
    canonical_label,
    check_labels,
    class_codes,
    infer_task,
    is_missing,
    response,
)

__all__ = ["MIN_ROWS", "make_datasets"]

MIN_ROWS = 20
MANY = 0.1  # share of rows with a copy in the same dataset from which they are noted
RICH = 20  # a column with more different values than this is not a code


def make_datasets(
    drafts: Sequence[Draft], labelling: Labelling, left_out: dict[str, str] | None = None
) -> list[Dataset]:
    """Turn drafts into datasets of one task; messages name the dataset at fault.

    With a mapping for `left_out`, drafts that cannot be used go there with the reason, as long as
    one is left.
    """
    twice = repeated(draft.name for draft in drafts)
    if twice:
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; "
            f"pass a mapping of name to table, or rename the files."
        )
    if not drafts:
        raise DatakinError("There must be at least one table. Got none.")
    labelled: list[Draft] = []
    datasets: list[Dataset] = []
    faults: dict[str, DatakinError] = {}
    for draft in drafts:
        try:
            labelled.append(_drop_unlabelled(draft))
        except DatakinError as error:
            faults[draft.name] = error
    if faults and (left_out is None or not labelled):
        raise next(iter(faults.values()))
    kind, doubt = _agree_on_task(labelled, labelling)
    for draft in labelled:
        try:
            datasets.append(_checked(draft, kind, doubt, labelling))
        except DatakinError as error:
            faults[draft.name] = error
    if faults and (left_out is None or not datasets):
        raise next(iter(faults.values()))
    if left_out is not None:
        left_out |= {name: str(error) for name, error in faults.items()}
    return datasets


def _drop_unlabelled(draft: Draft) -> Draft:
    missing = is_missing(draft.labels)
    if missing.all():
        raise DatakinError(
            f"The label {draft.label!r} of {draft.title} must have a value in some rows. "
            f"Got none in {len(missing)} rows."
        )
    check_labels(draft.labels, missing, draft.label, draft.title)
    if not missing.any():
        return draft
    note = f"{int(missing.sum())} of {len(missing)} rows have no label and were dropped"
    return replace(draft.take(np.flatnonzero(~missing)), notes=(*draft.notes, note))


def _agree_on_task(drafts: Sequence[Draft], labelling: Labelling) -> tuple[str, tuple[str, ...]]:
    """Return the kind of task of all datasets, and a note if the labels leave a doubt."""
    if labelling.kind is not None:
        return labelling.kind, ()
    kind, doubt = infer_task([draft.labels for draft in drafts], drafts[0].label)
    if kind == "regression":
        two = [d.title for d in drafts if len(pd.unique(d.labels)) == 2]
        if two:
            raise DatakinError(
                f"All labels must pose the same task. {two[0]} has two classes, others look like "
                f"regression; say which task it is (task)."
            )
    return kind, () if doubt is None else (doubt,)


def _checked(draft: Draft, kind: str, doubt: tuple[str, ...], labelling: Labelling) -> Dataset:
    """Return the dataset, with notes in the order in which things were found."""
    if len(draft.labels) < MIN_ROWS:
        raise DatakinError(
            f"A dataset must have at least {MIN_ROWS} labelled rows. "
            f"Got {len(draft.labels)} in {draft.title}."
        )
    classes: tuple[str, ...] = ()
    if kind == "regression":
        y = response(draft.labels, draft.label, draft.title)
    else:
        y, classes = class_codes(draft.labels, labelling, draft.label, draft.title)
    features, dropped = _usable_features(draft)
    groups = None if draft.groups is None else _group_codes(draft.groups)
    odd = _suspicious_columns(features, y, bool(classes))
    copies = [] if groups is not None else _repeated_rows(features, y, classes)
    return Dataset(
        draft.name,
        features,
        y,
        classes,
        groups,
        draft.label,
        notes=(*draft.notes, *doubt, *dropped, *odd, *copies),
        origin=None if draft.origin is None else draft.origin.with_task(task_of(classes)),
    )


def _usable_features(draft: Draft) -> tuple[Features, list[str]]:
    """Return the columns that have values and vary, and notes on the others."""
    if not isinstance(draft.columns, Block):
        return _usable_columns(draft)
    if sparse.issparse(draft.columns.matrix):
        return _usable_sparse(draft, draft.columns), []
    return _usable_matrix(draft, draft.columns)


def _usable_matrix(draft: Draft, block: Block) -> tuple[Features, list[str]]:
    matrix, names = block.matrix, np.array(block.names, dtype=object)
    constant = (matrix == matrix[0]).all(axis=0)  # not so with a missing value: it equals nothing
    missing = np.zeros(len(names), dtype=bool)
    if not np.isfinite(matrix).all():
        for name, values in zip(names, matrix.T, strict=True):
            check_finite(name, values, f" in {draft.title}")
        missing = np.isnan(matrix).all(axis=0)
    used = ~(missing | constant)
    notes = _dropped(draft, list(names[missing]), list(names[constant]), n_left=int(used.sum()))
    if not used.all():
        matrix = np.ascontiguousarray(matrix[:, used])
    no_codes = np.zeros((len(matrix), 0), np.int32)
    return Features(matrix, tuple(names[used]), no_codes, (), ()), notes


def _usable_sparse(draft: Draft, block: Block) -> Features:
    """Return a sparse block as it is: a column of zeros costs nothing."""
    matrix, names = block.matrix, block.names
    if not names or not (matrix.max(axis=0) != matrix.min(axis=0)).nnz:
        raise _nothing_varies(draft, f"{len(names)} constant")
    return Features(matrix, names, np.zeros((matrix.shape[0], 0), dtype=np.int32), (), ())


def _usable_columns(draft: Draft) -> tuple[Features, list[str]]:
    assert not isinstance(draft.columns, Block)
    numeric: dict[str, Array] = {}
    category: dict[str, tuple[Array, tuple[str, ...]]] = {}
    missing, constant = [], []
    for name, (values, levels) in draft.columns.items():
        if levels is None:
            check_finite(name, values, f" in {draft.title}")
        known = values[~np.isnan(values)] if levels is None else values[values != MISSING]
        if not len(known):
            missing.append(name)
        elif np.all(known == known[0]) and len(known) == len(values):
            constant.append(name)
        elif levels is None:
            numeric[name] = values
        else:
            category[name] = _used_levels(values, levels)
    notes = _dropped(draft, missing, constant, n_left=len(numeric) + len(category))
    codes = [values for values, _ in category.values()]
    features = Features(
        np.column_stack(list(numeric.values())) if numeric else np.zeros((draft.n_rows, 0)),
        tuple(numeric),
        np.column_stack(codes) if codes else np.zeros((draft.n_rows, 0), np.int32),
        tuple(category),
        tuple(levels for _, levels in category.values()),
    )
    return features, notes


def _dropped(draft: Draft, missing: list[str], constant: list[str], n_left: int) -> list[str]:
    """Return notes on the columns that are not used, or refuse a table that has no others."""
    if not n_left:
        raise _nothing_varies(
            draft, f"{len(missing)} without any value and {len(constant)} constant"
        )
    notes = [f"column(s) without any value dropped: {listed(missing)}"] if missing else []
    return notes + ([f"constant column(s) dropped: {listed(constant)}"] if constant else [])


def _nothing_varies(draft: Draft, got: str) -> DatakinError:
    # Not str.capitalize, which would write the rest, and with it the name, in small letters.
    title = draft.title[0].upper() + draft.title[1:]
    return DatakinError(f"{title} must have a column that varies beside the label. Got {got}.")


def _used_levels(codes: Array, levels: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """Keep only the levels that this dataset has: a split table shares its level list."""
    used = np.unique(codes[codes != MISSING])
    table = np.full(len(levels) + 1, MISSING, dtype=np.int32)
    table[used] = np.arange(len(used))
    return table[codes], tuple(levels[i] for i in used)


def _group_codes(groups: Array) -> Array:
    """Return a code for each group; a row without one is a group of its own."""
    spelled = [
        None if missing else canonical_label(value)
        for value, missing in zip(groups, is_missing(groups), strict=True)
    ]
    codes = pd.factorize(np.array(spelled, dtype=object))[0].astype(np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return codes


def _suspicious_columns(features: Features, y: Array, is_class: bool) -> list[str]:
    """Return a note on columns that look like row ids, and one on copies of the label."""
    if features.is_sparse:
        return []
    ids, copies = [], []
    n_classes = int(y.max()) + 1 if is_class else 0
    for name, values in zip(features.numeric_names, features.numeric.T, strict=True):
        if _is_id(values, name):
            ids.append(name)
        elif _is_copy(values, y, n_classes):
            copies.append(name)
    for j, name in enumerate(features.category_names):
        codes = features.codes[:, j]
        if len(features.levels[j]) >= 0.95 * len(codes):
            ids.append(name)
        elif is_class and _is_one_to_one(codes, y):
            copies.append(name)
    found = {"row ids": ids, "copies of the label": copies}
    return [
        f"look like {what} (consider ignore=, --ignore): {listed(names)}"
        for what, names in found.items()
        if names
    ]


def _is_id(values: Array, name: str) -> bool:
    """Whole numbers, all different, and either in steps of one or called an id."""
    for some in (values[:100], values):  # the first rows settle it for most columns
        if np.any(some != np.round(some)):  # a missing value differs, too
            return False
    with np.errstate(over="ignore"):
        steps = np.diff(np.sort(values))
    if np.any(steps == 0):
        return False
    named = name.lower() in ("id", "index", "unnamed: 0") or name.lower().endswith(("id", "_no"))
    return named or bool(np.all(steps == 1))


def _is_copy(values: Array, y: Array, n_classes: int) -> bool:
    """Whether a column tells each class, or is a linear function of a response (no classes)."""
    if n_classes:
        for some in (values[:100], values[:1000]):
            # More values among the first rows than there are classes settle it.
            if len(np.unique(some[~np.isnan(some)])) > n_classes:
                return False
        return _is_one_to_one(pd.factorize(values)[0], y)
    known = ~np.isnan(values)
    if known.sum() < 10:
        return False
    # A constant has no correlation, and huge numbers overflow: neither is a copy.
    with np.errstate(all="ignore"):
        return bool(abs(np.corrcoef(values[known], y[known])[0, 1]) > 1 - 1e-9)


def _is_one_to_one(codes: Array, y: Array) -> bool:
    """Whether each class has its own code."""
    known = codes != MISSING
    if known.sum() < 10:
        return False
    n_classes = len(np.unique(y))
    if len(np.unique(codes[known])) != n_classes:
        return False
    return len(np.unique(np.column_stack([codes[known], y[known]]), axis=0)) == n_classes


def _repeated_rows(features: Features, y: Array, classes: tuple[str, ...]) -> list[str]:
    """Return a note when rows repeat in a table with so many values that it is not chance."""
    if features.is_sparse or not any(len(np.unique(v)) > RICH for v in features.numeric.T):
        return []
    hashes = hash_rows(features, features.names, hash_labels(y, classes))
    counts = np.unique(hashes, return_counts=True)[1]
    copies = int(counts[counts > 1].sum())
    if copies < MANY * len(y):
        return []
    return [
        f"{copies} of {len(y)} rows have a copy in the same dataset: in training and test rows "
        f"at once they flatter its own error (consider group=, or drop copies)"
    ]
