"""Divergences between feature distributions: Kullback-Leibler and Jensen-Shannon.

Both are means over columns, so they see no dependence between columns (except in the Gaussian form).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import rel_entr

from datakin._core.checks import check_choice, check_positive
from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.distances.features import Cloud, Clouds, clouds
from datakin.distances.protocol import Rival

LOG_2 = float(np.log(2))
GRID = 512
REACH = 3.0  # bandwidths beyond the outermost rows
STEPS = 4.0  # grid points that a bandwidth needs at least
MAX_POINTS = 2000  # order statistics stand for longer columns
RIDGE = 1e-9  # share of the pooled variance that keeps covariances of one-hot columns invertible


@dataclass(frozen=True)
class KLDivergence(Rival):
    """Kullback-Leibler divergence of the target's features from the source's, in nats.

    Not symmetric: rows that the target has and the source lacks weigh most.

    Parameters
    ----------
    density : {"kernel", "gaussian"}
        "kernel" is what the paper's tables have: the mean over columns of the divergence between
        one-dimensional kernel densities with R's `nrd0` bandwidth; categories by the shares of
        their levels. "gaussian" is the closed form for the two Gaussians with the datasets' means
        and covariances.
    floor : float
        Least value of a kernel density, per standard deviation of the column. Without it the
        divergence depends mostly on the tails, as the tables show.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    >>> KLDivergence().between((X, y), (X, y))
    0.0
    """

    density: str = "kernel"
    floor: float = field(default=1e-4, metadata={"only_with": ("density", "kernel")})

    def between(self, target: Any, source: Any) -> float:
        """Return the divergence of the target from the source."""
        check_choice("density", self.density, ("kernel", "gaussian"))
        check_positive("floor", self.floor)
        both = clouds(target, source, scaling="free")
        if self.density == "gaussian":
            return _gaussian(both.target, both.source)
        # Half a row more in each level: one that the source lacks costs much, but not infinity.
        return _mean_over_columns(both, _relative_entropy, floor=self.floor, added=0.5)

    @property
    def is_directed(self) -> bool:
        """KL of target and source is not that of source and target."""
        return True


@dataclass(frozen=True)
class JensenShannon(Rival):
    """Jensen-Shannon divergence between the features, in nats: from 0 to log 2.

    The mean over columns of the divergence between one-dimensional kernel densities with R's
    `nrd0` bandwidth; categories by the shares of their levels. Its square root is a metric.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    >>> round(JensenShannon().between((X, y), (X + 100.0, y)), 4)
    0.6931
    """

    def between(self, target: Any, source: Any) -> float:
        """Return the divergence between two datasets."""
        both = clouds(target, source, scaling="free")
        return min(_mean_over_columns(both, _to_the_middle, floor=0.0, added=0.0), LOG_2)


def _mean_over_columns(
    both: Clouds, divergence: Callable[[Array, Array], float], *, floor: float, added: float
) -> float:
    """Average a divergence between mass functions over the columns of the datasets."""
    values = []
    for j in range(both.n_numeric):
        *drawn, weights = kernel_densities(both.target.points[:, j], both.source.points[:, j])
        masses = [np.maximum(density, floor) * weights for density in drawn]
        values.append(divergence(*(mass / mass.sum() for mass in masses)))
    for block in both.blocks:
        counts = [
            cloud.points[:, block].sum(axis=0) + added for cloud in (both.target, both.source)
        ]
        values.append(divergence(*(count / count.sum() for count in counts)))
    return max(float(np.mean(values)), 0.0)


def _relative_entropy(target: Array, source: Array) -> float:
    return float(rel_entr(target, source).sum())


def _to_the_middle(target: Array, source: Array) -> float:
    # Twice the middle: half of the least number above 0 is 0, and the divergence from 0 infinite.
    total = target + source
    return float(rel_entr(2 * target, total).sum() + rel_entr(2 * source, total).sum()) / 4


def _gaussian(target: Cloud, source: Cloud) -> float:
    p = target.points.shape[1]
    for cloud in (target, source):
        if len(cloud) <= p:
            raise DatakinError(
                f"The Gaussian form needs more rows than columns ({p}, categories one per level). "
                f"Got {len(cloud)} in {cloud.name!r}; use density='kernel', or fewer columns."
            )
    unit = np.vstack([target.points, source.points]).std(axis=0)
    ours, theirs = (cloud.points / np.where(unit > 0, unit, 1.0) for cloud in (target, source))
    first, second = (np.atleast_2d(np.cov(x.T)) + RIDGE * np.eye(p) for x in (ours, theirs))
    gap = theirs.mean(axis=0) - ours.mean(axis=0)
    solved = np.linalg.solve(second, np.column_stack([first, gap]))
    log_ratio = np.linalg.slogdet(second)[1] - np.linalg.slogdet(first)[1]
    value = (np.trace(solved[:, :p]) + gap @ solved[:, p] - p + log_ratio) / 2
    return max(float(value), 0.0)


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


def kernel_densities(target: Array, source: Array) -> tuple[Array, Array, Array]:
    """Return Gaussian kernel densities of two columns at common points, as R's `density` draws them.

    With them come weights that turn sums over the points into integrals.

    The unit is the standard deviation of both columns together, so that densities (and a floor
    under them) do not depend on the unit of measurement.

    Examples
    --------
    >>> import numpy as np
    >>> density, _, weights = kernel_densities(np.arange(20.0), np.arange(30.0))
    >>> round(float(density @ weights), 2)
    1.0
    """
    both = np.concatenate([target, source])
    unit = float(both.std()) or 1.0
    one, other = (np.sort(x - both.mean()) / unit for x in (target, source))
    # A column that does not vary in one dataset has no bandwidth of its own.
    spare = bandwidth((both - both.mean()) / unit) or 1.0
    # No narrower than numbers at the outermost rows can tell apart.
    least = 16 * float(np.spacing(max(abs(x[end]) for x in (one, other) for end in (0, -1))))
    widths = [max(bandwidth(x) or spare, least) for x in (one, other)]
    one, other = _thinned(one), _thinned(other)
    grid = _grid(one, other, widths)
    gaps = np.diff(grid)
    weights = (np.append(gaps, 0.0) + np.insert(gaps, 0, 0.0)) / 2  # the trapezoid rule
    return _density(one, widths[0], grid), _density(other, widths[1], grid), weights


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
    with np.errstate(over="ignore", under="ignore"):  # a far row adds 0
        heights = np.exp(-0.5 * ((grid[:, None] - column) / width) ** 2).mean(axis=1)
    density: Array = heights / (width * np.sqrt(2 * np.pi))
    return density
