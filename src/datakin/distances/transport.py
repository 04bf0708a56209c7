"""Optimal transport between two clouds: exact, or averaged over lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import gammaln
from scipy.stats import wasserstein_distance

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError, require
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.distances.features import clouds
from datakin.distances.protocol import Rival

MAX_CELLS = 10**8  # of a cost matrix: 800 MB, and minutes for the solver


@dataclass(frozen=True)
class Wasserstein(Rival):
    """Wasserstein-1 distance between the features, with Euclidean ground cost.

    Between two samples of one distribution it is not 0 but of the order of the distance between
    neighbouring points; compare values at equal numbers of rows.

    Parameters
    ----------
    method : {"exact", "sliced"}
        "exact" is what the paper's tables have; its cost grows like the cube of the rows.
        "sliced" averages one-dimensional distances over random lines, divided by the mean length
        of a unit vector's projection: for a shift equal to the exact one (apart from the choice
        of lines), below it otherwise. For many rows. Values of the two methods do not compare.
    n_projections : int
        Lines of the sliced method.
    scaling : {"none", "pooled"}
        Whether numeric columns are divided by their standard deviation over both datasets.
    random_state : int
        Draws the lines.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    >>> round(Wasserstein().between((X, y), (X + [3.0, 4.0], y)), 6)
    5.0
    """

    method: str = "exact"
    n_projections: int = field(default=200, metadata={"only_with": ("method", "sliced")})
    scaling: str = "none"
    random_state: int = field(default=0, metadata={"only_with": ("method", "sliced")})

    def between(self, target: Any, source: Any) -> float:
        """Return the distance between two datasets."""
        check_choice("method", self.method, ("exact", "sliced"))
        check_count("n_projections", self.n_projections, 1)
        check_seed(self.random_state)
        both = clouds(target, source, scaling=self.scaling)
        one, other = both.target.points, both.source.points
        if self.method == "sliced":
            return sliced_cost(one, other, self.n_projections, self.random_state)
        check_cells(len(one), len(other), "method='sliced'")
        return transport_cost(cdist(one, other))


def check_cells(n: int, m: int, instead: str) -> None:
    """Refuse a cost matrix that would not fit, naming what to do instead."""
    if n * m > MAX_CELLS:
        raise DatakinError(
            f"Exact transport takes at most {MAX_CELLS:.0e} pairs of rows. Got {n} x {m}; "
            f"use {instead}, or a sample of the rows."
        )


def transport_cost(cost: Array) -> float:
    """Return the least mean cost of moving one uniform sample onto another.

    Parameters
    ----------
    cost : ndarray of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> transport_cost(np.array([[0.0, 2.0], [2.0, 0.0]]))
    0.0
    """
    solver = require("ot", "distances", "Optimal transport", package="POT")
    n, m = cost.shape
    # The default bound on pivots is reached at about a thousand rows; the simplex ends by itself.
    value = solver.emd2(np.full(n, 1 / n), np.full(m, 1 / m), cost, numItermax=10**9)
    return max(float(value), 0.0)


def sliced_cost(one: Array, other: Array, n_projections: int, random_state: int) -> float:
    """Return the mean Wasserstein-1 distance over random lines, on the scale of the exact one.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(5.0)[:, None]
    >>> round(sliced_cost(x, x + 2.0, n_projections=3, random_state=0), 6)
    2.0
    """
    p = one.shape[1]
    lines = _directions(p, n_projections, random_state)
    costs = [wasserstein_distance(one @ line, other @ line) for line in lines]
    # Mean absolute coordinate of a uniform unit vector: how much of a length a line shows.
    shown = np.exp(gammaln(p / 2) - gammaln((p + 1) / 2)) / np.sqrt(np.pi)
    return float(np.mean(costs) / shown)


def _directions(p: int, n: int, random_state: int) -> Array:
    """Return unit vectors in orthonormal sets, which spread more evenly than single draws."""
    rng = np.random.default_rng(derive_seed(random_state, "lines", p))
    frames = [np.linalg.qr(rng.standard_normal((p, p)))[0].T for _ in range(-(-n // p))]
    return np.vstack(frames)[:n]
