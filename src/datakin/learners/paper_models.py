"""Three solvers for support vector machines: libsvm, interior point, active set.

*libsvm*, called directly (`train`). On 200 rows the checks and conversions of scikit-learn's SVC
and SVR take longer than libsvm itself (0.6 ms against 0.4).

*Interior point*, for linear kernels (`minimise_hinge`). libsvm's time grows like rows to the power
2.5 there. liblinear (LinearSVC, LinearSVR) is fast but penalises the intercept, which is another
problem. Here a step costs rows x columns^2, and about 15 steps reach the optimum of libsvm's own
problem, with more digits than libsvm's default. A plan's fits are 5 times as fast as libsvm's at
1,000 rows and 10 columns (regression: 12 times), and about 40 times at 5,000 rows and 50 columns.

*Active set*, for radial kernels in regression (`regress`). It starts from the solution for more
rows, where libsvm starts every fit from zero: 2 to 4 times as fast on the same Gram matrix when a
plan leaves one or two folds out of 300 to 3,000 rows (benchmarks/results/RESULTS.md). It notices when it
fails (few columns, equal rows), and libsvm takes over. It does not pay for classes, where libsvm
needs a quarter of the steps.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv, dpotrf, dpotrs
from sklearn.svm import SVC, SVR

from datakin.data.features import Array

__all__ = ["minimise_hinge", "regress", "train"]

# Interior point.
MOST_STEPS = 60
GAP = 1e-11  # between primal and dual value, relative
INSIDE = 0.995  # share of the way to the boundary that a step may take
GOOD = 1e-8  # gap that is still accepted when rounding stops the method

# Active set.
MOST_CHANGES = 20
MOST_ROWS = 5000  # beyond, libsvm is as fast and takes less memory
MOST_FREE = 0.45  # share of the rows; with more free rows libsvm is faster
TINY = 1e-10
LONGEST_STEP = 1e4  # in costs; with a longer step, rounding would show in the values
PATIENCE = 1.3  # rows of the wrong kind may grow by this factor from step to step


def train(
    estimator: Any, kernel: str, X: Array, y: Array, gamma: float = 1.0
) -> tuple[Array, Array, Array]:
    """Fit the machine that an SVC or SVR describes.

    scikit-learn's own entry to libsvm is not one of its public names. If it is missing or has
    changed, SVC and SVR do the same fit.

    Parameters
    ----------
    estimator : SVC or SVR
        Its C, epsilon, tol, shrinking and cache_size are used.
    kernel : {"linear", "rbf", "precomputed"}
    X : ndarray
        Rows, or their Gram matrix.
    y : ndarray
        Class codes from 0 without gaps, or numbers.
    gamma : float

    Returns
    -------
    support : ndarray of int
        Positions of the support vectors.
    weights : ndarray of shape (n_support, n_machines)
        One machine for every pair of classes, positive for the second of the two; one for
        regression.
    intercepts : ndarray of shape (n_machines,)
    """
    is_class = isinstance(estimator, SVC)
    options = {
        "C": float(estimator.C),
        "tol": float(estimator.tol),
        "shrinking": bool(estimator.shrinking),
        "cache_size": float(estimator.cache_size),
        "gamma": gamma,
    }
    if not is_class:
        options["epsilon"] = float(estimator.epsilon)
    X = np.ascontiguousarray(X, dtype=float)
    try:
        found = _directly(is_class, kernel, X, y, options)
    except (ImportError, AttributeError, TypeError):
        found = _by_class(is_class, kernel, X, y, options)
    support, n_support, dual, intercepts = found
    if is_class:
        return support, -_by_pair(dual, n_support), -intercepts
    return support, dual.T, intercepts


def _directly(is_class: bool, kernel: str, X: Array, y: Array, options: Any) -> tuple[Array, ...]:
    from sklearn.svm import _libsvm

    _libsvm.set_verbosity_wrap(0)
    kind = 0 if is_class else 3
    labels = np.ascontiguousarray(y, dtype=float)
    support, _, n_support, dual, intercepts, *_ = _libsvm.fit(
        X, labels, svm_type=kind, kernel=kernel, **options
    )
    return support, n_support, dual, intercepts


def _by_class(is_class: bool, kernel: str, X: Array, y: Array, options: Any) -> tuple[Array, ...]:
    machine = (SVC if is_class else SVR)(kernel=kernel, **options).fit(X, y)
    # scikit-learn flips libsvm's signs for two classes only.
    turn = -1.0 if is_class and len(machine.n_support_) == 2 else 1.0
    return (
        machine.support_,
        machine.n_support_,
        turn * machine.dual_coef_,
        turn * machine.intercept_,
    )


def _by_pair(dual: Array, n_support: Array) -> Array:
    """Return the weight of every support vector in the machine of every pair of classes."""
    ends = np.cumsum([0, *n_support])
    pairs = list(combinations(range(len(n_support)), 2))
    weights = np.zeros((dual.shape[1], len(pairs)))
    for k, (i, j) in enumerate(pairs):
        of_i, of_j = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        weights[of_i, k] = dual[j - 1, of_i]
        weights[of_j, k] = dual[i, of_j]
    return weights


def minimise_hinge(X: Array, signs: Array, levels: Array, cost: float = 1.0) -> Array | None:
    """Minimise |w|^2 / 2 + cost * sum max(0, level - sign * (x w + b)).

    For classes every row has one sign, its label -1 or 1, and level 1. For regression with a margin
    e every row is there twice, with signs 1 and -1 and levels y - e and -y - e.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    signs, levels : ndarray of shape (m, n)
        m conditions on every row.
    cost : float

    Returns
    -------
    ndarray of shape (p + 1,) or None
        w, then b; None if the method does not converge.

    Notes
    -----
    Mehrotra's predictor-corrector steps on the dual's conditions: multipliers 0 <= a <= cost with
    slacks s (for a >= 0) and t (for a <= cost),

        sign (x w + b) - level = s - t,   w = sum a sign x,   0 = sum a sign,   a s = (cost - a) t = 0.

    `inside` holds a and cost - a, `slacks` holds s and t.
    """
    design = np.hstack([X, np.ones((len(X), 1))])
    ridge = np.array([*np.ones(X.shape[1]), 0.0])
    beta = np.zeros(len(ridge))
    inside = np.full((2, *signs.shape), cost / 2)
    slacks = np.ones_like(inside)
    part = np.empty_like(design)
    gap = np.inf
    for _ in range(MOST_STEPS):
        by = 1.0 / inside
        margins = levels - signs * (design @ beta)
        unmet = design.T @ (signs * inside[0]).sum(axis=0) - ridge * beta
        total = float(np.vdot(inside, slacks))
        value = float(0.5 * beta[:-1] @ beta[:-1] + cost * np.maximum(margins, 0.0).sum())
        gap = max(total, float(np.abs(margins + slacks[0] - slacks[1]).max())) / (1 + value)
        if gap < GAP:
            return beta
        ratios = slacks * by
        d = 1.0 / (ratios[0] + ratios[1])
        np.multiply(design, np.sqrt(d.sum(axis=0))[:, None], out=part)
        factor, fault = dpotrf(part.T @ part + np.diag(ridge))
        if fault:
            break
        system = design, signs, factor, d, unmet
        # Predictor: aim at a s = (cost - a) t = 0 to see how long a straight step may be.
        _, change = _step(*system, margins)
        move = change * by
        length = min(1.0, 1.0 / max(1 + move.max(), -move.min()))
        slack_change = -slacks * (1 + move)
        ahead = np.vdot(inside + length * change, slacks + length * slack_change)
        aim = total / inside.size * (float(ahead) / total) ** 3
        # Corrector: aim at that product, with the predictor's second-order term.
        extra = (aim - change * slack_change) * by
        step, change = _step(*system, margins + extra[0] - extra[1])
        slack_change = extra - slacks - ratios * change
        shrink = max(-(change * by).min(), -(slack_change / slacks).min(), INSIDE)
        length = INSIDE / shrink
        if not length > 1e-10:
            break
        beta = beta + length * step
        inside += length * change
        slacks += length * slack_change
    return beta if gap < GOOD else None


def _step(
    design: Array, signs: Array, factor: Array, d: Array, unmet: Array, right: Array
) -> tuple[Array, Array]:
    """Solve sign x (step) + (change of a) / d = right, while w = sum a sign x comes to hold."""
    pulled = signs * (d * right)
    step, _ = dpotrs(factor, design.T @ pulled.sum(axis=0) + unmet)
    change = d * (right - signs * (design @ step))
    return step, np.stack((change, -change))


def regress(
    gram: Array, y: Array, cost: float, margin: float, start: Array
) -> tuple[Array, float] | None:
    """Minimise b' K b / 2 - y' b + margin |b| over weights |b| <= cost whose sum is 0.

    Every row is of one of five kinds: its weight is 0, at a bound, or free, the last two with either
    sign. Given the kinds, the weights solve a linear system. Rows whose weight or residual does not
    fit their kind then change it. When all fit, the solution is exact.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    y : ndarray of shape (n,)
    cost, margin : float
        C and epsilon of SVR.
    start : ndarray of shape (n,)
        Weights of a similar problem; they give the first guess of the kinds.

    Returns
    -------
    (ndarray of shape (n,), float) or None
        Weights and intercept; None if the kinds do not settle.
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
