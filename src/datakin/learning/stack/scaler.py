"""Columns of middling size for learners that are sensitive to it; learned from features alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datakin.data.features import Array
from datakin.learning.scaling import center_and_scale, medians, standardised

__all__ = ["FARTHEST", "Scaler"]

FARTHEST = 5.0  # standard deviations: numbers beyond are taken for it, so that no line runs away


@dataclass(frozen=True, eq=False)
class Scaler:
    """Medians for missing numbers, then centres and standard deviations.

    Attributes
    ----------
    medians, centers, scales : ndarray of shape (p,)
    """

    medians: Array
    centers: Array
    scales: Array

    @classmethod
    def learn(cls, X: Array) -> Scaler:
        """Learn from the rows of a matrix; NaN is a missing number."""
        middles = medians(X)
        return cls(middles, *center_and_scale(_filled(X, middles)))

    def apply(self, X: Array) -> Array:
        """Return standardised columns, without missing numbers."""
        Z = standardised(_filled(X, self.medians), self.centers, self.scales)
        return np.asarray(np.clip(Z, -FARTHEST, FARTHEST))


def _filled(X: Array, middles: Array) -> Array:
    missing = np.isnan(X)
    return np.where(missing, middles, X) if missing.any() else X
