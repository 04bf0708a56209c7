"""What pooling brings, and the shares with which it brings most.

With A what the target's own predictor lacks at its size (own error minus its limit) and D_i how far
the predictor of source i is behind it, a pooled predictor with shares p_i of the sources errs by

    limit + (1 - sum p)^2 A + sum_ij p_i p_j G_ij,    G_ii = A + D_i,

which is exact for least squares with equal feature covariance and first order for smooth decision
boundaries. For one source the limit cancels: gain(p) = 2 p (1 - p) A - p^2 D. So the far end of the
learning curve, the noisiest number of all, enters only through A. Two sources that lack the same thing
have G_ij = sqrt(G_ii G_jj), two with independent faults 0; between them decides the correlation of
their losses on the target's rows.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from datakin.data.features import Array

__all__ = ["best_shares", "pooled_gain"]

TIE = 1e-6  # of G_ii: of shares that do equally well, the even ones
NOTHING = 1e-9  # of the largest number: the target lacks nothing


def pooled_gain(theta: Array, shares: Array, correlation: Array) -> Array:
    """Return the gain of a pool whose sources have these shares.

    Parameters
    ----------
    theta : ndarray of shape (..., 1 + m)
        A, then the D_i.
    shares : ndarray of shape (..., m)
    correlation : ndarray of shape (m, m)
    """
    lack, left = theta[..., 0], 1 - shares.sum(axis=-1)
    own = lack[..., None] + theta[..., 1:]
    root = np.sqrt(np.maximum(own, 0.0)) * shares
    between = np.einsum("...i,ij,...j", root, correlation, root) - np.sum(root**2, axis=-1)
    return np.asarray(lack - left**2 * lack - np.sum(shares**2 * own, axis=-1) - between)


def best_shares(theta: Array, ratio: Array, correlation: Array) -> Array:
    """Return the shares with the largest gain: a least-squares problem without negative shares.

    A source is held to be no better than as many rows of the target itself would be, so that its rows
    count at most as much as the target's.

    Parameters
    ----------
    theta : ndarray of shape (..., 1 + m)
    ratio : ndarray of shape (m,)
        Rows of the target for each row of the source.
    correlation : ndarray of shape (m, m)
    """
    if theta.shape[-1] == 2:
        return _one_share(theta, ratio)
    if theta.ndim > 1:
        return np.array([best_shares(one, ratio, correlation) for one in theta])
    lack = max(float(theta[0]), 0.0)
    if lack <= NOTHING * np.abs(theta).max():  # a source can only do harm
        free = (theta[1:] <= 0) / ratio
        return np.asarray(free / (1 + free.sum()))
    own = np.maximum(1 + theta[1:] / lack, ratio)  # in units of what the target lacks
    # Two copies of one source could share its share in any way; the tie makes it half each.
    root = np.sqrt(own)
    between = (correlation + TIE * np.eye(len(own))) * np.outer(root, root)
    values, vectors = np.linalg.eigh(between)
    half = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    matrix = np.vstack([np.ones(len(own)), half])
    shares, _ = nnls(matrix, np.append(1.0, np.zeros(len(own))))
    return np.asarray(shares)


def _one_share(theta: Array, ratio: Array) -> Array:
    """Return the best share of a single source, for any number of theta at once."""
    lack, behind = np.maximum(theta[..., :1], 0.0), theta[..., 1:]
    is_full = lack <= NOTHING * np.abs(theta).max(axis=-1, keepdims=True)
    own = np.maximum(1 + behind / np.where(is_full, 1.0, lack), ratio)
    return np.where(is_full, np.where(behind <= 0, 1 / (1 + ratio), 0.0), 1 / (1 + own))
