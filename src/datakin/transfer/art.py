"""ART: let held-out target rows decide how much each source counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from datakin._core.checks import check_choice, check_count, check_positive
from datakin._core.exceptions import DatakinError, listed
from datakin._core.seeds import derive_seed
from datakin.data.features import Array
from datakin.learning.losses import LOSSES
from datakin.transfer.base import TransferEstimator
from datakin.transfer.learner import Learner
from datakin.transfer.pool import Pool

__all__ = ["ART"]


class ART(TransferEstimator):
    """Adaptive and robust transfer (Wang, Wu and Ye 2023): a weighted sum of pooled fits.

    The candidates are the base estimator on the target alone, and on the target with each source.
    The target is split in half again and again (each class evenly): candidates learn from one
    half, their mean deviance on the other gives weights proportional to exp(-sharpness * deviance),
    and the weights are averaged over the splits. The predictor is the sum of the candidates
    fitted on all rows, with these weights.

    The deviance is -2 log-likelihood for classes (probabilities not below .001). For numbers it is
    the squared error, divided by that of the best candidate on the same half: the noise variance
    put in for the unknown one, without which weights would depend on the unit of y.

    Parameters
    ----------
    estimator : scikit-learn estimator, optional
        A classifier with predict_proba or a regressor; logistic regression by default.
    sharpness : float
        How sharply low deviance is preferred: the authors' lambda, 1 in their package. With classes
        mean deviances lie close together, and 1 leaves some weight even to harmful sources; 5 or more
        takes it from them.
    repeats : int
        Number of splits at most.
    tolerance : float
        Stop when no averaged weight has moved by more than this.
    weighting : {"scaled", "paper"}
        Regression: squared errors divided as above, or as they are, as in the paper.
    random_state : int
        Deals the halves; also for a random_state that the estimator leaves open.

    Attributes
    ----------
    classes_ : ndarray
        All classes of target and sources (classification).
    source_weights_ : ndarray
        Weight of target-with-source for each source, in the order given.
    target_weight_ : float
        Weight of the target alone; with the source weights it sums to 1.
    n_repeats_ : int
        Splits made.
    estimators_, estimator_weights_ : list of Learner, ndarray
        Target alone, then each source.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, Xs = rng.standard_normal((60, 2)), rng.standard_normal((200, 2))
    >>> y, ys = (X[:, 0] > 0).astype(int), (Xs[:, 0] > 0).astype(int)
    >>> model = ART(repeats=5).fit(X, y, sources=[(Xs, ys), (Xs, 1 - ys)])
    >>> model.source_weights_.round(2)
    array([0.52, 0.02])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        sharpness: float = 1.0,
        repeats: int = 50,
        tolerance: float = 1e-6,
        weighting: str = "scaled",
        random_state: int = 0,
    ) -> None:
        super().__init__(estimator, random_state=random_state)
        self.sharpness = sharpness
        self.repeats = repeats
        self.tolerance = tolerance
        self.weighting = weighting

    def _check_options(self) -> None:
        check_positive("sharpness", self.sharpness)
        check_count("repeats", self.repeats, 1)
        check_positive("tolerance", self.tolerance)
        check_choice("weighting", self.weighting, ("scaled", "paper"))

    def _fit_pool(self, pool: Pool) -> tuple[list[Learner], Array]:
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
            if pool.n_classes:
                losses = 2 * LOSSES["log"].rows(y, learner.probabilities(X))
            else:
                losses = LOSSES["squared"].rows(y, learner.values(X))
            found.append(float(losses.mean()))
        deviances = np.array(found)
        if pool.n_classes or self.weighting == "paper" or not deviances.any():
            return deviances
        return np.asarray(deviances / max(deviances.min(), 1e-12 * deviances.max()))


def _halves(pool: Pool, seed: int) -> tuple[Array, Array]:
    """Deal the target's rows to two halves, each class (if there are classes) evenly."""
    rows = np.random.default_rng(seed).permutation(pool.n_target)
    if pool.n_classes:
        rows = rows[np.argsort(pool.y[rows], kind="stable")]
    return rows[::2], rows[1::2]
