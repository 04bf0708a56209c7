"""Support vector machines, linear and radial, as scikit-learn's SVC and SVR give them.

For several classes that is SVC with break_ties=True: one vote for every pair of classes, and the
sum of confidences where votes tie. libsvm does most radial fits. With a Gram matrix from one matrix
product it needs half the time that it takes with entries it computes one by one. Predictions are a
matrix product too, about fifteen times as fast as libsvm's.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.svm import SVC

from datakin.data.features import Array
from datakin.learners.fitters import GenericFitter, partly
from datakin.learners.paper_models import minimise_hinge, regress, train

__all__ = ["LinearSVMFitter", "RadialSVMFitter", "RadialSum", "gram_matrix"]

FEWEST_ENTRIES = 2500  # rows x columns; with fewer, libsvm's linear kernel is as fast (classes)
MOST_GRAM_BYTES = 1.25 * 2**30  # 12,900 rows; beyond, libsvm computes entries as it needs them
BLOCK = 2**19  # kernel entries computed at a time, few enough for the processor's cache
HONOURED = ("C", "epsilon", "tol", "shrinking", "cache_size", "break_ties", "random_state")


class _Votes:
    """Decision values from one machine for every pair of classes."""

    def __init__(self, values: Callable[[Array], Array], n_classes: int) -> None:
        self.values, self.n_classes = values, n_classes

    def decision_function(self, X: Array) -> Array:
        """Return one value for two classes, else one per class: votes plus bounded confidence."""
        values = self.values(X)
        if self.n_classes == 2:
            return values[:, 0]
        first, second = np.array(list(combinations(range(self.n_classes), 2))).T
        rises = np.zeros((len(first), self.n_classes))
        rises[np.arange(len(first)), second] = 1.0
        falls = np.zeros_like(rises)
        falls[np.arange(len(first)), first] = 1.0
        confidence = values @ (rises - falls)
        votes = (values > 0) @ rises + (values <= 0) @ falls
        return np.asarray(votes + confidence / (3 * (np.abs(confidence) + 1)))


class _Values:
    """One value per row: a regression."""

    def __init__(self, values: Callable[[Array], Array]) -> None:
        self.values = values

    def predict(self, X: Array) -> Array:
        return self.values(X)[:, 0]


class _Plane:
    """x w + b for one or several pairs (w, b)."""

    def __init__(self, beta: Array) -> None:
        self.beta = beta

    def __call__(self, X: Array) -> Array:
        return np.asarray(X @ self.beta[:-1] + self.beta[-1])


def _wrap(values: Callable[[Array], Array], y: Array, is_class: bool) -> Any:
    return _Votes(values, int(y.max()) + 1) if is_class else _Values(values)


class LinearSVMFitter:
    """SVC or SVR with a linear kernel: our interior point method, libsvm on few rows."""

    name = "libsvm"
    honoured = ("kernel", "gamma", *HONOURED)

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.is_class = isinstance(estimator, SVC)
        self.is_large: bool | None = None

    @staticmethod
    def serves(estimator: Any) -> bool:
        """Return whether this fitter can do what the estimator's options say."""
        return bool(estimator.kernel == "linear" and estimator.C > 0)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with decision_function (classes) or predict."""
        if X.shape[1] == 0:
            return GenericFitter(self.estimator).fit(X, y, seed)
        beta = self._interior_point(X, y) if self._suits(X) else None
        if beta is None:
            if self.is_large:
                self.name = partly("interior point", "libsvm")
            support, weights, intercepts = train(self.estimator, "linear", X, y)
            beta = np.vstack([X[support].T @ weights, intercepts])
        return _wrap(_Plane(beta), y, self.is_class)

    def _suits(self, X: Array) -> bool:
        """Return whether the interior point method pays.

        Decided once, on the first training set, which is the largest. A step costs rows x columns^2.
        libsvm takes many times more steps for regression than for classes.
        """
        if self.is_large is None:
            if self.is_class:
                self.is_large = X.size >= FEWEST_ENTRIES and 2 * X.shape[1] <= len(X)
            else:
                self.is_large = X.shape[1] <= len(X)
            self.name = "interior point" if self.is_large else "libsvm"
        return self.is_large

    def _interior_point(self, X: Array, y: Array) -> Array | None:
        cost = float(self.estimator.C)
        if not self.is_class:
            signs = np.ones((2, len(y))) * [[1.0], [-1.0]]
            beta = minimise_hinge(X, signs, signs * y - float(self.estimator.epsilon), cost)
            return None if beta is None else beta[:, None]
        found = []
        for i, j in combinations(range(int(y.max()) + 1), 2):
            rows = (y == i) | (y == j)
            labels = np.where(y[rows] == j, 1.0, -1.0)[None]
            beta = minimise_hinge(X[rows], labels, np.ones_like(labels), cost)
            if beta is None:
                return None
            found.append(beta)
        return np.column_stack(found)


class RadialSVMFitter:
    """SVC or SVR with a radial kernel: libsvm, and the active set method for regression."""

    name = "libsvm"
    honoured = ("kernel", "gamma", *HONOURED)
    room = np.empty(0)

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.is_class = isinstance(estimator, SVC)
        self.found: list[Array] = []  # weights of the plan's fits, NaN for rows not in a fit
        self.follows = True

    @staticmethod
    def serves(estimator: Any) -> bool:
        """Return whether this fitter can do what the estimator's options say."""
        gamma = estimator.gamma
        is_known = gamma in ("scale", "auto") if isinstance(gamma, str) else gamma > 0
        return bool(estimator.kernel == "rbf" and estimator.C > 0 and is_known)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with decision_function (classes) or predict."""
        if X.shape[1] == 0:
            return GenericFitter(self.estimator).fit(X, y, seed)
        gamma = self._gamma(X)
        if 8 * len(X) ** 2 > MOST_GRAM_BYTES:
            return self._made(X, y, *train(self.estimator, "rbf", X, y, gamma), gamma)
        self.name = "libsvm on a Gram matrix" if self.is_class else "libsvm and active set"
        if self.room.size < len(X) ** 2:
            self.room = np.empty(len(X) ** 2)  # large enough for the plan's other fits
        gram = gram_matrix(X, gamma, self.room)
        if not self.is_class:
            return self._made(X, y, *self._regression(gram, y, rows), gamma)
        return self._made(X, y, *train(self.estimator, "precomputed", gram, y), gamma)

    def _regression(self, gram: Array, y: Array, rows: Array | None) -> tuple[Array, Array, float]:
        """Return support, weights and intercept, starting from a fit on more rows if there is one.

        Otherwise libsvm gives the start: it stops at a tolerance, and the active set method goes on
        from there to the optimum.
        """
        cost, margin = float(self.estimator.C), float(self.estimator.epsilon)
        start, found = self._nearest(rows), None
        if start is not None:
            found = regress(gram, y, cost, margin, start)
            self.follows = found is not None  # if it failed here, it would fail in the next fit
        if found is None:
            support, weights, intercepts = train(self.estimator, "precomputed", gram, y)
            start = np.zeros(len(y))
            start[support] = weights[:, 0]
            found = regress(gram, y, cost, margin, start) or (start, intercepts[0])
        weights, intercept = found
        if self.follows and rows is not None:
            kept = np.full(rows.max() + 1, np.nan)
            kept[rows] = weights
            self.found.append(kept)
        support = np.flatnonzero(weights)
        return support, weights[support, None], intercept

    def _nearest(self, rows: Array | None) -> Array | None:
        """Return the weights of the plan's smallest fit that had all these rows."""
        if not self.follows or rows is None:
            return None
        larger = [w for w in self.found if len(w) > rows.max() and not np.isnan(w[rows]).any()]
        return min(larger, key=lambda w: np.count_nonzero(~np.isnan(w)))[rows] if larger else None

    def _gamma(self, X: Array) -> float:
        gamma = self.estimator.gamma
        if gamma == "scale":
            variance = X.var()
            return 1.0 / (X.shape[1] * variance) if variance else 1.0
        return 1.0 / X.shape[1] if gamma == "auto" else float(gamma)

    def _made(self, X: Array, y: Array, support: Array, *parts: Any) -> Any:
        return _wrap(RadialSum(X[support], *parts), y, self.is_class)


class RadialSum:
    """Weighted sums of radial kernels around some vectors.

    Parameters
    ----------
    vectors : ndarray of shape (m, p)
    weights : ndarray of shape (m, k)
    intercepts : ndarray of shape (k,) or float
    gamma : float
    """

    def __init__(
        self, vectors: Array, weights: Array, intercepts: Array | float, gamma: float
    ) -> None:
        self.weights, self.intercepts = weights, intercepts
        self.exponents = _exponents(vectors, gamma)

    def __call__(self, X: Array) -> Array:
        """Return the sums at some rows, shape (n, k)."""
        n_vectors = len(self.weights)
        values = np.empty((len(X), self.weights.shape[1]))
        step = _rows_at_a_time(n_vectors)
        for i in range(0, len(X), step):
            part = X[i : i + step]
            kernel = self.exponents(part, _kept.room(len(part), n_vectors))
            values[i : i + step] = np.exp(kernel, out=kernel) @ self.weights
        return values + self.intercepts


class _Kept(threading.local):
    """Memory that each thread keeps: to ask the system for it again would cost a tenth of a call."""

    def __init__(self) -> None:
        self.memory = np.empty(0)

    def room(self, *shape: int) -> Array:
        """Return an array to write to, of use until the next call."""
        size = math.prod(shape)
        if size > BLOCK:
            return np.empty(shape)
        if self.memory.size < size:
            self.memory = np.empty(size)
        return self.memory[:size].reshape(shape)


_kept = _Kept()


def gram_matrix(X: Array, gamma: float, room: Array) -> Array:
    """Return the radial kernel of all pairs of rows, written into the memory of `room`."""
    gram = room[: len(X) ** 2].reshape(len(X), len(X))
    exponents = _exponents(X, gamma)
    step = _rows_at_a_time(len(X))
    for i in range(0, len(X), step):
        part = exponents(X[i : i + step], gram[i : i + step])
        np.exp(part, out=part)
    return gram


def _exponents(vectors: Array, gamma: float) -> Callable[..., Array]:
    """Return a function that gives -gamma times the squared distances of rows to the vectors."""
    scale = np.sqrt(2 * gamma)
    right = np.hstack([scale * vectors, np.ones((len(vectors), 1)), _halves(vectors, gamma)]).T

    def of(X: Array, out: Array | None = None) -> Array:
        left = np.hstack([scale * X, _halves(X, gamma), np.ones((len(X), 1))])
        return np.asarray(np.matmul(left, right, out=out))

    return of


def _rows_at_a_time(n_vectors: int) -> int:
    return max(256, BLOCK // max(n_vectors, 1))


def _halves(X: Array, gamma: float) -> Array:
    return np.asarray(-gamma * np.einsum("ij,ij->i", X, X)[:, None])
