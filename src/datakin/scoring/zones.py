"""Positive transfer, ambiguous, negative transfer: the paper's rule."""

from __future__ import annotations

import numpy as np
from scipy import stats

from datakin.data.features import Array
from datakin.results.zones import Zone, ZoneDecision

__all__ = ["decide", "error_of_mean"]

GAMMA_1 = 0.0
GAMMA_2 = float(stats.norm.ppf(0.9999))


def error_of_mean(rows: Array, weights: Array, folds: Array, by: str) -> float:
    """Return the standard error of a cross-validated error.

    Parameters
    ----------
    rows, weights : ndarray of shape (n,)
        Losses and their weights in the mean.
    folds : ndarray of shape (K,)
        Errors of the folds.
    by : {"rows", "folds"}
        Rows: the central limit theorem of Bayle et al. (2020). Folds: the paper's approximation;
        when all folds err alike it would be 0, and rows are used instead.
    """
    if by == "folds" and np.ptp(folds) > 0:
        return float(np.std(folds, ddof=1) / np.sqrt(len(folds)))
    mean = rows @ weights
    return float(np.sqrt(np.sum((weights * (rows - mean)) ** 2)))


def decide(score: float, baseline: float, error: float) -> ZoneDecision:
    """Apply the paper's rule: thresholds 0 and 3.72 standard errors of the baseline error e_0."""
    low, high = GAMMA_1 * error, GAMMA_2 * error
    if score <= low:
        zone = Zone.POSITIVE
        why = "what is learned on one dataset holds on the other as well as on itself"
    elif score >= high:
        zone = Zone.NEGATIVE
        why = "the loss is larger than chance variation of the own errors explains"
    else:
        zone = Zone.AMBIGUOUS
        why = "the loss is within the chance variation of the own errors"
    return ZoneDecision(
        zone,
        "paper",
        score,
        low,
        high,
        f"score {score:.4f} against thresholds {low:.4f} and {high:.4f} "
        f"(own error {baseline:.4f}, standard error {error:.4f}): {why}",
    )
