"""Optimal transport dataset distance (Alvarez-Melis and Fusi, 2020): features and labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from datakin._core.checks import check_choice, check_count, check_seed
from datakin._core.exceptions import DatakinError, listed
from datakin.data.features import Array
from datakin.distances.features import Cloud, Clouds, clouds, debiased
from datakin.distances.protocol import Rival
from datakin.distances.transport import check_cells, transport_cost


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
    """Return the squared W2 between the classes of each pair of rows, shape (n, m).

    Parameters
    ----------
    target, source : Cloud
    squares : ndarray of shape (n, m) or None
        Squared distances between rows, for the exact cost; None for the Gaussian one.
    """
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
