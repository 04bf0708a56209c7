"""The weights of a stack: ridge-penalised least squares on the simplex, and predictions judged honestly."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from datakin.data.features import Array

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

    def center(self, own: Array, pooled: Array, sources: Array) -> Array:
        """Return the weights that are expected of candidates of each kind."""
        shares = (1.0 - self.pooled - self.sources, self.pooled, self.sources)
        kinds = zip(shares, (own, pooled, sources), strict=True)
        found = sum(share * (some / max(some.sum(), 1)) for share, some in kinds)
        return np.asarray(found / np.sum(found))


# All chosen on the development half (`python -m benchmarks.decisions.calibrate` shows some others). To
# tell sources apart, weights start from the target alone. To predict, they start from a pool of what was
# chosen, and are held back more.
CHOOSING = Style(ridge=5.0, kept=0.15)
PREDICTING = Style(ridge=30.0, kept=0.2, pooled=0.4, sources=0.2)
# Where single sources stand for pools of them.
WITHOUT_POOLS = replace(PREDICTING, pooled=0.0, sources=PREDICTING.pooled + PREDICTING.sources)
ONE_SOURCE = Style(ridge=10.0, kept=0.2)


@dataclass(frozen=True, eq=False)
class Mix:
    """Weights of candidates, and what they predict for rows that they never saw.

    Mean weights of shape (candidates,), those from the rows outside each fold, and predictions of shape
    (n, m) of each row by the weights of its fold.
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
    center: Array | None = None,
    only: int | None = None,
) -> Mix:
    """Find the weights of candidates from held-out predictions of the target's rows.

    Predictions have shape (candidates, n, m), responses (n, m). `own` says which candidates are learned from
    the target alone; `center` holds the weights that are expected, by default equal ones of the target's own.
    With `only`, weights are found for one fold alone.
    """
    n_folds = int(folds.max()) + 1
    sums = _Sums(P, Y, row_weights, folds, n_folds, own)
    center = own / own.sum() if center is None else center
    by_fold = np.zeros((n_folds, len(P)))
    wanted = range(n_folds) if only is None else [only]
    for k in wanted:
        by_fold[k] = sums.weights(own, center, style, k)
    predictions = np.einsum("cnm,nc->nm", P, by_fold[folds])
    return Mix(by_fold[list(wanted)].mean(axis=0), by_fold, predictions)


def reweighted(P: Array, Y: Array, row_weights: Array, own: Array) -> Array:
    """Return the weights that sources are chosen by, from all rows at once, for other row weights."""
    sums = _Sums(P, Y, row_weights, np.zeros(len(Y), dtype=int), 1, own)
    return sums.weights(own, own / own.sum(), CHOOSING)


class _Sums:
    """Products of predictions with each other and with the responses, and losses, by fold."""

    def __init__(
        self, P: Array, Y: Array, row_weights: Array, folds: Array, n_folds: int, own: Array
    ) -> None:
        self.n_outputs, self.counts = Y.shape[1], np.bincount(folds, row_weights, n_folds)
        losses = row_weights * np.sum((P[own] - Y) ** 2, axis=2)
        self.losses = np.array([np.bincount(folds, each, n_folds) for each in losses])
        self.grams, self.moments = [], []
        roots = np.sqrt(row_weights)[:, None]
        for k in range(n_folds):
            at = folds == k
            part = (P[:, at] * roots[at]).reshape(len(P), -1)
            self.grams.append(part @ part.T)
            self.moments.append(part @ (Y[at] * roots[at]).ravel())

    def weights(self, own: Array, center: Array, style: Style, without: int | None = None) -> Array:
        """Return the weights from all rows, or from those outside a fold."""
        gram, moment, losses, count = (
            np.sum(by_fold, axis=0) - (0.0 if without is None else by_fold[without])
            for by_fold in (self.grams, self.moments, self.losses.T, self.counts)
        )
        best = float(losses.min() / count)
        stiff = style.ridge * best / (1.0 if self.n_outputs <= 2 else 1.5)
        found = on_simplex(gram, moment, stiff, center)
        if own.all():
            return found
        alone = on_simplex(
            gram[np.ix_(own, own)], moment[own], stiff, np.full(own.sum(), 1 / own.sum())
        )
        found = (1 - style.kept) * found
        found[own] += style.kept * alone
        return found
