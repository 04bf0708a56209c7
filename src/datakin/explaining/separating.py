"""Does the label's rule differ, or do only the features lie elsewhere?

A predictor also fails where the source has no rows, and where its form is too simple for a rule that bends:
then it is right where the source lies and wrong elsewhere. So what is named is looked at again: on those
rows of the target that lie inside the source, and with the source weighted to lie where the target does. If
nothing is left of it, features are the reason (the split of Cai, Namkoong and Yadlowsky, 2023).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from datakin.data.features import Array
from datakin.explaining.climbing import Climbed, climbed
from datakin.explaining.ladder import mean_with_error, reach, step_error
from datakin.explaining.moved import Domain, column_shifts, rows_outside, tell_apart
from datakin.learners.learner import Rows
from datakin.results.explanation_parts import FeatureShift

__all__ = ["separate"]

OUTSIDE = 0.1  # share of the rows outside the source, from which those inside are looked at alone
LEFT = 0.35  # share of what is named that may be left where features explain it
INSIDE = 40  # rows that must lie inside
FEWEST = 30  # rows that a weighted source must count like
NAN = float("nan")


@dataclass(frozen=True)
class _Mended:
    """What weighting the source mends of what is named, with a 90% interval."""

    value: float = NAN
    low: float = NAN
    high: float = NAN
    rows_left: float = NAN
    all_of_it: bool = False


def separate(found: Climbed) -> FeatureShift:
    """Return where features lie, and whether that explains what is named."""
    world = found.world
    judged, source, encoder = world.judged, world.there, world.prepared.encoder
    target = judged.rows
    n_numeric = len(encoder.numeric_names)
    groups = judged.groups, world.there_groups
    domain = tell_apart(target, source, n_numeric, groups, world.seed)
    outside = rows_outside(target, source)
    share = float(np.average(outside, weights=target.weights))
    explains, mended = "", _Mended()
    if found.named and domain.has_moved:
        mended = _weighted(found, domain)
        if share >= OUTSIDE and _is_gone_inside(found, ~outside):
            explains = "outside"
        elif mended.all_of_it:
            explains = "weighting"
    return FeatureShift(
        auc=domain.auc,
        low=domain.low,
        high=domain.high,
        outside=share,
        columns=column_shifts(target, source, encoder),
        mended=mended.value,
        mended_low=mended.low,
        mended_high=mended.high,
        rows_left=mended.rows_left,
        explains=explains,
    )


def _named_losses(found: Climbed, named: set[str]) -> Array:
    """Return for each row by how much the loss falls with the steps that are named."""
    steps = [k for k, part in enumerate(found.parts) if part.name in named]
    falls = [found.losses[k] - found.losses[k + 1] for k in steps]
    return np.asarray(np.sum(falls, axis=0))


def _is_gone_inside(found: Climbed, inside: Array) -> bool:
    """Return whether nothing is named, and little is left, among the rows inside the source.

    With too few rows there it cannot be told, and what is named stays.
    """
    world = found.world
    if inside.sum() < INSIDE:
        return False
    judged = world.judged
    rows = judged.rows.take(inside)
    groups = None
    if judged.groups is not None:
        groups = np.unique(judged.groups[inside], return_inverse=True)[1]
    folds = tuple(each[inside] for each in judged.folds)
    part = replace(
        world,
        judged=replace(judged, rows=rows, groups=groups, folds=folds, Z=judged.Z[inside]),
        on_target=world.on_target[inside],
        own=tuple(each[inside] for each in world.own),
    )
    again = climbed(part, [each[inside] for each in found.halves])
    left = float(np.average(_named_losses(again, found.named), weights=rows.weights))
    before = float(np.average(_named_losses(found, found.named), weights=judged.rows.weights))
    return not again.named and left <= LEFT * before


def _weighted(found: Climbed, domain: Domain) -> _Mended:
    """Climb again with a source whose rows are weighted to lie where the target's do."""
    if domain.rows_left < FEWEST:
        return _Mended()
    world, judged = found.world, found.world.judged
    weights = world.there.weights * domain.ratio
    there = Rows(world.there.X, world.there.Y, weights / weights.mean(), world.there.kind)
    weighted = replace(world, there=there, on_target=world.learned(there))
    again = climbed(weighted)
    before, after = (_named_losses(each, found.named) for each in (found, again))
    value, error = mean_with_error(before - after, judged.rows.weights, judged.groups)
    far = reach(judged.n_units) * step_error(judged, again.losses[3], error, 1)
    total = float(np.average(before, weights=judged.rows.weights))
    is_gone = not again.named and value >= (1 - LEFT) * total and value - far > 0
    return _Mended(value, value - far, value + far, domain.rows_left, is_gone)
