"""Standard errors and intervals of a score.

Two sources of noise are added: the tested rows (paired: both predictors err on the same rows) and
the training rows (delete-a-fold jackknife: the fold predictors are the replicates, for no further
fit). The quantile is Student's t, because K folds tell little about the second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from datakin.data.features import Array
from datakin.results.comparison import Estimate
from datakin.scoring.cls import Discrepancy

__all__ = ["make_estimate", "standard_error"]


def sum_groups(influence: Array, groups: Array | None) -> Array:
    """Add up the contributions of rows that belong together."""
    return influence if groups is None else np.bincount(groups, weights=influence)


def row_variance(influence: Array, groups: Array | None, least: float = 0.0) -> float:
    """Return the variance from the sampling of rows, or of groups of rows.

    `least` is the least standard error: no errors among n rows do not prove that there are none.
    """
    influence = sum_groups(influence, groups)
    n = len(influence)
    return max(float(np.sum(influence**2) * n / (n - 1)), least**2)


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
        variance += factor**2 * sum(variances(part, group))
    return float(np.sqrt(variance))


def variances(part: Discrepancy, groups: Array | None) -> tuple[float, float]:
    """Return the variance of a direction from the rows tested, and from the rows trained on."""
    by_rows = row_variance(part.influence, groups, part.least)
    return by_rows, jackknife_variance(part.replicates)


def make_estimate(value: float, error: float, n_folds: float, level: float = 0.95) -> Estimate:
    """Return value, interval and p-value by Student's t on 2 (K - 1) degrees of freedom."""
    freedom = 2 * (n_folds - 1)
    reach = float(stdtrit(freedom, 0.5 + level / 2)) * error
    if error > 0:
        p_value = float(stdtr(freedom, -value / error))
    else:
        p_value = 1.0 if value <= 0 else 0.0
    return Estimate(value, error, value - reach, value + reach, p_value)
