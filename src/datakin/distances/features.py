"""Two datasets -> two clouds of points with the same axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin._core.checks import check_choice
from datakin._core.exceptions import DatakinError
from datakin.data import Dataset, coerce, pair
from datakin.data.features import Array, Features

__all__ = ["Cloud", "Clouds", "clouds"]

MAX_COLUMNS = 5000  # sparse columns and categories become dense: more would not fit in memory
SCALINGS = ("none", "pooled")


@dataclass(frozen=True, eq=False)
class Cloud:
    """The rows of one dataset as points.

    Attributes
    ----------
    name : str
    points : ndarray of shape (n, p)
    labels : ndarray
        Positions in the classes of the pair, or the response.
    keys : ndarray of uint64
        A hash of each row's features. Rows are sorted by it: an order that depends on content
        alone and is unrelated to the values, so that the order of the input cannot matter and
        the first m rows are as good as a random sample.
    """

    name: str
    points: Array
    labels: Array
    keys: Array

    def __len__(self) -> int:
        return len(self.points)

    def take(self, rows: Array) -> Cloud:
        """Return some of the rows."""
        return Cloud(self.name, self.points[rows], self.labels[rows], self.keys[rows])


@dataclass(frozen=True, eq=False)
class Clouds:
    """A target and a source on common axes.

    Attributes
    ----------
    target, source : Cloud
    n_numeric : int
        The first so many axes are numeric columns.
    blocks : tuple of slice
        The axes of each categorical column, one per level.
    classes : tuple of str
        Empty for regression.
    identical : bool
        The two datasets are one and the same.
    """

    target: Cloud
    source: Cloud
    n_numeric: int
    blocks: tuple[slice, ...]
    classes: tuple[str, ...]
    identical: bool


def clouds(target: Any, source: Any, *, scaling: str = "none") -> Clouds:
    """Lay two datasets out on the columns they share.

    Numbers stay as they are, a missing one becomes the median of both datasets together.
    Categories become one 0/1 axis per level of either dataset; a missing category is a level of
    its own, because datasets may also differ in which values are missing.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    scaling : {"none", "pooled"}
        "pooled" divides each numeric column by its standard deviation over both datasets.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    >>> both = clouds((X, y), (X[:, ::-1], y))
    >>> both.target.points.shape, both.n_numeric
    ((20, 2), 2)
    """
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
    if scaling == "pooled":
        spread = values.std(axis=0)
        values /= np.where(spread > 0, spread, 1.0)
    return values


def _category(one: Features, other: Features) -> tuple[Array, tuple[slice, ...]]:
    columns, blocks, start = [], [], 0
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
    p = len(one.numeric_names)
    laid_out = np.hstack(columns) if columns else np.zeros((one.n_rows + other.n_rows, 0))
    return laid_out, tuple(slice(b.start + p, b.stop + p) for b in blocks)


def _cloud(
    dataset: Dataset, points: Array, columns: tuple[str, ...], classes: tuple[str, ...]
) -> Cloud:
    labels = dataset.y
    if classes:
        labels = np.array([classes.index(name) for name in dataset.classes])[labels]
    keys = dataset.features.row_hashes(columns)
    order = np.lexsort((labels, keys))
    return Cloud(dataset.name, points[order], labels[order], keys[order])
