"""Turn decision values into probabilities with Platt's sigmoid.

scikit-learn's ``probability=True`` costs five to six more fits per model. A plan already has
held-out decision values for every row, so only two parameters per class are left to fit.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from datakin.data.features import Array

__all__ = ["apply_sigmoids", "fit_sigmoids"]


def fit_sigmoids(scores: Array, y: Array) -> Array:
    """Fit one sigmoid per class (one for two classes).

    Parameters
    ----------
    scores : ndarray of shape (n, C)
        Decision values, larger for the likelier class.
    y : ndarray of int
        Class codes.

    Returns
    -------
    ndarray of shape (C, 2), or (1, 2) for two classes
        Slope and intercept.
    """
    n_classes = scores.shape[1]
    which = [1] if n_classes == 2 else range(n_classes)
    return np.array([_fit_sigmoid(scores[:, c], y == c) for c in which])


def apply_sigmoids(scores: Array, sigmoids: Array) -> Array:
    """Return a matrix of probabilities whose rows sum to 1."""
    if len(sigmoids) == 1:
        p = expit(sigmoids[0, 0] * scores[:, 1] + sigmoids[0, 1])
        return np.column_stack([1 - p, p])
    p = expit(scores * sigmoids[:, 0] + sigmoids[:, 1])
    total = p.sum(axis=1, keepdims=True)
    uniform = np.full_like(p, 1 / p.shape[1])
    return np.asarray(np.divide(p, total, out=uniform, where=total > 0))


def _fit_sigmoid(values: Array, positive: Array) -> tuple[float, float]:
    """Fit slope and intercept by Newton's method on Platt's targets, which are never 0 or 1.

    `backends.linear.newton` cannot replace this: it takes class codes, fails when all values are
    equal, and its probabilities differ by up to 5e-9.
    """
    n_pos = int(positive.sum())
    n_neg = len(values) - n_pos
    targets = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    scale = float(np.std(values)) or 1.0
    design = np.column_stack([values / scale, np.ones(len(values))])
    beta = np.array([0.0, np.log((n_pos + 1) / (n_neg + 1))])
    best = _deviance(design @ beta, targets)
    for _ in range(100):
        p = expit(design @ beta)
        gradient = design.T @ (p - targets)
        hessian = (design * (p * (1 - p))[:, None]).T @ design + 1e-10 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-10:  # halve the step until the deviance falls
            trial = _deviance(design @ (beta - size * step), targets)
            if trial <= best:
                break
            size /= 2
        beta = beta - size * step
        if best - trial <= 1e-12 * (abs(best) + 1):
            break
        best = trial
    return float(beta[0] / scale), float(beta[1])


def _deviance(eta: Array, targets: Array) -> float:
    return float(np.sum(np.logaddexp(0.0, eta) - targets * eta))
