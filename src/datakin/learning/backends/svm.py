"""Support vector machines: libsvm on a Gram matrix for the radial kernel, no libsvm for the linear.

All give what scikit-learn's SVC and SVR give with break_ties=True: one vote for every pair of
classes, and the sum of confidences where votes tie. libsvm itself does most radial fits: a Gram
matrix made by one matrix product takes it half as long as entries it makes one by one. Predictions
are a matrix product too, some fifteen times as quick as libsvm's.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.svm import SVC

from datakin.data.features import Array
from datakin.learning.backends.active_set import regress
from datakin.learning.backends.generic import GenericFitter, partly
from datakin.learning.backends.hinge import minimise_hinge
from datakin.learning.backends.libsvm import train
from datakin.learning.backends.radial import RadialSum, gram_matrix

__all__ = ["LinearSVMFitter", "RadialSVMFitter"]

FEWEST_ENTRIES = 2500  # rows x columns; libsvm's linear kernel is as quick on fewer (classes)
MOST_GRAM_BYTES = 1.25 * 2**30  # 12,900 rows; beyond, libsvm makes the entries it needs
HONOURED = ("C", "epsilon", "tol", "shrinking", "cache_size", "break_ties", "random_state")


class _Votes:
    """Decision values of machines that tell two classes apart, one for every pair of classes."""

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
        """Tell whether the estimator's options are ours too."""
        return bool(estimator.kernel == "linear" and estimator.C > 0)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with decision_function (classes) or predict."""
        if X.shape[1] == 0:
            return GenericFitter(self.estimator).fit(X, y, seed)
        beta = self._interior_point(X, y) if self._suits(X) else None
        if beta is None:
            if self.is_large:
                self.name = partly("interior point", "libsvm")
            machine = train(self.estimator, "linear", X, y)
            beta = np.vstack([X[machine.support].T @ machine.weights, machine.intercepts])
        return _wrap(_Plane(beta), y, self.is_class)

    def _suits(self, X: Array) -> bool:
        """Tell whether our way pays; decided once, on the first and largest training set.

        A step costs rows x columns^2. libsvm takes many times more steps in a regression.
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
        """Tell whether the estimator's options are ours too."""
        gamma = estimator.gamma
        is_known = gamma in ("scale", "auto") if isinstance(gamma, str) else gamma > 0
        return bool(estimator.kernel == "rbf" and estimator.C > 0 and is_known)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with decision_function (classes) or predict."""
        if X.shape[1] == 0:
            return GenericFitter(self.estimator).fit(X, y, seed)
        gamma = self._gamma(X)
        if 8 * len(X) ** 2 > MOST_GRAM_BYTES:
            machine = train(self.estimator, "rbf", X, y, gamma)
            return self._made(X, y, machine.support, machine.weights, machine.intercepts, gamma)
        self.name = "libsvm on a Gram matrix" if self.is_class else "libsvm and active set"
        if self.room.size < len(X) ** 2:
            self.room = np.empty(len(X) ** 2)  # the plan's other fits are no larger
        gram = gram_matrix(X, gamma, self.room)
        if not self.is_class:
            return self._made(X, y, *self._regression(gram, y, rows), gamma)
        machine = train(self.estimator, "precomputed", gram, y)
        return self._made(X, y, machine.support, machine.weights, machine.intercepts, gamma)

    def _regression(self, gram: Array, y: Array, rows: Array | None) -> tuple[Array, Array, float]:
        """Return support, weights and intercept: from a fit on more rows, else from libsvm's.

        libsvm stops at a tolerance; the active set method goes on from there to the optimum.
        """
        cost, margin = float(self.estimator.C), float(self.estimator.epsilon)
        start, found = self._nearest(rows), None
        if start is not None:
            found = regress(gram, y, cost, margin, start)
            self.follows = found is not None  # where not, nor would it in the next fit
        if found is None:
            machine = train(self.estimator, "precomputed", gram, y)
            start = np.zeros(len(y))
            start[machine.support] = machine.weights[:, 0]
            found = regress(gram, y, cost, margin, start) or (start, machine.intercepts[0])
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
