"""The fold plan: which rows each fit of a dataset is trained on, and which rows test it.

There are three sizes of fits (and so of predictors), named by the rows they are trained on:

- "full": all rows;
- "fold": all rows but one fold;
- "inner": all rows but two folds.

The rows of fold k are predicted by fold fits. The ensemble weights for them must come from errors
of fits that never saw fold k (algorithm 2 of the paper), and those are the inner fits. With
``inner="shared"`` the fit on all rows but folds {j, k} serves both j and k: 1 + K + K(K-1)/2 fits
per model. ``inner="fresh"`` splits the rest of each fold anew, as the paper's text says: 1 + K + K^2
fits. ``inner="none"`` has no inner fits, for plans whose own error is measured on other rows: 1 + K.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin._core.warned import unheard
from datakin.data import Dataset
from datakin.data.checks.folds import check_groups, check_rows
from datakin.data.features import Array
from datakin.learners.content import arranged

# For one fold: the fits that never saw it, each with the rows that test it.
InnerFits = tuple[tuple[int, Array], ...]

FOLDS = 10  # of a stack
FEWER, MANY_ROWS = 5, 2000  # folds of a target with so many rows


@dataclass(frozen=True, eq=False)
class Plan:
    """Training rows of all fits of one dataset.

    Attributes
    ----------
    trains : tuple of ndarray
        Training rows of each fit: first the full fit, then the fold fits, then the inner fits.
        Fit 1 + k leaves out fold k.
    names : tuple of str
        What each fit leaves out: "all" (nothing), "-k", "-j-k". Seeds are derived from these.
    folds : tuple of ndarray
        The rows of each fold.
    inner : tuple of tuples of (fit, rows)
        ``inner[k]`` lists the fits that never saw fold k, each with the rows that it predicts when
        the weights for fold k are found. Empty for a plan without inner fits.
    """

    trains: tuple[Array, ...]
    names: tuple[str, ...]
    folds: tuple[Array, ...]
    inner: tuple[InnerFits, ...]

    @property
    def n_folds(self) -> int:
        """Number of folds, K."""
        return len(self.folds)

    def moved(self, order: Array) -> Plan:
        """Return the same plan for rows that stand elsewhere: each at `order` of where it stands here."""
        trains = tuple(np.sort(order[train]) for train in self.trains)
        folds = tuple(np.sort(order[fold]) for fold in self.folds)
        inner = tuple(tuple((f, np.sort(order[r])) for f, r in fits) for fits in self.inner)
        return Plan(trains, self.names, folds, inner)

    def held_out(self, train: Array) -> Array:
        """Return the rows of the dataset that a fit on some rows was not trained on."""
        return _without(self.trains[0], train)


def make_plan(
    dataset: Dataset,
    n_folds: int,
    inner: str,
    random_state: int,
    repeat: int = 0,
    stratify: bool = True,
    *,
    by_content: bool = False,
) -> Plan:
    """Draw the folds and list the fits.

    Folds depend on random_state, the repeat and the labels alone; by content, on what rows hold and not
    on their order. `inner` is "shared", "fresh" or "none", see the top of this module; `stratify` spreads
    every class evenly over the folds.
    """
    if by_content:
        found = arranged(dataset)
        plan = make_plan(found.dataset, n_folds, inner, random_state, repeat, stratify)
        return plan.moved(found.order)
    key = _ranks(dataset.y)
    everything = np.arange(dataset.n_rows)
    seed = derive_seed(random_state, "folds", repeat, key)
    folds = _split(dataset, everything, n_folds, seed, stratify)
    trains = [everything, *(_without(everything, fold) for fold in folds)]
    names = ["all", *(f"-{k}" for k in range(n_folds))]
    tests: list[InnerFits] = []
    if inner == "shared":
        fit_of: dict[tuple[int, int], int] = {}
        for j, k in combinations(range(n_folds), 2):
            fit_of[j, k] = fit_of[k, j] = len(trains)
            trains.append(_without(trains[1 + j], folds[k]))
            names.append(f"-{j}-{k}")
        others = [[j for j in range(n_folds) if j != k] for k in range(n_folds)]
        tests = [tuple((fit_of[j, k], folds[j]) for j in others[k]) for k in range(n_folds)]
    elif inner == "fresh":
        for k in range(n_folds):
            seed = derive_seed(random_state, "inner", repeat, k, key)
            split = _split(dataset, trains[1 + k], n_folds, seed, stratify)
            tests.append(tuple((len(trains) + j, part) for j, part in enumerate(split)))
            trains += [_without(trains[1 + k], part) for part in split]
            names += [f"-{k}-fresh{j}" for j in range(n_folds)]
    return Plan(tuple(trains), tuple(names), tuple(folds), tuple(tests))


def _without(rows: Array, fold: Array) -> Array:
    """Return sorted rows without those of a fold."""
    left = np.zeros(rows[-1] + 1, dtype=bool)
    left[rows] = True
    left[fold] = False
    return np.flatnonzero(left)


def _ranks(y: Array) -> bytes:
    """Return the ranks of the labels as bytes: folds do not depend on units or names."""
    return np.unique(y, return_inverse=True)[1].astype(np.int64).tobytes()


def drawn(
    y: Array, n_folds: int, seed: int, *, stratify: bool, groups: Array | None
) -> list[Array]:
    """Return the rows of each fold.

    With `stratify`, every value of y is spread evenly over the folds; rows of one group stay together.
    """
    if groups is None:
        splitter = StratifiedKFold if stratify else KFold
    else:
        splitter = StratifiedGroupKFold if stratify else GroupKFold
    made = splitter(n_folds, shuffle=True, random_state=seed)
    return [test for _, test in made.split(np.zeros((len(y), 1)), y, groups)]


def _split(dataset: Dataset, rows: Array, n_folds: int, seed: int, stratify: bool) -> list[Array]:
    """Return the rows of each fold of a plan; refuse folds that nothing can be learned from."""
    y = dataset.y[rows]
    groups = None if dataset.groups is None else dataset.groups[rows]
    check_rows(dataset, y, n_folds)
    if groups is not None:
        check_groups(dataset, groups, n_folds)
    tests = drawn(y, n_folds, seed, stratify=bool(dataset.classes) and stratify, groups=groups)
    folds = [rows[test] for test in tests]
    if groups is not None or not stratify:
        cause = "Groups" if groups is not None else "Folds drawn without strata"
        _check_folds(dataset, folds, cause)
    return folds


def _check_folds(dataset: Dataset, folds: list[Array], cause: str) -> None:
    if any(len(fold) == 0 for fold in folds):
        raise DatakinError(
            f"{cause} of {dataset.name!r} are too few or too large to fill {len(folds)} folds: "
            f"one fold stayed empty. Use fewer folds (cv / --cv) or finer groups."
        )
    if not dataset.classes:
        return
    present = [np.bincount(dataset.y[fold], minlength=len(dataset.classes)) for fold in folds]
    total = np.sum(present, axis=0)
    for first, second in combinations(present, 2):
        lost = np.flatnonzero((total > 0) & (total - first - second <= 0))
        if len(lost):
            raise DatakinError(
                f"{cause} of {dataset.name!r} put all rows of class {dataset.classes[lost[0]]!r} into "
                f"two folds, so that a fit would never see it. Use fewer folds (cv / --cv) or finer "
                f"groups."
            )


def draw_folds(
    y: Array, is_class: bool, groups: Array | None, seed: int, n_folds: int | None = None
) -> Array:
    """Return the fold of each row.

    Folds depend on the order of the labels (class codes, or numbers) and on nothing else of the data. Rows of
    one group stay in one fold. There are ten folds by default; fewer where there are few rows or groups, or
    very many rows.
    """
    n_groups = None if groups is None else len(np.unique(groups))
    if n_groups is not None and n_groups < 2:
        raise DatakinError(
            "All rows of the target belong to one group: no row can be predicted without its group. "
            "Leave out group, or use a finer one."
        )
    usual = FEWER if len(y) > MANY_ROWS else FOLDS
    most = min(usual, len(y) // 2, len(y) if n_groups is None else n_groups)
    wanted = max(2, most if n_folds is None else min(n_folds, most))
    state = derive_seed(seed, "stack folds", _ranks(y))
    counts = np.unique(y, return_counts=True)[1] if is_class else np.array([wanted])
    # A class with fewer rows than folds is spread as far as it goes.
    stratify = is_class and (groups is not None or counts.max() >= wanted)
    found = np.zeros(len(y), dtype=int)
    with unheard(UserWarning) if counts.min() < wanted or groups is not None else nullcontext():
        for k, test in enumerate(drawn(y, wanted, state, stratify=stratify, groups=groups)):
            found[test] = k
    return np.unique(found, return_inverse=True)[1]
