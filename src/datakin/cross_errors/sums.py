"""What is kept of a direction of a pair where not all of its losses are: few of them, or sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from datakin.cross_errors.records import Errors
from datakin.data.features import Array

__all__ = ["Grams", "SlimErrors", "WaySums", "slimmed"]

SIZES = ("full", "fold")
NOTHING: Mapping[str, Array] = {}


@dataclass(frozen=True, eq=False)
class SlimErrors(Errors):
    """Cross errors of which only what sums need is kept row by row.

    Attributes
    ----------
    outputs : tuple of str
        The models or aggregates whose losses are kept: on each row for both sizes.
    losses : ndarray of shape (2 * outputs, n)
        As whole numbers of errors where losses are counts, which take an eighth of the room.
    n_predictors : int
        What such numbers are divided by; 0 if the losses are kept as they are.
    errors : ndarray of shape (2, M + 2)
        Mean loss of every model, the ensemble and the average, for both sizes.
    folds : ndarray of shape (outputs, K)
        Mean loss of the outputs without each fold.
    """

    outputs: tuple[str, ...] = ()
    losses: Array = field(default_factory=lambda: np.empty(0))
    n_predictors: int = 0
    errors: Array = field(default_factory=lambda: np.empty(0))
    folds: Array = field(default_factory=lambda: np.empty(0))

    @property
    def n_folds(self) -> int:
        """How many versions of the predictors there are, each without a fold."""
        return int(self.folds.shape[1])

    @property
    def failed(self) -> Array:
        """Which models have no losses."""
        return np.isnan(self.errors[1, :-2])

    @property
    def has_inner(self) -> bool:
        """Whether predictors without two folds were tested."""
        return False

    def row(self, size: str, name: str) -> Array:
        """Return the loss on each row of one of the outputs."""
        found = self.losses[2 * self.outputs.index(name) + SIZES.index(size)]
        return np.asarray(found / self.n_predictors) if self.n_predictors else found

    def replicates(self, name: str) -> Array:
        """Return the mean loss of one of the outputs without each fold."""
        return np.asarray(self.folds[self.outputs.index(name)])

    def mean(self, size: str, name: str) -> float:
        """Return the mean loss of one model or aggregate."""
        return float(self.errors[SIZES.index(size), self.names.index(name)])


def slimmed(errors: Errors, outputs: Sequence[str]) -> SlimErrors:
    """Return errors of which only some outputs are kept row by row."""
    rows = np.array([errors.row(size, name) for name in outputs for size in SIZES])
    n_predictors = errors.n_folds
    counts = np.rint(rows * n_predictors)
    are_counts = bool(counts.min() >= 0 and counts.max() <= 255)  # NaN is not
    are_counts = are_counts and bool((counts / n_predictors == rows).all())
    return SlimErrors(
        errors.trained_on,
        errors.tested_on,
        errors.models,
        NOTHING,
        NOTHING,
        errors.weights,
        errors.n_train,
        errors.least,
        tuple(outputs),
        counts.astype(np.uint8) if are_counts else rows,
        n_predictors if are_counts else 0,
        np.array([[row @ errors.weights for row in errors.rows[size]] for size in SIZES]),
        np.array([errors.replicates(name) for name in outputs]),
    )


@dataclass(frozen=True, eq=False, slots=True)
class WaySums:
    """One direction of a pair without its rows: what `datakin.scoring.ways` reads scores from.

    Attributes
    ----------
    models : tuple of str
        Those that work on both datasets.
    sizes : tuple of str
        The scores that can be had: "paper", "matched" and perhaps "limit".
    estimate : str
        What the sums are of.
    parts : ndarray of shape (S, 4 + K)
        For each size cross error, own error, variance from the tested rows, least standard error, and
        the cross errors without each fold.
    by_model : ndarray of shape (M, S, 2)
        Cross and own error of every model.
    own : ndarray of shape (3,)
        The tested dataset's own error, and its standard error from rows and from folds.
    curve : ndarray
        The numbers of the tested dataset's learning curve.
    weights : ndarray
        Ensemble weights of the tested dataset, for all models.
    """

    trained_on: str
    tested_on: str
    models: tuple[str, ...]
    sizes: tuple[str, ...]
    estimate: str
    parts: Array
    by_model: Array
    own: Array
    curve: Array
    weights: Array
    all_models: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Grams:
    """How the losses of a target's sources vary together, summed over the target's rows.

    Attributes
    ----------
    size : str
        The score whose losses `products` are of.
    products : ndarray of shape (m, m)
        Sums of products of what each row (or group) adds to the sources' errors.
    n : int
        Number of rows, or groups.
    """

    sources: tuple[str, ...]
    size: str
    products: Array
    n: int

    def only(self, names: Iterable[str]) -> Grams:
        """Return the sums of some of the sources."""
        wanted = set(names)
        at = [i for i, name in enumerate(self.sources) if name in wanted]
        kept = tuple(self.sources[i] for i in at)
        return Grams(kept, self.size, self.products[np.ix_(at, at)], self.n)
