"""The ladder of two tables: its losses, the tests of its steps, and which parts are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.checks.copies import copied_share
from datakin.data.features import Array
from datakin.explaining.effects import Single, clearest_column
from datakin.explaining.evidence import Evidence, evidence_of, holm
from datakin.explaining.ladder import PARTS, Judged, climb, mean_with_error, reach, step_error
from datakin.explaining.moved import matrix_columns
from datakin.explaining.world import World
from datakin.learners.trees import ROUNDS
from datakin.results.explanation_parts import LossPart

__all__ = ["Climbed", "climbed"]

MANY, HALVES, FEW = 60, 20, 8  # of the source, which tell how much its predictor moves by chance
# Chances, corrected for the three tests, below which base rate, confidence and rule may be named. A base rate
# is seen so clearly that more can be asked of it.
ASKED = (0.02, 0.05, 0.05)
LEAST = 0.01  # share of the loss alone that a part must have to be named
FITTED = 1.8  # chance in a rest: this times the root of what new effects fit, in the loss per row
NAN = float("nan")
NONE = 1e12  # stands for a missing number where rows are compared


@dataclass(frozen=True, eq=False)
class Climbed:
    """The ladder of two tables.

    Attributes
    ----------
    world : World
    losses, errors : ndarray of shape (steps, n)
        Errors are in the user's unit: wrong classes, or squared errors.
    evidence : Evidence
    parts : tuple of LossPart
    halves : tuple of ndarray
        What predictors of random halves of the source say of the target's rows.
    """

    world: World
    losses: Array
    errors: Array
    evidence: Evidence
    parts: tuple[LossPart, ...]
    halves: tuple[Array, ...]

    @property
    def named(self) -> set[str]:
        """The parts that are named."""
        return {part.name for part in self.parts if part.flagged}

    @property
    def excess(self) -> tuple[float, float]:
        """Loss of the source's predictor minus that of the target's own; how far its interval reaches."""
        judged = self.world.judged
        value, error = self.world.excess
        error = step_error(judged, self.losses[-1], error, 2 + judged.n_fitted)
        return value, reach(judged.n_units) * error


def climbed(world: World, halves: Sequence[Array] | None = None) -> Climbed:
    """Climb the ladder of two tables and test its steps.

    Parameters
    ----------
    world : World
    halves : sequence of ndarray, optional
        Predictions from halves of the source, where they are known already.
    """
    judged, there = world.judged, world.there
    losses, errors = climb(judged, world.on_target, world.own, by_trees=world.by_trees)
    halves = _from_halves(world) if halves is None else halves
    evidence = evidence_of(judged, world.on_target, halves)
    rest, is_few = _rest(world, losses, len(there))
    places = matrix_columns(world.prepared.encoder)
    single = clearest_column(judged, world.on_target, evidence, places)
    luck = float(
        np.std([np.average(judged.losses(P), weights=judged.rows.weights) for P in halves])
    )
    parts = _parts(world, losses, evidence, rest, single, luck, is_few)
    return Climbed(world, losses, errors, evidence, parts, tuple(halves))


def _from_halves(world: World) -> list[Array]:
    """Return predictions from random halves of the source.

    They are not drawn by class: equal shares of the classes would hide how much the base rate moves by
    chance. Groups of rows, and copies of a row, go together: one in each half would hide that they are one.
    Rows that happen to be alike, as with one column of few values, are no copies.
    """
    source = world.there
    rng = np.random.default_rng(derive_seed(world.seed, "halves of the source"))
    same = world.there_groups
    if same is None and not copied_share(world.source):
        same = np.arange(len(source))
    elif same is None:
        known = np.hstack([np.nan_to_num(source.X, nan=NONE), source.Y])
        same = np.unique(known, axis=0, return_inverse=True)[1].ravel()
    n = int(same.max()) + 1
    # Each is a fit: of lines there are more, for trees of several classes fewer do.
    dear = getattr(world.learner, "refits", False) and source.Y.shape[1] > 1
    n_halves = FEW if dear else MANY if world.by_lines else HALVES
    halves = [np.flatnonzero((rng.permutation(n) < n // 2)[same]) for _ in range(n_halves)]
    return [world.learned(source.take(half)) for half in halves]


def _rest(world: World, losses: Array, n_source: int) -> tuple[Array, bool]:
    """Return losses of the own predictor that says whether there is a rest, and whether it had fewer rows.

    A source with fewer rows than the target would leave a rest for that reason alone; the own predictor
    then learns from no more rows than the source has.
    """
    judged, learner = world.judged, world.learner
    rows, folds = judged.rows, judged.folds[0]
    n_learned = len(rows) * (1 - 1 / (int(folds.max()) + 1))
    if n_source >= n_learned:
        return np.asarray(losses[-1]), False
    rng = np.random.default_rng(derive_seed(world.seed, "fewer rows"))
    P = np.empty_like(rows.Y)
    for k in range(int(folds.max()) + 1):
        outside = rng.permutation(np.flatnonzero(folds != k))[:n_source]
        P[folds == k] = learner.fit(rows.take(outside))[0].predict(rows.X[folds == k])
    return judged.losses(P), True


def _parts(
    world: World,
    losses: Array,
    evidence: Evidence,
    own: Array,
    single: Single,
    luck: float,
    is_few: bool,
) -> tuple[LossPart, ...]:
    """Return the parts of the excess, and which of them are named.

    The rule is also named for the sake of one column, whose effect needs far less evidence than those of
    all columns at once; but not where a new slope, a single number as well, brings more. The rest has no
    test of its own; it must be larger than what another half of the source would bring by luck. Learners
    other than lines may be off along the columns in their own table, too: a rule is then named only if the
    target's own predictor is better, surely so where it is not of trees.
    """
    judged, by_trees = world.judged, world.by_trees
    is_other = not by_trees and not world.by_lines
    rows = judged.rows
    alone = float(np.average(losses[-1], weights=rows.weights))
    slope = float(np.average(losses[1] - losses[2], weights=rows.weights))
    is_single = single.low > 0 and single.gain > max(slope, LEAST * alone)
    base_rate, confidence, rule = evidence.chances
    rule = min(1.0, 2 * min(rule, single.chance)) if is_single else rule
    chances = [*holm([base_rate, confidence, rule]), NAN]
    rounds = ROUNDS if by_trees else 1  # new effects are fitted in each round of boosting
    fitted = (rows.Y.shape[1], rows.Y.shape[1], rounds * judged.n_fitted, 0)
    found = []
    for k, name in enumerate(PARTS[rows.kind == "regression"]):
        value, far = _interval(judged, losses[k], losses[k + 1], fitted[k])
        is_clear = value - far > 0 and value > LEAST * alone
        if k < 3:
            by_column = k == 2 and is_single and value > LEAST * alone
            by_loss = k == 2 and by_trees and is_clear and _is_better(judged, losses, own, luck)
            if by_loss and not chances[k] < ASKED[k]:
                chances[k] = NAN  # the test, of lines, does not see columns that act together
            is_clear = by_loss or ((is_clear or by_column) and chances[k] < ASKED[k])
            if k == 2 and (is_few or is_other):
                is_clear = is_clear and _is_above(judged, losses[2] - own)
            elif k == 2 and by_trees:
                is_clear = is_clear and np.average(losses[2] - own, weights=rows.weights) > 0
        else:
            is_clear = is_clear and _is_more(judged, losses[k] - own, losses[-1], luck)
        found.append(LossPart(name, value, value - far, value + far, chances[k], bool(is_clear)))
    return tuple(found)


def _is_better(judged: Judged, losses: Array, own: Array, luck: float) -> bool:
    """Return whether boosting, and an own predictor of no more rows than the source has, surely do better."""
    return all(
        _is_more(judged, losses[2] - after, after, luck) for after in (np.asarray(losses[3]), own)
    )


def _is_above(judged: Judged, falls: Array) -> bool:
    """Return whether the target's own predictor, from as few rows as the source has, is surely better.

    A rule that is learned from few rows is off by chance, which new effects of columns mend as well.
    """
    value, error = mean_with_error(falls, judged.rows.weights, judged.groups)
    return value > reach(judged.n_units) * 1.1 * error


def _is_more(judged: Judged, falls: Array, losses: Array, luck: float) -> bool:
    """Return whether a rest is more than luck: of rows, of what was fitted before, of the source."""
    value, error = mean_with_error(falls, judged.rows.weights, judged.groups)
    unit = 0.5 if judged.loss == "log" else float(np.average(losses, weights=judged.rows.weights))
    fitted = FITTED * np.sqrt(judged.n_fitted) * unit / judged.n_units
    return value > reach(judged.n_units) * float(np.sqrt((1.1 * error) ** 2 + fitted**2 + luck**2))


def _interval(judged: Judged, before: Array, after: Array, n_fitted: int) -> tuple[float, float]:
    """Return by how much a loss falls, and how far its 90% interval reaches."""
    value, error = mean_with_error(before - after, judged.rows.weights, judged.groups)
    return value, reach(judged.n_units) * step_error(judged, after, error, n_fitted)
