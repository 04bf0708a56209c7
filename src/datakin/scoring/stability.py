"""How sure is the order? Probability of being first, and of each zone, under the standard errors.

Scores of one ranking share the target: its rows and its predictors' luck move all of them together.
The covariance keeps that, so that the order is surer than the single intervals suggest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr

from datakin._core.seeds import derive_seed
from datakin.data.features import Array
from datakin.results.comparison import Estimate
from datakin.results.zones import Zone
from datakin.scoring.cls import Discrepancy
from datakin.scoring.uncertainty import jackknife_variance, row_variance, sum_groups

__all__ = ["probability_first", "zone_probabilities"]

DRAWS = 20_000


def probability_first(
    parts: Sequence[tuple[Discrepancy, Discrepancy]],
    factors: tuple[float, float],
    target_groups: Array | None,
    source_groups: Sequence[Array | None],
    random_state: int,
) -> Array:
    """Return the probability of each source to have the lowest expected sum of both directions.

    Parameters
    ----------
    parts : sequence of (source to target, target to source)
        Both discrepancies of each source.
    factors : tuple of float
        Weights of the two directions.
    target_groups : ndarray or None
    source_groups : sequence of (ndarray or None)
    random_state : int
    """
    scores = np.array([factors[0] * a.value + factors[1] * b.value for a, b in parts])
    rows = np.array([factors[0] * sum_groups(a.influence, target_groups) for a, _ in parts])
    folds = np.array([factors[1] * b.replicates for _, b in parts])
    k, n = folds.shape[1], rows.shape[1]
    deviations = folds - folds.mean(axis=1, keepdims=True)
    covariance = rows @ rows.T * n / (n - 1) + deviations @ deviations.T * (k - 1) / k
    # Rows that all predictors get right tell nothing of their order: what one error would change.
    floors = [
        row_variance(a.influence, target_groups, a.least) - row_variance(a.influence, target_groups)
        for a, _ in parts
    ]
    own = [
        factors[1] ** 2 * row_variance(b.influence, groups, b.least)
        + factors[0] ** 2 * (jackknife_variance(a.replicates) + floor)
        for (a, b), groups, floor in zip(parts, source_groups, floors, strict=True)
    ]
    covariance[np.diag_indices(len(parts))] += own
    rng = np.random.default_rng(derive_seed(random_state, "first"))
    draws = rng.multivariate_normal(np.zeros(len(scores)), covariance, DRAWS, method="eigh")
    freedom = 2 * (k - 1)
    draws /= np.sqrt(rng.chisquare(freedom, DRAWS) / freedom)[:, None]
    winners = np.argmin(scores + draws, axis=1)
    return np.bincount(winners, minlength=len(scores)) / DRAWS


def zone_probabilities(
    score: Estimate, low: float, high: float, n_folds: float
) -> dict[str, float]:
    """Return the probability of each zone if the score were measured again, thresholds fixed."""
    if score.standard_error == 0:
        below, above = float(score.value <= low), float(low < score.value >= high)
    else:
        freedom = 2 * (n_folds - 1)
        below = float(stdtr(freedom, (low - score.value) / score.standard_error))
        above = float(stdtr(freedom, (score.value - high) / score.standard_error))
    return {
        Zone.POSITIVE.value: below,
        Zone.AMBIGUOUS.value: max(1.0 - below - above, 0.0),
        Zone.NEGATIVE.value: above,
    }
