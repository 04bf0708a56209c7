"""What a learner is: rows in, a predictor out. What it is given: features, responses as columns, weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal, Protocol

import numpy as np

from datakin.data.features import Array, Features

Kind = Literal["binary", "multiclass", "regression"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to learn from.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Missing numbers are NaN.
    Y : ndarray of shape (n, m)
        Numbers; for two classes 0 and 1 of the second one; for several classes a column each.
    weights : ndarray of shape (n,)
    kind : {"binary", "multiclass", "regression"}
    names : tuple of str
        Of the columns of X, for estimators that ask for them.
    table : Features or None
        The rows before they were encoded, where a learner takes these.
    """

    X: Array
    Y: Array
    weights: Array
    kind: Kind
    names: tuple[str, ...] = ()
    table: Features | None = None

    def __len__(self) -> int:
        return len(self.Y)

    @property
    def codes(self) -> Array:
        """Class codes; only for classes."""
        if self.kind == "binary":
            return np.asarray(self.Y[:, 0].astype(int))
        return np.asarray(np.argmax(self.Y, axis=1))

    def take(self, at: Array) -> Rows:
        """Return some of the rows."""
        table = None if self.table is None else self.table.take(at)
        return replace(self, X=self.X[at], Y=self.Y[at], weights=self.weights[at], table=table)

    def below(self, *others: Rows) -> Rows:
        """Return these rows and those of others, one below the other."""
        parts = (self, *others)
        tables = [p.table for p in parts if p.table is not None]
        return replace(
            self,
            X=np.vstack([p.X for p in parts]),
            Y=np.vstack([p.Y for p in parts]),
            weights=np.concatenate([p.weights for p in parts]),
            table=reduce(Features.stacked, tables) if tables else None,
        )


def responses(y: Array, n_classes: int) -> tuple[Array, Kind]:
    """Return the response columns for class codes, or for numbers (`n_classes` 0), and the kind.

    Examples
    --------
    >>> responses(np.array([0, 1, 1]), 2)[0].T
    array([[0., 1., 1.]])
    """
    if not n_classes:
        return np.asarray(y, dtype=float)[:, None], "regression"
    if n_classes == 2:
        return (y == 1).astype(float)[:, None], "binary"
    return (y[:, None] == np.arange(n_classes)).astype(float), "multiclass"


class Predictor(Protocol):
    """What all predictors do."""

    def predict(self, X: Array) -> Array:
        """Return one column per response."""


def takes_table(of: Any) -> bool:
    """Return whether a learner or a predictor takes rows as they were before they were encoded."""
    return bool(getattr(of, "takes_table", False))


def predicted(predictor: Predictor, X: Array, table: Features | None) -> Array:
    """Return what a predictor says of rows, from their matrix or from their table."""
    given: Any = table if takes_table(predictor) else X
    return predictor.predict(given)


class Learner(Protocol):
    """What every learner does: all others are one of these, or are wrapped to be one."""

    @property
    def name(self) -> str:
        """How results call it."""

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[Predictor, Array]:
        """Return the predictor of all rows, and what they tell about penalties.

        Parameters
        ----------
        rows : Rows
        parts : sequence of ndarray
            What the parts that these rows are pooled of tell, each fitted alone: the penalty is then the
            best for all of them together, and nothing is learned about it here.
        """

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and what rows tell about penalties.

        Parameters
        ----------
        rows : Rows
        folds : ndarray of int
            Of each row; -1 for rows that are never left out.
        parts : sequence of ndarray
            As in `fit`; an array of shape (1 + folds, penalties) for what the rows outside each fold tell.

        Returns
        -------
        predictions : ndarray of shape (rows in folds, outputs)
        told : ndarray of shape (1 + folds, penalties)
            Sums of leave-one-out losses of all rows, and of those outside each fold.
        """


class PlanFits(Protocol):
    """The fits of a learner on several sets of the rows of one table."""

    def outputs(self, X: Array, n_fits: int) -> Array:
        """Return what the first fits say of rows, of shape (fits, n, responses)."""


class PlanLearner(Protocol):
    """A learner that makes all fits of a plan at once."""

    @property
    def name(self) -> str:
        """How results call it."""

    def fit_plan(self, rows: Rows, trains: Sequence[Array]) -> PlanFits:
        """Fit each of several sets of the rows, the first of which holds them all.

        Columns are standardised over all rows; what is learned of responses is learned from the set alone.
        """


def weights_of_fits(rows: Rows, trains: Sequence[Array]) -> Array:
    """Return the weights of all rows in each fit, of shape (fits, n): 0 where a row is left out."""
    found = np.zeros((len(trains), len(rows)))
    for weights, train in zip(found, trains, strict=True):
        weights[train] = rows.weights[train]
    return found


def told_of_pool(parts: Sequence[Array], n_folds: int) -> Array:
    """Return what the parts of a pool tell together: of all rows, and of those outside each fold."""
    return np.asarray(np.sum(np.broadcast_arrays(*parts, np.zeros((1 + n_folds, 1))), axis=0))


def held_out_by_refits(learner: Learner, rows: Rows, folds: Array) -> tuple[Array, Array]:
    """Return predictions of the folds by a fit without each, and nothing about penalties."""
    inside = np.flatnonzero(folds >= 0)
    found = np.empty((len(inside), rows.Y.shape[1]))
    for k in range(int(folds.max()) + 1):
        here = folds[inside] == k
        part = rows.take(inside[here])
        found[here] = predicted(learner.fit(rows.take(folds != k))[0], part.X, part.table)
    return found, np.zeros((2 + int(folds.max()), 1))
