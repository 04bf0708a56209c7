"""Columns a careful colleague would ask about: row ids, and copies of the label."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datakin._core.exceptions import listed
from datakin.data.dataset import Dataset
from datakin.data.features import MISSING, Array, Features

__all__ = ["repeated_rows", "suspicious_columns"]

MANY = 0.1  # share of rows with a twin from which copies are spoken of
RICH = 20  # a column with more different values than this is not a code


def repeated_rows(dataset: Dataset) -> list[str]:
    """Return a note when rows repeat in a table rich enough for that not to be chance."""
    features = dataset.features
    if dataset.groups is not None or features.is_sparse:
        return []
    if not any(len(np.unique(column)) > RICH for column in features.numeric.T):
        return []
    counts = np.unique(dataset.row_hashes(features.names), return_counts=True)[1]
    copies = int(counts[counts > 1].sum())
    if copies < MANY * dataset.n_rows:
        return []
    return [
        f"{copies} of {dataset.n_rows} rows have a copy in the same dataset: in training and test rows "
        f"at once they flatter its own error (consider group=, or drop copies)"
    ]


def suspicious_columns(features: Features, y: Array, is_class: bool) -> list[str]:
    """Return a note for columns that look like row ids and one for copies of the label."""
    if features.is_sparse:
        return []
    ids, copies = [], []
    for j, name in enumerate(features.numeric_names):
        values = features.numeric[:, j]
        if _is_id(values, name):
            ids.append(name)
        elif _is_copy(values, y, is_class):
            copies.append(name)
    for j, name in enumerate(features.category_names):
        codes = features.codes[:, j]
        if len(features.levels[j]) >= 0.95 * len(codes):
            ids.append(name)
        elif is_class and _is_one_to_one(codes, y):
            copies.append(name)
    notes = [f"look like row ids (consider ignore=, --ignore): {listed(ids)}"] if ids else []
    notes += (
        [f"look like copies of the label (consider ignore=, --ignore): {listed(copies)}"]
        if copies
        else []
    )
    return notes


def _is_id(values: Array, name: str) -> bool:
    """Whole numbers, all different, and either in steps of one or called an id."""
    if np.isnan(values).any() or np.any(values != np.round(values)):
        return False
    with np.errstate(over="ignore"):
        steps = np.diff(np.sort(values))
    if np.any(steps == 0):
        return False
    named = name.lower() in ("id", "index", "unnamed: 0") or name.lower().endswith(("id", "_no"))
    return named or bool(np.all(steps == 1))


def _is_copy(values: Array, y: Array, is_class: bool) -> bool:
    known = ~np.isnan(values)
    if known.sum() < 10:
        return False
    if is_class:
        # More values among the first rows than there are classes settle it without a full count.
        if len(np.unique(values[known][:1000])) > y.max() + 1:
            return False
        return _is_one_to_one(pd.factorize(values)[0], y)
    # A constant has no correlation, and huge numbers overflow: neither is a copy.
    with np.errstate(all="ignore"):
        return bool(abs(np.corrcoef(values[known], y[known])[0, 1]) > 1 - 1e-9)


def _is_one_to_one(codes: Array, y: Array) -> bool:
    known = codes != MISSING
    if known.sum() < 10:
        return False
    n_classes = len(np.unique(y))
    if len(np.unique(codes[known])) != n_classes:
        return False
    return len(np.unique(np.column_stack([codes[known], y[known]]), axis=0)) == n_classes
