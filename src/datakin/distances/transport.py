"""Optimal transport between two clouds, exact or averaged over lines, and between two labelled datasets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import gammaln
from scipy.stats import wasserstein_distance

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError, listed, require
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.distances.features import Cloud, Clouds, clouds, debiased
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
    rng = np.random.default_rng(derive_seed(random_state, "lines", p))
    # Orthonormal sets spread more evenly than single draws.
    frames = [np.linalg.qr(rng.standard_normal((p, p)))[0].T for _ in range(-(-n_projections // p))]
    lines = np.vstack(frames)[:n_projections]
    costs = [wasserstein_distance(one @ line, other @ line) for line in lines]
    # Mean absolute coordinate of a uniform unit vector: how much of a length a line shows.
    shown = np.exp(gammaln(p / 2) - gammaln((p + 1) / 2)) / np.sqrt(np.pi)
    return float(np.mean(costs) / shown)


@dataclass(frozen=True)
class OTDD(Rival):
    """Optimal transport dataset distance, over features and labels.

    Moving (x, y) to (x', y') costs ``|x - x'|^2 / 2 + W2^2(class y, class y') / 2``, the second
    term being the transport cost between the features of the two classes. The value is the least
    mean cost, without a square root, as in the paper's tables. Classes are matched by their
    features, not by their names: a copy with the labels swapped is at distance 0.

    Parameters
    ----------
    inner : {"exact", "gaussian"}
        Distance between classes: between their rows (the tables), or between Gaussians with their
        means and covariances (faster, and smaller where classes have few rows).
    debias : bool
        Subtract the distance between two samples of one distribution, measured on half samples:
        0 in expectation for two such samples of any size, where plain values are far from 0. The
        debiased value is an estimate, and may fall below 0.
    splits : int
        Half samples that the debiased form averages.
    scaling : {"none", "pooled"}
        Whether numeric columns are divided by their standard deviation over both datasets.
    random_state : int
        Chooses the half samples.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(40) % 2
    >>> X = rng.normal(size=(40, 2)) + y[:, None]
    >>> OTDD(debias=True).between((X, y), (X, y))
    0.0
    """

    inner: str = "exact"
    debias: bool = False
    splits: int = field(default=5, metadata={"only_with": ("debias", True)})
    scaling: str = "none"
    random_state: int = field(default=0, metadata={"only_with": ("debias", True)})

    def between(self, target: Any, source: Any) -> float:
        """Return the distance between two datasets."""
        check_choice("inner", self.inner, ("exact", "gaussian"))
        check_count("splits", self.splits, 1)
        check_seed(self.random_state)
        both = clouds(target, source, scaling=self.scaling)
        _check_labels(both)
        check_cells(len(both.target), len(both.source), "Wasserstein(method='sliced')")
        if both.identical:
            return 0.0  # what both forms give, up to rounding
        if not self.debias:
            return self._plain(both.target, both.source)
        return debiased(
            self._plain,
            both.target,
            both.source,
            splits=self.splits,
            random_state=self.random_state,
        )

    def _plain(self, target: Cloud, source: Cloud) -> float:
        squares = cdist(target.points, source.points, "sqeuclidean")
        labels = _label_costs(target, source, squares if self.inner == "exact" else None)
        return transport_cost((squares + labels) / 2)


def _check_labels(both: Clouds) -> None:
    if not both.classes:
        raise DatakinError(
            f"OTDD compares classes. Got a regression label in {both.target.name!r} and "
            f"{both.source.name!r}; use Wasserstein or the Cross-Learning Score, or say when "
            f"reading the tables that whole numbers are classes (task='multiclass', --task multiclass)."
        )
    for cloud in (both.target, both.source):
        counts = np.bincount(cloud.labels, minlength=len(both.classes))
        lone = [both.classes[code] for code in np.flatnonzero(counts == 1)]
        if lone:
            raise DatakinError(
                f"OTDD's label distances need at least 2 rows in every class. Got a single row of "
                f"{listed(lone)} in {cloud.name!r}; drop the class, or merge it with another."
            )


def _label_costs(target: Cloud, source: Cloud, squares: Array | None) -> Array:
    """Return the squared W2 between the classes of each pair of rows; exact with `squares`, else Gaussian."""
    ours, row = np.unique(target.labels, return_inverse=True)
    theirs, column = np.unique(source.labels, return_inverse=True)
    costs = np.zeros((len(ours), len(theirs)))
    for i in range(len(ours)):
        for j in range(len(theirs)):
            if squares is None:
                costs[i, j] = gaussian_cost(target.points[row == i], source.points[column == j])
            else:
                costs[i, j] = transport_cost(squares[np.ix_(row == i, column == j)])
    return costs[np.ix_(row, column)]


def gaussian_cost(one: Array, other: Array) -> float:
    """Return the squared W2 between the Gaussians with the samples' means and covariances.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-1.0], [0.0], [1.0]])
    >>> round(gaussian_cost(x, 3 * x + 5), 6)
    29.0
    """
    first, second = _root(one), _root(other)
    # trace((A^1/2 B A^1/2)^1/2) is the nuclear norm of R1 R2' for A = R1'R1, B = R2'R2. This way
    # no square root is taken of rounding errors, and a class is at distance 0 from itself.
    overlap = np.linalg.svd(first @ second.T, compute_uv=False).sum()
    means = one.mean(axis=0) - other.mean(axis=0)
    value = means @ means + (first**2).sum() + (second**2).sum() - 2 * overlap
    return max(float(value), 0.0)


def _root(points: Array) -> Array:
    """Return R with R'R the sample covariance; 0 for a single row."""
    centred = points - points.mean(axis=0)
    root: Array = np.linalg.qr(centred, mode="r") / np.sqrt(max(len(points) - 1, 1))
    return root
