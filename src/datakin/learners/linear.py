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
from datakin.learners.learner import Rows, told_of_pool, weights_of_fits
from datakin.learners.newton import all_left_out, left_out, mean_of, refit, refits
from datakin.learners.predictors import LinearPredictor, normalised
from datakin.learners.scaling import Scaler

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
        """Return the predictor of all rows, and the leave-one-out loss of each penalty."""
        scaler, Z = _standardised(rows)
        if len(parts):
            told = np.sum(parts, axis=0)
            beta = _solve(Z, rows, [self.penalties[int(np.argmin(told))]])[:, 0]
        else:
            found = _solve(Z, rows, self.penalties)
            told = _told(Z, rows, self.penalties, found)
            beta = found[:, int(np.argmin(told))]
        return LinearPredictor(scaler, beta, rows.kind), told

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and leave-one-out losses; see `Learner`."""
        _, Z = _standardised(rows)
        outside = [folds != k for k in range(int(folds.max()) + 1)]
        used = list(range(len(self.penalties)))
        if len(parts):
            told = told_of_pool(parts, len(outside))
            used = sorted(set(np.argmin(told, axis=1).tolist()))
        penalties = [self.penalties[j] for j in used]
        full = _solve(Z, rows, penalties)
        left = [rows.take(some) for some in outside]
        # For each fold a solution of each penalty, started where the one of all rows is.
        fits = [
            _solve(Z[at], some, penalties, full) for at, some in zip(outside, left, strict=True)
        ]
        if not len(parts):
            each = [_told(Z, rows, penalties, full)]
            for at, some, fit in zip(outside, left, fits, strict=True):
                each.append(_told(Z[at], some, penalties, fit))
            told = np.array(each)
        best = [used.index(j) for j in np.argmin(told[1:], axis=1)]
        found = np.empty(rows.Y.shape)
        for at, fit, j in zip(outside, fits, best, strict=True):
            found[~at] = mean_of(Z[~at] @ fit[:, j].T, rows.kind)
        return normalised(found[folds >= 0], rows.kind), told

    def fit_plan(self, rows: Rows, trains: Sequence[Array]) -> LinearFits:
        """Return the fits of several sets of the rows, each with the penalty that its own rows tell."""
        scaler, Z = _standardised(rows)
        full, W = _solve(Z, rows, self.penalties), weights_of_fits(rows, trains)
        beta = np.empty((len(self.penalties), len(trains), *full[:, 0].shape))
        told = np.zeros((len(self.penalties), len(trains)))
        for j, penalty in enumerate(self.penalties):
            ridge = _ridge(penalty, Z.shape[1])
            for c, y in enumerate(rows.Y.T):
                beta[j, :, c] = _fits_of(Z, y, W, ridge, rows.kind, full[c, j])
                told[j] += all_left_out(Z, y, W, ridge, beta[j, :, c], rows.kind)
        best = np.argmin(told, axis=0)
        return LinearFits(scaler, beta[best, np.arange(len(trains))], rows.kind)


@dataclass(frozen=True, eq=False)
class LinearFits:
    """Coefficients of several fits on the same standardised columns, of shape (fits, outputs, p + 1)."""

    scaler: Scaler
    coefficients: Array
    kind: str

    def outputs(self, X: Array, n_fits: int) -> Array:
        """Return what the first fits say of rows."""
        some = self.coefficients[:n_fits]
        eta = self.scaler.apply(X) @ some[..., :-1].reshape(-1, some.shape[-1] - 1).T
        eta = eta.reshape(len(X), *some.shape[:-1]) + some[..., -1]
        return normalised(mean_of(eta, self.kind).swapaxes(0, 1), self.kind)


def _fits_of(Z: Array, y: Array, W: Array, ridge: Array, kind: str, full: Array) -> Array:
    """Return coefficients of each fit; those of all rows are known."""
    found = np.tile(full, (len(W), 1))
    if kind == "regression":
        varies = np.ones(len(W), dtype=bool)
    else:
        share = (W @ y + 0.5) / (W.sum(axis=1) + 1)
        varies = ((W > 0) & (y > 0)).any(axis=1) & ((W > 0) & (y == 0)).any(axis=1)
        found[~varies] = 0.0
        found[~varies, -1] = np.log(share / (1 - share))[~varies]
    varies[0] = False
    if varies.any():
        found[varies] = refits(Z, y, W[varies], ridge, kind, full)
    return found


def _standardised(rows: Rows) -> tuple[Scaler, Array]:
    """Return the scaler of the columns, and the columns with one of ones behind them."""
    scaler = Scaler.learn(rows.X)
    return scaler, np.hstack([scaler.apply(rows.X), np.ones((len(rows), 1))])


def _ridge(penalty: float, n_columns: int) -> Array:
    ridge = np.full(n_columns, penalty)
    ridge[-1] = 1e-8  # the intercept is free; this only keeps a constant response solvable
    return ridge


def _solve(Z: Array, rows: Rows, penalties: Sequence[float], start: Array | None = None) -> Array:
    """Return coefficients of shape (outputs, penalties, columns), perhaps started from others."""
    found = np.zeros((rows.Y.shape[1], len(penalties), Z.shape[1]))
    for c, y in enumerate(rows.Y.T):
        if rows.kind != "regression" and y.min() == y.max():
            # The intercept for a class that all rows have, or none.
            share = (float(y.sum()) + 0.5) / (len(y) + 1)
            found[c, :, -1] = np.log(share / (1 - share))
            continue
        beta = np.zeros(Z.shape[1])
        # From stiff to free: each starts where the last one ended.
        for j in np.argsort(-np.array(penalties)):
            ridge = _ridge(penalties[j], Z.shape[1])
            at = beta if start is None else start[c, j]
            beta = found[c, j] = refit(Z, y, 0.0, rows.weights, ridge, rows.kind, at)
    return found


def _told(Z: Array, rows: Rows, penalties: Sequence[float], beta: Array) -> Array:
    """Return the sum of leave-one-out losses for each penalty."""
    found = np.zeros((len(Z), len(penalties)))
    for c, y in enumerate(rows.Y.T):
        for j, penalty in enumerate(penalties):
            ridge = _ridge(penalty, Z.shape[1])
            found[:, j] += left_out(Z, y, 0.0, rows.weights, ridge, beta[c, j], rows.kind)
    return np.asarray(found.sum(axis=0))
