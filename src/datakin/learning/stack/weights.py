"""The weights of a stack: ridge-penalised least squares on the simplex, and predictions judged honestly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from datakin.data.features import Array

__all__ = ["Mix", "mix", "on_simplex", "reweighted"]

SUM = 1e3  # how much more the sum of the weights counts than any row
RIDGE = 5.0  # of the weights' distance from equal weights of the target's own candidates
KEPT = 0.15  # weight of the mix of the target's own candidates in the final one


@dataclass(frozen=True, eq=False)
class Mix:
    """Weights of candidates, and what they predict for rows that they never saw.

    Attributes
    ----------
    weights : ndarray of shape (candidates,)
        Mean over the folds.
    by_fold : ndarray of shape (folds, candidates)
        From the rows outside each fold.
    predictions : ndarray of shape (n, m)
        Of each row, by the weights of its fold.
    """

    weights: Array
    by_fold: Array
    predictions: Array


def on_simplex(gram: Array, moment: Array, ridge: float, center: Array) -> Array:
    """Minimise a'Ga - 2a'm + ridge |a - center|^2 over weights that are not negative and sum to 1.

    Examples
    --------
    >>> on_simplex(np.eye(2), np.array([1.0, 0.0]), 0.0, np.zeros(2)).round(6)
    array([1., 0.])
    """
    size = len(gram)
    scale = max(float(np.trace(gram)) / size, 1e-12)
    # Rounding may leave a Gram matrix with an eigenvalue a little below 0.
    matrix = gram / scale + (ridge / scale + 1e-9) * np.eye(size)
    aim = (moment + ridge * center) / scale
    root = cholesky(matrix, lower=False)
    right = solve_triangular(root, aim, trans="T")
    found, _ = nnls(np.vstack([root, np.full(size, SUM)]), np.append(right, SUM), maxiter=50 * size)
    total = found.sum()
    return found / total if total > 0 else np.full(size, 1 / size)


def mix(
    P: Array,
    Y: Array,
    row_weights: Array,
    folds: Array,
    own: Array,
    *,
    ridge: float = RIDGE,
    kept: float = KEPT,
) -> Mix:
    """Find the weights of candidates from held-out predictions of the target's rows.

    Parameters
    ----------
    P : ndarray of shape (candidates, n, m)
        Held-out predictions.
    Y : ndarray of shape (n, m)
    row_weights : ndarray of shape (n,)
    folds : ndarray of int, shape (n,)
    own : ndarray of bool, shape (candidates,)
        Candidates that are learned from the target alone.
    ridge : float
        In units of the mean loss of the best own candidate.
    kept : float
        Weight of the mix of own candidates.
    """
    n_folds = int(folds.max()) + 1
    flat, aims = _sums(P, Y, row_weights, folds, n_folds)
    center = np.where(own, 1.0 / own.sum(), 0.0)
    by_fold = np.empty((n_folds, len(P)))
    total_gram, total_moment = flat.sum(axis=0), aims.sum(axis=0)
    scale = 1.0 if Y.shape[1] <= 2 else 1.5
    losses = _own_losses(P[own], Y, row_weights, folds, n_folds)
    for k in range(n_folds):
        gram, moment = total_gram - flat[k], total_moment - aims[k]
        outside = float(row_weights[folds != k].sum())
        best = float((losses.sum(axis=1) - losses[:, k]).min()) / outside
        stiff = ridge * best / scale
        weights = on_simplex(gram, moment, stiff, center)
        if own.all():
            by_fold[k] = weights
            continue
        alone = on_simplex(gram[np.ix_(own, own)], moment[own], stiff, center[own])
        by_fold[k] = (1 - kept) * weights
        by_fold[k][own] += kept * alone
    predictions = np.einsum("cnm,nc->nm", P, by_fold[folds])
    return Mix(by_fold.mean(axis=0), by_fold, predictions)


def reweighted(P: Array, Y: Array, row_weights: Array, own: Array) -> Array:
    """Return the weights of candidates from all rows at once, for other weights of the rows."""
    flat, aims = _sums(P, Y, row_weights, np.zeros(len(Y), dtype=int), 1)
    center = np.where(own, 1.0 / own.sum(), 0.0)
    scale = 1.0 if Y.shape[1] <= 2 else 1.5
    losses = row_weights * np.sum((P[own] - Y) ** 2, axis=2)
    stiff = RIDGE * float(losses.sum(axis=1).min()) / float(row_weights.sum()) / scale
    weights = (1 - KEPT) * on_simplex(flat[0], aims[0], stiff, center)
    alone = on_simplex(flat[0][np.ix_(own, own)], aims[0][own], stiff, center[own])
    weights[own] += KEPT * alone
    return weights


def _sums(
    P: Array, Y: Array, row_weights: Array, folds: Array, n_folds: int
) -> tuple[Array, Array]:
    """Return products of predictions with each other and with the responses, by fold."""
    grams, moments = [], []
    for k in range(n_folds):
        at = folds == k
        part = P[:, at] * np.sqrt(row_weights[at])[None, :, None]
        part = part.reshape(len(P), -1)
        aim = (Y[at] * np.sqrt(row_weights[at])[:, None]).ravel()
        grams.append(part @ part.T)
        moments.append(part @ aim)
    return np.array(grams), np.array(moments)


def _own_losses(P: Array, Y: Array, row_weights: Array, folds: Array, n_folds: int) -> Array:
    losses = row_weights * np.sum((P - Y) ** 2, axis=2)
    return np.array([[each[folds == k].sum() for k in range(n_folds)] for each in losses])
