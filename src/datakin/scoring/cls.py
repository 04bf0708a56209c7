"""The Cross-Learning Score from the four error vectors of a pair.

    CLS = w (E[s->t] - E[t->t]) + (1 - w) (E[t->s] - E[s->s])

"paper" compares the predictor trained on all rows of the other dataset with the cross-validated
own error; "matched" uses the fold predictors on both sides, so that two samples of one
distribution score 0 in expectation; "limit" extrapolates the matched score to infinitely many
rows from the two training sizes that the plan has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from datakin.cross_errors.records import Errors, Trained
from datakin.data.features import Array

AVERAGES = ("unweighted", "weighted")  # over models


@dataclass(frozen=True, eq=False)
class Discrepancy:
    """How much worse the other dataset's predictor does on these rows than their own.

    Attributes
    ----------
    cross, own : float
        The two errors; the value is their difference.
    influence : ndarray of shape (n,)
        Contribution of each tested row to the value's sampling error.
    replicates : ndarray of shape (K,)
        The cross error when fold k of the training dataset is left out.
    least : float
        The least standard error from the rows: what one more error would change.
    variance : float
        From the rows, or groups of them; `influence` is empty where only sums are kept.
    """

    cross: float
    own: float
    influence: Array
    replicates: Array
    least: float = 0.0
    variance: float = 0.0

    @property
    def value(self) -> float:
        """Cross error minus own error."""
        return self.cross - self.own


@dataclass(frozen=True, eq=False)
class Direction:
    """One direction of a pair: predictors of `trained` tested on the rows of `tested`."""

    trained: Trained
    tested: Trained
    cross: Errors

    @cached_property
    def works(self) -> Array:
        """Positions of the models that did not fail on either dataset."""
        # By their losses, not their weights: a very poor model's weight can underflow to 0.
        return np.flatnonzero(~(self.cross.failed | self.tested.own.failed))


def discrepancy(direction: Direction, estimate: str, size: str) -> Discrepancy:
    """Return one directional discrepancy.

    `estimate` is "ensemble", "weighted", "unweighted" or the name of a model; `size` is "paper",
    "matched" or "limit".
    """
    cross_rows, cross_mean = _cross_side(direction, estimate, size)
    own_mean, own_part = _own_side(direction, estimate, size)
    influence = direction.cross.weights * (cross_rows - cross_mean) - own_part
    # The limit's too: averaged over the folds left out, both sizes have the same first-order error
    # from the training rows, and factors c and 1 - c leave it as it is.
    cross = direction.cross
    if estimate in AVERAGES:
        replicates = _pick(direction, estimate, cross.means["fold"])
    else:
        replicates = cross.replicates(estimate)
    return Discrepancy(cross_mean, own_mean, influence, replicates, cross.least)


def mean_errors(direction: Direction, model: str, size: str) -> tuple[float, float]:
    """Return the cross and the own error of one model."""
    own = _own_side(direction, model, size)[0]
    if size == "limit":
        return _cross_side(direction, model, size)[1], own
    return direction.cross.mean("full" if size == "paper" else "fold", model), own


def _cross_side(direction: Direction, estimate: str, size: str) -> tuple[Array, float]:
    """Return the losses of the other dataset's predictors, and their mean."""
    cross = direction.cross
    rows = _cross_rows(direction, estimate, "full" if size == "paper" else "fold")
    if size == "limit":
        rows = extrapolate(cross.n_train, rows, _cross_rows(direction, estimate, "inner"))
    return rows, float(rows @ cross.weights)


def _own_side(direction: Direction, estimate: str, size: str) -> tuple[float, Array]:
    """Return the mean of the own losses, and what each row adds to its sampling error."""
    own, literal = direction.tested.own, size == "paper"
    rows = _own_rows(direction, estimate, own.rows["fold"], literal)
    if size == "limit":
        inner = _own_rows(direction, estimate, own.rows["inner"], literal)
        rows = extrapolate(own.n_train, rows, inner)
    weights = own.weights
    if not direction.cross.weights.all():
        # Rows left out of the cross error are left out of the own error it is compared with.
        weights = np.where(direction.cross.weights > 0, weights, 0.0)
        weights *= own.weights.sum() / weights.sum()
    mean = float(rows @ weights)
    return mean, weights * (rows - mean)


def last_change(direction: Direction, estimate: str, cross: bool, own: bool) -> float:
    """Return by how much the discrepancy changed from the smaller training size to the larger.

    `cross` and `own` say which of the two errors to take into account.
    """

    def moved(errors: Errors) -> float:
        return float(_pick(direction, estimate, errors.error("fold") - errors.error("inner")))

    change = moved(direction.cross) if cross else 0.0
    return change - moved(direction.tested.own) if own else change


def extrapolate(n_train: Mapping[str, float], fold: Array, inner: Array) -> Array:
    """Return errors at infinitely many rows: linear in 1 / rows through the two sizes."""
    factor = n_train["fold"] / (n_train["fold"] - n_train["inner"])  # K - 1 with shared folds
    return np.asarray(factor * fold - (factor - 1) * inner)


def _pick(direction: Direction, estimate: str, values: Array) -> Array:
    """Return one model's or aggregate's row of an array over models."""
    if estimate not in AVERAGES:
        return np.asarray(values[direction.cross.names.index(estimate)])
    works, weights = direction.works, None
    if estimate == "weighted":  # scheme 1: the mean of both datasets' ensemble weights
        weights = (direction.trained.full_weights + direction.tested.full_weights)[works]
        weights = weights / weights.sum() if weights.sum() > 0 else None
    return np.asarray(np.average(values[works], axis=0, weights=weights))


def _cross_rows(direction: Direction, estimate: str, which: str) -> Array:
    if estimate not in AVERAGES:
        return direction.cross.row(which, estimate)
    rows = direction.cross.rows[which]
    if estimate == "unweighted" or which == "full":
        return _pick(direction, estimate, rows)
    # Half the learner's own nested average, half the tested dataset's weights: a row of its fold k
    # is weighted with w(-k), which has not seen it.
    return np.asarray(0.5 * rows[-1] + 0.5 * _weighted(direction.tested.row_weights, rows))


def _own_rows(direction: Direction, estimate: str, rows: Array, literal: bool) -> Array:
    if estimate != "weighted" or literal:
        return _pick(direction, estimate, rows)
    other = np.broadcast_to(
        direction.trained.fold_weights.mean(axis=0), (rows.shape[1], rows.shape[0] - 2)
    )
    return np.asarray(0.5 * rows[-1] + 0.5 * _weighted(other, rows))


def _weighted(weights: Array, rows: Array) -> Array:
    """Average the models' losses row by row; a model without losses passes its weight on."""
    losses = rows[:-2].T
    works = ~np.isnan(losses)
    weights = np.where(works, weights, 0.0)
    # All the weight on models that failed on the other dataset: the rest count alike.
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, works.astype(float))
    return np.asarray((weights * np.where(works, losses, 0.0)).sum(axis=1) / weights.sum(axis=1))


def own_error(
    direction: Direction, estimate: str, size: str = "fold"
) -> tuple[Array, Array, Array]:
    """Return the tested dataset's own row losses, their weights and the K fold errors."""
    own, folds = direction.tested.own, direction.tested.folds
    rows = _own_rows(direction, estimate, own.rows[size], size == "fold")
    errors = [len(folds) * float(rows[fold] @ own.weights[fold]) for fold in folds]
    return rows, own.weights, np.array(errors)


def average(parts: Sequence[Discrepancy]) -> Discrepancy:
    """Average the discrepancies of several fold seeds."""
    if len(parts) == 1:
        return parts[0]
    cross, own, influence, replicates = (
        np.mean([getattr(part, name) for part in parts], axis=0)
        for name in ("cross", "own", "influence", "replicates")
    )
    return Discrepancy(float(cross), float(own), influence, replicates, parts[0].least)


def error_of_mean(rows: Array, weights: Array, folds: Array, by: str) -> float:
    """Return the standard error of a cross-validated error, from its rows or from its folds.

    Rows: the central limit theorem of Bayle et al. (2020). Folds: the paper's approximation; when all
    folds err alike it would be 0, and rows are used instead.
    """
    if by == "folds" and np.ptp(folds) > 0:
        return float(np.std(folds, ddof=1) / np.sqrt(len(folds)))
    mean = rows @ weights
    return float(np.sqrt(np.sum((weights * (rows - mean)) ** 2)))
