"""Losses row by row, and what is kept of a dataset's plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learning.engine import FitFailure
from datakin.learning.losses import Loss

__all__ = ["Errors", "Learner", "kept_weights", "least_error"]


@dataclass(frozen=True, eq=False)
class Errors:
    """Losses of one dataset's predictors on one dataset's rows.

    Predictors come in three sizes: "full" (trained on all rows), "fold" (one fold held out) and
    "inner" (two held out). The rows of the arrays are the models, then "ensemble", then "average"
    (the models' losses averaged with the ensemble's weights).

    Attributes
    ----------
    rows : mapping of size to ndarray of shape (M + 2, n)
        Loss on each row, averaged over the predictors of that size. A cross-validated own error
        has no "full": a predictor trained on all rows cannot be tested on them. A cross error has
        no "inner" if the limit was not asked for.
    means : mapping of size to ndarray of shape (M + 2, K)
        Mean loss of the predictors that left out fold k.
    weights : ndarray of shape (n,)
        Weight of each tested row in the mean; 0 for a row that also stands in the other dataset.
    n_train : mapping of size to float
        Mean number of training rows; "all" is the number of rows there are, which is more than
        "full" where the score comes from samples.
    least : float
        What one more error on one row would add to the mean (0-1 losses; 0 for others). Errors
        that do not vary at all are not known any better than this.
    pooled : ndarray of shape (n,) or None
        Loss on each row of a predictor trained on both datasets, without the row's fold; of one
        model, and only where such a pool was tried.
    """

    trained_on: str
    tested_on: str
    models: tuple[str, ...]
    rows: Mapping[str, Array]
    means: Mapping[str, Array]
    weights: Array
    n_train: Mapping[str, float]
    least: float = 0.0
    pooled: Array | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows of the arrays."""
        return (*self.models, "ensemble", "average")

    def error(self, size: str) -> Array:
        """Return the mean loss of every model, the ensemble and the average."""
        return np.asarray(self.rows[size] @ self.weights)


@dataclass(frozen=True, eq=False)
class Learner:
    """What is kept of a dataset's plan once its predictions are made: errors and weights.

    Attributes
    ----------
    own : Errors
        The errors of the dataset on itself: cross-validated, or on rows held out of everything.
    full_weights : ndarray of shape (M,)
        Ensemble weights from all rows; 0 for a model that failed.
    fold_weights : ndarray of shape (K, M)
        Ensemble weights from the rows outside each fold.
    folds : tuple of ndarray
        The own errors' rows in K parts: the folds, or parts of the rows held out.
    n_fits : int
    failures : tuple of FitFailure
    backends : mapping of str to str
        What fitted each model.
    """

    own: Errors
    full_weights: Array
    fold_weights: Array
    folds: tuple[Array, ...]
    n_fits: int
    failures: tuple[FitFailure, ...]
    backends: Mapping[str, str] = field(default_factory=dict)

    @property
    def row_weights(self) -> Array:
        """The ensemble weights w(-k) that belong to each row of fold k, shape (n, M)."""
        weights = np.empty((len(self.own.weights), self.fold_weights.shape[1]))
        for k, fold in enumerate(self.folds):
            weights[fold] = self.fold_weights[k]
        return weights


def least_error(loss: Loss, weights: Array) -> float:
    """Return what one more error on one row would add to the mean; 0 where losses are no counts."""
    return float(weights.max()) if loss.needs == "label" and not loss.by_name else 0.0


def kept_weights(loss: Loss, dataset: Dataset, kept: Array) -> Array:
    """Return row weights that sum to 1 over the rows kept (over each class alike if balanced)."""
    weights = kept.astype(float)
    if loss.balanced:
        counts = np.bincount(dataset.y[kept], minlength=len(dataset.classes))
        weights = weights / np.maximum(counts, 1)[dataset.y]
    total = weights.sum()
    return weights / total if total else weights
