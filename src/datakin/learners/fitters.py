"""Fast fits for the built-in models, equal to those of scikit-learn and XGBoost.

A plan fits each model 16 times on nearly the same rows. On small data most of the time then goes
into copying estimators, checking input and starting from zero; on large data most of it goes into
libsvm's linear kernel. A *fitter* serves one model throughout one plan and may keep what helps the
next fit. A user's own models, and anything a fitter cannot handle, are fitted by scikit-learn. The
result names the fitter of each model.

Tried and left out: sums of Gram matrices over folds and warm starts of the interior point method
(least squares take less than 1% of a pair as it is), quantile matrices shared by fits (other bins
give another model), the active set method for classes (no faster than libsvm), compiled solvers or
trees of our own (they need a compiler at install), LinearSVC, and fewer bins or the exact tree
method in XGBoost (other models). benchmarks/results/RESULTS.md has the speed-up of each fitter.
"""

from __future__ import annotations

import math
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
from scipy.special import expit, log_softmax

from datakin.data.features import Array
from datakin.learners.estimators import Prototype
from datakin.learners.newton import logistic

MOST_PARAMETERS = 300  # beyond, factorising the Hessian costs more than many gradient steps
EQUAL = 1e-13  # smaller eigenvalues, relative to the largest, come from equal columns
SAFE = 1e-8  # if any other eigenvalue is smaller than this, digits are lost


class Fitter(Protocol):
    """Fits one model on the training sets of one plan, one after the other.

    Attributes
    ----------
    name : str
        Which method did the fits, for the result's provenance.
    """

    name: str

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return something with predict_proba, decision_function or predict.

        Classes are coded 0, 1, ... without gaps. `rows` are the positions of the rows in the
        dataset; with them a fitter can start from the solution of an earlier fit of the plan.
        """


class GenericFitter:
    """Fits a fresh clone of any scikit-learn estimator; the seed is used where its own is None."""

    name = "scikit-learn"

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @cached_property
    def _prototype(self) -> Prototype:
        return Prototype(self.estimator)  # what cannot be cloned fails where it is fitted

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return a fitted clone."""
        return self._prototype.seeded(seed).fit(X, y)


def start_fitter(estimator: Any, fast: Any, is_sparse: bool) -> Fitter:
    """Return a fitter for one plan: of the class `fast`, if there is one that can do the estimator's fits.

    Parameters that the fast fitter does not know must have their default values. All else is left to
    scikit-learn: a user's own estimator (no fast fitter), and sparse matrices.
    """
    if fast is None or is_sparse:
        return GenericFitter(estimator)
    usual = type(estimator)().get_params()
    changed = {k for k, v in estimator.get_params().items() if repr(v) != repr(usual.get(k))}
    serves = getattr(fast, "serves", lambda estimator: True)
    fitter: Fitter = (
        fast(estimator)
        if changed <= set(fast.honoured) and serves(estimator)
        else GenericFitter(estimator)
    )
    return fitter


def partly(name: str, other: str = GenericFitter.name) -> str:
    """Return the name of a fitter that left some of its fits to another one."""
    return f"{name}, in part {other}"


class NewtonFitter:
    """LogisticRegression with an L2 penalty and an intercept, each fit started from the last one.

    scikit-learn's "newton-cholesky" solver reaches the same optimum. A plan's fits are small and many: at a
    few hundred rows scikit-learn's checks and set-up cost several times the Newton steps.
    """

    name = "newton"
    honoured = ("C", "tol", "max_iter", "n_jobs", "random_state")

    def __init__(self, estimator: Any) -> None:
        self.penalty = 1.0 / estimator.C
        self.generic = GenericFitter(estimator)
        self.start: Array | None = None

    @staticmethod
    def serves(estimator: Any) -> bool:
        """Return whether the penalty is finite and the fit is meant to converge."""
        return bool(0 < estimator.C < np.inf and estimator.max_iter >= 100)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with predict_proba."""
        n_classes = int(y.max()) + 1
        shape = (X.shape[1] + 1, 1 if n_classes == 2 else n_classes)
        if X.shape[1] == 0 or math.prod(shape) > MOST_PARAMETERS:
            self.name = GenericFitter.name
            return self.generic.fit(X, y, seed)
        if self.start is None or self.start.shape != shape:
            self.start = np.zeros(shape)
        beta = logistic(X, y, n_classes, self.penalty, self.start)
        if beta is None:
            self.name = partly("newton")
            return self.generic.fit(X, y, seed)
        self.start = beta
        return SimpleNamespace(predict_proba=partial(_probabilities, beta))


def _probabilities(beta: Array, X: Any) -> Array:
    eta = X @ beta[:-1] + beta[-1]
    if eta.shape[1] == 1:
        p = expit(eta)
        return np.hstack([1 - p, p])
    return np.asarray(np.exp(log_softmax(eta, axis=1)))


class LeastSquaresFitter:
    """LinearRegression with an intercept, from the normal equations.

    scikit-learn decomposes the whole table, which costs about ten times a product of the table with itself
    at any size. Squaring a table squares its condition number, so nearly collinear tables are left to it.
    """

    name = "normal equations"
    honoured = ("copy_X", "n_jobs")

    def __init__(self, estimator: Any) -> None:
        self.generic = GenericFitter(estimator)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with predict."""
        center, mean = X.mean(axis=0), float(y.mean())
        centred = X - center
        values, vectors = np.linalg.eigh(centred.T @ centred)
        largest = values[-1] if len(values) else 0.0
        used = values > EQUAL * largest
        if not used.any() or values[used][0] < SAFE * largest:
            self.name = partly("normal equations")
            return self.generic.fit(X, y, seed)
        # With equal columns there are many solutions; this is the shortest, as from lstsq.
        weights = (vectors.T @ (centred.T @ (y - mean)))[used] / values[used]
        beta = vectors[:, used] @ weights
        intercept = mean - float(center @ beta)
        return SimpleNamespace(predict=lambda X: X @ beta + intercept)
