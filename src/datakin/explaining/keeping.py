"""Which rows of the source are worth keeping, tried by pooling only them with the target."""

from __future__ import annotations

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.explaining.ladder import SPREAD, Judged, mean_with_error, reach
from datakin.explaining.regions import regions_with_rows
from datakin.explaining.world import World
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Rows
from datakin.results.explanation_parts import KeptRows

__all__ = ["rows_to_keep"]

FEWEST = 20  # rows that must be left, and that must be dropped
FOLDS = 5  # of the source


def rows_to_keep(world: World) -> KeptRows | None:
    """Return which rows of the source to keep, if a part of it fits the target worse than the rest.

    Seen from the other side: where on the source does the target's rule lose more than the source's own? The
    regions come from a tree that is grown on one half of the source and measured on the other. They are
    then left out, and what is left is pooled with the target and tried on the target's held-out rows.
    """
    there = world.there
    if len(there) < 4 * FEWEST:
        return None
    is_class = there.kind != "regression"
    y = there.codes if is_class else there.Y[:, 0]
    groups = world.there_groups
    folds = draw_folds(y, is_class, groups, derive_seed(world.seed, "rows to keep"), FOLDS)
    judged = Judged.make(there, groups, [folds], world.judged.loss)
    own = judged.losses(world.learner.held_out(there, folds)[0])
    by_target = judged.losses(world.learner.fit(world.judged.rows)[0].predict(there.X))
    seed = derive_seed(world.seed, "regions of the source")
    found = regions_with_rows(judged, by_target - own, world.prepared.encoder, seed)
    bad = [(region, rows) for region, rows in found if region.flagged]
    drop = np.any([rows for _, rows in bad], axis=0) if bad else np.zeros(len(there), dtype=bool)
    if min(int(drop.sum()), int((~drop).sum())) < FEWEST:
        return None
    return _tried(world, ~drop, tuple(region.conditions for region, _ in bad))


def _tried(world: World, keep: Array, dropped: tuple[tuple[str, ...], ...]) -> KeptRows:
    judged, weights = world.judged, world.judged.rows.weights
    alone = judged.losses(world.own[0])
    everything, kept = (_pooled(world, part) for part in (world.there, world.there.take(keep)))

    def interval(fall: Array) -> tuple[float, float]:
        value, error = mean_with_error(fall, weights, judged.groups)
        far = SPREAD * reach(judged.n_units) * error
        return value - far, value + far

    own, pooled, left = (
        float(np.average(each, weights=weights)) for each in (alone, everything, kept)
    )
    low, high = interval(alone - kept)
    low_all, high_all = interval(everything - kept)
    share = float(keep.mean())
    return KeptRows(dropped, share, own, pooled, left, low, high, low_all, high_all)


def _pooled(world: World, source: Rows) -> Array:
    """Return losses of the target's held-out rows, learned from its other rows and some of the source."""
    folds = np.append(world.judged.folds[0], np.full(len(source), -1))
    pool = world.judged.rows.below(source)
    return world.judged.losses(world.learner.held_out(pool, folds)[0])
