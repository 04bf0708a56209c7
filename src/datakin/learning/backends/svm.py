"""Support vector machines: libsvm on a Gram matrix for the radial kernel, no libsvm for the linear.

Both give what scikit-learn's SVC and SVR give with break_ties=True: one vote for every pair of
classes, and the sum of confidences where votes tie. libsvm itself does the radial fits: it takes a
Gram matrix made by one matrix product half as long as one it makes entry by entry. Predictions are
a matrix product too, six times as quick as libsvm's.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import sklearn
from sklearn.base import is_classifier

from datakin.data.features import Array
from datakin.learning.backends.generic import GenericFitter
from datakin.learning.backends.hinge import minimise_hinge

__all__ = ["LinearSVMFitter", "RadialSVMFitter"]

FEWEST_ROWS = 300  # libsvm is as quick below
MOST_GRAM_BYTES = 1.25 * 2**30  # 12,900 rows; beyond, libsvm makes the entries it needs
BLOCK = 2**19  # kernel entries made at a time: they stay in the cache


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


class _Radial:
    """Sums of radial kernels around support vectors."""

    def __init__(self, vectors: Array, weights: Array, intercepts: Array, gamma: float) -> None:
        self.vectors, self.weights, self.intercepts = vectors, weights, intercepts
        self.gamma = gamma

    def __call__(self, X: Array) -> Array:
        values = np.empty((len(X), self.weights.shape[1]))
        step = _rows_at_a_time(len(self.vectors))
        exponents = _exponents(self.vectors, self.gamma)
        for i in range(0, len(X), step):
            kernel = exponents(X[i : i + step])
            values[i : i + step] = np.exp(kernel, out=kernel) @ self.weights
        return values + self.intercepts


def _exponents(vectors: Array, gamma: float) -> Callable[..., Array]:
    """Return a function of rows: -gamma times their squared distances to the vectors."""
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


def _gram(X: Array, gamma: float, room: Array) -> Array:
    """Return the kernel of all pairs of rows, in memory that is there already."""
    gram = room[: len(X) ** 2].reshape(len(X), len(X))
    exponents = _exponents(X, gamma)
    step = _rows_at_a_time(len(X))
    for i in range(0, len(X), step):
        part = exponents(X[i : i + step], gram[i : i + step])
        np.exp(part, out=part)
    return gram


class _SVMFitter:
    """What both kernels share: which task it is, and libsvm with few checks around it."""

    name = "libsvm"
    own_name = "libsvm"

    def __init__(self, estimator: Any) -> None:
        self.is_class = bool(is_classifier(estimator))
        self.C = float(estimator.C)
        self.margin = 0.0 if self.is_class else float(estimator.epsilon)
        self.generic = GenericFitter(estimator)
        self.is_large: bool | None = None

    def most_columns(self, n_rows: int) -> float:
        """Return up to how many columns our way pays."""
        return np.inf

    def suits(self, X: Array) -> bool:
        """Tell whether our way pays; decided once, on the first and largest training set."""
        if self.is_large is None:
            self.is_large = len(X) >= FEWEST_ROWS and X.shape[1] <= self.most_columns(len(X))
            if self.is_large:
                self.name = self.own_name
        return self.is_large

    def machine(self, kernel: str, **options: Any) -> Any:
        """Return an unfitted SVC or SVR."""
        from sklearn.svm import SVC, SVR

        if self.is_class:
            return SVC(kernel=kernel, C=self.C, **options)
        return SVR(kernel=kernel, C=self.C, epsilon=self.margin, **options)

    def wrap(self, values: Callable[[Array], Array], y: Array) -> Any:
        return _Votes(values, int(y.max()) + 1) if self.is_class else _Values(values)


class LinearSVMFitter(_SVMFitter):
    """SVC or SVR with a linear kernel."""

    own_name = "interior point"

    def most_columns(self, n_rows: int) -> float:
        """Return up to how many columns our way pays: a step costs rows x columns^2."""
        return n_rows / 2

    def fit(self, X: Any, y: Array, seed: int) -> Any:
        """Return an object with decision_function (classes) or predict."""
        if X.shape[1] == 0:
            return self.generic.fit(X, y, seed)
        beta = self._interior_point(X, y) if self.suits(X) else None
        return self.wrap(_Plane(self._libsvm(X, y) if beta is None else beta), y)

    def _interior_point(self, X: Array, y: Array) -> Array | None:
        if not self.is_class:
            signs = np.ones((2, len(y))) * [[1.0], [-1.0]]
            beta = minimise_hinge(X, signs, signs * y - self.margin, self.C)
            return None if beta is None else beta[:, None]
        found = []
        for i, j in combinations(range(int(y.max()) + 1), 2):
            rows = (y == i) | (y == j)
            labels = np.where(y[rows] == j, 1.0, -1.0)[None]
            beta = minimise_hinge(X[rows], labels, np.ones_like(labels), self.C)
            if beta is None:
                return None
            found.append(beta)
        return np.column_stack(found)

    def _libsvm(self, X: Array, y: Array) -> Array:
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            machine = self.machine("linear").fit(X, y)
        beta = np.vstack([machine.coef_.T, machine.intercept_])
        # libsvm's own values are positive for the first class of a pair; scikit-learn turns them
        # round for two classes only.
        return -beta if self.is_class and beta.shape[1] > 1 else beta


class RadialSVMFitter(_SVMFitter):
    """SVC or SVR with a radial kernel and gamma = 1 / number of columns."""

    own_name = "libsvm on a Gram matrix"
    room = np.empty(0)

    def fit(self, X: Any, y: Array, seed: int) -> Any:
        """Return an object with decision_function (classes) or predict."""
        if X.shape[1] == 0:
            return self.generic.fit(X, y, seed)
        gamma = 1.0 / X.shape[1]
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            if self.suits(X) and 8 * len(X) ** 2 <= MOST_GRAM_BYTES:
                if self.room.size < len(X) ** 2:
                    self.room = np.empty(len(X) ** 2)  # the plan's other fits are no larger
                machine = self.machine("precomputed").fit(_gram(X, gamma, self.room), y)
            else:
                machine = self.machine("rbf", gamma=gamma).fit(X, y)
        weights, intercepts = machine.dual_coef_.T, machine.intercept_
        if self.is_class and len(machine.n_support_) > 2:
            weights, intercepts = _by_pair(machine), -intercepts
        return self.wrap(_Radial(X[machine.support_], weights, intercepts, gamma), y)


def _by_pair(machine: Any) -> Array:
    """Return the weight of every support vector in the machine of every pair of classes."""
    dual = machine.dual_coef_
    ends = np.cumsum([0, *machine.n_support_])
    pairs = list(combinations(range(len(machine.n_support_)), 2))
    weights = np.zeros((dual.shape[1], len(pairs)))
    for k, (i, j) in enumerate(pairs):
        of_i, of_j = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        weights[of_i, k] = -dual[j - 1, of_i]
        weights[of_j, k] = -dual[i, of_j]
    return weights
