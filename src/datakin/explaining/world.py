"""Two tables, the learner that explains them, and what it learns on each: as they are, or fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.explaining.ladder import FOLDS, Judged, losses_of, slope_column
from datakin.learners.encoding import TableEncoder
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Learner, Rows
from datakin.learners.linear import LinearLearner
from datakin.learners.named import LEARNERS
from datakin.learners.newton import FREE, link, mean_of, refit
from datakin.learners.predictors import normalised
from datakin.learners.scaling import filled
from datakin.learners.stack.fitting import folds_of
from datakin.learners.stack.preparation import Prepared, prepare
from datakin.learners.trees import TreeLearner

ENOUGH = 100  # Rows of the source from which trees are tried.
CLEAR = 2.0  # Standard errors by which trees must be better.
PICKED = 0  # Seed of the folds that the learner is picked by.
STIFF = 1.0  # Penalty of a slope other than 1.
SLOPES = (0.1, 2.0)  # Least and largest slope that a predictor may be asked for on its own table.


@dataclass(frozen=True, eq=False)
class World:
    """A target, a source, and what both predictors say of the target's rows."""

    target: Dataset
    source: Dataset
    prepared: Prepared
    judged: Judged  # the target's rows
    source_rows: Rows
    learner: Learner
    on_target: Array  # what the source's predictor says, of shape (n, m)
    own: tuple[Array, ...]  # held-out predictions of the target's own, by repeats of the folds
    # For each response, intercept and slope that the source asks of its predictor; or none.
    lines: tuple[tuple[float, float], ...]
    seed: int

    def predicted_from(self, source_rows: Rows) -> Array:
        """Return what is learned on some rows of the source, and said of the target's."""
        P = self.learner.fit(source_rows)[0].predict(self.target_as_seen)
        return _on_lines(P, self.lines, source_rows.kind)

    def remade(self, target: Dataset, source: Dataset, own: Sequence[Array] | None = None) -> World:
        """Return what the same learner learns on other tables; see `make_world`."""
        options = self.judged.loss, len(self.judged.folds), self.seed
        return make_world(target, source, self.learner, *options, own)

    @cached_property
    def target_as_seen(self) -> Array:
        """The target's rows as the source's predictor sees them."""
        return _as_seen(self.judged.rows.X, self.source_rows.X, self.learner)

    @property
    def source_groups(self) -> Array | None:
        """Which rows of the source belong together; None where that is not known."""
        return self.prepared.groups.get(self.source.name)

    @property
    def by_trees(self) -> bool:
        """Whether trees predict."""
        return isinstance(self.learner, TreeLearner)

    @property
    def by_lines(self) -> bool:
        """Whether a linear model predicts."""
        return isinstance(self.learner, LinearLearner)

    @cached_property
    def losses(self) -> Array:
        """Loss of the source's predictor on each row of the target."""
        return self.judged.losses(self.on_target)

    @cached_property
    def own_losses(self) -> Array:
        """Loss of the target's own predictor on each row, the mean over the repeats of the folds."""
        return np.asarray(np.mean([self.judged.losses(P) for P in self.own], axis=0))

    @property
    def differences(self) -> Array:
        """By how much the source's predictor loses more on each row."""
        return np.asarray(self.losses - self.own_losses)

    @cached_property
    def excess(self) -> tuple[float, float]:
        """The mean of the differences, and its standard error."""
        return self.judged.mean_with_error(self.differences)

    @property
    def alone(self) -> float:
        """Loss of the target's own predictor."""
        return self.judged.mean(self.own_losses)


def make_world(
    target: Dataset,
    source: Dataset,
    learner: Learner,
    loss: str,
    n_repeats: int,
    seed: int,
    own: Sequence[Array] | None = None,
) -> World:
    """Learn on both tables; predictions of the target's own predictor may be known already."""
    prepared = prepare(target, [source], max_rows=None, random_state=seed)
    if source.name in prepared.unusable:
        raise DatakinError(prepared.unusable[source.name])
    draw = folds_of(prepared.target, seed)
    folds, groups = [draw(k) for k in range(n_repeats)], prepared.groups.get(target.name)
    judged = Judged.make(prepared.rows, groups, folds, loss)
    rows = prepared.sources[source.name]
    is_off = not isinstance(learner, LinearLearner) or rows.kind == "multiclass"
    lines = _lines(learner, rows, prepared.groups.get(source.name), seed) if is_off else ()
    P = learner.fit(rows)[0].predict(_as_seen(prepared.rows.X, rows.X, learner))
    on_target = _on_lines(P, lines, rows.kind)
    if own is None:
        own = [learner.held_out(prepared.rows, folds)[0] for folds in judged.folds]
    world = World(
        target, source, prepared, judged, rows, learner, on_target, tuple(own), lines, seed
    )
    if not np.isfinite(world.losses).all() or not np.isfinite(world.own_losses).all():
        raise DatakinError(
            f"Labels must not be so large that their squares overflow. Divide {target.label!r} by a constant "
            f"in both tables."
        )
    return world


def folds_of_rows(rows: Rows, groups: Array | None, seed: int) -> Array:
    """Return five folds of the rows of a source."""
    is_class = rows.kind != "regression"
    y = rows.codes if is_class else rows.Y[:, 0]
    return draw_folds(y, is_class, groups, seed, FOLDS)


def pick_learner(target: Dataset, source: Dataset, loss: str) -> Learner:
    """Return the trees if they predict held-out rows of the source clearly better than a linear model.

    The linear model is preferred because its effects can be read, and because it is quick. The folds do not
    depend on the user's seed: another seed would otherwise explain by another learner where the two are
    close.
    """
    linear, trees = LEARNERS["linear"], LEARNERS["trees"]
    prepared = prepare(target, [source], max_rows=None, random_state=PICKED)
    rows = prepared.sources.get(source.name)
    if rows is None or len(rows) < ENOUGH:
        return linear
    folds = folds_of_rows(rows, prepared.groups.get(source.name), derive_seed(PICKED, "learner"))
    losses, tree_losses = (
        losses_of(rows.Y, learner.held_out(rows, folds)[0], rows.kind, loss)
        for learner in (linear, trees)
    )
    falls = losses - tree_losses
    error = float(np.std(falls)) / np.sqrt(len(falls))
    return trees if float(np.average(falls, weights=rows.weights)) > CLEAR * error else linear


def _as_seen(X: Array, seen: Array, learner: Learner) -> Array:
    """Return rows of which trees know all: a missing value is the median where they never saw one.

    Trees send it to one side otherwise, which is chance. Other learners fill what is missing themselves.
    """
    if not isinstance(learner, TreeLearner):
        return X
    # The median of a column with missing values is missing.
    return filled(X, np.median(seen, axis=0))


def _lines(
    learner: Learner, rows: Rows, groups: Array | None, seed: int
) -> tuple[tuple[float, float], ...]:
    """Return how predictions of a learner are off in the very table that it was trained on.

    A few rounds of shrunken trees are too cautious everywhere, and so is a kernel. That is no difference
    between two tables.
    """
    folds = folds_of_rows(rows, groups, derive_seed(seed, "calibration"))
    eta = link(learner.held_out(rows, folds)[0], rows.kind)
    ones = np.ones((len(rows), 1))
    # The slope is held to 1 where there is little to learn it from.
    ridge = np.array([FREE, STIFF])
    lines = []
    for y, offset in zip(rows.Y.T, eta.T, strict=True):
        spread = float(np.std(offset))
        D = np.column_stack([ones, slope_column(offset)])
        more = refit(D, y, offset, rows.weights, ridge, rows.kind)[1]
        slope = float(np.clip(1 + more / spread, *SLOPES)) if spread > 1e-12 else 1.0
        level = refit(ones, y, slope * offset, rows.weights, ridge[:1], rows.kind)[0]
        lines.append((float(level), slope))
    return tuple(lines)


def _on_lines(P: Array, lines: tuple[tuple[float, float], ...], kind: str) -> Array:
    """Return predictions moved onto the lines, if there are any."""
    if not lines:
        return P
    levels, slopes = np.array(lines).T
    return normalised(mean_of(levels + slopes * link(P, kind), kind), kind)


def matrix_columns(encoder: TableEncoder) -> dict[str, list[int]]:
    """Return the columns of the matrix that each column of the table has become."""
    names = (*encoder.numeric_names, *encoder.category_names)
    sizes = [1] * len(encoder.numeric_names) + [len(kept) for kept in encoder.levels]
    places = zip(names, sizes, np.cumsum(sizes).tolist(), strict=True)
    return {name: list(range(end - size, end)) for name, size, end in places}
