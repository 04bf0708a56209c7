"""Distances from pairs of rows (maximum mean discrepancy, energy) and by a classifier (proxy A-distance)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from datakin._core.checks import check_count, check_positive, check_seed
from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.distances.features import Cloud, clouds, scrambled
from datakin.distances.protocol import Rival

BLOCK = 2000  # rows at a time, so that sums over all pairs need little memory
MEDIAN_ROWS = 1000  # rows of each dataset that settle the median distance
MAX_GRAM = 10_000  # rows of both datasets that a permutation test holds as one matrix


@dataclass(frozen=True)
class MMD(Rival):
    """Squared maximum mean discrepancy with a Gaussian kernel ``exp(-d^2 / (2 h^2))``.

    Parameters
    ----------
    bandwidth : float, optional
        The h of the kernel; by default the median distance between rows of both datasets.
    unbiased : bool
        Leave a row's similarity to itself out: 0 in expectation for two samples of one
        distribution, and so sometimes below 0. Otherwise the plain mean, which is never below 0.
        A dataset against itself is 0 by definition.
    scaling : {"none", "pooled"}
        Whether numeric columns are divided by their standard deviation over both datasets.
    random_state : int
        Draws the permutations of `p_value`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    >>> MMD().between((X, y), (X + 2.0, y)) > 0.3
    True
    """

    bandwidth: float | None = None
    unbiased: bool = True
    scaling: str = "none"
    random_state: int = field(default=0, metadata={"hidden": True})  # the command line has no test

    def between(self, target: Any, source: Any) -> float:
        """Return the squared discrepancy between two datasets."""
        self._check()
        both = clouds(target, source, scaling=self.scaling)
        if both.identical:
            return 0.0
        one, other = both.target.points, both.source.points
        kernel = self._kernel(both.target, both.source)
        across = _mean_over_pairs(kernel, one, other)
        return (
            _within(kernel, one, self.unbiased) + _within(kernel, other, self.unbiased) - 2 * across
        )

    def p_value(self, target: Any, source: Any, *, permutations: int = 500) -> float:
        """Return the p-value of a permutation test that both have the same distribution of features.

        Rows are assigned to target and source at random, many times; the value is the share of
        assignments, the observed one included, with at least the observed discrepancy.
        """
        self._check()
        check_count("permutations", permutations, 1)
        both = clouds(target, source, scaling=self.scaling)
        n, m = len(both.target), len(both.source)
        if n + m > MAX_GRAM:
            raise DatakinError(
                f"The permutation test takes at most {MAX_GRAM} rows of both datasets together. "
                f"Got {n} + {m}; pass a sample of the rows."
            )
        points = np.vstack([both.target.points, both.source.points])
        is_small = np.arange(n + m) < n if n <= m else np.arange(n + m) >= n
        # Sorted by content, so that swapping target and source changes nothing.
        order = np.lexsort((is_small, np.concatenate([both.target.keys, both.source.keys])))
        points, is_small = points[order], is_small[order]
        gram = self._kernel(both.target, both.source)(points, points)
        rng = np.random.default_rng(derive_seed(self.random_state, "permutations"))
        drawn = np.array([is_small, *(rng.permutation(is_small) for _ in range(permutations))])
        values = _discrepancies(gram, drawn.astype(float))
        # Assignments that equal the observed one up to rounding count as at least as large.
        return float(np.mean(values >= values[0] - 1e-12 * np.abs(values).max()))

    def _check(self) -> None:
        if self.bandwidth is not None:
            check_positive("bandwidth", self.bandwidth)
        check_seed(self.random_state)

    def _kernel(self, target: Cloud, source: Cloud) -> Callable[[Array, Array], Array]:
        width = self.bandwidth
        if width is None:  # the median distance; the mean one where most rows coincide
            some = pdist(np.vstack([target.points[:MEDIAN_ROWS], source.points[:MEDIAN_ROWS]]))
            width = float(np.median(some)) or float(some.mean()) or 1.0

        def kernel(one: Array, other: Array) -> Array:
            values: Array = np.exp(cdist(one, other, "sqeuclidean") / (-2 * width**2))
            return values

        return kernel


@dataclass(frozen=True)
class Energy(Rival):
    """Energy distance ``2 E|X - Y| - E|X - X'| - E|Y - Y'|`` (Szekely and Rizzo), without a square root.

    Parameters
    ----------
    unbiased : bool
        Leave a row's distance to itself out: 0 in expectation for two samples of one
        distribution, and so sometimes below 0. By default the plain means, which are never
        below 0 and give 0 for a dataset against itself.
    scaling : {"none", "pooled"}
        Whether numeric columns are divided by their standard deviation over both datasets.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    >>> Energy().between((X, y), (X, y))
    0.0
    """

    unbiased: bool = False
    scaling: str = "none"

    def between(self, target: Any, source: Any) -> float:
        """Return the distance between two datasets."""
        both = clouds(target, source, scaling=self.scaling)
        if both.identical:
            return 0.0
        one, other = both.target.points, both.source.points
        value = 2 * _mean_over_pairs(cdist, one, other)
        value -= _within(cdist, one, self.unbiased) + _within(cdist, other, self.unbiased)
        return value if self.unbiased else max(value, 0.0)


def _mean_over_pairs(kernel: Callable[[Array, Array], Array], one: Array, other: Array) -> float:
    total = 0.0
    for start in range(0, len(one), BLOCK):
        for begin in range(0, len(other), BLOCK):
            block = kernel(one[start : start + BLOCK], other[begin : begin + BLOCK])
            total += float(block.sum())
    return total / (len(one) * len(other))


def _within(kernel: Callable[[Array, Array], Array], points: Array, unbiased: bool) -> float:
    n = len(points)
    mean = _mean_over_pairs(kernel, points, points)
    if not unbiased:
        return mean
    itself = float(kernel(points[:1], points[:1])[0, 0])
    return (mean * n - itself) / (n - 1)


def _discrepancies(gram: Array, drawn: Array) -> Array:
    """Return the unbiased discrepancy of each assignment: a row of 1 (in the smaller set) and 0."""
    n = drawn[0].sum()
    m = drawn.shape[1] - n
    towards = drawn @ gram  # sums over the smaller set
    inside = (towards * drawn).sum(axis=1)
    across = towards.sum(axis=1) - inside
    outside = gram.sum() - inside - 2 * across
    # The kernel of a row with itself is 1.
    values: Array = (
        (inside - n) / (n * (n - 1)) + (outside - m) / (m * (m - 1)) - 2 * across / (n * m)
    )
    return values


@dataclass(frozen=True)
class ProxyADistance(Rival):
    """Proxy A-distance ``2 (1 - 2 error)`` of Ben-David et al. (2007), from 0 to 2.

    The error is that of a logistic regression that tells target rows from source rows, on held-out
    rows and with both datasets weighing the same. Worse than guessing counts as 0. A linear
    classifier sees shifts of the means; datasets that differ in spread alone look the same to it.

    Parameters
    ----------
    cv : int
        Number of folds.
    C : float
        Inverse strength of the penalty, on standardised columns.
    random_state : int
        Assigns the rows to the folds.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    >>> ProxyADistance().between((X, y), (X + 20.0, y))
    2.0
    >>> ProxyADistance().between((X, y), (X, y))
    0.0
    """

    cv: int = 5
    C: float = 1.0
    random_state: int = 0

    def between(self, target: Any, source: Any) -> float:
        """Return the distance between two datasets."""
        check_count("cv", self.cv, 2)
        check_positive("C", self.C)
        check_seed(self.random_state)
        both = clouds(target, source, scaling="free")
        for cloud in (both.target, both.source):
            if len(cloud) < self.cv:
                raise DatakinError(
                    f"Each dataset must have a row for each of the {self.cv} folds. "
                    f"Got {len(cloud)} in {cloud.name!r}; use a smaller cv, or more rows."
                )
        X = np.vstack([both.target.points, both.source.points])
        domain = np.repeat([0, 1], [len(both.target), len(both.source)])
        folds = self._folds(np.concatenate([both.target.keys, both.source.keys]))
        return max(0.0, 2 * (1 - 2 * self._error(X, domain, folds)))

    def _folds(self, keys: Array) -> Array:
        """Assign rows to folds by content: copies of a row, in either dataset, share a fold.

        Otherwise its copy among the training rows could carry the other label.
        """
        seed = derive_seed(self.random_state, "folds")
        distinct, place = np.unique(scrambled(keys, seed), return_inverse=True)
        folds: Array = place * self.cv // len(distinct)
        return folds

    def _error(self, X: Array, domain: Array, folds: Array) -> float:
        wrong = np.full(len(domain), 0.5)  # a guess, where the other folds hold one dataset alone
        for fold in np.unique(folds):
            held = folds == fold
            if len(np.unique(domain[~held])) < 2:
                continue
            model = make_pipeline(
                StandardScaler(),
                LogisticRegression(C=self.C, class_weight="balanced", max_iter=1000),
            )
            model.fit(X[~held], domain[~held])
            wrong[held] = model.predict(X[held]) != domain[held]
        return float((wrong[domain == 0].mean() + wrong[domain == 1].mean()) / 2)
