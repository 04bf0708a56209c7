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
from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin.data.features import Array
from datakin.learners.learner import Rows
from datakin.learners.metrics import mean_with_error, reach
from datakin.learners.newton import CLIP, FREE, best_penalty, link, mean_of, refit
from datakin.learners.predictors import normalised
from datakin.learners.scaling import Scaler
from datakin.learners.trees import boosted

__all__ = [
    "LEVEL",
    "PARTS",
    "PENALTIES",
    "SPREAD",
    "STEPS",
    "Judged",
    "calibrated",
    "climb",
    "crossed",
    "errors_of",
    "losses_of",
    "mean_with_error",
    "most_off",
    "new_level",
    "reach",
    "slope_column",
    "step_error",
]

STEPS = (  # of classes, and of numbers
    ("source", "base rate", "confidence", "rule", "own"),
    ("source", "level", "scale", "rule", "own"),
)
PARTS = (("base rate", "confidence", "rule", "rest"), ("level", "scale", "rule", "rest"))
PENALTIES = (1e7, 1024.0, 256.0, 64.0, 16.0, 4.0, 1.0)  # of new effects; with the first, none
LEVEL = 0.9  # of intervals
# Set on planted tables, so that 90% intervals of parts hold 90% of the time (reproduction, part-intervals):
SPREAD = 1.05  # by how much standard errors of rows are too small
# Chance in what a step fits to n rows: CHANCE times the loss times the number it fits to this power, over n.
CHANCE, POWER = 0.7, 0.25

Adjust = Callable[[Array, Array, Array, Array, str], Array]


@dataclass(frozen=True, eq=False)
class Judged:
    """The rows of a target, and how they are judged.

    Attributes
    ----------
    rows : Rows
    groups : ndarray or None
        Rows that belong together, 0, 1, 2, ...
    folds : tuple of ndarray
        Draws of the folds.
    loss : {"brier", "log", "squared"}
    Z : ndarray of shape (n, p)
        Standardised columns.
    """

    rows: Rows
    groups: Array | None
    folds: tuple[Array, ...]
    loss: str
    Z: Array

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

    def losses(self, P: Array) -> Array:
        """Return the loss of each row for predictions."""
        return losses_of(self.rows.Y, P, self.rows.kind, self.loss)


def losses_of(Y: Array, P: Array, kind: str, loss: str) -> Array:
    """Return the loss of each row."""
    if loss != "log":
        found: Array = np.sum((Y - P) ** 2, axis=1)
        return found / 2 if kind == "multiclass" else found
    P = np.clip(P, CLIP, 1 - CLIP)
    if kind == "binary":
        return np.asarray(-np.log(np.where(Y[:, 0] > 0.5, P[:, 0], 1 - P[:, 0])))
    return np.asarray(-np.log(np.sum(Y * P, axis=1)))


def climb(
    judged: Judged, on_target: Array, own: Sequence[Array], *, by_trees: bool = False
) -> tuple[Array, Array]:
    """Return losses and errors of shape (steps, n): the mean over the draws of the folds.

    Parameters
    ----------
    judged : Judged
    on_target : ndarray of shape (n, m)
        What the source's predictor says of the target's rows.
    own : sequence over draws of ndarray of shape (n, m)
        Held-out predictions of the target's own predictor.
    by_trees : bool
        Whether new effects are boosted trees.
    """
    losses, errors = (np.zeros((len(STEPS[0]), len(judged.rows))) for _ in range(2))
    for folds, mine in zip(judged.folds, own, strict=True):
        for step, P in enumerate([on_target, *_steps(judged, on_target, folds, by_trees), mine]):
            losses[step] += judged.losses(P)
            errors[step] += errors_of(judged.rows, P)
    return losses / len(judged.folds), errors / len(judged.folds)


def errors_of(rows: Rows, P: Array) -> Array:
    """Return which rows get the wrong class, or squared errors."""
    if rows.kind == "regression":
        return np.asarray((rows.Y[:, 0] - P[:, 0]) ** 2)
    said = (P[:, 0] > 0.5).astype(int) if rows.kind == "binary" else np.argmax(P, axis=1)
    return np.asarray((said != rows.codes).astype(float))


def _steps(judged: Judged, on_target: Array, folds: Array, by_trees: bool) -> list[Array]:
    def new_effects(*given: Any) -> Array:
        if by_trees:
            return boosted(judged.rows.X, new_level(*given), *given)
        return _new_effects(judged.Z, *given)

    ways: list[Adjust] = [new_level, _new_slope, new_effects]
    return [crossed(judged.rows, on_target, folds, way) for way in ways]


def crossed(rows: Rows, on_target: Array, folds: Array, adjust: Adjust) -> Array:
    """Return predictions adjusted to the rows outside each fold.

    Parameters
    ----------
    adjust : callable
        Takes (y, eta, weights, outside, kind) of one response and returns the new linear predictors of
        all rows.
    """
    found = np.empty_like(on_target)
    eta = link(on_target, rows.kind)
    for k in range(int(folds.max()) + 1):
        outside = folds != k
        for c in range(rows.Y.shape[1]):
            moved = adjust(rows.Y[:, c], eta[:, c], rows.weights, outside, rows.kind)
            found[~outside, c] = mean_of(moved[~outside], rows.kind)
    return normalised(found, rows.kind)


def slope_column(eta: Array, at: Array) -> Array:
    """Return the linear predictor standardised over some rows."""
    scale = float(np.std(eta[at]))
    return (eta - float(np.mean(eta[at]))) / (scale if scale > 1e-12 else 1.0)


def _free(D: Array, y: Array, eta: Array, weights: Array, outside: Array, kind: str) -> Array:
    ridge = np.full(D.shape[1], FREE)
    b = refit(D[outside], y[outside], eta[outside], weights[outside], ridge, kind)
    return np.asarray(eta + D @ b)


def new_level(y: Array, eta: Array, weights: Array, outside: Array, kind: str) -> Array:
    """Return linear predictors with a new base rate, or level, from some of the rows."""
    return _free(np.ones((len(y), 1)), y, eta, weights, outside, kind)


def _new_slope(y: Array, eta: Array, weights: Array, outside: Array, kind: str) -> Array:
    D = np.column_stack([np.ones(len(y)), slope_column(eta, outside)])
    return _free(D, y, eta, weights, outside, kind)


def _new_effects(
    Z: Array, y: Array, eta: Array, weights: Array, outside: Array, kind: str
) -> Array:
    D = np.column_stack([np.ones(len(y)), slope_column(eta, outside), Z])
    _, b = best_penalty(
        D[outside], y[outside], eta[outside], weights[outside], kind, PENALTIES, n_free=2
    )
    return np.asarray(eta + D @ b)


def most_off(judged: Judged, on_target: Array) -> int:
    """Return the class whose share differs most from what the source's predictor expects.

    Of two classes, and of numbers, the only column of the responses.
    """
    rows = judged.rows
    return int(np.argmax(np.abs(np.average(rows.Y - on_target, axis=0, weights=rows.weights))))


def calibrated(judged: Judged, on_target: Array, at: int) -> tuple[float, float, float]:
    """Return the mean of the label, what the source's predictor expects, and its slope on all rows.

    Of several classes, the share of one of them (`at`); the slope is NaN, as it is where the predictor says
    the same of all rows.
    """
    rows = judged.rows
    observed, expected = (
        float(np.average(each[:, at], weights=rows.weights)) for each in (rows.Y, on_target)
    )
    eta = link(on_target, rows.kind)[:, 0]
    spread = float(np.std(eta))
    if spread <= 1e-12 or rows.kind == "multiclass":
        return observed, expected, float("nan")
    D = np.column_stack([np.ones(len(rows)), slope_column(eta, np.ones(len(rows), dtype=bool))])
    b = refit(D, rows.Y[:, 0], eta, rows.weights, np.full(2, FREE), rows.kind)
    return observed, expected, 1 + float(b[1]) / spread


def step_error(judged: Judged, losses: Array, error: float, n_fitted: int) -> float:
    """Return the standard error of a step's part, with the chance in what the step fits.

    Where a step changes next to nothing, its held-out losses hardly differ from row to row, and yet the
    part is not known better than what fitting so many numbers to so many rows costs by chance.

    Parameters
    ----------
    losses : ndarray of shape (n,)
        After the step.
    error : float
        Standard error by rows.
    n_fitted : int
        Numbers that the step fits.
    """
    unit = 0.5 if judged.loss == "log" else float(np.average(losses, weights=judged.rows.weights))
    chance = CHANCE * n_fitted**POWER if n_fitted else 0.0
    return float(np.hypot(SPREAD * error, chance * unit / judged.n_units))
