"""TrAdaBoost and dynamic TrAdaBoost.

Rows that are predicted wrongly gain weight in the target and lose weight in the sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from datakin._core.checks import check_choice, check_count, check_number
from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.learners.estimators import FittedLearner
from datakin.paper.estimators import TransferEstimator, check_takes_weights
from datakin.transfer.pool import Pool

LEAST_ERROR = 1e-10  # used in place of 0, so that a vote stays finite


def _source_beta(n_source: int, rounds: int) -> float:
    """Return the factor by which a wrong source row shrinks: 1 / (1 + sqrt(2 ln n / N)).

    Examples
    --------
    >>> round(_source_beta(100, 50), 4)
    0.6997
    """
    return float(1 / (1 + np.sqrt(2 * np.log(n_source) / rounds)))


def target_beta(error: float) -> float:
    """Return eps / (1 - eps) for eps in [1e-10, 1/2]; wrong target rows grow by its inverse.

    Examples
    --------
    >>> target_beta(0.2)
    0.25
    >>> target_beta(0.7)
    1.0
    """
    # The same learner again has an error of 1/2 the second time, up to rounding.
    if error > 0.5 - LEAST_ERROR:
        return 1.0
    error = max(error, LEAST_ERROR)
    return error / (1 - error)


@dataclass(eq=False, repr=False, kw_only=True)
class Boosting(TransferEstimator):
    """What the TrAdaBoost family shares: row weights that move from round to round."""

    _ends_at_half: ClassVar[bool]  # whether a round with an error of 1/2 or more ends the boosting
    rounds: int = 50
    target_share: float | None = None

    def _check_options(self) -> None:
        check_count("rounds", self.rounds, 1)
        if self.target_share is not None:
            check_number(
                "target_share",
                self.target_share,
                "a number between 0 and 1, or None",
                lambda share: 0 < share < 1,
            )

    def _initial_weights(self, pool: Pool) -> Array:
        """Return weights that sum to 1: all equal, or with a given share for the target's rows."""
        if self.target_share is None:
            return np.full(len(pool.y), 1 / len(pool.y))
        counts = pool.n_target, len(pool.y) - pool.n_target
        shares = self.target_share / counts[0], (1 - self.target_share) / counts[1]
        return np.repeat(shares, counts)

    def _update(self, weights: Array, losses: Array, error: float, n_target: int) -> Array:
        """Return the weights of the next round, not normalised."""
        moved = weights.copy()
        moved[:n_target] *= target_beta(error) ** -losses[:n_target]
        moved[n_target:] *= _source_beta(len(weights) - n_target, self.rounds) ** losses[n_target:]
        return moved

    def _boost(
        self, pool: Pool, rows: Array, weights: Array, *, only_target: bool = False
    ) -> tuple[list[FittedLearner], list[Array], list[float]]:
        """Return the learner of every round, the row weights that it was fitted with, and its error.

        With `only_target` it is AdaBoost.R2: source weights and the target's total weight are fixed, and
        rows of the sources count in the error, too.
        """
        target = rows < pool.n_target
        counted = np.ones_like(target) if only_target else target
        learners: list[FittedLearner] = []
        history, errors = [], []
        for t in range(self.rounds):
            learner = self._fit_round(pool, rows, weights, "round", t)
            losses = self._losses(learner, pool.X[rows], pool.y[rows], weights)
            error = float(weights[counted] @ losses[counted] / weights[counted].sum())
            is_last = self._ends_at_half and error >= 0.5
            if is_last and learners:
                break
            learners.append(learner)
            history.append(weights)
            errors.append(error)
            if only_target:
                moved = weights.copy()
                moved[target] *= target_beta(error) ** (1 - losses[target])
                moved[target] *= weights[target].sum() / moved[target].sum()
                stays = not losses.any()
            else:
                moved = self._update(weights, losses, error, pool.n_target)
                stays = np.array_equal(moved, weights)
                moved = moved / moved.sum()
            if is_last or stays:
                break
            weights = moved
        return learners, history, errors

    def _fit_round(
        self, pool: Pool, rows: Array, weights: Array, *purpose: str | int
    ) -> FittedLearner:
        """Fit with weights of mean 1: the penalty of a learner matters as much as without weights."""
        return self._learn(pool, rows, weights * len(weights) / weights.sum(), *purpose)

    def _losses(self, learner: FittedLearner, X: Any, y: Array, weights: Array) -> Array:
        """Return the loss of every row, between 0 and 1."""
        raise NotImplementedError

    def _remember(self, history: list[Array], errors: list[float], n_target: int) -> None:
        """Keep the row weights and the error of every round."""
        self.errors_ = np.array(errors)
        self.target_row_weights_ = np.array(history)[:, :n_target]
        self.source_row_weights_ = np.array(history)[:, n_target:]


@dataclass(eq=False, repr=False, kw_only=True)
class TrAdaBoost(Boosting):
    """TrAdaBoost (Dai et al. 2007): wrong rows gain weight in the target, lose it in the sources.

    Each of N rounds fits the base estimator with row weights and takes its weighted error eps on
    the target's rows. Wrong target rows then gain the factor (1 - eps) / eps, wrong source rows
    lose the factor 1 + sqrt(2 ln n_s / N). The learners from round ceil(N/2) on vote, each with
    ln((1 - eps) / eps). Several sources are pooled.

    More than two classes are handled as in AdaBoost.M1: a learner that is right on less than half
    of the target's weight has no vote.

    An error above 1/2 is replaced by 1/2 and the rounds continue: the learner has no vote, the
    target's weights stay, and the sources keep losing weight, which may help later rounds. (If no
    learner has a vote, all count the same.) An error of 0 is replaced by 1e-10: target weights stay,
    and the learners without error decide. If a round changes no weight, all later rounds would be
    the same: boosting stops, and its learner votes for them too.

    Parameters
    ----------
    estimator : classifier, optional
        Must take row weights; logistic regression by default.
    rounds : int
        N. The paper used 100.
    voting : {"hard", "soft"}
        Losses and votes by predicted class (0 or 1), or by probability. On a small target learners
        often make no error; then "soft" still learns, while "hard" changes nothing.
    target_share : float, optional
        Share of the total weight that the target's rows have at the start. By default all rows
        have the same weight.
    random_state : int
        Seed for an estimator whose own random_state is None.

    Attributes
    ----------
    classes_ : ndarray
    estimators_ : list of FittedLearner
        One per round.
    estimator_weights_ : ndarray
        Their votes; 0 before round ceil(N/2).
    errors_ : ndarray
        eps of every round, before 0 and values above 1/2 are replaced.
    target_row_weights_, source_row_weights_ : ndarray of shape (rounds, rows)
        The weights that each learner was fitted with; together they sum to 1 in every round.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, Xs = rng.standard_normal((30, 2)), rng.standard_normal((200, 2))
    >>> y, ys = (X[:, 0] > 0).astype(int), (Xs[:, 0] > 0).astype(int)
    >>> model = TrAdaBoost(rounds=10).fit(X, y, sources=[(Xs, ys)])
    >>> model.predict([[2.0, 0.0], [-2.0, 0.0]])
    array([1, 0])
    """

    _task: ClassVar[str | None] = "classification"
    _ends_at_half = False
    voting: str = "hard"

    def _check_options(self) -> None:
        super()._check_options()
        check_choice("voting", self.voting, ("hard", "soft"))

    def _has_probabilities(self) -> bool:
        return self.voting == "hard" or super()._has_probabilities()

    def _fit_pool(self, pool: Pool) -> tuple[list[FittedLearner], Array]:
        check_takes_weights(self._base())
        if self.voting == "soft" and not super()._has_probabilities():
            raise DatakinError(
                f"voting='soft' needs a base estimator with predict_proba. "
                f"{type(self._base()).__name__} has none; use voting='hard'."
            )
        every = np.arange(len(pool.y))
        learners, history, errors = self._boost(pool, every, self._initial_weights(pool))
        self._remember(history, errors, pool.n_target)
        return learners, self._votes(self.errors_)

    def _fit_round(
        self, pool: Pool, rows: Array, weights: Array, *purpose: str | int
    ) -> FittedLearner:
        return self._learn(pool, rows, weights * len(weights), *purpose)  # they sum to 1

    def _losses(self, learner: FittedLearner, X: Any, y: Array, weights: Array) -> Array:
        if self.voting == "hard":
            return np.asarray(learner.codes(X) != y, dtype=float)
        return np.asarray(1 - learner.probabilities(X)[np.arange(len(y)), y])

    def _votes(self, errors: Array) -> Array:
        first = -(-self.rounds // 2) - 1  # round ceil(N/2), counted from 0
        counts = np.where(np.arange(len(errors)) >= first, 1.0, 0.0)
        counts[-1] = self.rounds - max(
            len(errors) - 1, first
        )  # plus the rounds that would repeat it
        votes = counts * -np.log([target_beta(error) for error in errors])
        return np.asarray(votes if votes.any() else counts)

    def _combine(self, X: Any) -> Array:
        if self.voting == "soft" or not self.n_sources_:
            return super()._combine(X)
        votes = np.zeros((X.shape[0], len(self.classes_)))
        shares = self.estimator_weights_ / self.estimator_weights_.sum()
        for share, learner in zip(shares, self.estimators_, strict=True):
            if share:
                votes[np.arange(len(votes)), learner.codes(X)] += share
        return votes


class DynamicTrAdaBoost(TrAdaBoost):
    """Dynamic TrAdaBoost (Al-Stouhi and Reddy 2011): TrAdaBoost that keeps good source rows.

    In TrAdaBoost the target's total weight grows by the factor 2 (1 - eps) in a round, so that even
    good source rows lose influence. Here source weights are multiplied by the same factor, the
    paper's correction C_t = 2 (1 - eps). (If no target row is wrong, the target does not grow and
    the correction is 1.)

    Parameters, attributes and everything else are those of `TrAdaBoost`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, Xs = rng.standard_normal((30, 2)), rng.standard_normal((200, 2))
    >>> y, ys = (X[:, 0] > 0).astype(int), (Xs[:, 0] > 0).astype(int)
    >>> model = DynamicTrAdaBoost(rounds=10).fit(X, y, sources=[(Xs, ys)])
    >>> model.predict([[2.0, 0.0], [-2.0, 0.0]])
    array([1, 0])
    """

    def _update(self, weights: Array, losses: Array, error: float, n_target: int) -> Array:
        moved = super()._update(weights, losses, error, n_target)
        moved[n_target:] *= moved[:n_target].sum() / weights[:n_target].sum()
        return moved
