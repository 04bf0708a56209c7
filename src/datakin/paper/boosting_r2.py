"""TrAdaBoost.R2: TrAdaBoost for regression, in one stage or in two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import brentq

from datakin._core.checks import check_count
from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learners.estimators import FittedLearner
from datakin.paper.boosting import Boosting, target_beta
from datakin.paper.estimators import check_takes_weights
from datakin.transfer.pool import Pool

Ensemble = tuple[list[FittedLearner], Array]


@dataclass(eq=False, repr=False, kw_only=True)
class TrAdaBoostR2(Boosting):
    """TrAdaBoost.R2 and its two-stage version (Pardoe and Stone 2010), for regression.

    One stage: as `TrAdaBoost`. The loss of a row is its absolute error divided by the largest one
    of the round, and the prediction is the weighted median of the learners from round ceil(N/2) on.
    A round whose weighted loss on the target reaches 1/2 ends the boosting and is dropped, as the
    paper says (the first round is always kept). A loss of 0 is replaced by 1e-10.

    Two stages (`stages` given): at each of S steps the source weights shrink by loss, so that the
    target's share of the weight rises in equal steps from the share of its rows to 1. Then the
    source weights are frozen and the target's rows are boosted as in AdaBoost.R2; the prediction is
    the weighted median of the learners. Cross-validation on the target's rows chooses the step.
    That takes about S * folds * rounds fits.

    Parameters
    ----------
    estimator : regressor, optional
        Must take row weights; linear regression by default.
    rounds : int
        Number of rounds, N.
    stages : int, optional
        Number of steps S of the two-stage version, at least 2; None for one stage.
    folds : int
        Number of cross-validation folds in the two-stage version.
    target_share : float, optional
        Share of the total weight that the target's rows have at the start. By default all rows
        have the same weight.
    random_state : int
        Seed of the folds, and of an estimator whose own random_state is None.

    Attributes
    ----------
    estimators_ : list of FittedLearner
    estimator_weights_ : ndarray
        ln((1 - eps) / eps) of each learner; 0 for those left out of the median.
    errors_ : ndarray
        One stage: the target's weighted loss in every round. Two stages: the cross-validated mean
        squared error of every step.
    target_row_weights_, source_row_weights_ : ndarray of shape (rounds or stages, rows)
        The weights of every round or step; together they sum to 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, Xs = rng.standard_normal((30, 1)), rng.standard_normal((200, 1))
    >>> y, ys = 2 * X[:, 0], 2 * Xs[:, 0] + 0.1 * rng.standard_normal(200)
    >>> TrAdaBoostR2(rounds=10).fit(X, y, sources=[(Xs, ys)]).predict([[1.0]]).round(1)
    array([2.])
    """

    _task: ClassVar[str | None] = "regression"
    _ends_at_half = True
    stages: int | None = None
    folds: int = 5

    def _check_options(self) -> None:
        super()._check_options()
        check_count("folds", self.folds, 2)
        if self.stages is not None:
            check_count("stages", self.stages, 2)

    def _fit_pool(self, pool: Pool) -> Ensemble:
        check_takes_weights(self._base())
        weights = self._initial_weights(pool)
        if self.stages is not None:
            return self._two_stages(pool, weights, self.stages)
        learners, history, errors = self._boost(pool, np.arange(len(pool.y)), weights)
        self._remember(history, errors, pool.n_target)
        votes = _votes(errors)
        votes[: -(-len(votes) // 2) - 1] = 0.0  # the rounds before ceil(N/2)
        return learners, votes

    def _combine(self, X: Any) -> Array:
        kept = np.flatnonzero(self.estimator_weights_)
        values = np.column_stack([self.estimators_[i].values(X) for i in kept])
        return weighted_median(values, self.estimator_weights_[kept])

    def _two_stages(self, pool: Pool, weights: Array, stages: int) -> Ensemble:
        n, every = pool.n_target, np.arange(len(pool.y))
        if n < self.folds:
            raise DatakinError(
                f"The target must have a row for each of the {self.folds} folds. Got {n} rows."
            )
        folds = np.random.default_rng(derive_seed(self.random_state, "folds")).permutation(n)
        history, errors = [], []
        start = weights[:n].sum()
        for step in range(stages):
            history.append(weights)
            errors.append(self._cross_validate(pool, weights, folds % self.folds))
            if step + 1 == stages:
                break
            learner = self._fit_round(pool, every, weights, "step", step)
            losses = self._losses(learner, pool.X, pool.y, weights)
            share = start + (step + 1) / (stages - 1) * (1 - start)
            weights = shrink_sources(weights, losses, n, share)
        self._remember(history, errors, n)
        best = history[int(np.argmin(errors))]
        learners, _, errors = self._boost(pool, every, best, only_target=True)
        return learners, _votes(errors)

    def _cross_validate(self, pool: Pool, weights: Array, folds: Array) -> float:
        n, total = pool.n_target, 0.0
        for fold in range(self.folds):
            held = np.flatnonzero(folds == fold)
            rows = np.setdiff1d(np.arange(len(pool.y)), held)
            learners, _, errors = self._boost(pool, rows, weights[rows], only_target=True)
            values = np.column_stack([learner.values(pool.X[held]) for learner in learners])
            total += float(np.sum((pool.y[held] - weighted_median(values, _votes(errors))) ** 2))
        return total / n

    def _losses(self, learner: FittedLearner, X: Any, y: Array, weights: Array) -> Array:
        return relative_losses(y - learner.values(X), weights)


def relative_losses(residuals: Array, weights: Array) -> Array:
    """Return absolute errors divided by the largest one among rows with weight; at most 1."""
    sizes = np.abs(residuals)
    largest = sizes[weights > 0].max()
    return np.minimum(sizes / largest, 1.0) if largest > 0 else np.zeros_like(sizes)


def shrink_sources(weights: Array, losses: Array, n_target: int, share: float) -> Array:
    """Return weights with source rows times beta ** loss; beta gives the target the wanted share.

    Examples
    --------
    >>> shrink_sources(np.full(4, 0.25), np.array([0.0, 0.0, 1.0, 0.5]), 2, 0.8).round(3)
    array([0.4  , 0.4  , 0.054, 0.146])
    """
    own, source = weights[:n_target], weights[n_target:]
    wanted = own.sum() * (1 - share) / share
    if wanted <= 0:
        faded = np.zeros_like(source)
    else:
        least, exponents = 1e-12, losses[n_target:]

        def excess(log_beta: float) -> float:
            return float(np.sum(source * np.exp(log_beta * exponents)) - wanted)

        low = np.log(least)
        # Rows without loss never shrink. If they alone weigh too much, all rows are scaled down.
        beta = brentq(excess, low, 0.0, xtol=1e-14) if excess(low) < 0 <= excess(0.0) else low
        faded = source * np.exp(beta * exponents)
        faded *= wanted / faded.sum()
    moved = np.concatenate([own, faded])
    return np.asarray(moved / moved.sum())


def weighted_median(values: Array, weights: Array) -> Array:
    """Return for every row the smallest value that reaches half of the columns' weight.

    Examples
    --------
    >>> weighted_median(np.array([[1.0, 2.0, 9.0]]), np.array([1.0, 1.0, 3.0]))
    array([9.])
    """
    order = np.argsort(values, axis=1, kind="stable")
    reached = np.cumsum(weights[order], axis=1)
    place = np.argmax(reached >= 0.5 * reached[:, -1:], axis=1)
    rows = np.arange(len(values))
    return np.asarray(values[rows, order[rows, place]])


def _votes(errors: list[float]) -> Array:
    """Return ln(1 / beta), or 1 if that is 0: the only round of a boosting that ended at once."""
    return np.array([-float(np.log(target_beta(error))) or 1.0 for error in errors])
