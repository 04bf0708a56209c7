"""KinWeighted: rows of a source count as much as they have proved to help on the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from datakin._core.checks import check_count
from datakin._core.exceptions import DatakinError
from datakin._core.seeds import derive_seed
from datakin.data.features import Array
from datakin.learning.losses import LOSSES
from datakin.transfer.base import TransferEstimator
from datakin.transfer.learner import Learner, check_takes_weights
from datakin.transfer.pool import Pool

__all__ = ["KinWeighted"]

GRID = (0.0, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0)
SCALES = (0.0, 0.25, 0.5, 1.0)


class KinWeighted(TransferEstimator):
    """One fit on target and sources, the rows of each source weighted between 0 and 1.

    The weight of a source is found where it will be used: the base estimator is fitted on the
    target's rows outside a fold together with the source at each weight of a grid, and tested on
    the fold. Weights are averaged over the grid, each counting by how well it did; so a source that
    neither helps nor harms ends in the middle, and one that harms at 0. With several sources each is
    weighed alone first; then all weights are scaled by a common factor found the same way, since
    sources that say the same need not be said twice.

    `datakin.forecast_gain` gives a weight from errors alone, without a further fit; here the data are
    at hand, and trying is better than forecasting.

    Parameters
    ----------
    estimator : scikit-learn estimator, optional
        Must take row weights. Logistic regression by default.
    cv : int
        Number of folds of the target.
    grid : sequence of float
        The weights that are tried, 0 (target alone) among them.
    random_state : int
        For the folds, and for a random_state that the estimator leaves open.

    Attributes
    ----------
    source_weights_ : ndarray of shape (sources,)
        What a row of each source counts beside a row of the target.
    losses_ : ndarray of shape (sources, weights)
        Held-out loss at each weight of the grid: Brier score for classes, squared error for
        numbers.
    estimators_ : list of Learner
        The one fit.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, Xs = rng.standard_normal((60, 2)), rng.standard_normal((200, 2))
    >>> y, ys = (X[:, 0] > 0).astype(int), (Xs[:, 0] > 0).astype(int)
    >>> model = KinWeighted().fit(X, y, sources=[(Xs, ys), (Xs, 1 - ys)])
    >>> bool(model.source_weights_[0] > 10 * model.source_weights_[1])
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: int = 5,
        grid: Sequence[float] = GRID,
        random_state: int = 0,
    ) -> None:
        super().__init__(estimator, random_state=random_state)
        self.cv = cv
        self.grid = grid

    def _check_options(self) -> None:
        check_count("cv", self.cv, 2)
        try:
            grid = np.asarray(self.grid, dtype=float)
        except (TypeError, ValueError):
            grid = np.array(np.nan)
        if grid.ndim != 1 or not len(grid) or grid.min() != 0 or not np.isfinite(grid).all():
            raise DatakinError(
                f"The 'grid' parameter must be weights from 0 up, 0 among them. Got {self.grid!r}."
            )

    def _fit_pool(self, pool: Pool) -> tuple[list[Learner], Array]:
        check_takes_weights(self._base())
        folds = self._folds(pool)
        grid = np.asarray(self.grid, dtype=float)
        one = np.eye(pool.n_sources)
        alone = self._held_out(pool, np.zeros(pool.n_sources), folds)
        losses = np.array(
            [
                [alone if w == 0 else self._held_out(pool, w * one[j], folds) for w in grid]
                for j in range(pool.n_sources)
            ]
        )
        weights = np.array([_average(grid, rows) for rows in losses])
        if pool.n_sources > 1 and weights.any():
            tried = [alone if s == 0 else self._held_out(pool, s * weights, folds) for s in SCALES]
            weights = weights * _average(np.array(SCALES), np.array(tried))
        self.source_weights_ = weights
        self.losses_ = losses.mean(axis=2)
        return [self._fit_at(pool, weights, np.arange(pool.n_target), "final")], np.ones(1)

    def _fit_at(self, pool: Pool, weights: Array, rows: Array, *purpose: str | int) -> Learner:
        """Fit on some rows of the target and the sources at their weights."""
        used = [j for j, w in enumerate(weights, start=1) if w > 0]
        everything = np.concatenate([rows, pool.rows(*used)]) if used else rows
        values = np.concatenate([[1.0], weights])[pool.origin[everything]]
        return self._learn(pool, everything, values if used else None, *purpose)

    def _held_out(self, pool: Pool, weights: Array, folds: Sequence[Array]) -> Array:
        """Return the loss on every target row, predicted by a fit that has not seen it."""
        losses = np.empty(pool.n_target)
        for k, fold in enumerate(folds):
            rest = np.setdiff1d(np.arange(pool.n_target), fold)
            learner = self._fit_at(pool, weights, rest, "fold", k)
            X, y = pool.X[fold], pool.y[fold]
            if pool.n_classes:
                losses[fold] = LOSSES["brier"].rows(y, learner.probabilities(X))
            else:
                losses[fold] = LOSSES["squared"].rows(y, learner.values(X))
        return losses

    def _folds(self, pool: Pool) -> list[Array]:
        seed = derive_seed(self.random_state, "folds")
        y = pool.y[: pool.n_target]
        least = pool.n_target // 2
        if pool.n_classes:
            counts = np.bincount(y)
            least = int(counts[counts > 0].min())
        n_folds = min(self.cv, least)
        if n_folds < 2:
            raise DatakinError(
                f"KinWeighted tests on folds of the target: it must have at least 2 rows "
                f"{'of every class' if pool.n_classes else 'for each fold'}. Got {pool.n_target} rows"
                + (f", {least} of one class." if pool.n_classes else ".")
            )
        splitter = StratifiedKFold if pool.n_classes else KFold
        split = splitter(n_folds, shuffle=True, random_state=seed)
        return [test for _, test in split.split(np.zeros((pool.n_target, 1)), y)]


def _average(values: Array, losses: Array) -> float:
    """Average values, each counting by its likelihood given the losses of shape (values, rows).

    The likelihood is that of Gaussian errors whose variance is the least mean loss: with n rows, a
    loss higher by 2 / n of it counts 1 / e.
    """
    means = losses.mean(axis=1)
    best = float(means.min())
    if best <= 0:
        return float(values[np.argmin(means)])
    powers = np.exp(-0.5 * losses.shape[1] * (means - best) / best)
    return float(powers @ values / powers.sum())
