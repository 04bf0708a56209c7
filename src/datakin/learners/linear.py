"""Penalised logistic and linear regression: one fit tells the penalty and every held-out prediction.

The penalty is chosen by leave-one-out errors, from a formula and not from refits (Rahnama Rad and
Maleki, 2020; exact for squared error). Predictions of a fold come from Newton steps that start at the
fit on all rows with the fold's part taken out of its second derivatives; they are carried on until
nothing moves. Several classes are learned one against the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin.data.features import Array
from datakin.learners.learner import Rows
from datakin.learners.newton import left_out, mean_of, refit
from datakin.learners.predictors import LinearPredictor, normalised
from datakin.learners.scaling import Scaler

__all__ = ["PENALTIES", "LinearLearner"]

PENALTIES = (0.1, 1.0, 4.0, 16.0, 64.0, 256.0)


@dataclass(frozen=True)
class LinearLearner:
    """Logistic regression for classes, linear regression for numbers, both with a squared penalty.

    Attributes
    ----------
    penalties : tuple of float
        To choose from; of standardised columns, beside the sum of the losses.
    """

    penalties: tuple[float, ...] = PENALTIES
    name: str = "linear"

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[LinearPredictor, Array]:
        """Return the predictor of all rows, and the leave-one-out loss of each penalty.

        Parameters
        ----------
        rows : Rows
        parts : sequence of ndarray
            Leave-one-out losses of the parts that these rows are pooled of, each fitted alone: the
            penalty is then the best for all of them together, and nothing is learned about it here.
        """
        scaler = Scaler.learn(rows.X)
        Z = _with_ones(scaler.apply(rows.X))
        if len(parts):
            told = np.sum(parts, axis=0)
            chosen = int(np.argmin(told))
            beta = _solve(Z, rows, np.array([self.penalties[chosen]]))[:, 0]
        else:
            found = _solve(Z, rows, np.array(self.penalties))
            told = _leave_one_out(Z, rows, np.array(self.penalties), found).sum(axis=0)
            chosen = int(np.argmin(told))
            beta = found[:, chosen]
        return LinearPredictor(scaler, beta, rows.kind), told

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and leave-one-out losses.

        Parameters
        ----------
        rows : Rows
        folds : ndarray of int
            Of each row; -1 for rows that are never left out.
        parts : sequence of ndarray
            As in `fit`; an array of shape (folds, penalties) for what the rows outside each fold tell.

        Returns
        -------
        predictions : ndarray of shape (rows in folds, outputs)
        told : ndarray of shape (1 + folds, penalties)
            Sums of leave-one-out losses of all rows, and of those outside each fold.
        """
        scaler = Scaler.learn(rows.X)
        Z = _with_ones(scaler.apply(rows.X))
        n_folds = int(folds.max()) + 1
        if len(parts):
            told = np.sum([np.broadcast_to(p, (1 + n_folds, p.shape[-1])) for p in parts], axis=0)
            used = sorted(set(np.argmin(told, axis=1).tolist()))
        else:
            told, used = None, list(range(len(self.penalties)))
        penalties = np.array(self.penalties)[used]
        full = _solve(Z, rows, penalties)
        # For each fold a solution of each penalty, started where the one of all rows is.
        outside = [_without_fold(Z, rows, folds == k, penalties, full) for k in range(n_folds)]
        if told is None:
            left = [rows.take(folds != k) for k in range(n_folds)]
            told = np.array(
                [
                    _leave_one_out(Z, rows, penalties, full).sum(axis=0),
                    *(
                        _leave_one_out(Z[folds != k], left[k], penalties, outside[k]).sum(axis=0)
                        for k in range(n_folds)
                    ),
                ]
            )
        at = [used.index(j) for j in np.argmin(told, axis=1)]
        inside = np.flatnonzero(folds >= 0)
        found = np.empty((len(inside), rows.Y.shape[1]))
        for k in range(n_folds):
            here = folds[inside] == k
            found[here] = mean_of(Z[inside[here]] @ outside[k][:, at[1 + k]].T, rows.kind)
        return normalised(found, rows.kind), told


def _with_ones(Z: Array) -> Array:
    return np.hstack([Z, np.ones((len(Z), 1))])


def _ridge(penalty: float, n_columns: int) -> Array:
    ridge = np.full(n_columns, penalty)
    ridge[-1] = 1e-8  # the intercept is free; this only keeps a constant response solvable
    return ridge


def _solve(Z: Array, rows: Rows, penalties: Array) -> Array:
    """Return coefficients of shape (outputs, penalties, columns), from Newton's method."""
    found = np.zeros((rows.Y.shape[1], len(penalties), Z.shape[1]))
    order = np.argsort(-penalties)  # from stiff to free: each starts where the last one ended
    for c, y in enumerate(rows.Y.T):
        beta = np.zeros(Z.shape[1])
        if rows.kind != "regression" and y.min() == y.max():
            found[c, :, -1] = _constant(y)
            continue
        for j in order:
            ridge = _ridge(penalties[j], Z.shape[1])
            beta = refit(Z, y, 0.0, rows.weights, ridge, rows.kind, beta)
            found[c, j] = beta
    return found


def _constant(y: Array) -> float:
    """Return the intercept for a class that all rows have, or none."""
    share = (float(y.sum()) + 0.5) / (len(y) + 1)
    return float(np.log(share / (1 - share)))


def _without_fold(Z: Array, rows: Rows, fold: Array, penalties: Array, full: Array) -> Array:
    """Return the coefficients without the rows of a fold, for each output and penalty."""
    found = np.empty_like(full)
    Zin, weights, kind = Z[~fold], rows.weights[~fold], rows.kind
    for c in range(len(full)):
        y = rows.Y[~fold, c]
        if kind != "regression" and y.min() == y.max():
            found[c] = 0.0
            found[c, :, -1] = _constant(y)
            continue
        for j, penalty in enumerate(penalties):
            ridge = _ridge(penalty, Z.shape[1])
            found[c, j] = refit(Zin, y, 0.0, weights, ridge, kind, full[c, j])
    return found


def _leave_one_out(Z: Array, rows: Rows, penalties: Array, beta: Array) -> Array:
    """Return squared losses of shape (rows, penalties), each row predicted as if it were left out."""
    found = np.zeros((len(Z), len(penalties)))
    for c, y in enumerate(rows.Y.T):
        for j, penalty in enumerate(penalties):
            ridge = _ridge(penalty, Z.shape[1])
            found[:, j] += left_out(Z, y, 0.0, rows.weights, ridge, beta[c, j], rows.kind)
    return found
