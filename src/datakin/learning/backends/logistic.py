"""Logistic and multinomial regression by Newton's method, started from the last fit.

scikit-learn's "newton-cholesky" solver reaches the same optimum. Ours is there because a plan's
fits are small and many: checks and set-up around each of scikit-learn's cost several times the
Newton steps at a few hundred rows (see benchmarks/RESULTS.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit, log_softmax

from datakin.data.features import Array
from datakin.learning.backends.generic import GenericFitter, partly

__all__ = ["NewtonFitter", "newton"]

MOST_PARAMETERS = 300  # beyond, factorising the Hessian costs more than many gradient steps
MOST_STEPS = 60


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
        """Tell whether the estimator's options are ours too: a fit that is meant to converge."""
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
        Where to start; the last row holds intercepts.

    Returns
    -------
    ndarray or None
        None where the method does not get there.
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
            # Rounding may let the value rise a little next to the optimum.
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
        # One number added to all intercepts changes nothing: hold their sum where it is.
        last = np.arange(q - 1, n_classes * q, q)
        full[np.ix_(last, last)] += 1.0
        return full

    return float(loss), p - target, hessian
