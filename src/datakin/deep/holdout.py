"""Hold-out splits, and the errors of heads on them, in the form that all scores share.

A repeat splits each dataset once. Beside the head on all training rows, one is fitted without each
of K fixed folds: their errors tell how much the head depends on its training rows (delete-a-fold
jackknife), and what fewer rows would cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

from datakin._core.exceptions import DatakinError, listed
from datakin._core.repeatability import derive_seed
from datakin.cross_errors.options import Options
from datakin.cross_errors.predictions import PlanReading
from datakin.cross_errors.records import Errors, PlanPredictions, Trained
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.deep.heads import Head, HeadOptions, fit_head
from datakin.execution.units import labels_of
from datakin.learners.ensemble import View
from datakin.learners.folds import Plan, make_plan
from datakin.learners.losses import Labels, Loss, choose_loss

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
    """The head of a dataset, its versions without each fold, and how their predictions are read."""

    fitted: Sequence[Head]
    reading: PlanReading


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


def fit_heads(
    Z: Array, dataset: Dataset, split: Split, head: HeadOptions, seed: int, options: Options
) -> Heads:
    """Fit the head of a dataset on embeddings of its training rows, and without each fold."""
    n_classes, y = len(dataset.classes), dataset.y
    trains = [split.train, *(np.setdiff1d(split.train, fold) for fold in split.folds)]
    fitted = [
        fit_head(Z[rows], y[rows], n_classes, head, derive_seed(seed, "head", k))
        for k, rows in enumerate(trains)
    ]
    made = PlanPredictions(
        dataset.name,
        y[split.train],
        dataset.classes,
        (f"{head.kind} head",),
        (False,),
        Plan(tuple(trains), (), split.folds, ()),
        scores=(),
        held_out=(),
        n_rows=dataset.n_rows,
        n_fits=len(fitted),
    )
    shares = np.ones(1)
    if n_classes:
        shares = np.bincount(made.y, minlength=n_classes) / len(made.y)
    view = View([None], shares, np.ones(1))
    views = view, [view] * len(split.folds)
    loss = choose_loss(options.resolved_loss, dataset)
    return Heads(fitted, PlanReading(made, loss, options, labels_of(dataset), views))


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
    Z : ndarray of shape (n, d)
        Embeddings of the tested dataset, by the encoder that the heads were fitted on.
    other : Dataset
        The tested dataset.
    split : Split
        Of the tested dataset.
    classes : tuple of str
        Union of the classes of the pair.
    left_out : ndarray of bool
        Rows of the tested dataset that stand in the other one too.
    """
    test = split.test
    if left_out[test].all():
        raise DatakinError(
            f"Two datasets must differ in their test rows. All of {other.name!r} also stand in the "
            f"other one: remove them there."
        )
    labels = Labels(other.name, other.y[test], other.classes)
    scores = [[head.predict(Z[test])] for head in heads.fitted]
    found = heads.reading.test_on(labels, scores, loss, classes, left_out[test])

    def placed(values: Array) -> Array:
        """Return numbers of the test rows at their places among all rows, which differ by repeat."""
        whole = np.zeros((*values.shape[:-1], other.n_rows))
        whole[..., test] = values
        return whole

    rows = {size: placed(found.rows[size]) for size in ("fold", "inner", "full")}
    return replace(found, rows=rows, weights=placed(found.weights))


def own_record(errors: Errors, split: Split, label: str) -> Trained:
    """Return what the scores keep of a dataset: its own errors, and one head of weight 1."""
    weights, n_fits = np.ones((FOLDS, 1)), 1 + FOLDS
    return Trained(errors, np.ones(1), weights, split.folds, n_fits, (), {label: "datakin.deep"})
