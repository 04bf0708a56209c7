"""Centres and scales of columns, whatever the size of their numbers.

Squares of numbers near 1e-154 are 0 and those near 1e200 are infinite, in 64 bits. Columns of such
numbers are first multiplied by a power of two, which changes no digit; all others stay untouched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from datakin.data.features import Array

__all__ = [
    "Scaler",
    "center_and_scale",
    "filled",
    "medians",
    "sparse_scales",
    "standardised",
    "to_middle",
]

FAR = 300  # powers of two from 1; squares of squares of what is nearer can still be held
FARTHEST = 5.0  # standard deviations: numbers beyond are taken for it, so that no line runs away
BOUND = 1e100  # where a number would lie more standard deviations than this from the centre


def to_middle(numeric: Array) -> tuple[Array, Array]:
    """Return columns of middling size, and by which power of two each was divided.

    Examples
    --------
    >>> import numpy as np
    >>> numbers, powers = to_middle(np.array([[1.0, 2.0**600], [3.0, 2.0**601]]))
    >>> numbers.tolist(), powers.tolist()
    ([[1.0, 0.25], [3.0, 0.5]], [0, 602])
    """
    largest = np.maximum(
        np.fmax.reduce(numeric, axis=0, initial=0.0), -np.fmin.reduce(numeric, axis=0, initial=0.0)
    )
    powers = np.frexp(largest)[1]
    powers = np.where(np.abs(powers) > FAR, powers, 0)
    return (np.ldexp(numeric, -powers) if powers.any() else numeric), powers


def center_and_scale(numeric: Array) -> tuple[Array, Array]:
    """Return column means and standard deviations, with 1 for a column that does not vary.

    Equal to scikit-learn's StandardScaler to the last bit; its checks take ten times as long on
    small tables. Like there, a column whose spread is within rounding error does not vary.
    """
    n = len(numeric)
    numeric, powers = to_middle(numeric)
    numeric = np.asfortranarray(numeric)  # numpy sums contiguous numbers more precisely
    centers = np.sum(numeric, axis=0) / n
    distances = numeric - centers
    variances = (np.sum(distances**2, axis=0) - np.sum(distances, axis=0) ** 2 / n) / n
    eps = np.finfo(float).eps
    constant = variances <= n * eps * variances + (n * centers * eps) ** 2
    scales = np.where(constant, 1.0, np.ldexp(np.sqrt(variances), powers))
    # The spread of the smallest numbers of all may be smaller than any number.
    return np.ldexp(centers, powers), np.maximum(scales, np.finfo(float).tiny)


def standardised(numeric: Array, centers: Array, scales: Array) -> Array:
    """Return (numeric - centers) / scales; what cannot be held is as far out as is of any use."""
    try:
        with np.errstate(over="raise"):
            scaled = numeric - centers
            scaled /= scales
            return scaled
    except FloatingPointError:
        with np.errstate(over="ignore"):
            scaled = (numeric / 2 - centers / 2) / scales * 2
        return np.clip(scaled, -BOUND, BOUND)


def sparse_scales(numeric: Any) -> Array:
    """Return the standard deviations of the columns of a sparse matrix, 1 for one that does not vary."""
    from sklearn.preprocessing import StandardScaler

    largest = abs(numeric).max(axis=0).toarray().ravel()
    _, powers = to_middle(largest[None])
    if powers.any():
        numeric = sparse.csr_matrix(numeric @ sparse.diags_array(np.ldexp(1.0, -powers)))
    scales: Array = StandardScaler(with_mean=False).fit(numeric).scale_
    return np.maximum(np.ldexp(scales, powers), np.finfo(float).tiny)


def medians(numeric: Array) -> Array:
    """Return the median of each column, 0 where all is missing."""
    missing = np.isnan(numeric)
    if not missing.any():
        try:
            with np.errstate(over="raise"):
                return np.asarray(np.median(numeric, axis=0))
        except FloatingPointError:
            pass
    found, known = np.zeros(numeric.shape[1]), ~missing.all(axis=0)
    if known.any():
        middling, powers = to_middle(numeric[:, known])
        found[known] = np.ldexp(np.nanmedian(middling, axis=0), powers)
    return found


@dataclass(frozen=True, eq=False)
class Scaler:
    """Medians for missing numbers, then centres and standard deviations, all of shape (p,)."""

    medians: Array
    centers: Array
    scales: Array

    @classmethod
    def learn(cls, X: Array) -> Scaler:
        """Learn from the rows of a matrix; NaN is a missing number."""
        middles = medians(X)
        return cls(middles, *center_and_scale(filled(X, middles)))

    def apply(self, X: Array) -> Array:
        """Return standardised columns, without missing numbers."""
        Z = standardised(filled(X, self.medians), self.centers, self.scales)
        return np.asarray(np.clip(Z, -FARTHEST, FARTHEST))


def filled(X: Array, middles: Array) -> Array:
    """Return a matrix whose missing numbers are those of their columns."""
    missing = np.isnan(X)
    return np.where(missing, middles, X) if missing.any() else X
