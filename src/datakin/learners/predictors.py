"""Fitted predictors in plain numbers: what a saved model is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from datakin.data.features import Array, Features
from datakin.learners.learner import predicted
from datakin.learners.losses import largest
from datakin.learners.scaling import Scaler


def normalised(P: Array, kind: str) -> Array:
    """Return predictions as probabilities where the task has classes."""
    if kind == "regression":
        return P
    P = np.clip(P, 0.0, 1.0)
    if kind == "binary":
        return P
    total = P.sum(axis=-1, keepdims=True)
    return np.where(total > 0, P / np.where(total > 0, total, 1.0), 1.0 / P.shape[-1])


@dataclass(frozen=True, eq=False)
class LinearPredictor:
    """Coefficients of standardised columns, of shape (outputs, p + 1), an intercept in the last place."""

    scaler: Scaler
    coefficients: Array
    kind: str

    def predict(self, X: Array) -> Array:
        """Return one column per response."""
        eta = self.scaler.apply(X) @ self.coefficients[:, :-1].T + self.coefficients[:, -1]
        return eta if self.kind == "regression" else normalised(expit(eta), self.kind)


@dataclass(frozen=True, eq=False)
class KernelPredictor:
    """A radial kernel around the rows learned from.

    Attributes
    ----------
    scaler : Scaler
    centers : ndarray of shape (n, p)
        Standardised rows.
    coefficients : ndarray of shape (n, outputs)
    width, constant : float
        The kernel is exp(-d^2 / width) + constant, which stands for an intercept.
    kind : str
    """

    scaler: Scaler
    centers: Array
    coefficients: Array
    width: float
    constant: float
    kind: str

    def predict(self, X: Array) -> Array:
        """Return one column per response."""
        K = radial(self.scaler.apply(X), self.centers, 1 / self.width) + self.constant
        return normalised(K @ self.coefficients, self.kind)


def radial(A: Array, B: Array, gamma: float, out: Array | None = None) -> Array:
    """Return the radial kernel exp(-gamma d^2) between rows.

    With the squares of the rows as two more columns, one matrix product gives all exponents.
    """
    scale = np.sqrt(2 * gamma)
    halves_of_A, halves_of_B = (-gamma * np.einsum("ij,ij->i", X, X)[:, None] for X in (A, B))
    left = np.hstack([scale * A, halves_of_A, np.ones((len(A), 1))])
    right = np.hstack([scale * B, np.ones((len(B), 1)), halves_of_B])
    exponents = np.matmul(left, right.T, out=out)
    return np.asarray(np.exp(exponents, out=exponents))


@dataclass(frozen=True, eq=False)
class TreePredictor:
    """Boosted trees of XGBoost; numbers are learned in the unit of a shift and a scale."""

    booster: Any  # or PlainTrees
    kind: str
    shift: float = 0.0
    scale: float = 1.0

    def predict(self, X: Array) -> Array:
        """Return one column per response."""
        found = self.booster.inplace_predict(
            np.ascontiguousarray(X, dtype=np.float32), validate_features=False
        )
        found = np.asarray(found, dtype=float)
        if self.kind == "regression":
            found = found * self.scale + self.shift
        return np.asarray(found[:, None] if found.ndim == 1 else found)


@dataclass(frozen=True, eq=False)
class PlainTrees:
    """Boosted trees as arrays, in the place of XGBoost's booster: the same predictions, bit by bit.

    Attributes
    ----------
    arrays : dict of str to ndarray
        Of all nodes, tree after tree: `left` and `right` (positions of the children, which come later; -1 for
        a leaf), `column`, `default_left` (whether a missing number goes left) and `value` (below it a row
        goes left; of a leaf, what it adds). And `ends` of the trees, which belong to the responses in turn,
        and `base`, what the sum of each response begins with.
    kind : str
    """

    arrays: dict[str, Array]
    kind: str

    def inplace_predict(self, X: Array, **options: Any) -> Array:
        """Return what XGBoost does, for a matrix of 32-bit floats; options are its own."""
        sums = self._sums(np.ascontiguousarray(X.T))
        if self.kind != "multiclass":
            return sums[0] if self.kind == "regression" else np.asarray(expit(sums[0]))
        # XGBoost's exp is the C library's, as numpy's is for complex numbers; for 32-bit floats it is not.
        found = np.exp((sums - sums.max(axis=0)).astype(np.complex64)).real
        return np.asarray((found / found.sum(axis=0, dtype=float).astype(np.float32)).T)

    def _sums(self, columns: Array) -> Array:
        """Return the sums of leaves, one row per response: 32-bit floats, added in XGBoost's order."""
        left, right, column, default_left, value, ends, base = self.arrays.values()
        sums = np.repeat(base[:, None], columns.shape[1], axis=1)
        response = np.repeat(np.arange(len(ends)) % len(base), np.diff(ends, prepend=0))
        nodes = (each.tolist() for each in (left, right, column, default_left, response))
        every = np.ones(columns.shape[1], dtype=bool)
        reached: dict[int, Array] = {}  # which rows come to a node; every row to a root
        for node, (low, high, j, is_low, k, split) in enumerate(zip(*nodes, value, strict=True)):
            here = reached.pop(node, every)
            if low < 0:
                sums[k] += here * split
            elif is_low:
                reached[high] = here & (columns[j] >= split)
                reached[low] = here ^ reached[high]
            else:
                reached[low] = here & (columns[j] < split)
                reached[high] = here ^ reached[low]
        return sums


@dataclass(frozen=True, eq=False)
class ConstantPredictor:
    """The same prediction for every row.

    Attributes
    ----------
    values : ndarray of shape (outputs,)
    """

    values: Array

    def predict(self, X: Array) -> Array:
        """Return one column per response."""
        return np.tile(self.values, (len(X), 1))


@dataclass(frozen=True, eq=False)
class StackPredictor:
    """A weighted mean of predictors.

    Attributes
    ----------
    parts : tuple of (learner, rows, weight, predictor)
        The learner's name, what it was learned from ("target", "target + all", "all", or
        "source: NAME"), its weight, and the fitted predictor.
    kind : {"binary", "multiclass", "regression"}
    classes : tuple of str
        Names of the classes; empty for regression.
    shares : ndarray
        The target's share of each class where `predict` weighs classes alike; empty otherwise. A class
        of share 0 is never predicted.
    """

    parts: tuple[tuple[str, str, float, Any], ...]
    kind: str
    classes: tuple[str, ...]
    shares: Array

    def outputs(self, X: Array, table: Features | None = None) -> Array:
        """Return one column per response; the table is for learners that take rows as they are."""
        return np.asarray(
            sum(weight * predicted(part, X, table) for _, _, weight, part in self.parts)
        )

    def probabilities(self, X: Array, table: Features | None = None) -> Array:
        """Return one column per class."""
        found = self.outputs(X, table)
        return np.hstack([1 - found, found]) if self.kind == "binary" else found

    def codes(self, X: Array, table: Features | None = None) -> Array:
        """Return positions in `classes`, by the rule of the loss that the stack was judged by."""
        return self.decide(self.probabilities(X, table))

    def decide(self, found: Array) -> Array:
        """Return positions in `classes` for probabilities."""
        return largest(found, self.shares)
