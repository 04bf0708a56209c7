"""Ridge regression with a radial kernel: every held-out prediction from one inverse for each penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri

from datakin.data.features import Array
from datakin.learners.learner import Rows, told_of_pool
from datakin.learners.predictors import KernelPredictor, normalised, radial
from datakin.learners.scaling import Scaler

PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0)
_SAMPLES: WeakKeyDictionary[Rows, Rows] = WeakKeyDictionary()
_KNOWN: WeakKeyDictionary[Rows, _Solved] = WeakKeyDictionary()
CONSTANT = 10.0  # added to the kernel: a level of the response costs next to nothing,
FAR, MOST = 10.0, 1e9  # and so does one that lies many standard deviations from 0


@dataclass(frozen=True)
class KernelLearner:
    """Kernel ridge regression, on 0 and 1 for classes; penalties are chosen by leave-one-out errors.

    Time grows with the cube of the rows: of sources and of the target there are at most so many.
    """

    penalties: tuple[float, ...] = PENALTIES
    most_rows: int = 500
    most_own: int = 1000
    most_planned: int = 400
    name: str = "kernel"

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[KernelPredictor, Array]:
        """Return the predictor of all rows, and the leave-one-out loss of each penalty."""
        found = _solved(rows)
        nowhere = np.full(len(rows), -1)
        told = np.sum(parts, axis=0) if len(parts) else found.told(self.penalties, nowhere)[0]
        return found.predictor(self.penalties[int(np.argmin(told))]), told

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and leave-one-out losses; see `Learner`."""
        inside = np.flatnonzero(folds >= 0)
        if len(inside) > self.most_own:
            return self._of_sample(rows, folds, inside, parts)
        whole, places = _solved(rows), range(int(folds.max()) + 1)
        told = told_of_pool(parts, len(places)) if len(parts) else whole.told(self.penalties, folds)
        found = np.empty(rows.Y.shape)
        for k in places:
            at = np.flatnonzero(folds == k)
            found[at] = whole.without(at, self.penalties[int(np.argmin(told[1 + k]))])
        return normalised(found[inside], rows.kind), told

    def _of_sample(
        self, rows: Rows, folds: Array, inside: Array, parts: Sequence[Array]
    ) -> tuple[Array, Array]:
        """Learn from some of the target's rows; all others are predicted by those outside their fold."""
        taken = np.zeros(len(rows), dtype=bool)
        taken[inside[_every(len(inside), self.most_own)]] = True
        used = taken | (folds < 0)
        some = _SAMPLES.get(rows)
        if some is None:
            some = _SAMPLES[rows] = rows.take(used)
        kept = np.unique(folds[taken])
        codes = np.where(folds[used] >= 0, np.searchsorted(kept, folds[used]), -1)
        predicted, told = self.held_out(some, codes, parts)
        whole, others = _solved(some), ~taken[inside]
        found = np.empty((len(inside), rows.Y.shape[1]))
        found[~others] = predicted
        for fold in np.unique(folds[inside][others]):
            at = others & (folds[inside] == fold)
            k = int(np.searchsorted(kept, fold)) if fold in kept else -1
            penalty = self.penalties[int(np.argmin(told[1 + k]))]
            fit = whole.predictor(penalty, np.flatnonzero(codes == k) if k >= 0 else None)
            found[at] = fit.predict(rows.X[inside[at]])
        return found, told

    def fit_plan(self, rows: Rows, trains: Sequence[Array]) -> KernelFits:
        """Return the fits of several sets of the rows, each with the penalty that its own rows tell.

        Of many rows some are learned from.
        """
        at = np.arange(len(rows))[_every(len(rows), self.most_planned)]
        few = rows if len(at) == len(rows) else rows.take(at)
        solved = _Solved(few)
        out = [np.flatnonzero(~np.isin(at, train)) for train in trains]
        duals = np.empty((len(trains), *few.Y.shape))
        least = np.full(len(trains), np.inf)
        for penalty in self.penalties:
            for i, left_out in enumerate(out):
                told, dual = solved.told_without(left_out, penalty)
                if told < least[i]:
                    least[i], duals[i] = told, dual
        weighted = solved.root[:, None] * duals
        return KernelFits(
            solved.scaler, solved.Z, weighted, solved.width, solved.constant, rows.kind
        )

    def few(self, rows: Rows) -> Rows:
        """Return the rows of a target that the learner is fitted on: all, or some of many."""
        if len(rows) <= self.most_own:
            return rows
        return rows.take(np.arange(len(rows))[_every(len(rows), self.most_own)])


def _every(n_rows: int, most: int) -> slice:
    """Return the rows to take so that there are at most some number of them."""
    return slice(None, None, max(1, -(-n_rows // most)))


def _solved(rows: Rows) -> _Solved:
    """Return the solved kernel of the rows, found once for all draws of the folds."""
    found = _KNOWN.get(rows)
    if found is None:
        found = _KNOWN[rows] = _Solved(rows)
    return found


class _Solved:
    """The kernel of some rows, scaled by the roots of their weights, and its inverses with a penalty added.

    The constant in the kernel enters each inverse by a formula for one more column (Sherman and Morrison):
    beside a large one, what is left would be lost to rounding.
    """

    def __init__(self, rows: Rows) -> None:
        self.scaler = Scaler.learn(rows.X)
        self.Z = self.scaler.apply(rows.X)
        self.width, self.constant = _width(self.Z), _constant(rows)
        self.Y, self.kind, self.root = rows.Y, rows.kind, np.sqrt(rows.weights)
        self.kernel = radial(self.Z, self.Z, 1 / self.width) * np.outer(self.root, self.root)
        self.inverses: dict[float, Array] = {}

    def inverse(self, penalty: float) -> Array:
        """Return the inverse of the penalised kernel, kept for further draws of the folds."""
        if penalty not in self.inverses:
            found = self.kernel.copy()
            found[np.diag_indices_from(found)] += penalty
            found = dpotri(dpotrf(found, lower=1, overwrite_a=1)[0], lower=1, overwrite_c=1)[0]
            found = np.tril(found) + np.tril(found, -1).T
            column = found @ self.root
            found -= np.outer(column, column / (1 / self.constant + self.root @ column))
            self.inverses[penalty] = found
        return self.inverses[penalty]

    def dual(self, penalty: float) -> Array:
        """Return the solution for all rows."""
        return np.asarray(self.inverse(penalty) @ (self.root[:, None] * self.Y))

    def told(self, penalties: Sequence[float], folds: Array) -> Array:
        """Return sums of leave-one-out losses of all rows, and of those outside each fold, by penalty.

        A formula says what a fold left out changes.
        """
        n_folds = int(folds.max()) + 1
        sums = np.empty((1 + n_folds, len(penalties)))
        order = np.argsort(folds, kind="stable")  # the rows of a fold side by side
        ends = np.searchsorted(folds[order], np.arange(n_folds + 1))
        for j, penalty in enumerate(penalties):
            inverse = self.inverse(penalty)[order][:, order]
            dual, diagonal = self.dual(penalty)[order], np.diag(inverse)
            sums[0, j] = self._loss(penalty, dual, diagonal, order).sum()
            for k, (first, last) in enumerate(pairwise(ends)):
                root = cholesky(inverse[first:last, first:last], lower=True)
                given = np.hstack([inverse[first:last], dual[first:last]])
                across = solve_triangular(root, given, lower=True)
                across, own = across[:, : len(order)], across[:, len(order) :]
                left, share = dual - across.T @ own, diagonal - np.sum(across**2, axis=0)
                losses = self._loss(penalty, left, share, order)
                sums[1 + k, j] = losses[:first].sum() + losses[last:].sum()
        return sums

    def told_without(self, at: Array, penalty: float) -> tuple[float, Array]:
        """Return the sum of leave-one-out losses of all rows but some, and their solution."""
        inverse, dual = self.inverse(penalty), self.dual(penalty)
        diagonal, rows = np.diag(inverse), np.arange(len(dual))
        if len(at):
            given = np.hstack([inverse[at], dual[at]])
            root = cholesky(inverse[np.ix_(at, at)], lower=True, check_finite=False)
            across = solve_triangular(root, given, lower=True, check_finite=False)
            across, own = across[:, : len(rows)], across[:, len(rows) :]
            dual = dual - across.T @ own
            diagonal = diagonal - np.einsum("ij,ij->j", across, across)
            dual[at] = 0.0
        losses = self._loss(penalty, dual, diagonal, rows)
        losses[at] = 0.0
        return float(losses.sum()), dual

    def _loss(self, penalty: float, dual: Array, diagonal: Array, rows: Array) -> Array:
        """Return leave-one-out losses of some rows for the solution and the diagonal of the inverse."""
        residual = dual / np.maximum(diagonal, 1e-9 / penalty)[:, None]
        if self.kind != "regression":  # probabilities end at 0 and 1
            root, Y = np.maximum(self.root[rows], 1e-12)[:, None], self.Y[rows]
            residual = (Y - np.clip(Y - residual / root, 0, 1)) * root
        return np.asarray(np.sum(residual**2, axis=1))

    def without(self, at: Array, penalty: float) -> Array:
        """Return predictions of some rows from all others, exactly."""
        residual = np.linalg.solve(self.inverse(penalty)[np.ix_(at, at)], self.dual(penalty)[at])
        counts = self.root[at] > 0
        found = self.Y[at] - residual / np.where(counts, self.root[at], 1.0)[:, None]
        if not counts.all():  # a row of weight 0 has no residual to find its prediction from
            K = radial(self.Z[at], self.Z, 1 / self.width) + self.constant
            found[~counts] = K[~counts] @ self.predictor(penalty, at).coefficients
        return np.asarray(found)

    def predictor(self, penalty: float, without: Array | None = None) -> KernelPredictor:
        """Return the predictor of all rows, or of all but some, exactly."""
        dual = self.dual(penalty)
        if without is not None:
            columns = self.inverse(penalty)[:, without]
            dual -= columns @ np.linalg.solve(columns[without], dual[without])
            dual[without] = 0.0
        return KernelPredictor(
            self.scaler, self.Z, self.root[:, None] * dual, self.width, self.constant, self.kind
        )


@dataclass(frozen=True, eq=False)
class KernelFits:
    """Radial kernels of several fits around the same rows; see `KernelPredictor`.

    Coefficients have shape (fits, n, outputs), 0 for rows that a fit leaves out.
    """

    scaler: Scaler
    centers: Array
    coefficients: Array
    width: float
    constant: float
    kind: str

    def outputs(self, X: Array, n_fits: int) -> Array:
        """Return what the first fits say of rows."""
        K = radial(self.scaler.apply(X), self.centers, 1 / self.width) + self.constant
        some = self.coefficients[:n_fits].swapaxes(0, 1)
        found = (K @ some.reshape(len(K.T), -1)).reshape(len(X), *some.shape[1:])
        return normalised(found.swapaxes(0, 1), self.kind)


def _constant(rows: Rows) -> float:
    """Return what is added to the kernel."""
    if rows.kind != "regression":
        return CONSTANT
    mean, spread = abs(float(np.mean(rows.Y))), float(np.std(rows.Y))
    far = mean / (FAR * spread) if spread > 0 else 0.0
    return CONSTANT * float(np.clip(far**2, 1.0, MOST))


def _width(Z: Array) -> float:
    """Return twice the median squared distance between rows."""
    few = Z[:: max(1, len(Z) // 300)]
    squares = np.sum(few**2, axis=1)
    d2 = squares[:, None] + squares - 2 * few @ few.T
    apart = d2[np.triu_indices(len(few), 1)]
    middle = float(np.median(apart)) if len(apart) else 0.0
    return 2 * middle if middle > 0 else 1.0
