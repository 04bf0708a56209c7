"""Two datasets -> two clouds of points with the same axes, and half samples of them.

Empirical transport is far from 0 between samples of one distribution. Its level there is measured
on halves of each dataset and subtracted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin._core.checks import check_choice
from datakin._core.exceptions import DatakinError, listed
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset, coerce, pair
from datakin.data.features import Array, Features
from datakin.learners.scaling import to_middle

MAX_COLUMNS = 5000  # sparse columns and categories become dense: more would not fit in memory
SCALINGS = ("none", "pooled")
LARGEST = 1e70  # in 64 bits a distance needs squares of numbers, and some sum squares of distances


@dataclass(frozen=True, eq=False)
class Cloud:
    """The rows of one dataset as points, sorted by a hash of their features.

    That order depends on content alone and is unrelated to the values, so that the order of the input
    cannot matter and the first m rows are as good as a random sample.
    """

    name: str
    points: Array
    labels: Array  # positions in the classes of the pair, or the response
    keys: Array  # the hashes, of 64 bits

    def __len__(self) -> int:
        return len(self.points)

    def take(self, rows: Array) -> Cloud:
        """Return some of the rows."""
        return Cloud(self.name, self.points[rows], self.labels[rows], self.keys[rows])


@dataclass(frozen=True, eq=False)
class Clouds:
    """A target and a source on common axes."""

    target: Cloud
    source: Cloud
    n_numeric: int  # the first so many axes are numeric columns
    blocks: tuple[slice, ...]  # the axes of each categorical column, one per level
    classes: tuple[str, ...]  # empty for regression
    identical: bool  # whether the two are one and the same


def clouds(target: Any, source: Any, *, scaling: str = "none") -> Clouds:
    """Lay two datasets out on the columns they share.

    Numbers stay as they are, a missing one becomes the median of both datasets together.
    Categories become one 0/1 axis per level of either dataset; a missing category is a level of
    its own, because datasets may also differ in which values are missing. Scaling is "free" for distances
    that no unit matters to: columns of very large or small numbers are multiplied by a power of two.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    >>> both = clouds((X, y), (X[:, ::-1], y))
    >>> both.target.points.shape, both.n_numeric
    ((20, 2), 2)
    """
    if scaling != "free":  # which is not for users to choose
        check_choice("scaling", scaling, SCALINGS)
    ours, theirs = coerce(target, "target"), coerce(source, "source")
    for dataset in (ours, theirs):
        if dataset.n_rows < 2:
            raise DatakinError(
                f"A distance needs at least 2 rows in each dataset. Got {dataset.n_rows} in "
                f"{dataset.name!r}; gather more rows, or leave it out."
            )
    _check_width(ours.features, theirs.features)
    shared = pair(ours, theirs)
    one, other = ours.features.select(shared.columns), theirs.features.select(shared.columns)
    numeric = _numeric(one, other, scaling)
    category, blocks = _category(one, other)
    points = np.hstack([numeric, category])
    n = ours.n_rows
    return Clouds(
        _cloud(ours, points[:n], shared.columns, shared.classes),
        _cloud(theirs, points[n:], shared.columns, shared.classes),
        numeric.shape[1],
        blocks,
        shared.classes,
        shared.identical,
    )


def _check_width(one: Features, other: Features) -> None:
    shared = set(one.names) & set(other.names)
    ours, theirs = (dict(zip(f.category_names, f.levels, strict=True)) for f in (one, other))
    levels = sum(len({*ours[name], *theirs[name]}) for name in shared & set(ours) & set(theirs))
    width = len(shared & set(one.numeric_names)) + levels
    if width <= MAX_COLUMNS or not (one.is_sparse or levels):
        return
    what = "sparse columns" if one.is_sparse else f"columns, {levels} of them levels of categories"
    raise DatakinError(
        f"A distance lays the shared columns out in full and takes at most {MAX_COLUMNS}. "
        f"Got {width} {what}; keep fewer columns, reduce them first (for instance with "
        f"TruncatedSVD), or use the Cross-Learning Score."
    )


def _numeric(one: Features, other: Features, scaling: str) -> Array:
    """Return the numeric columns of both, one above the other, without gaps."""
    parts = [f.numeric.toarray() if f.is_sparse else f.numeric for f in (one, other)]
    values = np.vstack(parts).astype(float)
    gaps = np.isnan(values)
    for j in np.flatnonzero(gaps.any(axis=0)):
        values[gaps[:, j], j] = np.median(values[~gaps[:, j], j])
    if scaling == "none":
        _check_size(values, one.numeric_names)
        return values
    values, _ = to_middle(values)
    if scaling == "free":
        return values
    spread = values.std(axis=0)
    # A column that does not vary stays as it is, up to its power of two.
    return values / np.where(spread > 0, spread, 1.0)


def _check_size(values: Array, names: tuple[str, ...]) -> None:
    """Refuse numbers whose squares cannot be held, in a distance that depends on units."""
    largest = np.max(np.abs(values), axis=0, initial=0.0)
    far = np.flatnonzero(largest > LARGEST)
    if not len(far) and 0 < largest.max(initial=0.0) < 1 / LARGEST:
        far = np.flatnonzero(largest)
    if len(far):
        raise DatakinError(
            f"A distance squares numbers, which 64 bits can hold between {1 / LARGEST:.0e} and "
            f"{LARGEST:.0e}. {listed(names[j] for j in far)} has numbers of the size "
            f"{largest[far[0]]:.0e}; use scaling='pooled' (--scaling pooled), or another unit."
        )


def _category(one: Features, other: Features) -> tuple[Array, tuple[slice, ...]]:
    columns, blocks, start = [], [], len(one.numeric_names)
    for j, (ours, theirs) in enumerate(zip(one.levels, other.levels, strict=True)):
        levels = sorted({*ours, *theirs})
        position = {level: code for code, level in enumerate(levels)}
        # Code -1, a missing value, picks the last entry of the table: a level of its own.
        tables = [np.array([*(position[v] for v in own), len(levels)]) for own in (ours, theirs)]
        codes = np.concatenate([tables[0][one.codes[:, j]], tables[1][other.codes[:, j]]])
        columns.append((codes[:, None] == np.arange(codes.max() + 1)).astype(float))
        width = columns[-1].shape[1]
        blocks.append(slice(start, start + width))
        start += width
    laid_out = np.hstack(columns) if columns else np.zeros((one.n_rows + other.n_rows, 0))
    return laid_out, tuple(blocks)


def _cloud(
    dataset: Dataset, points: Array, columns: tuple[str, ...], classes: tuple[str, ...]
) -> Cloud:
    labels = dataset.y
    if classes:
        labels = np.array([classes.index(name) for name in dataset.classes])[labels]
    keys = dataset.features.kept_hashes(columns)
    order = np.lexsort((labels, keys))
    return Cloud(dataset.name, points[order], labels[order], keys[order])


def debiased(
    distance: Callable[[Cloud, Cloud], float],
    target: Cloud,
    source: Cloud,
    *,
    splits: int,
    random_state: int,
) -> float:
    """Return the mean cross distance of half samples minus the mean distance within a dataset.

    With halves a and b of both datasets, all of one size, a split gives

        1/2 d(Ta, Sb) + 1/2 d(Tb, Sa) - 1/2 d(Ta, Tb) - 1/2 d(Sa, Sb).

    The half of a row depends on its content alone. So T = S gives exactly 0, a row that stands in
    both datasets never meets itself, and for two samples of one distribution all four terms
    have the same law: the expectation is 0 at any two sizes. Estimates may fall below 0.

    Examples
    --------
    >>> import numpy as np
    >>> keys = scrambled(np.arange(30, dtype=np.uint64), 1)
    >>> cloud = Cloud("a", np.arange(30.0)[:, None], np.zeros(30), keys)
    >>> gap = lambda a, b: abs(float(a.points.mean() - b.points.mean()))
    >>> debiased(gap, cloud, cloud, splits=2, random_state=0)
    0.0
    """
    values = []
    for split in range(splits):
        seed = derive_seed(random_state, "halves", split)
        (ta, tb), (sa, sb) = _halves(target, source, seed)
        across = distance(ta, sb) + distance(tb, sa)
        within = distance(ta, tb) + distance(sa, sb)
        values.append((across - within) / 2)
    return float(np.mean(values))


def _halves(target: Cloud, source: Cloud, seed: int) -> list[tuple[Cloud, Cloud]]:
    sides = [scrambled(cloud.keys, seed) % np.uint64(2) == 0 for cloud in (target, source)]
    size = min(min(int(side.sum()), int((~side).sum())) for side in sides)
    if size < 2:
        raise DatakinError(
            f"The debiased form needs two halves of at least 2 rows that differ in their features. "
            f"Got {size} in the smallest half of {target.name!r} and {source.name!r}; "
            f"use debias=False, or more rows."
        )
    return [
        (cloud.take(np.flatnonzero(side)[:size]), cloud.take(np.flatnonzero(~side)[:size]))
        for cloud, side in zip((target, source), sides, strict=True)
    ]


def scrambled(keys: Array, seed: int) -> Array:
    """Return new 64-bit keys that depend on the old ones and a seed (the splitmix64 finaliser)."""
    z = keys + np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15 >> 32)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Array = z ^ (z >> np.uint64(31))
    return mixed
