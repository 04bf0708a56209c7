"""Hold-out splits, and the errors of heads on them, in the form that all scores share.

A repeat splits each dataset once. Beside the head on all training rows, one is fitted without each
of K fixed folds: their errors tell how much the head depends on its training rows (delete-a-fold
jackknife), and what fewer rows would cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

from datakin._core.exceptions import DatakinError, listed
from datakin._core.repeatability import derive_seed
from datakin.cross_errors.records import Errors, Trained, kept_weights, least_error
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.deep.heads import HeadOptions, fit_head
from datakin.learners.ensemble import View, losses_of_fits
from datakin.learners.folds import make_plan
from datakin.learners.losses import Loss

__all__ = [
    "FOLDS",
    "Heads",
    "Split",
    "check_classes",
    "errors_on",
    "fit_heads",
    "make_split",
    "own_record",
]

FOLDS = 5
ATTEMPTS = 50


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows of one repeat, and the folds that are the same in all."""

    train: Array
    test: Array
    folds: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Heads:
    """The head of a dataset and its versions without each fold."""

    dataset: Dataset
    full: Any
    without: Sequence[Any]
    view: View
    n_train: dict[str, float]
    label: str


def make_split(dataset: Dataset, test_size: float, random_state: int, repeat: int) -> Split:
    """Draw a split from the seed, the repeat and the labels; groups stay together."""
    check_classes(dataset, FOLDS)
    folds = make_plan(dataset, FOLDS, "shared", random_state).folds
    labels = np.unique(dataset.y, return_inverse=True)[1].astype(np.int64)
    rows, groups = np.arange(dataset.n_rows), dataset.groups
    make: Any = StratifiedShuffleSplit if dataset.classes else ShuffleSplit
    if groups is not None:
        make = GroupShuffleSplit
    for attempt in range(ATTEMPTS):
        seed = derive_seed(random_state, "holdout", repeat, attempt, labels.tobytes())
        try:
            splitter = make(1, test_size=test_size, random_state=seed)
            train, test = next(iter(splitter.split(rows, dataset.y, groups)))
        except ValueError as error:
            raise DatakinError(
                f"{dataset.name!r} cannot be split with test_size {test_size}: {error}"
            ) from None
        n_classes = len(dataset.classes)
        if not n_classes or min(
            len(np.unique(dataset.y[part])) == n_classes for part in (train, test)
        ):
            return Split(np.sort(train), np.sort(test), folds)
    raise DatakinError(
        f"No split of {dataset.name!r} has every class on both sides: its groups hold too much of one "
        f"class. Use finer groups, or another test_size."
    )


def check_classes(dataset: Dataset, least: int) -> None:
    """Refuse classes with fewer rows than there are folds."""
    if not dataset.classes:
        return
    counts = np.bincount(dataset.y, minlength=len(dataset.classes))
    rare = [f"{c} ({n})" for c, n in zip(dataset.classes, counts, strict=True) if n < least]
    if rare:
        raise DatakinError(
            f"Every class must have at least {least} rows, so that both sides of a split have some. "
            f"Got {listed(rare)} in {dataset.name!r}; merge classes (classes=), or leave them out."
        )


def fit_heads(Z: Array, dataset: Dataset, split: Split, options: HeadOptions, seed: int) -> Heads:
    """Fit the head of a dataset on embeddings of its training rows, and without each fold."""
    n_classes, y = len(dataset.classes), dataset.y
    trains = [np.setdiff1d(split.train, fold) for fold in split.folds]
    full, *without = (
        fit_head(Z[rows], y[rows], n_classes, options, derive_seed(seed, "head", k))
        for k, rows in enumerate([split.train, *trains])
    )
    shares = np.ones(1)
    if n_classes:
        shares = np.bincount(y[split.train], minlength=n_classes) / len(split.train)
    n_train = float(len(split.train))
    sizes = {"all": float(dataset.n_rows), "full": n_train, "fold": n_train}
    sizes["inner"] = float(np.mean([len(rows) for rows in trains]))
    view = View([None], shares, np.ones(1))
    return Heads(dataset, full, without, view, sizes, f"{options.kind} head")


def errors_on(
    heads: Heads,
    Z: Array,
    other: Dataset,
    split: Split,
    loss: Loss,
    classes: tuple[str, ...],
    left_out: Array,
) -> Errors:
    """Return the errors of heads on the test rows of a dataset, their own or another one.

    Parameters
    ----------
    heads : Heads
    Z : ndarray of shape (n, d)
        Embeddings of the tested dataset, by the encoder that the heads were fitted on.
    other : Dataset
        The tested dataset.
    split : Split
        Of the tested dataset.
    loss : Loss
    classes : tuple of str
        Union of the classes of the pair.
    left_out : ndarray of bool
        Rows of the tested dataset that stand in the other one too.
    """
    test = split.test
    position = {name: code for code, name in enumerate(classes)}
    own = np.array([position[name] for name in heads.dataset.classes], dtype=int)
    y = other.y[test]
    if classes:
        y = np.array([position[name] for name in other.classes])[y]
    weights = _test_weights(loss, other, test, left_out)

    def losses(head: Any) -> Array:
        scores, views = [[head.predict(Z[test])]], [heads.view]
        found = losses_of_fits(scores, views, y, loss, own=own, names=classes, voting="soft")
        return np.asarray(found[0])

    parts = [losses(head) for head in heads.without]
    rows = {size: np.zeros((3, other.n_rows)) for size in ("fold", "inner")}
    rows["fold"][:, test] = losses(heads.full)
    rows["inner"][:, test] = np.mean(parts, axis=0)
    # The head has seen the training rows and no others: "full" and "fold" are one and the same.
    rows["full"] = rows["fold"]
    by_fold = np.column_stack([part @ weights[test] for part in parts])
    return Errors(
        heads.dataset.name,
        other.name,
        (heads.label,),
        rows,
        {"fold": by_fold, "inner": by_fold},
        weights,
        heads.n_train,
        least_error(loss, weights),
    )


def _test_weights(loss: Loss, dataset: Dataset, test: Array, left_out: Array) -> Array:
    """Return weights that sum to 1 over the test rows kept (over each class alike if balanced)."""
    kept = np.zeros(dataset.n_rows, dtype=bool)
    kept[test] = True
    kept[left_out] = False
    if not kept.any():
        raise DatakinError(
            f"Two datasets must differ in their test rows. All of {dataset.name!r} also stand in the "
            f"other one: remove them there."
        )
    return kept_weights(loss, dataset, kept)


def own_record(errors: Errors, split: Split, label: str, n_fits: int) -> Trained:
    """Return what the scores keep of a dataset: its own errors, and one head of weight 1."""
    weights = np.ones((len(split.folds), 1))
    return Trained(errors, np.ones(1), weights, split.folds, n_fits, (), {label: "datakin.deep"})
