"""Least squares from the normal equations.

scikit-learn's LinearRegression decomposes the whole table (scipy.linalg.lstsq), which costs about
ten times a product of the table with itself at any size. Squaring a table squares its condition
number, so tables that are close to collinear are left to scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from datakin.data.features import Array
from datakin.learning.backends.generic import GenericFitter, partly

__all__ = ["LeastSquaresFitter"]

NOTHING = 1e-13  # eigenvalues below this share of the largest are those of equal columns
SAFE = 1e-8  # the others must be above this share, or digits are lost


class LeastSquaresFitter:
    """LinearRegression with an intercept."""

    name = "normal equations"
    honoured = ("copy_X", "n_jobs")

    def __init__(self, estimator: Any) -> None:
        self.generic = GenericFitter(estimator)

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with predict."""
        center = X.mean(axis=0)
        centred = X - center
        mean = float(y.mean())
        values, vectors = np.linalg.eigh(centred.T @ centred)
        largest = values[-1] if len(values) else 0.0
        used = values > NOTHING * largest
        if not used.any() or values[used][0] < SAFE * largest:
            self.name = partly("normal equations", GenericFitter.name)
            return self.generic.fit(X, y, seed)
        # The shortest of all solutions where columns are equal, as lstsq gives it.
        weights = (vectors.T @ (centred.T @ (y - mean)))[used] / values[used]
        beta = vectors[:, used] @ weights
        return _Linear(beta, mean - float(center @ beta))


class _Linear:
    def __init__(self, beta: Array, intercept: float) -> None:
        self.beta, self.intercept = beta, intercept

    def predict(self, X: Any) -> Array:
        return np.asarray(X @ self.beta + self.intercept)
