"""The ladder of two tables: its losses, the tests of its steps, and which parts are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.checks.copies import copied_share
from datakin.data.features import Array
from datakin.explaining import ladder
from datakin.explaining.effects import clearest_column
from datakin.explaining.evidence import Evidence, evidence_of, holm
from datakin.explaining.world import World
from datakin.learners.metrics import reach
from datakin.learners.trees import ROUNDS, boosted
from datakin.results.explanation_parts import LossPart

# Halves of the source, which show how much its predictor moves by chance: of a linear model, of other
# learners, and of trees of several classes.
MANY, HALVES, FEW = 60, 20, 8
# P-values, corrected for the three tests, below which base rate, confidence and rule may be named. A base
# rate is seen so clearly that more can be asked of it.
ASKED = (0.02, 0.05, 0.05)
LEAST = 0.01  # Share of the loss alone that a part must have to be named.
FITTED = 1.8  # Noise in a rest: this times the root of what new effects fit, in the loss per row.
WIDER = 1.1  # By how much standard errors of a rest are too small.
NO_NUMBER = 1e12  # Stands for a missing number where rows are compared.


@dataclass(frozen=True, eq=False)
class Climbed:
    """The ladder of two tables; losses and errors have the shape (steps, n)."""

    world: World
    losses: Array
    errors: Array  # in the user's unit: wrong classes, or squared errors
    evidence: Evidence
    parts: tuple[LossPart, ...]
    halves: tuple[Array, ...]  # what predictors of halves of the source say of the target's rows

    @property
    def named(self) -> set[str]:
        """The parts that are named."""
        return {part.name for part in self.parts if part.flagged}

    @property
    def excess(self) -> tuple[float, float]:
        """Loss of the source's predictor minus that of the target's own; how far its interval reaches."""
        judged, (value, error) = self.world.judged, self.world.excess
        return value, judged.reach_of(error, self.losses[-1], 2 + judged.n_fitted)


def climbed(world: World, halves: Sequence[Array] | None = None) -> Climbed:
    """Climb the ladder of two tables and test its steps; predictions from halves may be known already."""
    losses, errors = _climb(world)
    halves = _from_halves(world) if halves is None else halves
    evidence = evidence_of(world.judged, world.on_target, halves)
    luck = float(np.std([world.judged.mean(world.judged.losses(P)) for P in halves]))
    parts = _parts(world, losses, evidence, luck)
    return Climbed(world, losses, errors, evidence, parts, tuple(halves))


def steps_of(kind: str) -> tuple[str, ...]:
    """Return the names of the steps for a task."""
    if kind == "regression":
        return "source", "level", "scale", "rule", "own"
    return "source", "base rate", "confidence", "rule", "own"


def _climb(world: World) -> tuple[Array, Array]:
    """Return losses and errors of shape (steps, n): the mean over the repeats of the folds."""
    judged, on_target = world.judged, world.on_target

    def effects(*given: Any) -> Array:
        if world.by_trees:
            return boosted(judged.rows.X, ladder.new_level(*given), *given)
        return ladder.new_effects(judged.Z, *given)

    losses, errors = (np.zeros((5, len(judged.rows))) for _ in range(2))
    for folds, own in zip(judged.folds, world.own, strict=True):
        steps = [
            ladder.crossed(judged, on_target, folds, a)
            for a in (ladder.new_level, ladder.new_slope, effects)
        ]
        for step, P in enumerate([on_target, *steps, own]):
            losses[step] += judged.losses(P)
            errors[step] += ladder.errors_of(judged.rows, P)
    return losses / len(judged.folds), errors / len(judged.folds)


def _from_halves(world: World) -> list[Array]:
    """Return predictions from random halves of the source.

    They are not drawn by class: equal class proportions would hide how much the base rate moves by
    chance. Groups of rows, and copies of a row, go together: one in each half would hide that they are one.
    Rows that happen to be alike, as with one column of few values, are no copies.
    """
    rows, same = world.source_rows, world.source_groups
    rng = np.random.default_rng(derive_seed(world.seed, "halves of the source"))
    if same is None and not copied_share(world.source):
        same = np.arange(len(rows))
    elif same is None:
        values = np.hstack([np.nan_to_num(rows.X, nan=NO_NUMBER), rows.Y])
        same = np.unique(values, axis=0, return_inverse=True)[1].ravel()
    n = int(same.max()) + 1
    # Each is a fit: of a linear model there are more, for trees of several classes fewer do.
    is_dear = getattr(world.learner, "refits", False) and rows.Y.shape[1] > 1
    n_halves = FEW if is_dear else MANY if world.by_lines else HALVES
    halves = [np.flatnonzero((rng.permutation(n) < n // 2)[same]) for _ in range(n_halves)]
    return [world.predicted_from(rows.take(half)) for half in halves]


def _own_of_as_few(world: World, own: Array) -> tuple[Array, bool]:
    """Return losses of the own predictor that say whether there is a rest, and whether it had fewer rows.

    A source with fewer rows than the target would leave a rest for that reason alone; the own predictor
    then learns from no more rows than the source has.
    """
    judged, n_source = world.judged, len(world.source_rows)
    rows, folds = judged.rows, judged.folds[0]
    n_folds = int(folds.max()) + 1
    if n_source >= len(rows) * (1 - 1 / n_folds):
        return own, False
    rng = np.random.default_rng(derive_seed(world.seed, "fewer rows"))
    P = np.empty_like(rows.Y)
    for k in range(n_folds):
        outside = rng.permutation(np.flatnonzero(folds != k))[:n_source]
        P[folds == k] = world.learner.fit(rows.take(outside))[0].predict(rows.X[folds == k])
    return judged.losses(P), True


def _parts(world: World, losses: Array, evidence: Evidence, luck: float) -> tuple[LossPart, ...]:
    """Return the parts of the excess, and which of them are named.

    The rule is also named for the sake of one column, whose effect needs far less evidence than those of
    all columns at once; but not where a new slope, a single number as well, brings more. The rest has no
    test of its own; it must be larger than what another half of the source would bring by luck. Other
    learners than linear models may be off along the columns in their own table, too: a rule is then named
    only if the target's own predictor is better, surely so where it is not of trees.
    """
    judged, by_trees, n_outputs = world.judged, world.by_trees, world.judged.rows.Y.shape[1]
    own, is_few = _own_of_as_few(world, losses[-1])
    least = LEAST * judged.mean(losses[-1])
    column_p, gain, low = clearest_column(world, evidence)
    is_column = low > 0 and gain > max(judged.mean(losses[1] - losses[2]), least)
    base_rate, confidence, rule = evidence.steps
    rule = min(1.0, 2 * min(rule, column_p)) if is_column else rule
    p_values = [*holm([base_rate, confidence, rule]), nan]
    rounds = ROUNDS if by_trees else 1  # New effects are fitted in each round of boosting.
    n_fitted = (n_outputs, n_outputs, rounds * judged.n_fitted, 0)
    parts = []
    for k, name in enumerate((*steps_of(judged.rows.kind)[1:-1], "rest")):
        value, far = judged.fall(losses[k], losses[k + 1], n_fitted[k])
        is_named = value - far > 0 and value > least
        is_seen = k < 3 and p_values[k] < ASKED[k]
        if k == 2:
            by_loss = (
                by_trees
                and is_named
                and all(
                    _is_more(judged, losses[2] - after, after, luck) for after in (losses[3], own)
                )
            )
            if by_loss and not is_seen:
                p_values[k] = nan  # The test, of lines, does not see columns that act together.
            is_named = by_loss or ((is_named or (is_column and value > least)) and is_seen)
            if is_few or not (by_trees or world.by_lines):
                is_named = is_named and _is_above(judged, losses[2] - own)
            elif by_trees:
                is_named = is_named and judged.mean(losses[2] - own) > 0
        elif k < 2:
            is_named = is_named and is_seen
        else:
            is_named = is_named and _is_more(judged, losses[k] - own, losses[-1], luck)
        parts.append(LossPart(name, value, value - far, value + far, p_values[k], bool(is_named)))
    return tuple(parts)


def _is_above(judged: ladder.Judged, falls: Array) -> bool:
    """Return whether the target's own predictor, from as few rows as the source has, is surely better.

    A rule that is learned from few rows is off by chance, which new effects of columns fix as well.
    """
    value, error = judged.mean_with_error(falls)
    return value > reach(judged.n_units) * WIDER * error


def _is_more(judged: ladder.Judged, falls: Array, losses: Array, luck: float) -> bool:
    """Return whether a rest is more than luck: of rows, of what was fitted before, of the source."""
    value, error = judged.mean_with_error(falls)
    fitted = FITTED * np.sqrt(judged.n_fitted) * judged.unit(losses) / judged.n_units
    noise = float(np.sqrt((WIDER * error) ** 2 + fitted**2 + luck**2))
    return value > reach(judged.n_units) * noise
