"""What a stack is judged by: row losses of its outputs, in the loss that users read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin.data.features import Array
from datakin.learning.losses import Loss
from datakin.learning.stack.rows import Kind

__all__ = ["Judge", "squared"]


def squared(Y: Array, P: Array, kind: Kind) -> Array:
    """Return the losses that weights and calls are decided by: squared error, or Brier loss.

    For two classes it is (p - y)^2, for several half the sum over the classes.
    """
    losses: Array = np.sum((Y - P) ** 2, axis=-1)
    return losses / 2 if kind == "multiclass" else losses


@dataclass(frozen=True, eq=False)
class Judge:
    """Row losses of predictions, and how much each row counts.

    Attributes
    ----------
    loss : Loss
    kind : {"binary", "multiclass", "regression"}
    classes : tuple of str
    shares : ndarray
        The target's share of each class where classes count alike; empty otherwise.
    """

    loss: Loss
    kind: Kind
    classes: tuple[str, ...]
    shares: Array

    @classmethod
    def make(
        cls, loss: Loss, kind: Kind, classes: Sequence[str], y: Array, weights: Array | None = None
    ) -> Judge:
        """Return the judge of a target with these labels, and weights of its rows."""
        shares = np.zeros(0)
        if loss.balanced:
            counts = np.bincount(y, weights=weights, minlength=len(classes))
            shares = counts / counts.sum()
        return cls(loss, kind, tuple(classes), shares)

    def rows(self, y: Array, outputs: Array) -> Array:
        """Return one loss per row.

        Parameters
        ----------
        y : ndarray
            Class codes, or numbers.
        outputs : ndarray of shape (n, m)
            As predictors give them.
        """
        if self.kind == "regression":
            return np.asarray(self.loss.rows(y, outputs[:, 0]), dtype=float)
        p = self.probabilities(outputs)
        if self.loss.needs == "probability":
            return np.asarray(self.loss.rows(y, p), dtype=float)
        codes = self.codes(p)
        if self.loss.by_name:
            names = np.array(self.classes)
            return np.asarray(self.loss.rows(names[y], names[codes]), dtype=float)
        return np.asarray(self.loss.rows(y, codes), dtype=float)

    def probabilities(self, outputs: Array) -> Array:
        """Return a column for each class; only for classes."""
        return np.hstack([1 - outputs, outputs]) if self.kind == "binary" else outputs

    def codes(self, p: Array) -> Array:
        """Return predicted classes: the most likely, or most likely for its share."""
        if len(self.shares):
            known = self.shares > 0
            p = np.where(known, p / np.where(known, self.shares, 1.0), -1.0)
        return np.asarray(np.argmax(p, axis=1))

    def row_weights(self, y: Array, weights: Array | None = None) -> Array:
        """Return how much rows count: as their weights say, every class alike for a balanced loss."""
        weights = np.ones(len(y)) if weights is None else weights
        if not self.loss.balanced:
            return weights
        counts = np.bincount(y, weights=weights, minlength=len(self.classes))
        present = int(np.count_nonzero(counts))
        return np.asarray(weights * len(y) / (present * np.where(counts[y] > 0, counts[y], 1.0)))
