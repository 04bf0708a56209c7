"""One column of two datasets as densities on a common grid, as R's `density` draws them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from datakin.data.features import Array

__all__ = ["Densities", "bandwidth", "kernel_densities"]

GRID = 512
REACH = 3.0  # bandwidths beyond the outermost rows
STEPS = 4.0  # grid points that a bandwidth needs at least
MAX_POINTS = 2000  # order statistics stand for longer columns


class Densities(NamedTuple):
    """Two densities at the same points; weights turn sums over points into integrals."""

    target: Array
    source: Array
    weights: Array


def bandwidth(values: Array) -> float:
    """Return R's `bw.nrd0`, Silverman's rule of thumb; 0 for a constant column.

    Examples
    --------
    >>> import numpy as np
    >>> round(bandwidth(np.arange(1.0, 11.0)), 4)
    1.7193
    """
    spread = float(values.std(ddof=1))
    low, high = np.quantile(values, [0.25, 0.75])
    # Ties may fill the middle half of a column: then the standard deviation alone, as in R.
    narrow = min(spread, float(high - low) / 1.34) or spread
    return 0.9 * narrow / float(len(values) ** 0.2)


def kernel_densities(target: Array, source: Array) -> Densities:
    """Return Gaussian kernel densities of two columns.

    The unit is the standard deviation of both columns together, so that densities (and a floor
    under them) do not depend on the unit of measurement.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = kernel_densities(np.arange(20.0), np.arange(30.0))
    >>> round(float(drawn.target @ drawn.weights), 2)
    1.0
    """
    both = np.concatenate([target, source])
    unit = float(both.std()) or 1.0
    one, other = (np.sort(x - both.mean()) / unit for x in (target, source))
    # A column that does not vary in one dataset has no bandwidth of its own.
    spare = bandwidth((both - both.mean()) / unit) or 1.0
    widths = [bandwidth(x) or spare for x in (one, other)]
    one, other = _thinned(one), _thinned(other)
    grid = _grid(one, other, widths)
    return Densities(
        _density(one, widths[0], grid), _density(other, widths[1], grid), _trapezoid(grid)
    )


def _thinned(column: Array) -> Array:
    """Let order statistics, evenly spaced in rank, stand for a long sorted column."""
    if len(column) <= MAX_POINTS:
        return column
    return np.quantile(column, (np.arange(MAX_POINTS) + 0.5) / MAX_POINTS)


def _grid(one: Array, other: Array, widths: list[float]) -> Array:
    low = min(x[0] - REACH * h for x, h in zip((one, other), widths, strict=True))
    high = max(x[-1] + REACH * h for x, h in zip((one, other), widths, strict=True))
    grid = np.linspace(low, high, GRID)
    if (high - low) / GRID <= min(widths) / STEPS:
        return grid
    # Outliers stretch an even grid until it misses the bulk: add points round order statistics.
    # They reach far into the tails, because the next point of the even grid may be very far.
    steps = np.linspace(-2 * REACH, 2 * REACH, 17)
    near = [
        np.quantile(x, np.linspace(0, 1, 129))[:, None] + h * steps
        for x, h in zip((one, other), widths, strict=True)
    ]
    return np.unique(np.concatenate([grid, *(part.ravel() for part in near)]))


def _density(column: Array, width: float, grid: Array) -> Array:
    heights = np.exp(-0.5 * ((grid[:, None] - column) / width) ** 2).mean(axis=1)
    density: Array = heights / (width * np.sqrt(2 * np.pi))
    return density


def _trapezoid(grid: Array) -> Array:
    gaps = np.diff(grid)
    weights: Array = (np.append(gaps, 0.0) + np.insert(gaps, 0, 0.0)) / 2
    return weights
