"""From two tables to their explanation: what is mended, what is named, and what else is looked into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.explaining.climbing import Climbed, climbed
from datakin.explaining.effects import column_effects
from datakin.explaining.keeping import rows_to_keep
from datakin.explaining.ladder import (
    STEPS,
    calibrated,
    mean_with_error,
    most_off,
    reach,
    step_error,
)
from datakin.explaining.moved import matrix_columns
from datakin.explaining.regions import failing_regions
from datakin.explaining.remedies import remedies
from datakin.explaining.separating import separate
from datakin.explaining.trying import mend_all, reported
from datakin.explaining.world import World
from datakin.results.explanation import Explanation
from datakin.results.explanation_parts import (
    ColumnEffect,
    LadderStep,
    LossPart,
    Mend,
    Region,
    seen_in_labels,
)
from datakin.results.record import Provenance

__all__ = ["Mended", "explanation_of", "mended_tables"]

NAN = float("nan")
ELSEWHERE = 0.65  # AUC from which an own predictor may be better for where its rows lie


@dataclass(frozen=True, eq=False)
class Mended:
    """Two tables with what was mended in them.

    Attributes
    ----------
    world : World
    mends : tuple of Mend
        In the order in which they were made.
    """

    world: World
    mends: tuple[Mend, ...]


def mended_tables(first: Climbed) -> Mended:
    """Mend what can be mended; what is not plain to see only where there is something to explain."""
    value, far = first.excess
    nothing = not first.named and value - far <= 0
    return Mended(*mend_all(first.world, only_plain=nothing))


def explanation_of(
    first: Climbed, mended: Mended, notes: tuple[str, ...], provenance: Provenance
) -> Explanation:
    """Explain two tables.

    Parameters
    ----------
    first : Climbed
        Both tables as they are.
    mended : Mended
        The same once mended.
    notes : tuple of str
        What was done to them before.
    provenance : Provenance
    """
    world, mends = first.world, mended.mends
    value, far = first.excess
    last = climbed(mended.world) if mends else first
    shift = separate(last)
    parts, named = last.parts, last.named
    if shift.explains:  # what features explain is no part of the label's rule
        parts, named = tuple(replace(part, flagged=False) for part in parts), set()
    elif shift.auc >= ELSEWHERE:
        parts = tuple(_without_loss(part) for part in parts)
        named = {part.name for part in parts if part.flagged}
    if mends:
        parts = (_coding(first, last), *parts)
    now = last.world
    judged, classes = now.judged, now.target.classes
    columns, regions = _looked_into(last, named)
    at = most_off(judged, now.on_target)
    observed, expected, slope = calibrated(judged, now.on_target, at)
    in_source = float(np.average(now.there.Y[:, at], weights=now.there.weights))
    is_of_labels = seen_in_labels(observed, expected, in_source)
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
        in_source=in_source,
        slope=slope,
        positive=classes[1 if len(classes) == 2 else at] if classes else "",
        shift=shift,
        columns=columns,
        regions=regions,
        mends=(*mends, *remedies(now, named, columns, slope, is_of_labels, mends), *reported(now)),
        kept=rows_to_keep(now) if named & {"rule", "rest"} else None,
        notes=(*notes, *world.prepared.notes),
        provenance=provenance,
    )


def _without_loss(part: LossPart) -> LossPart:
    """Return a part that is not named for its loss alone: such a rule has no test."""
    return replace(part, flagged=part.flagged and not (part.name == "rule" and isnan(part.chance)))


def _steps(first: Climbed, last: Climbed) -> tuple[LadderStep, ...]:
    names = STEPS[last.world.judged.rows.kind == "regression"]
    steps = [_step(last, k, name) for k, name in enumerate(names)]
    if first is last:
        return tuple(steps)
    return (_step(first, 0, "source"), replace(steps[0], name="mended"), *steps[1:])


def _step(found: Climbed, k: int, name: str) -> LadderStep:
    rows = found.world.judged.rows
    loss, error = (
        float(np.average(each[k], weights=rows.weights)) for each in (found.losses, found.errors)
    )
    return LadderStep(name, loss, float(np.sqrt(error)) if rows.kind == "regression" else error)


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
    found: Climbed, named: set[str]
) -> tuple[tuple[ColumnEffect, ...], tuple[Region, ...]]:
    """Return which columns and which rows, where there is something to explain."""
    world, losses = found.world, found.losses
    judged, encoder = world.judged, world.prepared.encoder
    if not found.named:
        return (), ()
    places, names = matrix_columns(encoder), encoder.names
    trees = world.learner if world.by_trees else None
    columns = column_effects(
        judged, world.there, world.on_target, found.evidence, places, names, trees, world.seed
    )
    if "rule" not in named:
        columns = tuple(replace(each, flagged=False) for each in columns)
    columns = tuple(sorted(columns, key=lambda each: (not each.flagged, -each.gain)))
    tree_seed = derive_seed(world.seed, "regions")
    return columns, failing_regions(judged, losses[0] - losses[-1], encoder, tree_seed)
