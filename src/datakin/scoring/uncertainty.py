"""Standard errors, intervals and probabilities of scores.

Two sources of noise are added: the tested rows (paired: both predictors err on the same rows) and
the training rows (delete-a-fold jackknife: the fold predictors are the replicates, for no further
fit). The quantile is Student's t, because K folds tell little about the second.

Scores of one ranking share the target's rows, which move all of them together. The probability of being
first keeps that covariance, so that the order is surer than the single intervals suggest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.results.comparison import Estimate
from datakin.results.zones import Zone
from datakin.scoring.cls import Discrepancy

DRAWS = 20_000


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


def standard_error(parts: Sequence[Discrepancy], factors: Sequence[float]) -> float:
    """Return the standard error of a weighted sum of independent directions.

    The variance of each comes from the rows tested and from the rows trained on.
    """
    variance = 0.0
    for part, factor in zip(parts, factors, strict=True):
        variance += factor**2 * (part.variance + jackknife_variance(part.replicates))
    return float(np.sqrt(variance))


def make_estimate(value: float, error: float, n_folds: float, level: float = 0.95) -> Estimate:
    """Return value, interval and p-value by Student's t on 2 (K - 1) degrees of freedom."""
    freedom = 2 * (n_folds - 1)
    reach = float(stdtrit(freedom, 0.5 + level / 2)) * error
    if error > 0:
        p_value = float(stdtr(freedom, -value / error))
    else:
        p_value = 1.0 if value <= 0 else 0.0
    return Estimate(value, error, value - reach, value + reach, p_value)


def over_repeats(estimate: Estimate, values: Array, test_size: float, n_folds: int) -> Estimate:
    """Widen an interval where random splits disagree by more than rows and folds explain.

    The variance over splits is raised for their overlap (Nadeau and Bengio, 2003). It knows what the
    rows tested do not: how encoders trained on other rows, from other seeds, differ. `values` are the
    estimate on each split, `test_size` the share of rows that test.
    """
    raised = 1 / len(values) + test_size / (1 - test_size)
    error = float(np.sqrt(np.var(values, ddof=1) * raised))
    if error <= estimate.standard_error:
        return estimate
    return make_estimate(estimate.value, error, n_folds)


def probability_first(
    parts: Sequence[Discrepancy], products: Array, n: int, n_folds: int, random_state: int
) -> Array:
    """Return the probability of each source to lose least on the target.

    `products`, of shape (m, m), are sums over the target's n rows (or groups) of products of the
    sources' influences. The number of folds decides the degrees of freedom.
    """
    scores = np.array([part.value for part in parts])
    covariance = products * n / (n - 1)
    by_rows = np.diag(covariance)
    # Rows that all predictors get right tell nothing of their order: what one error would change.
    floors = np.maximum(by_rows, [part.least**2 for part in parts]) - by_rows
    own = floors + [jackknife_variance(part.replicates) for part in parts]
    covariance = covariance + np.diag(own)
    rng = np.random.default_rng(derive_seed(random_state, "first"))
    draws = rng.multivariate_normal(np.zeros(len(scores)), covariance, DRAWS, method="eigh")
    freedom = 2 * (n_folds - 1)
    draws /= np.sqrt(rng.chisquare(freedom, DRAWS) / freedom)[:, None]
    winners = np.argmin(scores + draws, axis=1)
    return np.bincount(winners, minlength=len(scores)) / DRAWS


def zone_probabilities(
    value: float, error: float, low: float, high: float, n_folds: float
) -> dict[str, float]:
    """Return the probability of each zone if the value were measured again, thresholds fixed."""
    if error == 0:
        below, above = float(value <= low), float(low < value >= high)
    else:
        freedom = 2 * (n_folds - 1)
        below = float(stdtr(freedom, (low - value) / error))
        above = float(stdtr(freedom, (value - high) / error))
    return {
        Zone.POSITIVE.value: below,
        Zone.AMBIGUOUS.value: max(1.0 - below - above, 0.0),
        Zone.NEGATIVE.value: above,
    }
