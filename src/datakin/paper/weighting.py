"""ART and KinWeighted: held-out rows of the target decide how much each source counts.

ART weights fitted candidates, KinWeighted weights the rows of one fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax

from datakin._core.checks import check_choice, check_count, check_positive
from datakin._core.exceptions import DatakinError, listed
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learners.estimators import FittedLearner
from datakin.learners.folds import drawn
from datakin.learners.losses import LOSSES
from datakin.paper.estimators import TransferEstimator, check_takes_weights
from datakin.transfer.pool import Pool

GRID = (0.0, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0)
SCALES = (0.0, 0.25, 0.5, 1.0)


@dataclass(eq=False, repr=False, kw_only=True)
class ART(TransferEstimator):
    """Adaptive and robust transfer (Wang, Wu and Ye 2023): a weighted sum of pooled fits.

    The candidates are the base estimator on the target alone, and on the target with each source.
    The target is split in half many times (each class evenly). Candidates learn from one half;
    their mean deviance on the other half gives weights proportional to exp(-sharpness * deviance).
    The weights are averaged over the splits. The prediction is the weighted sum of the candidates,
    each fitted on all its rows.

    The deviance is -2 log-likelihood for classes (probabilities not below .001). For numbers it is
    the squared error divided by that of the best candidate on the same half, which estimates the
    unknown noise variance. Without the division, weights would depend on the unit of y.

    Parameters
    ----------
    estimator : scikit-learn estimator, optional
        A classifier with predict_proba or a regressor; logistic regression by default.
    sharpness : float
        How strongly low deviance is preferred: the authors' lambda, 1 in their package. With classes
        mean deviances lie close together, so that 1 leaves some weight even to harmful sources; 5 or
        more takes it away.
    repeats : int
        Largest number of splits.
    tolerance : float
        Stop when no averaged weight has moved by more than this.
    weighting : {"scaled", "paper"}
        For regression: squared errors divided as above, or undivided as in the paper.
    random_state : int
        Seed of the splits, and of an estimator whose own random_state is None.

    Attributes
    ----------
    classes_ : ndarray
        All classes of target and sources (classification).
    source_weights_ : ndarray
        Weight of target-with-source for each source, in the order given.
    target_weight_ : float
        Weight of the target alone; with the source weights it sums to 1.
    n_repeats_ : int
        Number of splits made.
    estimators_, estimator_weights_ : list of FittedLearner, ndarray
        First the target alone, then the target with each source.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, Xs = rng.standard_normal((60, 2)), rng.standard_normal((200, 2))
    >>> y, ys = (X[:, 0] > 0).astype(int), (Xs[:, 0] > 0).astype(int)
    >>> model = ART(repeats=5).fit(X, y, sources=[(Xs, ys), (Xs, 1 - ys)])
    >>> model.source_weights_.round(2)
    array([0.52, 0.02])
    """

    sharpness: float = 1.0
    repeats: int = 50
    tolerance: float = 1e-6
    weighting: str = "scaled"

    def _check_options(self) -> None:
        check_positive("sharpness", self.sharpness)
        check_count("repeats", self.repeats, 1)
        check_positive("tolerance", self.tolerance)
        check_choice("weighting", self.weighting, ("scaled", "paper"))

    def _fit_pool(self, pool: Pool) -> tuple[list[FittedLearner], Array]:
        self._check_pool(pool)
        weights = np.zeros(pool.n_sources + 1)
        for repeat in range(self.repeats):
            found = softmax(-self.sharpness * self._deviances(pool, repeat))
            change = (found - weights) / (repeat + 1)
            weights = weights + change
            if repeat and np.abs(change).max() < self.tolerance:
                break
        self.n_repeats_ = repeat + 1
        self.target_weight_ = float(weights[0])
        self.source_weights_ = weights[1:]
        learners = [
            self._learn(pool, pool.rows(0, j), None, "candidate", j) for j in range(len(weights))
        ]
        return learners, weights

    def _check_pool(self, pool: Pool) -> None:
        if pool.n_classes and not self._has_probabilities():
            raise DatakinError(
                f"ART weights its candidates by their probabilities: the base estimator must have "
                f"predict_proba. {type(self._base()).__name__} has none; wrap it in "
                f"CalibratedClassifierCV, or use another."
            )
        y = pool.y[pool.rows(0)]
        if pool.classes is not None:
            counts = np.bincount(y, minlength=pool.n_classes)
            lone = [f"{c}" for c, n in zip(pool.classes, counts, strict=True) if n == 1]
            if lone:
                raise DatakinError(
                    f"ART splits the target in half: every class must have at least 2 target rows. "
                    f"Got 1 of {listed(lone)}."
                )
        elif len(y) < 4:
            raise DatakinError(
                f"ART splits the target in half: it must have at least 4 rows. Got {len(y)}."
            )

    def _deviances(self, pool: Pool, repeat: int) -> Array:
        """Return the mean deviance of every candidate on the half that it has not seen."""
        learned, held = _halves(pool, derive_seed(self.random_state, "halves", repeat))
        X, y = pool.X[held], pool.y[held]
        found = []
        for j in range(pool.n_sources + 1):
            rows = np.concatenate([learned, pool.rows(j)]) if j else learned
            learner = self._learn(pool, rows, None, "half", repeat, j)
            losses = _row_losses(learner, X, y, "log")
            found.append(float((2 * losses if pool.n_classes else losses).mean()))
        deviances = np.array(found)
        if pool.n_classes or self.weighting == "paper" or not deviances.any():
            return deviances
        return np.asarray(deviances / max(deviances.min(), 1e-12 * deviances.max()))


@dataclass(eq=False, repr=False, kw_only=True)
class KinWeighted(TransferEstimator):
    """One fit on target and sources, the rows of each source weighted between 0 and 1.

    The weight of a source is found by cross-validation on the target: for each weight of a grid,
    the base estimator is fitted on the target's rows outside a fold together with the weighted
    source, and tested on the fold. The weight used is the average over the grid, in which weights
    with a low loss count most. So a source that neither helps nor harms ends in the middle, and one
    that harms ends at 0. With several sources each weight is found alone first. Then all weights are
    multiplied by a common factor found in the same way, because sources that carry the same
    information should not count twice.

    Parameters
    ----------
    estimator : scikit-learn estimator, optional
        Must take row weights. Logistic regression by default.
    cv : int
        Number of folds of the target.
    grid : sequence of float
        The weights to try. One of them must be 0 (target alone).
    random_state : int
        Seed of the folds, and of an estimator whose own random_state is None.

    Attributes
    ----------
    source_weights_ : ndarray of shape (sources,)
        How much a row of each source counts; a row of the target counts 1.
    losses_ : ndarray of shape (sources, weights)
        Held-out loss at each weight of the grid: Brier score for classes, squared error for
        numbers.
    estimators_ : list of FittedLearner
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

    cv: int = 5
    grid: Sequence[float] = GRID

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

    def _fit_pool(self, pool: Pool) -> tuple[list[FittedLearner], Array]:
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

    def _fit_at(
        self, pool: Pool, weights: Array, rows: Array, *purpose: str | int
    ) -> FittedLearner:
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
            losses[fold] = _row_losses(learner, pool.X[fold], pool.y[fold], "brier")
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
        return drawn(y, n_folds, seed, stratify=bool(pool.n_classes), groups=None)


def _row_losses(learner: FittedLearner, X: Any, y: Array, loss: str) -> Array:
    """Return the loss of every row; for numbers it is the squared error, whatever `loss` is."""
    if learner.n_classes:
        return LOSSES[loss].rows(y, learner.probabilities(X))
    return LOSSES["squared"].rows(y, learner.values(X))


def _halves(pool: Pool, seed: int) -> tuple[Array, Array]:
    """Split the target's rows at random into two halves, each class (if there are any) evenly."""
    rows = np.random.default_rng(seed).permutation(pool.n_target)
    if pool.n_classes:
        rows = rows[np.argsort(pool.y[rows], kind="stable")]
    return rows[::2], rows[1::2]


def _average(values: Array, losses: Array) -> float:
    """Average values, weighted by their likelihood given losses of shape (values, rows).

    The likelihood is that of Gaussian errors whose variance is the lowest mean loss. With n rows, a
    value whose loss is higher by the fraction 2 / n has 1 / e of the best value's weight.
    """
    means = losses.mean(axis=1)
    best = float(means.min())
    if best <= 0:
        return float(values[np.argmin(means)])
    powers = np.exp(-0.5 * losses.shape[1] * (means - best) / best)
    return float(powers @ values / powers.sum())
