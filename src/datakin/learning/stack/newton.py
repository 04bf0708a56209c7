"""Newton's method for penalised logistic and linear regression, perhaps from an offset."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from datakin.data.features import Array

__all__ = ["curvature", "hessian", "mean_of", "newton"]

MOST_STEPS = 50
SMALL = 1e-8  # of the scaled gradient: nothing moves any more


def mean_of(eta: Array, kind: str) -> Array:
    """Return the mean of the response for a linear predictor."""
    return eta if kind == "regression" else np.asarray(expit(eta))


def curvature(mean: Array, kind: str) -> Array:
    """Return by how much means move with their linear predictors."""
    return np.ones_like(mean) if kind == "regression" else mean * (1 - mean)


def hessian(Z: Array, weights: Array, mean: Array, ridge: Array, kind: str) -> Array:
    """Return the second derivatives of the penalised loss."""
    part = Z * np.sqrt(weights * curvature(mean, kind))[:, None]
    return np.asarray(part.T @ part + np.diag(ridge))


def newton(
    Z: Array,
    y: Array,
    weights: Array,
    ridge: Array,
    beta: Array,
    kind: str,
    offset: Array | float = 0.0,
) -> Array:
    """Return the coefficients of ``offset + Z beta``.

    Parameters
    ----------
    Z : ndarray of shape (n, p)
    y, weights : ndarray of shape (n,)
    ridge : ndarray of shape (p,)
        Penalty of each coefficient.
    beta : ndarray of shape (p,)
        Where to start.
    kind : {"binary", "multiclass", "regression"}
    offset : ndarray of shape (n,) or float
    """
    value, mean = _objective(Z, y, weights, ridge, beta, kind, offset)
    for _ in range(MOST_STEPS):
        gradient = Z.T @ (weights * (mean - y)) + ridge * beta
        step = np.linalg.solve(hessian(Z, weights, mean, ridge, kind), gradient)
        decrement = float(step @ gradient)
        size = 1.0
        while True:
            trial, there = _objective(Z, y, weights, ridge, beta - size * step, kind, offset)
            if trial <= value + 1e-10 * (1 + abs(value)) or size < 1e-6:
                break
            size /= 2
        beta, value, mean = beta - size * step, trial, there
        if decrement < SMALL * (1 + abs(value)):
            break
    return beta


def _objective(
    Z: Array,
    y: Array,
    weights: Array,
    ridge: Array,
    beta: Array,
    kind: str,
    offset: Array | float,
) -> tuple[float, Array]:
    eta = offset + Z @ beta
    penalty = 0.5 * float(ridge @ beta**2)
    if kind == "regression":
        return 0.5 * float(weights @ (eta - y) ** 2) + penalty, eta
    return float(weights @ (np.logaddexp(0.0, eta) - y * eta)) + penalty, np.asarray(expit(eta))
