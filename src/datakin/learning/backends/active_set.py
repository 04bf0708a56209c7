"""A kernel machine for regression, from the solution for more rows.

Weighed against libsvm on the same Gram matrix, which starts every fit from nothing: 2 to 4 times
as quick where a plan leaves a fold or two out of 300 to 3,000 rows (benchmarks/RESULTS.md). It
tells the right from the wrong guess, so that libsvm takes over where it does not get there: few
columns, equal rows. For classes it gains nothing: libsvm needs a quarter of the steps there.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from datakin.data.features import Array

__all__ = ["regress"]

MOST_STEPS = 20
MOST_ROWS = 5000  # beyond, libsvm is as quick and takes less memory
MOST_FREE = 0.45  # of the rows; solving for more of them takes longer than libsvm
TINY = 1e-10
LONGEST_STEP = 1e4  # in costs; rows are then so alike that rounding would tell in the values
PATIENCE = 1.3  # rows on the wrong side may grow by this factor from step to step


def regress(
    gram: Array, y: Array, cost: float, margin: float, start: Array
) -> tuple[Array, float] | None:
    """Minimise b' K b / 2 - y' b + margin |b| over weights |b| <= cost whose sum is 0.

    Every row is of one of five kinds: weight 0, at either bound, or free on either side. Given the
    kinds, the weights solve a linear system; rows whose weight or residual then contradicts their
    kind change it. When none does, the solution is exact.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    y : ndarray of shape (n,)
    cost, margin : float
        C and epsilon of SVR.
    start : ndarray of shape (n,)
        Weights of a similar problem, which tell the first guess at the kinds.

    Returns
    -------
    (ndarray of shape (n,), float) or None
        Weights and intercept; None where the kinds do not settle.
    """
    if len(y) > MOST_ROWS:
        return None
    # -2, -1, 0, 1, 2: at the lower bound, free and negative, 0, free and positive, at the upper.
    kinds = np.sign(start) * (1.0 + (np.abs(start) >= cost * (1 - 1e-9)))
    weights = np.where(np.abs(kinds) == 1, start, cost / 2 * kinds)
    values = gram @ weights
    n_wrong = len(y)
    for _ in range(MOST_STEPS):
        free = np.flatnonzero(np.abs(kinds) == 1)
        if not 0 < len(free) <= MOST_FREE * len(y):
            return None
        sides, rows = kinds[free], gram.take(free, axis=0)
        right = np.array([y[free] - margin * sides - values[free], np.ones(len(free))])
        # Turned round, which changes nothing: LAPACK then needs no copy.
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
    """Return the kinds that the weights and residuals speak for."""
    sizes, sides = np.abs(kinds), np.sign(kinds)
    along = weights * sides
    of_free = sides * ((along >= 0).astype(float) + (along > cost))
    of_zero = np.sign(residuals) * (np.abs(residuals) > margin + TINY)
    of_bound = sides * (1.0 + (residuals * sides >= margin - TINY))
    return np.where(sizes == 1, of_free, np.where(sizes == 0, of_zero, of_bound))
