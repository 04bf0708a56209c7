"""Two tables and what is learned on each of them: as they are, or mended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.explaining.ladder import Judged, mean_with_error
from datakin.learning.stack.candidates import Learner
from datakin.learning.stack.preparation import Prepared, prepare
from datakin.learning.stack.rows import Rows
from datakin.learning.stack.trees import TreeLearner
from datakin.learning.stack.trials import folds_of

__all__ = ["World", "make_world"]


@dataclass(frozen=True, eq=False)
class World:
    """A target, a source, and what both predictors say of the target's rows.

    Attributes
    ----------
    target, source : Dataset
    prepared : Prepared
    judged : Judged
        The target's rows.
    there : Rows
        Those of the source.
    learner : Learner
    on_target : ndarray of shape (n, m)
        What the source's predictor says of the target's rows.
    own : tuple over draws of the folds of ndarray of shape (n, m)
        Held-out predictions of the target's own predictor.
    seed : int
    """

    target: Dataset
    source: Dataset
    prepared: Prepared
    judged: Judged
    there: Rows
    learner: Learner
    on_target: Array
    own: tuple[Array, ...]
    seed: int

    @property
    def by_trees(self) -> bool:
        """Whether trees predict."""
        return isinstance(self.learner, TreeLearner)

    @cached_property
    def losses(self) -> Array:
        """Loss of the source's predictor on each row of the target."""
        return self.judged.losses(self.on_target)

    @cached_property
    def own_losses(self) -> Array:
        """Loss of the target's own predictor on each row, the mean over the draws of the folds."""
        return np.asarray(np.mean([self.judged.losses(P) for P in self.own], axis=0))

    @property
    def differences(self) -> Array:
        """By how much the source's predictor loses more on each row."""
        return np.asarray(self.losses - self.own_losses)

    @cached_property
    def excess(self) -> tuple[float, float]:
        """The mean of the differences, and its standard error."""
        return mean_with_error(self.differences, self.judged.rows.weights, self.judged.groups)

    @property
    def alone(self) -> float:
        """Loss of the target's own predictor."""
        return float(np.average(self.own_losses, weights=self.judged.rows.weights))


def make_world(
    target: Dataset,
    source: Dataset,
    learner: Learner,
    loss: str,
    n_draws: int,
    seed: int,
    own: Sequence[Array] | None = None,
) -> World:
    """Learn on both tables.

    Parameters
    ----------
    target, source : Dataset
    learner : Learner
    loss : {"log", "brier", "squared"}
    n_draws : int
        Of the folds.
    seed : int
    own : sequence of ndarray, optional
        Predictions of the target's own predictor, where they are known already.
    """
    prepared = prepare(target, [source], max_rows=None, random_state=seed)
    if source.name in prepared.unusable:
        raise DatakinError(prepared.unusable[source.name])
    groups = prepared.target.groups
    groups = None if groups is None else np.unique(groups, return_inverse=True)[1]
    draw = folds_of(prepared.target, seed)
    judged = Judged.make(prepared.rows, groups, [draw(k) for k in range(n_draws)], loss)
    there = prepared.sources[source.name]
    on_target = learner.fit(there)[0].predict(prepared.rows.X)
    if own is None:
        own = [learner.held_out(prepared.rows, folds)[0] for folds in judged.folds]
    return World(target, source, prepared, judged, there, learner, on_target, tuple(own), seed)
