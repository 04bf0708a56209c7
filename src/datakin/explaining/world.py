"""Two tables and what is learned on each of them: as they are, or mended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.explaining.ladder import Judged, mean_with_error, slope_column
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Learner, Rows
from datakin.learners.linear import LinearLearner
from datakin.learners.newton import FREE, link, mean_of, refit
from datakin.learners.predictors import normalised
from datakin.learners.stack.preparation import Prepared, prepare
from datakin.learners.stack.trials import folds_of
from datakin.learners.trees import TreeLearner

__all__ = ["World", "make_world"]

FOLDS = 5  # of the source, for the calibration of what is no line
STIFF = 1.0  # penalty of a slope other than 1
SLOPES = (0.1, 2.0)


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
    lines : tuple of (float, float), one for each response
        Intercept and slope that held-out rows of the source ask of its predictor; empty where it needs none.
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
    lines: tuple[tuple[float, float], ...]
    seed: int

    def learned(self, source: Rows) -> Array:
        """Return what is learned on some rows of the source, and said of the target's."""
        P = self.learner.fit(source)[0].predict(self.seen)
        return _on_lines(P, self.lines, source.kind)

    @cached_property
    def seen(self) -> Array:
        """The target's rows as the source's predictor sees them."""
        return _as_seen(self.judged.rows.X, self.there.X, self.learner)

    @property
    def there_groups(self) -> Array | None:
        """Which rows of the source belong together; None where that is not known."""
        return self.prepared.groups.get(self.source.name)

    @property
    def by_trees(self) -> bool:
        """Whether trees predict."""
        return isinstance(self.learner, TreeLearner)

    @property
    def by_lines(self) -> bool:
        """Whether a penalised regression predicts."""
        return isinstance(self.learner, LinearLearner)

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
    together = prepared.groups.get(source.name)
    is_off = not isinstance(learner, LinearLearner) or there.kind == "multiclass"
    lines = _lines(learner, there, together, seed) if is_off else ()
    said = learner.fit(there)[0].predict(_as_seen(prepared.rows.X, there.X, learner))
    on_target = _on_lines(said, lines, there.kind)
    if own is None:
        own = [learner.held_out(prepared.rows, folds)[0] for folds in judged.folds]
    world = World(
        target, source, prepared, judged, there, learner, on_target, tuple(own), lines, seed
    )
    if not np.isfinite(world.losses).all() or not np.isfinite(world.own_losses).all():
        raise DatakinError(
            f"Labels must not be so large that their squares overflow. Divide {target.label!r} by a constant "
            f"in both tables."
        )
    return world


def _as_seen(X: Array, seen: Array, learner: Learner) -> Array:
    """Return rows of which trees know all: a missing value is the median where they never saw one.

    Trees send it to one side otherwise, which is chance. Other learners fill what is missing themselves.
    """
    if not isinstance(learner, TreeLearner):
        return X
    unseen = np.isnan(X).any(axis=0) & ~np.isnan(seen).any(axis=0)
    if not unseen.any():
        return X
    known = X.copy()
    for j in np.flatnonzero(unseen):
        known[np.isnan(X[:, j]), j] = np.median(seen[:, j])
    return known


def _lines(
    learner: Learner, there: Rows, groups: Array | None, seed: int
) -> tuple[tuple[float, float], ...]:
    """Return how predictions of a learner are off in the very table that it learned from.

    A few rounds of shrunken trees are too cautious everywhere, and so is a kernel. That is no difference
    between two tables.
    """
    is_class = there.kind != "regression"
    y = there.codes if is_class else there.Y[:, 0]
    folds = draw_folds(y, is_class, groups, derive_seed(seed, "calibration"), FOLDS)
    eta = link(learner.held_out(there, folds)[0], there.kind)
    found = []
    ones, everything = np.ones((len(there), 1)), np.ones(len(there), dtype=bool)
    for c, y in enumerate(there.Y.T):
        spread = float(np.std(eta[:, c]))
        D = np.column_stack([ones, slope_column(eta[:, c], everything)])
        ridge = np.array([FREE, STIFF])  # held to 1 where there is little to learn it from
        more = refit(D, y, eta[:, c], there.weights, ridge, there.kind)[1]
        slope = float(np.clip(1 + more / spread, *SLOPES)) if spread > 1e-12 else 1.0
        level = refit(ones, y, slope * eta[:, c], there.weights, ridge[:1], there.kind)[0]
        found.append((float(level), slope))
    return tuple(found)


def _on_lines(P: Array, lines: tuple[tuple[float, float], ...], kind: str) -> Array:
    if not lines:
        return P
    eta = link(P, kind)
    moved = np.column_stack([a + b * eta[:, c] for c, (a, b) in enumerate(lines)])
    return normalised(mean_of(moved, kind), kind)
