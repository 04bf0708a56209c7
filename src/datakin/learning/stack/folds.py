"""Folds of a small target: every class spread evenly, groups kept together, whatever the numbers."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin._core.warned import unheard
from datakin.data.features import Array

__all__ = ["FOLDS", "draw_folds", "number_of_folds"]

FOLDS = 10
FEWER, MANY_ROWS = 5, 2000  # folds of a target with so many rows


def number_of_folds(n_rows: int, n_groups: int | None = None) -> int:
    """Return how many folds a target of some size gets."""
    found = FEWER if n_rows > MANY_ROWS else FOLDS
    return max(2, min(found, n_rows // 2, n_rows if n_groups is None else n_groups))


def draw_folds(
    y: Array, is_class: bool, groups: Array | None, seed: int, n_folds: int | None = None
) -> Array:
    """Return the fold of each row.

    Parameters
    ----------
    y : ndarray
        Class codes, or numbers: folds depend on their order and on nothing else of the data.
    is_class : bool
    groups : ndarray or None
        Rows with equal values stay in one fold.
    seed : int
    n_folds : int, optional
        Ten by default; fewer where there are few rows or groups, or very many rows.
    """
    n_groups = None if groups is None else len(np.unique(groups))
    if n_groups is not None and n_groups < 2:
        raise DatakinError(
            "All rows of the target belong to one group: no row can be predicted without its group. "
            "Leave out group, or use a finer one."
        )
    wanted = number_of_folds(len(y), n_groups)
    wanted = wanted if n_folds is None else max(2, min(n_folds, wanted))
    key = np.unique(y, return_inverse=True)[1].astype(np.int64).tobytes()
    state = derive_seed(seed, "stack folds", key)
    splitter: Any
    if groups is None:
        splitter = StratifiedKFold if is_class else KFold
    else:
        splitter = StratifiedGroupKFold if is_class else GroupKFold
    found = np.zeros(len(y), dtype=int)
    is_rare = is_class and np.unique(y, return_counts=True)[1].min() < wanted
    with unheard(UserWarning) if is_rare or groups is not None else nullcontext():
        # A class with fewer rows than folds is spread as far as it goes.
        if is_class and groups is None and np.bincount(y).max() < wanted:
            splitter = KFold
        split = splitter(wanted, shuffle=True, random_state=state).split(
            np.zeros(len(y)), y, groups
        )
        for k, (_, test) in enumerate(split):
            found[test] = k
    return np.unique(found, return_inverse=True)[1]
