"""Radial kernels by matrix products, a block at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from datakin.data.features import Array

__all__ = ["RadialSum", "gram_matrix"]

BLOCK = 2**19  # kernel entries made at a time: they stay in the cache


class RadialSum:
    """Weighted sums of kernels around some vectors.

    Parameters
    ----------
    vectors : ndarray of shape (m, p)
    weights : ndarray of shape (m, k)
    intercepts : ndarray of shape (k,) or float
    gamma : float
    """

    def __init__(
        self, vectors: Array, weights: Array, intercepts: Array | float, gamma: float
    ) -> None:
        self.vectors, self.weights, self.intercepts = vectors, weights, intercepts
        self.gamma = gamma

    def __call__(self, X: Array) -> Array:
        """Return the sums at some rows, shape (n, k)."""
        values = np.empty((len(X), self.weights.shape[1]))
        step = _rows_at_a_time(len(self.vectors))
        exponents = _exponents(self.vectors, self.gamma)
        for i in range(0, len(X), step):
            kernel = exponents(X[i : i + step])
            values[i : i + step] = np.exp(kernel, out=kernel) @ self.weights
        return values + self.intercepts


def gram_matrix(X: Array, gamma: float, room: Array) -> Array:
    """Return the kernel of all pairs of rows, in memory that is there already."""
    gram = room[: len(X) ** 2].reshape(len(X), len(X))
    exponents = _exponents(X, gamma)
    step = _rows_at_a_time(len(X))
    for i in range(0, len(X), step):
        part = exponents(X[i : i + step], gram[i : i + step])
        np.exp(part, out=part)
    return gram


def _exponents(vectors: Array, gamma: float) -> Callable[..., Array]:
    """Return a function of rows: -gamma times their squared distances to the vectors."""
    scale = np.sqrt(2 * gamma)
    right = np.hstack([scale * vectors, np.ones((len(vectors), 1)), _halves(vectors, gamma)]).T

    def of(X: Array, out: Array | None = None) -> Array:
        left = np.hstack([scale * X, _halves(X, gamma), np.ones((len(X), 1))])
        return np.asarray(np.matmul(left, right, out=out))

    return of


def _rows_at_a_time(n_vectors: int) -> int:
    return max(256, BLOCK // max(n_vectors, 1))


def _halves(X: Array, gamma: float) -> Array:
    return np.asarray(-gamma * np.einsum("ij,ij->i", X, X)[:, None])
