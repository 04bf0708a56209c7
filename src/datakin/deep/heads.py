"""Heads: small models fitted on the embeddings of one dataset, and their errors on hold-out splits.

A linear head is logistic regression (ridge regression for numbers) on standardised embeddings, with
scikit-learn's L2 penalty and at its optimum. Small ones are solved by the package's own Newton
method, large ones by scikit-learn.

A repeat splits each dataset once. Beside the head on all training rows, one is fitted without each
of K fixed folds: their errors tell how much the head depends on its training rows (delete-a-fold
jackknife), and what fewer rows would cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit
from torch import nn

from datakin._core.exceptions import DatakinError, listed
from datakin._core.repeatability import derive_seed
from datakin._core.warned import unheard
from datakin.cross_errors.options import Options
from datakin.cross_errors.predictions import PlanReading
from datakin.cross_errors.records import Errors, PlanPredictions, Trained
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.deep.training import Training, fit_network, seeded
from datakin.execution.units import labels_of
from datakin.learners.ensemble import View
from datakin.learners.fitters import MOST_PARAMETERS
from datakin.learners.folds import Plan, make_plan
from datakin.learners.losses import Labels, Loss, choose_loss
from datakin.learners.newton import logistic

Model = Callable[[Array], Array]
FOLDS = 5
ATTEMPTS = 50


@dataclass(frozen=True)
class HeadOptions:
    """The kind of head, and how it is fitted.

    The scale "whole" divides all features by one number. It is for an encoder that was trained on both
    datasets, whose features are already on one scale: a feature that hardly varies in one dataset must not
    become large in the other.
    """

    kind: str  # "linear" or "mlp"
    C: float  # inverse strength of the linear head's penalty, as in scikit-learn
    hidden: int  # units of the MLP
    device: Any
    scale: str = "each"  # or "whole"


@dataclass(frozen=True, eq=False)
class Head:
    """A fitted head: from embeddings to probabilities of the classes it was trained on, or to values."""

    model: Model
    codes: Array  # the classes of the training rows
    n_classes: int  # of all classes; 0 for regression

    def predict(self, Z: Array) -> Array:
        """Return probabilities (n, n_classes), 0 for classes without training rows, or values (n, 1)."""
        found = np.asarray(self.model(Z))
        if len(self.codes) == self.n_classes:
            return found
        full = np.zeros((len(Z), self.n_classes))
        full[:, self.codes] = found
        return full


def fit_head(Z: Array, y: Array, n_classes: int, options: HeadOptions, seed: int) -> Head:
    """Fit a head on embeddings of shape (n, d); without classes `y` holds numbers."""
    codes, targets = np.zeros(0, dtype=int), y
    if n_classes:
        codes, targets = np.unique(y, return_inverse=True)
    if len(codes) == 1:
        return Head(lambda Z: np.ones((len(Z), 1)), codes, n_classes)
    mean, spread = _scale(Z, options.scale)

    def scaled(Z: Array) -> Array:
        return np.asarray((Z - mean) / spread)

    fit = _mlp if options.kind == "mlp" else _linear
    model = fit(scaled(Z), targets, len(codes), options, seed)
    return Head(lambda Z: model(scaled(Z)), codes, n_classes)


def _scale(Z: Array, scale: str) -> tuple[Array, Array]:
    """Return what features are standardised by: the means and the spreads of the training rows."""
    mean, spread = Z.mean(axis=0), Z.std(axis=0)
    if scale == "whole":
        spread = np.full(len(spread), np.sqrt(np.mean(spread**2)))
    return mean, np.where(spread > 1e-12 * (1 + np.abs(mean)), spread, 1.0)


def _linear(X: Array, y: Array, n_classes: int, options: HeadOptions, _: int) -> Model:
    """Fit logistic regression, or ridge regression for numbers."""
    few, back = _reduce(X)
    if n_classes:
        beta = _logistic(few, y, n_classes, options.C)
    else:
        beta = _ridge(few, y, 1.0 / options.C)
    coefficients, intercept = back @ beta[:-1], beta[-1]

    def model(X: Array) -> Array:
        eta = X @ coefficients + intercept
        if n_classes == 2:
            return np.hstack([expit(-eta), expit(eta)])
        return np.asarray(softmax(eta, axis=1) if n_classes else eta)

    return model


def _mlp(X: Array, y: Array, n_classes: int, options: HeadOptions, seed: int) -> Model:
    """Fit a network with one hidden layer."""
    given = X.astype(np.float32)
    with seeded(seed):
        net = nn.Sequential(nn.Linear(X.shape[1], options.hidden), nn.ReLU())
        out, centre, unit = fit_network(
            net,
            nn.Linear(options.hidden, n_classes or 1),
            lambda rows: given[rows],
            y,
            np.arange(len(given)),
            n_classes=n_classes,
            training=Training(60, 64, 3e-3, 8, options.device),
            seed=seed,
        )

    def model(X: Array) -> Array:
        rows = torch.from_numpy(X.astype(np.float32)).to(options.device)
        with torch.no_grad():
            found = out(net(rows)).double().cpu().numpy()
        return np.asarray(softmax(found, axis=1) if n_classes else found * unit + centre)

    return model


def _reduce(X: Array) -> tuple[Array, Array]:
    """Return the rows in at most as many dimensions as there are rows, and the matrix back.

    With an L2 penalty the best coefficients lie in the span of the rows, so nothing is lost.
    """
    n, p = X.shape
    if p <= n:
        return X, np.eye(p)
    left, sizes, right = np.linalg.svd(X, full_matrices=False)
    return left * sizes, right.T


def _logistic(X: Array, y: Array, n_classes: int, C: float) -> Array:
    columns = 1 if n_classes == 2 else n_classes
    shape = (X.shape[1] + 1, columns)
    if shape[0] * columns <= MOST_PARAMETERS:
        found = logistic(X, y, n_classes, 1.0 / C, np.zeros(shape))
        if found is not None:
            return found
    model = LogisticRegression(C=C, solver="newton-cg", tol=1e-10, max_iter=5000)
    # Close to the optimum its line search can fail through rounding, and then it warns.
    with unheard():
        model.fit(X, y)
    return np.vstack([model.coef_.T, model.intercept_[None]])


def _ridge(X: Array, y: Array, penalty: float) -> Array:
    # X is centred: the intercept is the mean, and has no penalty.
    gram = X.T @ X + penalty * np.eye(X.shape[1])
    beta = np.linalg.solve(gram, X.T @ (y - y.mean()))
    return np.vstack([beta[:, None], [[y.mean() - X.mean(axis=0) @ beta]]])


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

    `Z` are embeddings of that dataset by the heads' encoder, `classes` those of the pair; rows that are
    `left_out` stand in the other dataset, too.
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
