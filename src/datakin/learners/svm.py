"""Support vector machines with a radial kernel, as scikit-learn's SVC and SVR give them.

For several classes that is SVC with break_ties=True: one vote for every pair of classes, and the
sum of confidences where votes tie. libsvm does most fits. With a Gram matrix from one matrix product it
needs half the time that it takes with entries it computes one by one. Predictions are a matrix product
too, about fifteen times as fast as libsvm's.

*Active set*, for regression (`regress`). It starts from the solution for more rows, where libsvm starts
every fit from zero: 2 to 4 times as fast on the same Gram matrix when a plan leaves one or two folds out
of 300 to 3,000 rows (benchmarks/results/RESULTS.md). It notices when it fails (few columns, equal rows),
and libsvm takes over. It does not pay for classes, where libsvm needs a quarter of the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv
from sklearn.svm import SVC, SVR
from sklearn.utils import gen_batches

from datakin.data.features import Array
from datakin.learners.fitters import GenericFitter
from datakin.learners.predictors import radial

__all__ = ["HONOURED", "RadialSVMFitter", "RadialSum", "as_fitted", "regress", "train"]

MOST_GRAM_BYTES = 1.25 * 2**30  # 12,900 rows; beyond, libsvm computes entries as it needs them
BLOCK = 2**19  # kernel entries computed at a time, few enough for the processor's cache
HONOURED = ("C", "epsilon", "tol", "shrinking", "cache_size", "break_ties", "random_state")

# Active set.
MOST_CHANGES = 20
MOST_ROWS = 5000  # beyond, libsvm is as fast and takes less memory
MOST_FREE = 0.45  # share of the rows; with more free rows libsvm is faster
TINY = 1e-10
LONGEST_STEP = 1e4  # in costs; with a longer step, rounding would show in the values
PATIENCE = 1.3  # rows of the wrong kind may grow by this factor from step to step


def as_fitted(values: Callable[[Array], Array], y: Array, is_class: bool) -> Any:
    """Return numbers, or decision values from one machine for every pair of classes, as something fitted."""
    if not is_class:
        return SimpleNamespace(predict=lambda X: values(X)[:, 0])
    n_classes = int(y.max()) + 1
    if n_classes == 2:
        return SimpleNamespace(decision_function=lambda X: values(X)[:, 0])
    return SimpleNamespace(decision_function=lambda X: _votes(values(X), n_classes))


def _votes(values: Array, n_classes: int) -> Array:
    """Return one value for each class: votes plus bounded confidence."""
    first, second = np.array(list(combinations(range(n_classes), 2))).T
    rises, falls = (np.eye(n_classes)[which] for which in (second, first))
    confidence = values @ (rises - falls)
    votes = (values > 0) @ rises + (values <= 0) @ falls
    return np.asarray(votes + confidence / (3 * (np.abs(confidence) + 1)))


def train(
    estimator: Any, kernel: str, X: Array, y: Array, gamma: float = 1.0
) -> tuple[Array, Array, Array]:
    """Fit the machine that an SVC or SVR describes, on rows or their Gram matrix ("precomputed").

    Returns the positions of the support vectors, their weights of shape (n_support, n_machines), and the
    intercepts: one machine for every pair of classes, positive for the second of the two; one for numbers.
    """
    is_class = isinstance(estimator, SVC)
    options = {k: getattr(estimator, k) for k in ("C", "tol", "shrinking", "cache_size")}
    if not is_class:
        options["epsilon"] = float(estimator.epsilon)
    X, labels = (np.ascontiguousarray(each, dtype=float) for each in (X, y))
    options |= {"kernel": kernel, "gamma": gamma}
    try:
        support, n_support, dual, intercepts = _directly(is_class, X, labels, options)
    except (ImportError, AttributeError, TypeError):
        machine = (SVC if is_class else SVR)(**options).fit(X, y)
        support, n_support = machine.support_, machine.n_support_
        # scikit-learn flips libsvm's signs for two classes only.
        turn = -1.0 if is_class and len(n_support) == 2 else 1.0
        dual, intercepts = turn * machine.dual_coef_, turn * machine.intercept_
    if is_class:
        return support, -_by_pair(dual, n_support), -intercepts
    return support, dual.T, intercepts


def _directly(
    is_class: bool, X: Array, labels: Array, options: dict[str, Any]
) -> tuple[Array, ...]:
    """Return what libsvm gives, by scikit-learn's own entry to it, which is not one of its public names.

    On 200 rows the checks of SVC and SVR take longer than libsvm itself. If the entry is missing or has
    changed, they do the same fit.
    """
    from sklearn.svm import _libsvm

    _libsvm.set_verbosity_wrap(0)
    support, _, n_support, dual, intercepts, *_ = _libsvm.fit(
        X, labels, svm_type=0 if is_class else 3, **options
    )
    return support, n_support, dual, intercepts


def _by_pair(dual: Array, n_support: Array) -> Array:
    """Return the weight of every support vector in the machine of every pair of classes."""
    ends = np.cumsum([0, *n_support])
    columns = []
    for i, j in combinations(range(len(n_support)), 2):
        of_i, of_j = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        columns.append(np.zeros(dual.shape[1]))
        columns[-1][of_i], columns[-1][of_j] = dual[j - 1, of_i], dual[i, of_j]
    return np.column_stack(columns)


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
        gram = radial(X, X, gamma, self.room[: len(X) ** 2].reshape(len(X), -1))
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
        return as_fitted(RadialSum(X[support], *parts), y, self.is_class)


@dataclass(frozen=True, eq=False)
class RadialSum:
    """Weighted sums of radial kernels around some vectors, and intercepts."""

    vectors: Array
    weights: Array
    intercepts: Array | float
    gamma: float

    def __call__(self, X: Array) -> Array:
        """Return the sums at some rows, shape (n, machines)."""
        values = np.empty((len(X), self.weights.shape[1]))
        for at in gen_batches(len(X), max(256, BLOCK // max(len(self.vectors), 1))):
            values[at] = radial(X[at], self.vectors, self.gamma) @ self.weights
        return values + self.intercepts


def regress(
    gram: Array, y: Array, cost: float, margin: float, start: Array
) -> tuple[Array, float] | None:
    """Minimise b' K b / 2 - y' b + margin |b| over weights |b| <= cost whose sum is 0.

    Every row is of one of five kinds: its weight is 0, at a bound, or free, the last two with either
    sign. Given the kinds, the weights solve a linear system. Rows whose weight or residual does not
    fit their kind then change it. When all fit, the solution is exact.

    Cost and margin are SVR's C and epsilon. The weights of a similar problem give the first guess of the
    kinds. Returns weights and intercept; None if the kinds do not settle.
    """
    if len(y) > MOST_ROWS:
        return None
    # -2, -1, 0, 1, 2: at the lower bound, free and negative, 0, free and positive, at the upper.
    kinds = np.sign(start) * (1.0 + (np.abs(start) >= cost * (1 - 1e-9)))
    weights = np.where(np.abs(kinds) == 1, start, cost / 2 * kinds)
    values = gram @ weights
    n_wrong = len(y)
    for _ in range(MOST_CHANGES):
        free = np.flatnonzero(np.abs(kinds) == 1)
        if not 0 < len(free) <= MOST_FREE * len(y):
            return None
        sides, rows = kinds[free], gram.take(free, axis=0)
        right = np.array([y[free] - margin * sides - values[free], np.ones(len(free))])
        # Transposed, so that LAPACK needs no copy; the matrix is symmetric.
        square = rows.take(free, axis=1).T
        _, found, fault = dposv(square, right.T, overwrite_a=1, overwrite_b=1)
        if fault:
            return None
        step, per_intercept = found.T
        intercept = float((weights.sum() + step.sum()) / per_intercept.sum())
        step = step - intercept * per_intercept
        if np.abs(step).max() > LONGEST_STEP * cost:
            return None
        weights[free] += step
        values += step @ rows
        right_kinds = _kinds(kinds, weights, y - values - intercept, cost, margin)
        wrong = np.flatnonzero(right_kinds != kinds)
        if not len(wrong):
            return weights, intercept
        if len(wrong) > PATIENCE * n_wrong:
            return None
        n_wrong, kinds = len(wrong), right_kinds
        fixed = wrong[np.abs(kinds[wrong]) != 1]
        jump = cost / 2 * kinds[fixed] - weights[fixed]
        weights[fixed] += jump
        values += jump @ gram.take(fixed, axis=0)
    return None


def _kinds(kinds: Array, weights: Array, residuals: Array, cost: float, margin: float) -> Array:
    """Return the kinds that fit the weights and residuals."""
    sizes, sides = np.abs(kinds), np.sign(kinds)
    along = weights * sides
    of_free = sides * ((along >= 0).astype(float) + (along > cost))
    of_zero = np.sign(residuals) * (np.abs(residuals) > margin + TINY)
    of_bound = sides * (1.0 + (residuals * sides >= margin - TINY))
    return np.where(sizes == 1, of_free, np.where(sizes == 0, of_zero, of_bound))
