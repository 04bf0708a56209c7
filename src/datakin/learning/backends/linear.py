"""Linear models: logistic and multinomial regression, and least squares.

*Logistic regression* by Newton's method, started from the last fit. scikit-learn's
"newton-cholesky" solver reaches the same optimum. Ours is here because a plan's fits are small and
many: at a few hundred rows scikit-learn's checks and set-up cost several times the Newton steps
(see benchmarks/results/RESULTS.md).

*Least squares* from the normal equations. scikit-learn's LinearRegression decomposes the whole
table (scipy.linalg.lstsq), which costs about ten times a product of the table with itself at any
size. Squaring a table squares its condition number, so nearly collinear tables are left to
scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit, log_softmax

from datakin.data.features import Array
from datakin.learning.backends import GenericFitter, partly

__all__ = ["LeastSquaresFitter", "NewtonFitter", "newton"]

MOST_PARAMETERS = 300  # beyond, factorising the Hessian costs more than many gradient steps
MOST_STEPS = 60
EQUAL = 1e-13  # smaller eigenvalues, relative to the largest, come from equal columns
SAFE = 1e-8  # if any other eigenvalue is smaller than this, digits are lost


class NewtonFitter:
    """LogisticRegression with an L2 penalty and an intercept."""

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
        n_columns = 1 if n_classes == 2 else n_classes
        shape = (X.shape[1] + 1, n_columns)
        if X.shape[1] == 0 or shape[0] * n_columns > MOST_PARAMETERS:
            self.name = GenericFitter.name
            return self.generic.fit(X, y, seed)
        start = self.start
        if start is None or start.shape != shape:
            start = np.zeros(shape)
        found = newton(X, y, n_classes, self.penalty, start)
        if found is None:
            self.name = partly("newton", GenericFitter.name)
            return self.generic.fit(X, y, seed)
        self.start = found
        return _Logistic(found)


class _Logistic:
    """Coefficients and, in the last row, intercepts: one column, or one per class."""

    def __init__(self, beta: Array) -> None:
        self.beta = beta

    def predict_proba(self, X: Any) -> Array:
        eta = X @ self.beta[:-1] + self.beta[-1]
        if eta.shape[1] == 1:
            p = expit(eta)
            return np.hstack([1 - p, p])
        return np.asarray(np.exp(log_softmax(eta, axis=1)))


def newton(X: Array, y: Array, n_classes: int, penalty: float, beta: Array) -> Array | None:
    """Minimise the log loss plus penalty / 2 times the sum of squared coefficients.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    y : ndarray of int
        Class codes from 0.
    n_classes : int
    penalty : float
        Intercepts are not penalised.
    beta : ndarray of shape (p + 1, 1 or n_classes)
        The start; the last row holds intercepts.

    Returns
    -------
    ndarray or None
        None if the method does not converge.
    """
    design = np.hstack([X, np.ones((len(X), 1))])
    ridge = np.full(design.shape[1], penalty)
    ridge[-1] = 0.0
    parts = _binary if n_classes == 2 else _multinomial
    target = (y == 1)[:, None] if n_classes == 2 else y[:, None] == np.arange(n_classes)
    target = target.astype(float)
    value, residual, hessian = parts(design, target, ridge, beta)
    for _ in range(MOST_STEPS):
        gradient = design.T @ residual + ridge[:, None] * beta
        _, step, fault = dposv(hessian(), gradient.T.ravel())
        if fault:
            return None
        step = step.reshape(gradient.T.shape).T
        decrement = float(np.sum(step * gradient))
        size = 1.0
        while True:
            trial = parts(design, target, ridge, beta - size * step)
            # Next to the optimum, rounding may let the value rise a little.
            if trial[0] <= value + 1e-12 * (1 + abs(value)):
                break
            size /= 2
            if size < 1e-8:
                return None
        beta = beta - size * step
        value, residual, hessian = trial
        if decrement < 1e-13 * (1 + value) and size == 1.0:
            return beta
    return None


def _binary(design: Array, target: Array, ridge: Array, beta: Array) -> tuple[float, Array, Any]:
    eta = design @ beta
    p = expit(eta)
    loss = np.sum(np.logaddexp(0.0, eta) - target * eta) + 0.5 * ridge @ beta[:, 0] ** 2

    def hessian() -> Array:
        part = design * np.sqrt(p * (1 - p))
        return np.asarray(part.T @ part + np.diag(ridge))

    return float(loss), p - target, hessian


def _multinomial(
    design: Array, target: Array, ridge: Array, beta: Array
) -> tuple[float, Array, Any]:
    logs = log_softmax(design @ beta, axis=1)
    p = np.exp(logs)
    loss = -np.sum(target * logs) + 0.5 * np.sum(ridge[:, None] * beta**2)
    (n, q), n_classes = design.shape, p.shape[1]

    def hessian() -> Array:
        part = (p[:, :, None] * design[:, None, :]).reshape(n, n_classes * q)
        full: Array = -(part.T @ part)
        blocks = (part.T @ design).reshape(n_classes, q, q)
        for c in range(n_classes):
            at = slice(c * q, (c + 1) * q)
            full[at, at] += blocks[c] + np.diag(ridge)
        # Adding one number to all intercepts changes nothing, so keep their sum fixed.
        last = np.arange(q - 1, n_classes * q, q)
        full[np.ix_(last, last)] += 1.0
        return full

    return float(loss), p - target, hessian


class LeastSquaresFitter:
    """LinearRegression with an intercept."""

    name = "normal equations"
    honoured = ("copy_X", "n_jobs")

    def __init__(self, estimator: Any) -> None:
        self.generic = GenericFitter(estimator)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with predict."""
        center = X.mean(axis=0)
        centred = X - center
        mean = float(y.mean())
        values, vectors = np.linalg.eigh(centred.T @ centred)
        largest = values[-1] if len(values) else 0.0
        used = values > EQUAL * largest
        if not used.any() or values[used][0] < SAFE * largest:
            self.name = partly("normal equations", GenericFitter.name)
            return self.generic.fit(X, y, seed)
        # With equal columns there are many solutions; this is the shortest, as from lstsq.
        weights = (vectors.T @ (centred.T @ (y - mean)))[used] / values[used]
        beta = vectors[:, used] @ weights
        return _Linear(beta, mean - float(center @ beta))


class _Linear:
    def __init__(self, beta: Array, intercept: float) -> None:
        self.beta, self.intercept = beta, intercept

    def predict(self, X: Any) -> Array:
        return np.asarray(X @ self.beta + self.intercept)
