"""Standard errors and intervals of a score.

Two sources of noise are added: the tested rows (paired: both predictors err on the same rows) and
the training rows (delete-a-fold jackknife: the fold predictors are the replicates, for no further
fit). The quantile is Student's t, because K folds tell little about the second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from datakin.data.features import Array
from datakin.scoring.cls import Discrepancy

__all__ = ["interval", "standard_error"]


def row_variance(influence: Array, groups: Array | None) -> float:
    """Return the variance from the sampling of rows, or of groups of rows."""
    if groups is not None:
        influence = np.bincount(groups, weights=influence)
    n = len(influence)
    return float(np.sum(influence**2) * n / (n - 1))


def jackknife_variance(replicates: Array) -> float:
    """Return the delete-a-fold jackknife variance."""
    k = len(replicates)
    return float((k - 1) / k * np.sum((replicates - replicates.mean()) ** 2))


def standard_error(
    parts: Sequence[Discrepancy], factors: Sequence[float], groups: Sequence[Array | None]
) -> float:
    """Return the standard error of a weighted sum of independent directions."""
    variance = 0.0
    for part, factor, group in zip(parts, factors, groups, strict=True):
        variance += factor**2 * (
            row_variance(part.influence, group) + jackknife_variance(part.replicates)
        )
    return float(np.sqrt(variance))


def interval(value: float, error: float, n_folds: int, level: float = 0.95) -> tuple[float, float]:
    """Return the two-sided t interval on 2 (K - 1) degrees of freedom."""
    reach = float(stats.t.ppf(0.5 + level / 2, 2 * (n_folds - 1))) * error
    return value - reach, value + reach
