"""Which rows: a shallow tree on the excess loss, grown on one half of a table, measured on the other.

On the target it says where the source's predictor fails; on the source, which rows to keep: those are
tried by pooling only them with the target.
"""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.explaining.ladder import SPREAD, Judged
from datakin.explaining.world import World, folds_of_rows
from datakin.learners.encoding import TableEncoder
from datakin.learners.learner import Rows
from datakin.learners.metrics import mean_with_error, reach
from datakin.learners.scaling import filled, medians
from datakin.results.explanation_parts import KeptRows, Region
from datakin.results.words import number

DEPTH = 2  # Of the tree.
SMALLEST, LEAST = 0.1, 20  # Share, and number, of the rows of one half that a region must have.
CLEAR = 4.0  # Standard errors between two leaves that stay apart; the split was the best of many.
SURE = 0.95  # Level of the interval of a region against the other rows, one of several.
FEWEST = 20  # Rows of the source that must be left, and that must be dropped.

Path = tuple[tuple[int, bool, float], ...]  # Splits: the column, whether it is above, and where.


def regions_of(
    judged: Judged, excess: Array, encoder: TableEncoder, seed: int
) -> list[tuple[Region, Array]]:
    """Return the regions of a tree and which rows lie there, the largest share of the excess loss first."""
    is_first = np.random.default_rng(seed).permutation(judged.n_units) < judged.n_units // 2
    first = is_first if judged.groups is None else is_first[judged.groups]
    least = max(LEAST, int(SMALLEST * first.sum()))
    if min(int(first.sum()), int((~first).sum())) < 2 * least:
        return []
    X, weights = judged.rows.X, judged.rows.weights
    X = filled(X, medians(X))
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=least, random_state=0)
    tree.fit(X[first], excess[first], sample_weight=weights[first])
    regions = []
    leaves = _leaves(tree.tree_, X, excess, weights * first)
    for path, inside in leaves if len(leaves) > 1 else ():
        measured = _measured(judged, excess, inside, ~first, len(leaves))
        if measured is not None:
            regions.append((Region(_conditions(path, encoder), *measured), inside))
    return sorted(regions, key=lambda region: -region[0].share)


def _measured(
    judged: Judged, excess: Array, inside: Array, held: Array, n_regions: int
) -> tuple[float, float, float, float, float, bool] | None:
    """Return share of rows, share of the excess, its mean with an interval, and whether it is larger."""
    weights = judged.rows.weights * held
    here, elsewhere = weights * inside, weights * ~inside
    if not here.any() or not elsewhere.any():
        return None
    n = int((held & inside).sum())

    def mean_of(part: Array) -> tuple[float, float]:
        return judged.take(part > 0).mean_with_error(excess[part > 0])

    (mean, error), (other, spread) = mean_of(here), mean_of(elsewhere)
    total = float(np.sum(weights * excess))
    share = float(np.sum(here * excess)) / total if total > 0 else nan
    far = reach(n) * error
    apart = reach(n, 1 - 2 * (1 - SURE) / n_regions) * float(np.hypot(error, spread))
    all_weights = judged.rows.weights
    rows = float(all_weights[inside].sum() / all_weights.sum())  # As a reader would count them.
    return rows, share, mean, mean - far, mean + far, mean - far > 0 and mean - other > apart


def _leaves(
    tree: Any, X: Array, excess: Array, weights: Array, node: int = 0, path: Path = ()
) -> list[tuple[Path, Array]]:
    """Return the splits that lead to each leaf, and its rows; leaves that hardly differ are one.

    Whether they differ is looked up on the rows that the tree was grown on: those have a weight.
    """
    all_rows = np.ones(len(X), dtype=bool)
    if tree.children_left[node] < 0:
        return [(path, all_rows)]
    column, at = int(tree.feature[node]), float(tree.threshold[node])
    above = X[:, column].astype(np.float32) > at
    sides = []
    for inside, is_above, child in (
        (~above, False, tree.children_left[node]),
        (above, True, tree.children_right[node]),
    ):
        step = (*path, (column, is_above, at))
        inner = _leaves(tree, X, excess, weights * inside, int(child), step)
        sides.append([(way, rows & inside) for way, rows in inner])
    if len(sides[0]) == len(sides[1]) == 1:
        (low, spread), (high, other) = (
            mean_with_error(excess[rows], weights[rows], None)
            for rows in ((weights > 0) & inside for ((_, inside),) in sides)
        )
        if abs(high - low) < CLEAR * np.hypot(spread, other):
            return [(path, all_rows)]
    return sides[0] + sides[1]


def _conditions(path: Path, encoder: TableEncoder) -> tuple[str, ...]:
    """Return splits in words, in the units of the table; of two on one side the narrower."""
    bounds: dict[tuple[int, bool], float] = {}
    for column, above, at in path:
        known = bounds.get((column, above), at)
        bounds[column, above] = max(known, at) if above else min(known, at)
    n_numeric = len(encoder.numeric_names)
    levels = [
        (name, level)
        for name, kept in zip(encoder.category_names, encoder.levels, strict=True)
        for level in kept
    ]
    conditions = []
    for (column, above), at in bounds.items():
        if column < n_numeric:
            center, scale = encoder.scaler.centers[column], encoder.scaler.scales[column]
            sign, end = ">" if above else "<=", number(float(center + scale * at))
            conditions.append(f"{encoder.names[column]} {sign} {end}")
        else:
            name, level = levels[column - n_numeric]
            conditions.append(f"{name} {'is' if above else 'is not'} {level or 'missing'}")
    return tuple(conditions)


def rows_to_keep(world: World) -> KeptRows | None:
    """Return which rows of the source to keep, if a part of it fits the target worse than the rest.

    Seen from the other side: where on the source does the target's rule lose more than the source's own? The
    regions come from a tree that is grown on one half of the source and measured on the other. They are
    then left out, and what is left is pooled with the target and tried on the target's held-out rows.
    """
    rows, groups = world.source_rows, world.source_groups
    if len(rows) < 4 * FEWEST:
        return None
    folds = folds_of_rows(rows, groups, derive_seed(world.seed, "rows to keep"))
    judged = Judged.make(rows, groups, [folds], world.judged.loss)
    own = judged.losses(world.learner.held_out(rows, folds)[0])
    by_target = judged.losses(world.learner.fit(world.judged.rows)[0].predict(rows.X))
    seed = derive_seed(world.seed, "regions of the source")
    regions = regions_of(judged, by_target - own, world.prepared.encoder, seed)
    bad = [(region, inside) for region, inside in regions if region.flagged]
    keep = ~np.any([np.zeros(len(rows), dtype=bool), *(inside for _, inside in bad)], axis=0)
    if min(int(keep.sum()), int((~keep).sum())) < FEWEST:
        return None
    return _tried(world, keep, tuple(region.conditions for region, _ in bad))


def _tried(world: World, keep: Array, dropped: tuple[tuple[str, ...], ...]) -> KeptRows:
    judged, rows = world.judged, world.source_rows

    def pooled(part: Rows) -> Array:
        """Return losses of the target's held-out rows, learned from its other rows and some of the source."""
        folds = np.append(judged.folds[0], np.full(len(part), -1))
        return judged.losses(world.learner.held_out(judged.rows.below(part), folds)[0])

    def interval(falls: Array) -> tuple[float, float]:
        value, error = judged.mean_with_error(falls)
        far = SPREAD * reach(judged.n_units) * error
        return value - far, value + far

    alone = judged.losses(world.own[0])
    everything, kept = pooled(rows), pooled(rows.take(keep))
    means = judged.mean(alone), judged.mean(everything), judged.mean(kept)
    share = float(keep.mean())
    return KeptRows(dropped, share, *means, *interval(alone - kept), *interval(everything - kept))
