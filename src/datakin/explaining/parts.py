"""From two tables to their explanation: the parts of the excess, which of them are named, and what else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.explaining.effects import Single, clearest_column, column_effects
from datakin.explaining.evidence import Evidence, evidence_of, holm
from datakin.explaining.keeping import rows_to_keep
from datakin.explaining.ladder import (
    PARTS,
    STEPS,
    Judged,
    calibrated,
    climb,
    mean_with_error,
    reach,
    step_error,
)
from datakin.explaining.moved import feature_shift, matrix_columns
from datakin.explaining.regions import failing_regions
from datakin.explaining.remedies import remedies
from datakin.explaining.trying import mend_all, reported
from datakin.explaining.world import World
from datakin.learning.stack.candidates import Learner
from datakin.learning.stack.rows import Rows
from datakin.results.explanation import (
    ColumnEffect,
    Explanation,
    LadderStep,
    LossPart,
    Region,
)
from datakin.results.record import Provenance

__all__ = ["explanation_of"]

HALVES = 20  # of the source, which tell how much its predictor moves by chance
ASKED = 0.05  # chance, corrected for the three tests, below which a part may be named
LEAST = 0.01  # share of the loss alone that a part must have to be named
NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Climbed:
    """The ladder of two tables.

    Attributes
    ----------
    world : World
    losses : ndarray of shape (steps, n)
    evidence : Evidence
    parts : tuple of LossPart
    """

    world: World
    losses: Array
    evidence: Evidence
    parts: tuple[LossPart, ...]

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


def explanation_of(world: World, notes: tuple[str, ...], provenance: Provenance) -> Explanation:
    """Explain two tables.

    Parameters
    ----------
    world : World
        Both tables as they are.
    notes : tuple of str
        What was done to them before.
    provenance : Provenance
    """
    first = climbed(world)
    value, far = first.excess
    nothing = not first.named and value - far <= 0
    mended, mends = mend_all(world, only_plain=nothing)
    last = climbed(mended) if mends else first
    parts = (_coding(first, last), *last.parts) if mends else first.parts
    now = last.world
    judged, classes = now.judged, now.target.classes
    shift, columns, regions = _looked_into(last)
    observed, expected, slope = calibrated(judged, now.on_target)
    return Explanation(
        target=world.target.name,
        source=world.source.name,
        task=judged.rows.kind,
        loss=judged.loss,
        learner=world.learner.name,
        n_target=len(judged.rows),
        n_source=len(now.there),
        steps=_steps(first, last),
        parts=parts,
        excess=value,
        low=value - far,
        high=value + far,
        observed=observed,
        expected=expected,
        slope=slope,
        positive=classes[1] if len(classes) == 2 else "",
        shift=shift,
        columns=columns,
        regions=regions,
        mends=(*mends, *remedies(now, last.named, columns, slope), *reported(world)),
        kept=rows_to_keep(now) if last.named & {"rule", "rest"} else None,
        notes=(*notes, *world.prepared.notes),
        provenance=provenance,
    )


def climbed(world: World) -> Climbed:
    """Climb the ladder of two tables and test its steps."""
    judged, there = world.judged, world.there
    losses = climb(judged, world.on_target, world.own, by_trees=world.by_trees)
    halves = _from_halves(world.learner, there, judged.rows.X, world.seed)
    evidence = evidence_of(judged, world.on_target, halves)
    rest = _rest(judged, world.learner, losses, len(there), world.seed)
    single = clearest_column(
        judged, world.on_target, evidence, matrix_columns(world.prepared.encoder)
    )
    return Climbed(world, losses, evidence, _parts(judged, losses, evidence, rest, single))


def _steps(first: Climbed, last: Climbed) -> tuple[LadderStep, ...]:
    rows = last.world.judged.rows
    names = STEPS[rows.kind == "regression"]
    means = [float(np.average(each, weights=rows.weights)) for each in last.losses]
    if first is last:
        return tuple(map(LadderStep, names, means))
    before = float(np.average(first.losses[0], weights=rows.weights))
    return (LadderStep("source", before), *map(LadderStep, ("mended", *names[1:]), means))


def _coding(first: Climbed, last: Climbed) -> LossPart:
    """Return the part of what was mended in the tables."""
    judged = first.world.judged
    fall = first.world.differences - last.world.differences
    value, error = mean_with_error(fall, judged.rows.weights, judged.groups)
    # The same sum, so that the parts add up to the last digit.
    value = first.world.excess[0] - last.world.excess[0]
    far = reach(judged.n_units) * step_error(judged, last.losses[0], error, 0)
    return LossPart("coding", value, value - far, value + far, NAN, True)


def _looked_into(
    found: Climbed,
) -> tuple[object, tuple[ColumnEffect, ...], tuple[Region, ...]]:
    """Return where features lie; where something is named, which columns and which rows."""
    world, losses, named = found.world, found.losses, found.named
    judged, encoder = world.judged, world.prepared.encoder
    rule = losses[2] - losses[3] if "rule" in named else None
    shift = feature_shift(judged, world.there, encoder, world.learner, rule, world.seed)
    if not named:
        return shift, (), ()
    places, names = matrix_columns(encoder), encoder.names
    columns = column_effects(judged, world.there, world.on_target, found.evidence, places, names)
    if "rule" not in named:
        columns = tuple(replace(each, flagged=False) for each in columns)
    tree_seed = derive_seed(world.seed, "regions")
    return shift, columns, failing_regions(judged, losses[0] - losses[-1], encoder, tree_seed)


def _from_halves(learner: Learner, source: Rows, X: Array, seed: int) -> list[Array]:
    """Return predictions from random halves of the source.

    They are not drawn by class: equal shares of the classes would hide how much the base rate moves by
    chance.
    """
    rng = np.random.default_rng(derive_seed(seed, "halves of the source"))
    halves = [np.sort(rng.permutation(len(source))[: len(source) // 2]) for _ in range(HALVES)]
    return [learner.fit(source.take(half))[0].predict(X) for half in halves]


def _rest(judged: Judged, learner: Learner, losses: Array, n_source: int, seed: int) -> Array:
    """Return losses of the own predictor that says whether there is a rest.

    A source with fewer rows than the target would leave a rest for that reason alone; the own predictor
    then learns from no more rows than the source has.
    """
    rows = judged.rows
    folds = judged.folds[0]
    n_learned = len(rows) * (1 - 1 / (int(folds.max()) + 1))
    if n_source >= n_learned:
        return np.asarray(losses[-1])
    rng = np.random.default_rng(derive_seed(seed, "fewer rows"))
    P = np.empty_like(rows.Y)
    for k in range(int(folds.max()) + 1):
        outside = rng.permutation(np.flatnonzero(folds != k))[:n_source]
        P[folds == k] = learner.fit(rows.take(outside))[0].predict(rows.X[folds == k])
    return judged.losses(P)


def _parts(
    judged: Judged, losses: Array, evidence: Evidence, own: Array, single: Single
) -> tuple[LossPart, ...]:
    """Return the parts of the excess, and which of them are named.

    The rule is also named for the sake of one column, whose effect needs far less evidence than those of
    all columns at once; but not where a new slope, a single number as well, brings more.
    """
    weights = judged.rows.weights
    alone = float(np.average(losses[-1], weights=weights))
    slope = float(np.average(losses[1] - losses[2], weights=weights))
    is_single = single.low > 0 and single.gain > max(slope, LEAST * alone)
    base_rate, confidence, rule = evidence.chances
    rule = min(rule, 2 * single.chance) if is_single else rule
    chances = [*holm([base_rate, confidence, rule]), NAN]
    fitted = judged.rows.Y.shape[1] * np.array([1, 1, 0, 0]) + judged.n_fitted * np.array(
        [0, 0, 1, 1]
    )
    found = []
    for k, name in enumerate(PARTS[judged.rows.kind == "regression"]):
        value, far = _interval(judged, losses[k], losses[k + 1], int(fitted[k]))
        is_clear = value - far > 0 and value > LEAST * alone
        if k < 3:
            is_clear = (is_clear or (k == 2 and is_single)) and chances[k] < ASKED
        else:
            least, reached = _interval(judged, losses[k], own, int(fitted[k]))
            is_clear = is_clear and least - reached > 0
        found.append(LossPart(name, value, value - far, value + far, chances[k], bool(is_clear)))
    return tuple(found)


def _interval(judged: Judged, before: Array, after: Array, n_fitted: int) -> tuple[float, float]:
    """Return by how much a loss falls, and how far its 90% interval reaches."""
    value, error = mean_with_error(before - after, judged.rows.weights, judged.groups)
    return value, reach(judged.n_units) * step_error(judged, after, error, n_fitted)
