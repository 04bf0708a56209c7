"""Penalised regressions that start from another predictor: its linear predictor is an offset.

What is fitted are differences from it. Columns of numbers and of two classes; several classes are fitted one
against the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import logit

from datakin.data.features import Array
from datakin.learning.stack.newton import curvature, hessian, mean_of, newton

__all__ = ["CLIP", "FREE", "best_penalty", "curvature", "link", "mean_of", "refit"]

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
