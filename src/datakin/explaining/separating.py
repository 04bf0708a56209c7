"""Does the label's rule differ, or have only the features shifted?

A predictor also fails where the source has no rows, and where its form is too simple for a rule that bends:
then it is right where the source is and wrong elsewhere. So what is named is looked at again: on those
rows of the target that are inside the source, and with the source weighted to be where the target is. If
nothing is left of it, features are the reason (the split of Cai, Namkoong and Yadlowsky, 2023).
"""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np

from datakin.data.features import Array
from datakin.explaining.climbing import Climbed, climbed
from datakin.explaining.moved import Domain, column_shifts, rows_outside, tell_apart
from datakin.learning.stack.rows import Rows
from datakin.results.explanation_parts import FeatureShift

__all__ = ["separate"]

OUTSIDE = 0.1  # Share of the rows outside the source, from which those inside are looked at alone.
LEFT = 0.35  # Share of what is named that may be left where features explain it.
INSIDE = 40  # Rows that must be inside.
FEWEST = 30  # Rows that a weighted source must count like.


def separate(ladder: Climbed) -> FeatureShift:
    """Return how the features shifted, and whether that explains what is named."""
    world = ladder.world
    domain, outside = tell_apart(world), rows_outside(world)
    share = world.judged.mean(outside)
    value = low = high = rows_left = nan
    explains, all_of_it = "", False
    if ladder.named and domain.has_shifted:
        if domain.rows_left >= FEWEST:
            rows_left = domain.rows_left
            value, low, high, all_of_it = _weighted(ladder, domain)
        if share >= OUTSIDE and _is_gone_inside(ladder, ~outside):
            explains = "outside"
        elif all_of_it:
            explains = "weighting"
    fixed = value, low, high, rows_left
    apart = domain.auc, domain.low, domain.high
    return FeatureShift(*apart, share, column_shifts(world), *fixed, explains)


def _named_losses(ladder: Climbed, named: set[str]) -> Array:
    """Return for each row by how much the loss falls with the steps that are named."""
    steps = [k for k, part in enumerate(ladder.parts) if part.name in named]
    return np.asarray(np.sum([ladder.losses[k] - ladder.losses[k + 1] for k in steps], axis=0))


def _is_gone_inside(ladder: Climbed, inside: Array) -> bool:
    """Return whether nothing is named, and little is left, among the rows inside the source.

    With too few rows there it cannot be known, and what is named stays.
    """
    if inside.sum() < INSIDE:
        return False
    world, named = ladder.world, ladder.named
    part = replace(
        world,
        judged=world.judged.take(inside),
        on_target=world.on_target[inside],
        own=tuple(P[inside] for P in world.own),
    )
    again = climbed(part, [P[inside] for P in ladder.halves])
    left = part.judged.mean(_named_losses(again, named))
    return not again.named and left <= LEFT * world.judged.mean(_named_losses(ladder, named))


def _weighted(ladder: Climbed, domain: Domain) -> tuple[float, float, float, bool]:
    """Return what weighting the source to be where the target is fixes of what is named.

    It is given with its 90% interval, and with whether it is all of it.
    """
    world, judged, rows = ladder.world, ladder.world.judged, ladder.world.source_rows
    weights = rows.weights * domain.ratio
    weighted = Rows(rows.X, rows.Y, weights / weights.mean(), rows.kind)
    again = climbed(replace(world, source_rows=weighted, on_target=world.predicted_from(weighted)))
    before, after = (_named_losses(each, ladder.named) for each in (ladder, again))
    value, error = judged.mean_with_error(before - after)
    far = judged.reach_of(error, again.losses[3], 1)
    is_gone = value >= (1 - LEFT) * judged.mean(before) and value - far > 0
    return value, value - far, value + far, is_gone and not again.named
