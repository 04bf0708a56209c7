"""Newton's method for penalised logistic and linear regression, perhaps from an offset."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from datakin.data.features import Array

__all__ = [
    "CLIP",
    "FREE",
    "best_penalty",
    "curvature",
    "hessian",
    "link",
    "mean_of",
    "newton",
    "refit",
]

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


CLIP = 1e-4  # probabilities are never taken nearer to 0 or 1, in no step of the ladder
FREE = 0.01  # penalty of what is free: it only keeps separated classes solvable


def link(P: Array, kind: str) -> Array:
    """Return predictions as linear predictors: logits of probabilities, numbers as they are."""
    return P if kind == "regression" else np.asarray(logit(np.clip(P, CLIP, 1 - CLIP)))


def refit(
    D: Array,
    y: Array,
    offset: Array,
    weights: Array,
    ridge: Array,
    kind: str,
    start: Array | None = None,
) -> Array:
    """Return the coefficients of ``offset + D b`` by Newton's method.

    Parameters
    ----------
    D : ndarray of shape (n, q)
    y, offset, weights : ndarray of shape (n,)
    ridge : ndarray of shape (q,)
        Penalty of each coefficient.
    kind : {"binary", "multiclass", "regression"}
    start : ndarray of shape (q,), optional
    """
    b = np.zeros(D.shape[1]) if start is None else start
    return newton(D, y, weights, ridge, b, kind, offset)


def best_penalty(
    D: Array,
    y: Array,
    offset: Array,
    weights: Array,
    kind: str,
    penalties: Sequence[float],
    n_free: int,
) -> tuple[float, Array]:
    """Return the penalty with the smallest leave-one-out loss, and its coefficients.

    Parameters
    ----------
    penalties : sequence of float
        From stiff to free.
    n_free : int
        So many of the first columns are free of it.

    Notes
    -----
    Rows are left out by a formula, not by refits; it is exact for squared error.
    """
    found: tuple[float, float, Array] | None = None
    b = np.zeros(D.shape[1])
    for penalty in penalties:
        ridge = np.full(D.shape[1], float(penalty))
        ridge[:n_free] = FREE
        b = refit(D, y, offset, weights, ridge, kind, b)
        loss = _left_out(D, y, offset, weights, ridge, b, kind)
        if found is None or loss < found[0]:
            found = loss, penalty, b
    assert found is not None
    return found[1], found[2]


def _left_out(
    D: Array, y: Array, offset: Array, weights: Array, ridge: Array, b: Array, kind: str
) -> float:
    """Return the sum of squared losses, each row predicted as if it were left out."""
    eta = offset + D @ b
    mean = mean_of(eta, kind)
    lever = np.einsum("ij,ij->i", D, np.linalg.solve(hessian(D, weights, mean, ridge, kind), D.T).T)
    gap = np.maximum(1 - lever * weights * curvature(mean, kind), 1e-6)
    moved = eta + lever / gap * weights * (mean - y)
    return float(weights @ (y - mean_of(moved, kind)) ** 2)
