"""The linear support vector machine by an interior point method, in the size of the columns.

libsvm, which scikit-learn's SVC and SVR call, takes a time that grows like rows to the power 2.5
with a linear kernel. liblinear (LinearSVC) is fast but solves another problem: it penalises the
intercept. Here every step costs rows x columns^2, and some 15 steps reach the optimum of libsvm's
own problem, to more digits than libsvm's default.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from datakin.data.features import Array

__all__ = ["minimise_hinge"]

MOST_STEPS = 60
GAP = 1e-11  # between primal and dual value, relative
INSIDE = 0.995  # of the way to the boundary
GOOD = 1e-8  # gap that is still accepted where rounding stops the method


def minimise_hinge(X: Array, signs: Array, levels: Array, cost: float = 1.0) -> Array | None:
    """Minimise |w|^2 / 2 + cost * sum max(0, level - sign * (x w + b)).

    Classes: one sign per row (the label, -1 or 1) and level 1. Regression with a margin e: every
    row twice, with signs 1 and -1 and levels y - e and -y - e.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    signs, levels : ndarray of shape (m, n)
        m conditions on every row.
    cost : float

    Returns
    -------
    ndarray of shape (p + 1,) or None
        w, then b; None where the method does not get there.

    Notes
    -----
    Mehrotra's predictor-corrector steps on the dual's conditions: multipliers 0 <= a <= cost with
    slacks s (for a >= 0) and t (for a <= cost),

        sign (x w + b) - level = s - t,   w = sum a sign x,   0 = sum a sign,   a s = (cost - a) t = 0.
    """
    design = np.hstack([X, np.ones((len(X), 1))])
    ridge = np.diag([*np.ones(X.shape[1]), 0.0])
    beta = np.zeros(design.shape[1])
    a = np.full(signs.shape, cost / 2)
    s, t = np.ones(signs.shape), np.ones(signs.shape)
    part = np.empty_like(design)
    gap = np.inf
    for _ in range(MOST_STEPS):
        u = cost - a
        by_a, by_u = 1.0 / a, 1.0 / u
        margins = levels - signs * (design @ beta)
        unmet = design.T @ (signs * a).sum(axis=0) - ridge @ beta
        total = float(np.vdot(a, s) + np.vdot(u, t))
        value = float(0.5 * beta[:-1] @ beta[:-1] + cost * np.maximum(margins, 0.0).sum())
        gap = max(total, float(np.abs(margins + s - t).max())) / (1 + value)
        if gap < GAP:
            return beta
        in_s, in_t = s * by_a, t * by_u
        d = 1.0 / (in_s + in_t)
        np.multiply(design, np.sqrt(d.sum(axis=0))[:, None], out=part)
        try:
            factor = cho_factor(part.T @ part + ridge, check_finite=False)
        except LinAlgError:
            break
        # Predictor: aim at a s = (cost - a) t = 0 to see how far a straight step could go.
        _, da = _step(design, signs, factor, d, margins, unmet)
        up, down = da * by_a, da * by_u
        shrink = max(1 + up.max(), 1 - down.min(), -up.min(), down.max())
        length = min(1.0, 1.0 / shrink)
        ds, dt = -s * (1 + up), -t * (1 - down)
        ahead = np.vdot(a + length * da, s + length * ds) + np.vdot(
            u - length * da, t + length * dt
        )
        aim = total / (2 * a.size) * (ahead / total) ** 3
        # Corrector: aim at that product, with the predictor's second-order term.
        for_s, for_t = (aim - da * ds) * by_a, (aim + da * dt) * by_u
        step, da = _step(design, signs, factor, d, margins + for_s - for_t, unmet)
        ds, dt = for_s - s - in_s * da, for_t - t + in_t * da
        shrink = max(
            -(da * by_a).min(), (da * by_u).max(), -(ds / s).min(), -(dt / t).min(), INSIDE
        )
        length = INSIDE / shrink
        if not length > 1e-10:
            break
        beta = beta + length * step
        a, s, t = a + length * da, s + length * ds, t + length * dt
    return beta if gap < GOOD else None


def _step(
    design: Array, signs: Array, factor: Any, d: Array, right: Array, unmet: Array
) -> tuple[Array, Array]:
    """Solve sign x (step) + (change of a) / d = right, with w = sum a sign x met on the way."""
    step = cho_solve(factor, design.T @ (signs * d * right).sum(axis=0) + unmet, check_finite=False)
    return step, d * (right - signs * (design @ step))
