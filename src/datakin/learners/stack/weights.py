"""The weights of a stack: ridge-penalised least squares on the simplex, and predictions judged honestly."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from datakin.data.features import Array

__all__ = [
    "CHOOSING",
    "ONE_SOURCE",
    "PREDICTING",
    "Mix",
    "Style",
    "mix",
    "on_simplex",
    "reweighted",
]

SUM = 1e3  # how much more the sum of the weights counts than any row


@dataclass(frozen=True)
class Style:
    """How weights are found.

    Attributes
    ----------
    ridge : float
        Penalty of the weights' distance from where they are expected, in units of the mean loss of the
        best candidate of the target alone.
    kept : float
        Weight of the mix of the target's own candidates in the final one.
    pooled, sources : float
        Weight that is expected of the candidates with target and sources in one pool, and of those with
        all sources; the rest is that of the target's own.
    """

    ridge: float
    kept: float
    pooled: float = 0.0
    sources: float = 0.0

    @property
    def without_pools(self) -> Style:
        """The same where single sources stand for pools of them."""
        return replace(self, pooled=0.0, sources=self.pooled + self.sources)

    def center(self, own: Array, pooled: Array, sources: Array) -> Array:
        """Return the weights that are expected of candidates of each kind."""
        shares = [
            (own, 1.0 - self.pooled - self.sources),
            (pooled, self.pooled),
            (sources, self.sources),
        ]
        found = sum(share * (some / max(some.sum(), 1)) for some, share in shares if some.any())
        return np.asarray(found / np.sum(found))


# All chosen on the development half (`python -m benchmarks.decisions.calibrate` shows some others). To
# tell sources apart, weights start from the target alone. To predict, they start from a pool of what was
# chosen, and are held back more.
CHOOSING = Style(ridge=5.0, kept=0.15)
PREDICTING = Style(ridge=30.0, kept=0.2, pooled=0.4, sources=0.2)
ONE_SOURCE = Style(ridge=10.0, kept=0.2)


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
    style: Style = CHOOSING,
    pooled: Array | None = None,
    sources: Array | None = None,
    only: int | None = None,
) -> Mix:
    """Find the weights of candidates from held-out predictions of the target's rows.

    Parameters
    ----------
    P : ndarray of shape (candidates, n, m)
        Held-out predictions.
    Y : ndarray of shape (n, m)
    row_weights : ndarray of shape (n,)
    folds : ndarray of int, shape (n,)
    own, pooled, sources : ndarray of bool, shape (candidates,)
        Candidates that are learned from the target alone, from the target with all sources, and from
        all sources.
    style : Style
    only : int, optional
        A fold: weights are found for it alone.
    """
    n_folds = int(folds.max()) + 1
    flat, aims = _sums(P, Y, row_weights, folds, n_folds)
    nothing = np.zeros(len(P), dtype=bool)
    center = style.center(
        own, nothing if pooled is None else pooled, nothing if sources is None else sources
    )
    by_fold = np.zeros((n_folds, len(P)))
    wanted = range(n_folds) if only is None else [only]
    total_gram, total_moment = flat.sum(axis=0), aims.sum(axis=0)
    losses = _own_losses(P[own], Y, row_weights, folds, n_folds)
    for k in wanted:
        outside = float(row_weights[folds != k].sum())
        best = float((losses.sum(axis=1) - losses[:, k]).min()) / outside
        by_fold[k] = _found(
            total_gram - flat[k], total_moment - aims[k], best, own, center, style, Y
        )
    predictions = np.einsum("cnm,nc->nm", P, by_fold[folds])
    return Mix(by_fold[list(wanted)].mean(axis=0), by_fold, predictions)


def _found(
    gram: Array, moment: Array, best: float, own: Array, center: Array, style: Style, Y: Array
) -> Array:
    """Return the weights for one set of rows."""
    stiff = style.ridge * best / (1.0 if Y.shape[1] <= 2 else 1.5)
    found = on_simplex(gram, moment, stiff, center)
    if own.all():
        return found
    equal = np.full(int(own.sum()), 1.0 / own.sum())
    alone = on_simplex(gram[np.ix_(own, own)], moment[own], stiff, equal)
    found = (1 - style.kept) * found
    found[own] += style.kept * alone
    return found


def reweighted(P: Array, Y: Array, row_weights: Array, own: Array) -> Array:
    """Return the weights that sources are chosen by, from all rows at once, for other row weights."""
    flat, aims = _sums(P, Y, row_weights, np.zeros(len(Y), dtype=int), 1)
    losses = row_weights * np.sum((P[own] - Y) ** 2, axis=2)
    best = float(losses.sum(axis=1).min()) / float(row_weights.sum())
    nothing = np.zeros(len(P), dtype=bool)
    center = CHOOSING.center(own, nothing, nothing)
    return _found(flat[0], aims[0], best, own, center, CHOOSING, Y)


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
