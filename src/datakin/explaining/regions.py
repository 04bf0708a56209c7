"""Which rows: a shallow tree on the excess loss, grown on one half of the target, measured on the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from datakin.data.features import Array
from datakin.explaining.ladder import Judged, mean_with_error, reach
from datakin.learners.encoding import TableEncoder
from datakin.learners.scaling import Scaler
from datakin.results.explanation_parts import Region
from datakin.results.words import number

__all__ = ["failing_regions", "regions_with_rows"]

DEPTH = 2
SMALLEST = 0.1  # share of the rows of one half in a region
LEAST = 20  # rows of one half in a region
CLEAR = 4.0  # standard errors between two leaves that stay apart; the split was the best of many
SURE = 0.95  # of the interval of a region against the other rows, one of several

Path = tuple[tuple[int, bool, float], ...]  # splits: column, whether it is above, and where


def failing_regions(
    judged: Judged, excess: Array, encoder: TableEncoder, seed: int
) -> tuple[Region, ...]:
    """Return the regions of a tree, the largest share of the excess first; see `regions_with_rows`."""
    return tuple(region for region, _ in regions_with_rows(judged, excess, encoder, seed))


def regions_with_rows(
    judged: Judged, excess: Array, encoder: TableEncoder, seed: int
) -> list[tuple[Region, Array]]:
    """Return the regions of a tree and which rows lie there, the largest share of the excess first.

    Parameters
    ----------
    judged : Judged
    excess : ndarray of shape (n,)
        Loss of the source's predictor minus that of the target's own, of each row.
    encoder : TableEncoder
    seed : int
    """
    first = _half(judged, seed)
    least = max(LEAST, int(SMALLEST * first.sum()))
    if min(int(first.sum()), int((~first).sum())) < 2 * least:
        return []
    X = _filled(judged.rows.X)
    weights = judged.rows.weights
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=least, random_state=0)
    tree.fit(X[first], excess[first], sample_weight=weights[first])
    found = []
    leaves = _leaves(tree.tree_, X, excess, weights * first)
    for path, inside in leaves if len(leaves) > 1 else ():
        region = _measured(judged, excess, inside, ~first, len(leaves))
        if region is not None:
            found.append((Region(_conditions(path, encoder), *region), inside))
    return sorted(found, key=lambda each: -each[0].share)


def _half(judged: Judged, seed: int) -> Array:
    """Return which rows the tree is grown on; groups stay together."""
    rng = np.random.default_rng(seed)
    picked = rng.permutation(judged.n_units) < judged.n_units // 2
    return picked if judged.groups is None else picked[judged.groups]


def _filled(X: Array) -> Array:
    scaler = Scaler.learn(X)
    return np.where(np.isnan(X), scaler.medians, X)


def _measured(
    judged: Judged, excess: Array, inside: Array, held: Array, n_regions: int
) -> tuple[float, float, float, float, float, bool] | None:
    """Return share of rows, share of the excess, its mean with an interval, and whether it is larger."""
    weights = judged.rows.weights * held
    here, elsewhere = weights * inside, weights * ~inside
    if not here.any() or not elsewhere.any():
        return None
    n = int((held & inside).sum())
    mean, error = mean_with_error(*_taken(judged, excess, here))
    other, spread = mean_with_error(*_taken(judged, excess, elsewhere))
    total = float(np.sum(weights * excess))
    share = float(np.sum(here * excess)) / total if total > 0 else float("nan")
    far = reach(n) * error
    apart = reach(n, 1 - 2 * (1 - SURE) / n_regions) * float(np.hypot(error, spread))
    everything = judged.rows.weights
    rows = float(everything[inside].sum() / everything.sum())  # as a reader would count them
    return rows, share, mean, mean - far, mean + far, mean - far > 0 and mean - other > apart


def _taken(judged: Judged, excess: Array, weights: Array) -> tuple[Array, Array, Array | None]:
    at = weights > 0
    groups = None
    if judged.groups is not None:
        groups = np.unique(judged.groups[at], return_inverse=True)[1]
    return excess[at], weights[at], groups


def _leaves(
    tree: Any, X: Array, excess: Array, weights: Array, node: int = 0, path: Path = ()
) -> list[tuple[Path, Array]]:
    """Return the splits that lead to each leaf, and its rows; leaves that hardly differ are one.

    Whether they differ is looked up on the rows that the tree was grown on: those have a weight.
    """
    everything = np.ones(len(X), dtype=bool)
    if tree.children_left[node] < 0:
        return [(path, everything)]
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
            return [(path, everything)]
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
    found = []
    for (column, above), at in bounds.items():
        if column < n_numeric:
            center, scale = encoder.scaler.centers[column], encoder.scaler.scales[column]
            sign = ">" if above else "<="
            found.append(f"{encoder.names[column]} {sign} {number(float(center + scale * at))}")
        else:
            name, level = levels[column - n_numeric]
            found.append(f"{name} {'is' if above else 'is not'} {level or 'missing'}")
    return tuple(found)
