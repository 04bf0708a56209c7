"""Does the label's rule differ, or have only the features shifted?

A classifier says whether the tables can be told apart. A predictor also fails where the source has no rows,
and where its form is too simple for a rule that bends: then it is right where the source is and wrong
elsewhere. So what is named is looked at again: on those rows of the target that are inside the source, and
with the source weighted to be where the target is. If nothing is left of it, features are the reason (the
split of Cai, Namkoong and Yadlowsky, 2023).
"""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
from scipy.stats import norm
from sklearn.neighbors import NearestNeighbors

from datakin.data.features import Array
from datakin.explaining.climbing import Climbed, climbed
from datakin.explaining.ladder import FOLDS
from datakin.explaining.world import World, matrix_columns
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Rows
from datakin.learners.linear import LinearLearner
from datakin.learners.metrics import LEVEL, class_metrics
from datakin.learners.scaling import Scaler
from datakin.results.explanation_parts import ColumnShift, FeatureShift

FARTHEST = 10.0  # Rows of the source never count for more times than this.
NEIGHBOUR = 5  # The neighbour that a distance is measured to.
MARGIN = 0.1  # Share of a range, beyond which a number is outside.
NEAR = 0.99  # Share of the source's rows that are inside.
OUTSIDE = 0.1  # Share of the rows outside the source, from which those inside are looked at alone.
LEFT = 0.35  # Share of what is named that may be left where features explain it.
INSIDE = 40  # Rows that must be inside.
FEWEST = 30  # Rows that a weighted source must count like.


def separate(ladder: Climbed) -> FeatureShift:
    """Return how the features shifted, and whether that explains what is named."""
    world = ladder.world
    auc, low, high, ratio = _tell_apart(world)
    outside = _rows_outside(world)
    share = world.judged.mean(outside)
    shift = FeatureShift(auc, low, high, share, _column_shifts(world), nan, nan, nan, nan)
    if not ladder.named or not shift.has_moved:
        return shift
    explains = ""
    rows_left = float(ratio.sum() ** 2 / np.sum(ratio**2))  # Rows of equal weight (Kish, 1965).
    if rows_left >= FEWEST:
        value, far, all_of_it = _weighted(ladder, ratio)
        low, high = value - far, value + far
        shift = replace(shift, mended=value, mended_low=low, mended_high=high, rows_left=rows_left)
        explains = "weighting" if all_of_it else ""
    if share >= OUTSIDE and _is_gone_inside(ladder, ~outside):
        explains = "outside"
    return replace(shift, explains=explains)


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


def _weighted(ladder: Climbed, ratio: Array) -> tuple[float, float, bool]:
    """Return what weighting the source to be where the target is fixes of what is named.

    It is given with how far its 90% interval reaches, and with whether it is all of it.
    """
    world, judged, rows = ladder.world, ladder.world.judged, ladder.world.source_rows
    weights = rows.weights * ratio
    weighted = replace(rows, weights=weights / weights.mean())
    on_target = world.predicted_from(weighted)
    again = climbed(replace(world, source_rows=weighted, on_target=on_target))
    before, after = (_named_losses(steps, ladder.named) for steps in (ladder, again))
    value, error = judged.mean_with_error(before - after)
    far = judged.reach_of(error, again.losses[3], 1)
    is_gone = value >= (1 - LEFT) * judged.mean(before) and value - far > 0
    return value, far, is_gone and not again.named


def _tell_apart(world: World) -> tuple[float, float, float, Array]:
    """Learn to tell rows of the two tables apart, on held-out rows; both count the same.

    Return the AUC with its interval, and for each row of the source how much more frequent such rows are in
    the target (mean 1).

    The classifier is the penalised logistic regression, with squares of the numbers: it sees means and
    spreads.
    """
    target, source = world.judged.rows, world.source_rows
    n, m = len(target), len(source)
    both = np.vstack([target.X, source.X])
    n_numeric = len(world.prepared.encoder.numeric_names)
    X = np.hstack([both, np.clip(both[:, :n_numeric], -1e3, 1e3) ** 2])
    is_target = np.repeat([1, 0], [n, m])
    weights = np.concatenate([target.weights / n, source.weights / m])
    rows = Rows(X, is_target[:, None].astype(float), weights * (n + m) / 2, "binary")
    here, there = world.judged.groups, world.source_groups
    together = None
    if here is not None or there is not None:
        here = np.arange(n) if here is None else here
        there = np.arange(m) if there is None else there
        together = np.concatenate([here, int(here.max()) + 1 + there])
    folds = draw_folds(is_target, True, together, world.seed, FOLDS)
    p = LinearLearner().held_out(rows, folds)[0]
    codes = (p[:, 0] > 0.5).astype(int)
    metrics = class_metrics(
        "", [np.hstack([1 - p, p])], [codes], is_target, rows.weights, groups=together
    )
    odds = p[n:, 0] / np.maximum(1 - p[n:, 0], 1e-9)
    ratio = np.clip(odds, 1 / FARTHEST, FARTHEST)
    return metrics.values["auc"], *metrics.intervals["auc"], ratio / ratio.mean()


def _rows_outside(world: World) -> Array:
    """Return which of the target's rows are farther out than 99% of the source's, or beyond a range.

    How far out is the distance to the fifth neighbour in the source, of standardised columns. Among many
    columns one alone hardly moves that distance; so a row is outside, too, where one of its numbers is
    beyond all of the source's, by a tenth of their range.
    """
    X, other = world.judged.rows.X, world.source_rows.X
    scaler = Scaler.learn(np.vstack([X, other]))
    A, B = scaler.apply(X), scaler.apply(other)
    if not A.shape[1]:
        return np.zeros(len(A), bool)
    k = min(NEIGHBOUR, len(B) - 1)
    # Among its own rows the first neighbour of a row is itself.
    near = NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(B)
    limit = float(np.quantile(near.kneighbors(B)[0][:, k], NEAR))
    far = near.kneighbors(A)[0][:, k - 1] > limit * (1 + 1e-9) + 1e-12
    low, high = B.min(axis=0), B.max(axis=0)
    room = MARGIN * (high - low)
    beyond = ((low - room > A) | (high + room < A)) & (high > low)
    return np.asarray(far | beyond.any(axis=1))


def _column_shifts(world: World) -> tuple[ColumnShift, ...]:
    """Return how each column differs; what surely shifted most comes first."""
    target, source, encoder = world.judged.rows, world.source_rows, world.prepared.encoder
    places, scaler = matrix_columns(encoder), encoder.scaler
    shifts = [
        _of_numbers(name, places[name][0], target, source, float(center), float(scale))
        for name, center, scale in zip(
            encoder.numeric_names, scaler.centers, scaler.scales, strict=True
        )
    ]
    for name, levels in zip(encoder.category_names, encoder.levels, strict=True):
        shifts.append(_of_levels(name, places[name], levels, target, source))
    return tuple(sorted(shifts, key=lambda shift: -_least(shift)))


def _least(shift: ColumnShift) -> float:
    """Return how far a column shifted at least: a mean of five values may be anywhere."""
    if np.isnan(shift.low):
        return abs(shift.difference)
    return max(shift.low, -shift.high, 0.0)


def _of_numbers(
    name: str, at: int, target: Rows, source: Rows, center: float, scale: float
) -> ColumnShift:
    columns = [(rows.X[:, at], rows.weights) for rows in (target, source)]
    (mean, variance, n), (other, spread, m) = (_moments(*column) for column in columns)
    difference, low, high = 0.0, nan, nan
    if n and m:
        unit = np.sqrt((variance + spread) / 2)
        difference = float((mean - other) / unit) if unit > 1e-12 else 0.0
        error = np.sqrt(1 / n + 1 / m + difference**2 / (2 * (n + m)))
        far = float(norm.ppf(0.5 + LEVEL / 2) * error)
        low, high = difference - far, difference + far
    # What is left by rounding of a mean that is 0 is not shown.
    means = (center + scale * value for value in (mean, other))
    here, there = (0.0 if abs(value) < 1e-9 * scale else value for value in means)
    missing = (float(np.average(np.isnan(x), weights=weights)) for x, weights in columns)
    return ColumnShift(name, "number", difference, low, high, "", here, there, *missing)


def _moments(x: Array, weights: Array) -> tuple[float, float, int]:
    """Return mean, variance and number of what is not missing."""
    known = ~np.isnan(x)
    n = int(known.sum())
    if not n or not weights[known].any():
        return nan, 0.0, 0
    mean = float(np.average(x[known], weights=weights[known]))
    return mean, float(np.average((x[known] - mean) ** 2, weights=weights[known])), n


def _of_levels(
    name: str, at: list[int], levels: tuple[str | None, ...], target: Rows, source: Rows
) -> ColumnShift:
    if not at:
        return ColumnShift(name, "category", 0.0, nan, nan, "", nan, nan)
    both = target, source
    here, there = (np.average(rows.X[:, at], axis=0, weights=rows.weights) for rows in both)
    apart = np.abs(here - there)
    # What has no column of its own is one more level.
    rest = abs(float(here.sum() - there.sum()))
    most = int(np.argmax(apart))
    unknown = [k for k, level in zip(at, levels, strict=True) if level is None]
    missing = (
        float(np.average(rows.X[:, unknown].sum(axis=1) > 0, weights=rows.weights)) for rows in both
    )
    difference = (float(apart.sum()) + rest) / 2
    shown = levels[most] or "", float(here[most]), float(there[most])
    return ColumnShift(name, "category", difference, nan, nan, *shown, *missing)
