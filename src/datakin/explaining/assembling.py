"""From two tables to their explanation: what is fixed, what is named, and what else is looked into."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.explaining.climbing import Climbed, climbed, steps_of
from datakin.explaining.effects import column_effects
from datakin.explaining.ladder import slope_column
from datakin.explaining.regions import regions_of, rows_to_keep
from datakin.explaining.shifts import separate
from datakin.explaining.trying import fix_tables, remedies, reported
from datakin.explaining.world import World
from datakin.learners.newton import FREE, link, refit
from datakin.results import explanation_parts
from datakin.results.explanation import Explanation
from datakin.results.record import Provenance

ELSEWHERE = 0.65  # AUC from which an own predictor may be better because its rows are elsewhere.


def fixed_tables(first: Climbed) -> tuple[World, tuple[explanation_parts.Mend, ...]]:
    """Fix what can be fixed; what is not plain to see only where there is something to explain."""
    value, far = first.excess
    return fix_tables(first.world, only_plain=not first.named and value - far <= 0)


def explanation_of(
    first: Climbed,
    world: World,
    mends: tuple[explanation_parts.Mend, ...],
    notes: tuple[str, ...],
    provenance: Provenance,
) -> Explanation:
    """Explain two tables, as they are at `first`; `world` has them once the `mends` are made."""
    last = climbed(world) if mends else first
    shift = separate(last)
    parts = last.parts
    if shift.explains:  # What features explain is no part of the label's rule.
        parts = tuple(replace(part, flagged=False) for part in parts)
    elif shift.auc >= ELSEWHERE:  # A rule is not named for its loss alone: it then has no test.
        parts = tuple(
            replace(part, flagged=part.flagged and not (part.name == "rule" and isnan(part.chance)))
            for part in parts
        )
    named = {part.name for part in parts if part.flagged}
    columns, regions = _looked_into(last, named)
    judged, classes = world.judged, world.target.classes
    rows = world.source_rows
    # Of several classes, the one whose share differs most from what the source's predictor expects.
    off = np.average(judged.rows.Y - world.on_target, axis=0, weights=judged.rows.weights)
    at = int(np.argmax(np.abs(off)))
    observed, expected = judged.mean(judged.rows.Y[:, at]), judged.mean(world.on_target[:, at])
    in_source = float(np.average(rows.Y[:, at], weights=rows.weights))
    slope = _slope(world)
    is_of_labels = explanation_parts.seen_in_labels(observed, expected, in_source)
    proposed = remedies(world, named, columns, slope, is_of_labels, mends)
    excess, far = first.excess
    return Explanation(
        target=first.world.target.name,
        source=first.world.source.name,
        task=judged.rows.kind,
        loss=judged.loss,
        learner=world.learner.name,
        n_target=len(judged.rows),
        n_source=len(rows),
        steps=_steps(first, last),
        parts=(_coding(first, last), *parts) if mends else parts,
        excess=excess,
        low=excess - far,
        high=excess + far,
        observed=observed,
        expected=expected,
        in_source=in_source,
        slope=slope,
        positive=classes[1 if len(classes) == 2 else at] if classes else "",
        shift=shift,
        columns=columns,
        regions=regions,
        mends=(*mends, *proposed, *reported(world)),
        kept=rows_to_keep(world) if named & {"rule", "rest"} else None,
        notes=(*notes, *first.world.prepared.notes),
        provenance=provenance,
    )


def _slope(world: World) -> float:
    """Return what the source's predictor should be multiplied by.

    NaN of several classes, and where the predictor says the same of all rows.
    """
    rows = world.judged.rows
    eta = link(world.on_target, rows.kind)[:, 0]
    spread = float(np.std(eta))
    if spread <= 1e-12 or rows.kind == "multiclass":
        return nan
    D = np.column_stack([np.ones(len(rows)), slope_column(eta)])
    b = refit(D, rows.Y[:, 0], eta, rows.weights, np.full(2, FREE), rows.kind)
    return 1 + float(b[1]) / spread


def _steps(first: Climbed, last: Climbed) -> tuple[explanation_parts.LadderStep, ...]:
    names = steps_of(last.world.judged.rows.kind)
    steps = [_step(last, k, name) for k, name in enumerate(names)]
    if first is last:
        return tuple(steps)
    return (_step(first, 0, "source"), replace(steps[0], name="mended"), *steps[1:])


def _step(ladder: Climbed, k: int, name: str) -> explanation_parts.LadderStep:
    judged = ladder.world.judged
    loss, error = judged.mean(ladder.losses[k]), judged.mean(ladder.errors[k])
    is_number = judged.rows.kind == "regression"
    return explanation_parts.LadderStep(name, loss, float(np.sqrt(error)) if is_number else error)


def _coding(first: Climbed, last: Climbed) -> explanation_parts.LossPart:
    """Return the part of what was fixed in the tables."""
    judged = first.world.judged
    error = judged.mean_with_error(first.world.differences - last.world.differences)[1]
    # The difference of the sums, so that the parts add up to the last digit.
    value = first.world.excess[0] - last.world.excess[0]
    far = judged.reach_of(error, last.losses[0], 0)
    return explanation_parts.LossPart("coding", value, value - far, value + far, nan, True)


def _looked_into(
    ladder: Climbed, named: set[str]
) -> tuple[tuple[explanation_parts.ColumnEffect, ...], tuple[explanation_parts.Region, ...]]:
    """Return which columns and which rows, where there is something to explain."""
    if not ladder.named:
        return (), ()
    world, losses = ladder.world, ladder.losses
    columns = column_effects(world, ladder.evidence)
    if "rule" not in named:
        columns = [replace(column, flagged=False) for column in columns]
    columns.sort(key=lambda column: (not column.flagged, -column.gain))
    seed = derive_seed(world.seed, "regions")
    regions = regions_of(world.judged, losses[0] - losses[-1], world.prepared.encoder, seed)
    return tuple(columns), tuple(region for region, _ in regions)
