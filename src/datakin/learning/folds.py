"""The fold plan: which rows each fit is trained on, and who vouches for whom.

Algorithm 2 of the paper needs, for each fold k held out, inner errors on the rest that never saw
fold k. With shared folds the inner folds are the other outer folds, so that one fit on all rows
but folds {j, k} serves both: 1 + K + K(K-1)/2 fits per model. ``inner="fresh"`` splits the rest
anew, as the paper's text says: 1 + K + K^2 fits. ``inner="none"`` leaves them out, for plans whose
own error is measured on rows kept aside: 1 + K fits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from datakin._core.exceptions import DatakinError, listed
from datakin._core.seeds import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True, eq=False)
class Plan:
    """Training sets of all fits of one dataset.

    Attributes
    ----------
    trains : tuple of ndarray
        Training rows of each fit. Fit 0 is on all rows, fit 1 + k on all but fold k.
    names : tuple of str
        "all", "-k" and "-jk": what each fit leaves out. Seeds come from these.
    folds : tuple of ndarray
        The rows of each fold.
    inner : tuple of tuples of (fit, rows)
        ``inner[k]``: the fits that never saw fold k, each with the rows that test it for k. Empty
        for a plan without inner folds.
    """

    trains: tuple[Array, ...]
    names: tuple[str, ...]
    folds: tuple[Array, ...]
    inner: tuple[tuple[tuple[int, Array], ...], ...]

    @property
    def n_folds(self) -> int:
        """Number of outer folds, K."""
        return len(self.folds)

    def rows_to_predict(self, fit: int) -> Array:
        """Return the rows of the own dataset that are held out of a fit."""
        n_rows = len(self.trains[0])
        held_out = np.ones(n_rows, dtype=bool)
        held_out[self.trains[fit]] = False
        return np.flatnonzero(held_out)


def make_plan(
    dataset: Dataset,
    n_folds: int,
    inner: str,
    random_state: int,
    repeat: int = 0,
    stratify: bool = True,
) -> Plan:
    """Draw the folds from the seed and the label vector, and list the fits."""
    everything = np.arange(dataset.n_rows)
    folds = _split(
        dataset,
        everything,
        n_folds,
        derive_seed(random_state, "folds", repeat, _key(dataset)),
        stratify,
    )
    trains, names = [everything], ["all"]
    for k, fold in enumerate(folds):
        trains.append(_without(everything, fold))
        names.append(f"-{k}")
    views: list[tuple[tuple[int, Array], ...]] = []
    if inner == "shared":
        fit_of: dict[tuple[int, int], int] = {}
        for j in range(n_folds):
            for k in range(j + 1, n_folds):
                fit_of[j, k] = fit_of[k, j] = len(trains)
                trains.append(_without(trains[1 + j], folds[k]))
                names.append(f"-{j}-{k}")
        views = [
            tuple((fit_of[j, k], folds[j]) for j in range(n_folds) if j != k)
            for k in range(n_folds)
        ]
    elif inner == "fresh":
        for k in range(n_folds):
            rest = trains[1 + k]
            seed = derive_seed(random_state, "inner", repeat, k, _key(dataset))
            entries = []
            for j, fold in enumerate(_split(dataset, rest, n_folds, seed, stratify)):
                entries.append((len(trains), fold))
                trains.append(_without(rest, fold))
                names.append(f"-{k}-fresh{j}")
            views.append(tuple(entries))
    return Plan(tuple(trains), tuple(names), tuple(folds), tuple(views))


def _without(rows: Array, fold: Array) -> Array:
    """Return sorted rows without those of a fold."""
    left = np.zeros(rows[-1] + 1, dtype=bool)
    left[rows] = True
    left[fold] = False
    return np.flatnonzero(left)


def _key(dataset: Dataset) -> bytes:
    """Return the ranks of the labels as bytes: renaming or rescaling columns moves no row."""
    return np.unique(dataset.y, return_inverse=True)[1].astype(np.int64).tobytes()


def _split(dataset: Dataset, rows: Array, n_folds: int, seed: int, stratify: bool) -> list[Array]:
    y = dataset.y[rows]
    groups = None if dataset.groups is None else dataset.groups[rows]
    if dataset.classes:
        counts = np.bincount(y, minlength=len(dataset.classes))
        rare = [
            f"{name} ({n})" for name, n in zip(dataset.classes, counts, strict=True) if n < n_folds
        ]
        if rare:
            raise DatakinError(
                f"Every class must have at least {n_folds} rows, one per fold. Got {listed(rare)} in "
                f"{dataset.name!r}; use fewer folds (cv), merge classes with label_map, or drop them."
            )
    elif n_folds > len(rows) // 2:
        raise DatakinError(
            f"Every fold must have at least two rows. Got {n_folds} folds (cv) for {len(rows)} rows in "
            f"{dataset.name!r}; use fewer folds."
        )
    if groups is None:
        splitter = StratifiedKFold if dataset.classes and stratify else KFold
    else:
        n_groups = len(np.unique(groups))
        if n_groups < n_folds:
            raise DatakinError(
                f"There must be at least as many groups as folds ({n_folds}). Got {n_groups} group(s) in "
                f"{dataset.name!r}: a group cannot be split over folds. Use fewer folds (cv) or finer groups."
            )
        splitter = StratifiedGroupKFold if dataset.classes and stratify else GroupKFold
    split = splitter(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(rows)), y, groups)
    folds = [rows[test] for _, test in split]
    if groups is not None or not stratify:
        _check_folds(
            dataset, folds, "Groups" if groups is not None else "Folds drawn without strata"
        )
    return folds


def _check_folds(dataset: Dataset, folds: list[Array], cause: str) -> None:
    if any(len(fold) == 0 for fold in folds):
        raise DatakinError(
            f"{cause} of {dataset.name!r} are too few or too large to fill {len(folds)} folds: "
            f"one fold stayed empty. Use fewer folds (cv) or finer groups."
        )
    rows = np.concatenate(folds)
    if not dataset.classes:
        return
    present = [np.bincount(dataset.y[fold], minlength=len(dataset.classes)) for fold in folds]
    total = np.bincount(dataset.y[rows], minlength=len(dataset.classes))
    for a, first in enumerate(present):
        for second in present[a + 1 :]:
            lost = np.flatnonzero((total > 0) & (total - first - second <= 0))
            if len(lost):
                raise DatakinError(
                    f"{cause} of {dataset.name!r} put all rows of class {dataset.classes[lost[0]]!r} into "
                    f"two folds, so that a fit would never see it. Use fewer folds (cv) or finer groups."
                )
