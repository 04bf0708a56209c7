"""The ladder from the source's predictor to the target's own, each step judged on held-out rows.

0. the source's predictor as it is
1. with a new base rate (numbers: a new level)
2. with a new slope, too (numbers: a new scale)
3. with new effects for the columns, too: a ridge on the difference; for trees, boosting that starts from
   the source's trees
4. the target's own predictor

Clinicians know the steps as recalibration and revision (Vergouwe et al., 2017).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datakin.data.features import Array
from datakin.learners.learner import Kind, Rows
from datakin.learners.losses import squared
from datakin.learners.metrics import mean_with_error, reach
from datakin.learners.newton import CLIP, FREE, best_penalty, link, mean_of, refit
from datakin.learners.predictors import normalised
from datakin.learners.scaling import Scaler

PENALTIES = (1e7, 1024.0, 256.0, 64.0, 16.0, 4.0, 1.0)  # Of new effects; the first leaves none.
FOLDS = 5  # Of the source, and of both tables together.
# Both are set on planted tables, so that 90% intervals of parts hold 90% of the time (part-intervals).
SPREAD = 1.05  # By how much standard errors of rows are too small.
# A step that fits k numbers to n rows adds NOISE k^POWER loss / n to its error.
NOISE, POWER = 0.7, 0.25

Adjust = Callable[[Array, Array, Array, Array, str], Array]  # y, eta, weights, outside, kind -> eta


@dataclass(frozen=True, eq=False)
class Judged:
    """The rows of a target, and how they are judged."""

    rows: Rows
    groups: Array | None  # rows that belong together, 0, 1, 2, ...
    folds: tuple[Array, ...]  # repeats of them
    loss: str  # "brier", "log" or "squared"
    Z: Array  # standardised columns

    @classmethod
    def make(cls, rows: Rows, groups: Array | None, folds: Sequence[Array], loss: str) -> Judged:
        """Return the rows with their columns standardised."""
        return cls(rows, groups, tuple(folds), loss, Scaler.learn(rows.X).apply(rows.X))

    @property
    def n_units(self) -> int:
        """Number of rows, or of groups of them."""
        return len(self.rows) if self.groups is None else int(self.groups.max()) + 1

    @property
    def n_fitted(self) -> int:
        """Numbers that new effects of all columns are made of."""
        return int(self.rows.Y.shape[1] * np.count_nonzero(np.ptp(self.Z, axis=0)))

    def take(self, at: Array) -> Judged:
        """Return some of the rows."""
        groups = None
        if self.groups is not None:
            groups = np.unique(self.groups[at], return_inverse=True)[1]
        folds = tuple(fold[at] for fold in self.folds)
        return replace(self, rows=self.rows.take(at), groups=groups, folds=folds, Z=self.Z[at])

    def losses(self, P: Array) -> Array:
        """Return the loss of each row for predictions."""
        return losses_of(self.rows.Y, P, self.rows.kind, self.loss)

    def mean(self, values: Array) -> float:
        """Return the weighted mean of a value for each row."""
        return float(np.average(values, weights=self.rows.weights))

    def mean_with_error(self, values: Array) -> tuple[float, float]:
        """Return the weighted mean, and its standard error."""
        return mean_with_error(values, self.rows.weights, self.groups)

    def unit(self, losses: Array) -> float:
        """Return the loss that noise is measured by."""
        return 0.5 if self.loss == "log" else self.mean(losses)

    def fall(self, before: Array, after: Array, n_fitted: int) -> tuple[float, float]:
        """Return by how much losses fall with a step, and how far its 90% interval reaches.

        Where a step changes next to nothing, its held-out losses hardly differ from row to row, and yet the
        part is not known better than what fitting so many numbers to so many rows costs by chance.
        """
        value, error = self.mean_with_error(before - after)
        return value, self.reach_of(error, after, n_fitted)

    def reach_of(self, error: float, after: Array, n_fitted: int) -> float:
        """Return how far the 90% interval of a step reaches, from the standard error of its rows."""
        noise = NOISE * n_fitted**POWER if n_fitted else 0.0
        error = float(np.hypot(SPREAD * error, noise * self.unit(after) / self.n_units))
        return reach(self.n_units) * error


def losses_of(Y: Array, P: Array, kind: Kind, loss: str) -> Array:
    """Return the loss of each row."""
    if loss != "log":
        return squared(Y, P, kind)
    P = np.clip(P, CLIP, 1 - CLIP)
    if kind == "binary":
        return np.asarray(-np.log(np.where(Y[:, 0] > 0.5, P[:, 0], 1 - P[:, 0])))
    return np.asarray(-np.log(np.sum(Y * P, axis=1)))


def errors_of(rows: Rows, P: Array) -> Array:
    """Return which rows get the wrong class, or squared errors."""
    if rows.kind == "regression":
        return np.asarray((rows.Y[:, 0] - P[:, 0]) ** 2)
    codes = (P[:, 0] > 0.5).astype(int) if rows.kind == "binary" else np.argmax(P, axis=1)
    return np.asarray((codes != rows.codes).astype(float))


def crossed(judged: Judged, on_target: Array, folds: Array, adjust: Adjust) -> Array:
    """Return predictions of each fold adjusted to the rows outside it; see `adjusted`."""
    P = np.empty_like(on_target)
    for k in range(int(folds.max()) + 1):
        inside = folds == k
        P[inside] = adjusted(judged.rows, on_target, ~inside, adjust)[inside]
    return P


def adjusted(rows: Rows, on_target: Array, at: Array, adjust: Adjust) -> Array:
    """Return predictions adjusted to some of the rows, one response after the other."""
    eta = link(on_target, rows.kind)
    responses = zip(rows.Y.T, eta.T, strict=True)
    moved = [adjust(y, offset, rows.weights, at, rows.kind) for y, offset in responses]
    return normalised(mean_of(np.column_stack(moved), rows.kind), rows.kind)


def slope_column(eta: Array, at: Array | None = None) -> Array:
    """Return the linear predictor standardised, over some rows or all."""
    known = eta if at is None else eta[at]
    scale = float(np.std(known))
    return (eta - float(np.mean(known))) / (scale if scale > 1e-12 else 1.0)


def _free(D: Array, y: Array, eta: Array, weights: Array, at: Array, kind: str) -> Array:
    ridge = np.full(D.shape[1], FREE)
    return np.asarray(eta + D @ refit(D[at], y[at], eta[at], weights[at], ridge, kind))


def new_level(y: Array, eta: Array, weights: Array, at: Array, kind: str) -> Array:
    """Return linear predictors with a new base rate, or level, from some of the rows."""
    return _free(np.ones((len(y), 1)), y, eta, weights, at, kind)


def new_slope(y: Array, eta: Array, weights: Array, at: Array, kind: str) -> Array:
    """Return linear predictors with a new base rate and a new slope, from some of the rows."""
    D = np.column_stack([np.ones(len(y)), slope_column(eta, at)])
    return _free(D, y, eta, weights, at, kind)


def new_effects(Z: Array, y: Array, eta: Array, weights: Array, at: Array, kind: str) -> Array:
    """Return linear predictors with new effects of columns, too: a ridge on the difference."""
    D = np.column_stack([np.ones(len(y)), slope_column(eta, at), Z])
    b = best_penalty(D[at], y[at], eta[at], weights[at], kind, PENALTIES, n_free=2)[1]
    return np.asarray(eta + D @ b)
