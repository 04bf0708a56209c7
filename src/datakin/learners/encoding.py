"""Turn mixed features into the matrices that learners take. Only training rows are used to learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from datakin._core.exceptions import DatakinError
from datakin.data.features import MISSING, Array, Features
from datakin.learners.scaling import (
    Scaler,
    center_and_scale,
    filled,
    medians,
    sparse_scales,
    standardised,
)

MAX_LEVELS = 50  # one-hot columns per categorical column, for the most frequent levels
MOST_CELLS = 2**25  # of a sparse matrix that is laid out in full, 256 MB
MIN_COUNT = 2  # a level that is seen only once tells a learner nothing


@dataclass(frozen=True, eq=False)
class ColumnEncoder:
    """Median imputation, standardisation and one-hot columns of one training set.

    Columns that are constant in the training rows are left out. Indicator columns stay 0 or 1. A
    missing category counts as a level.
    """

    medians: Array
    centers: Array
    scales: Array
    kept: Array
    levels: tuple[Array, ...]

    @classmethod
    def learn(cls, features: Features, rows: Array) -> ColumnEncoder:
        """Learn from some rows of a dataset."""
        numeric = features.numeric[rows]
        if features.is_sparse:
            scales = sparse_scales(numeric)
            return cls(np.zeros(0), np.zeros(0), scales, np.arange(numeric.shape[1]), ())
        middles = medians(numeric)
        numeric = filled(numeric, middles)
        varies = numeric.max(axis=0) > numeric.min(axis=0) if numeric.size else []
        kept = np.flatnonzero(varies)
        codes = features.codes[rows]
        levels = []
        for column, names in zip(codes.T, features.levels, strict=True):
            # Position 0 counts missing ones.
            counts = np.bincount(column - MISSING, minlength=len(names) + 1)
            levels.append(_frequent(counts, MIN_COUNT) + MISSING)
        return cls(middles, *center_and_scale(_columns(numeric, kept)), kept, tuple(levels))

    def dense(self, features: Features, rows: Array | slice = slice(None)) -> Any:
        """Return the standardised matrix for scale-sensitive learners."""
        numeric = features.numeric[rows]
        if features.is_sparse:
            return sparse.csr_matrix(numeric.multiply(1 / self.scales))
        known = _columns(filled(numeric, self.medians), self.kept)
        scaled = standardised(known, self.centers, self.scales)
        return np.hstack([scaled, self.indicators(features, rows)]) if self.levels else scaled

    def indicators(self, features: Features, rows: Array | slice = slice(None)) -> Array:
        """Return the 0/1 columns of the categorical features."""
        codes = features.codes[rows]
        blocks = [codes[:, [j]] == kept for j, kept in enumerate(self.levels)]
        return np.hstack(blocks).astype(float) if blocks else np.zeros((len(codes), 0))


def _columns(numeric: Array, kept: Array) -> Array:
    return numeric if len(kept) == numeric.shape[1] else numeric[:, kept]


def _frequent(counts: Array, least: int) -> Array:
    """Return the positions of the levels that get a column; with one level there is nothing to tell apart."""
    order = np.argsort(-counts, kind="stable")[:MAX_LEVELS]
    kept = np.sort(order[counts[order] >= least])
    return kept if (counts > 0).sum() > 1 else kept[:0]


def fits_in_full(features: Features) -> bool:
    """Return whether a matrix is small enough to be laid out with all its zeros."""
    return features.n_rows * len(features.numeric_names) <= MOST_CELLS


def laid_out(features: Features, names: Sequence[str] | None = None) -> Features:
    """Return some columns, sparse ones as dense ones where they fit.

    Learners then give the numbers that they give for the same matrix in full: XGBoost takes what a
    sparse matrix leaves out for missing, and solvers for sparse matrices stop elsewhere.
    """
    chosen = features if names is None else features.select(names)
    # Images, which have no column to look at, are no sparse block either.
    if isinstance(chosen.numeric, np.ndarray) or not fits_in_full(chosen):
        return chosen
    # The order in memory that the choice of columns gives in full: sums depend on it, by a last bit.
    order: Any = "C" if chosen is features else "F"
    return replace(chosen, numeric=chosen.numeric.toarray(order=order))


def in_full(features: Features, name: str) -> Features:
    """Return a sparse matrix with all its zeros; refuse one that is too large for that."""
    if not features.is_sparse:
        return features
    if not fits_in_full(features):
        raise DatakinError(
            f"{name!r} is a sparse matrix that is too large to be laid out in full: {features.n_rows:,} rows "
            f"x {len(features.names):,} columns. Give fewer columns, such as the leading components."
        )
    return laid_out(features)


class TreeCodes:
    """Numbers as ranks among the values of the training dataset, for trees.

    Trees that split at observed values (XGBoost's histograms) predict the same from ranks as from
    the numbers, with one exception: in a column with missing values, XGBoost would treat a number
    far outside the training range like a missing one. Ranks do not depend on the unit of
    measurement. They stay distinct when XGBoost stores them in 32 bits, which dates and large
    amounts do not. A value that the dataset does not have gets the rank between its neighbours.
    Missing stays missing.
    """

    def __init__(self, features: Features) -> None:
        self.names, columns = features.numeric_names, features.numeric
        self.values = [] if features.is_sparse else [np.unique(column) for column in columns.T]

    def ranks(self, table: Features) -> Any:
        """Return the ranks of all rows of a table; its columns need not be in order, sparse ones stay."""
        if table.is_sparse:
            return sparse.csr_matrix(table.numeric)
        ranks = np.empty((len(self.names), table.n_rows), dtype=np.float32)  # as XGBoost stores it
        for j, (name, values) in enumerate(zip(self.names, self.values, strict=True)):
            # Numbers in order are searched for in a quarter of the time.
            order, column = table.in_order(name)
            at = values.searchsorted(column)
            found = (2 * at + (values.take(at, mode="clip") == column)).astype(np.float32)
            found[np.isnan(column)] = np.nan
            ranks[j, order] = found
        return np.ascontiguousarray(ranks.T)


def beside(ranks: Any, indicators: Array) -> Any:
    """Return ranks and indicator columns as one matrix."""
    if not indicators.shape[1]:
        return ranks
    return np.hstack([ranks, indicators.astype(np.float32)])


LEAST = 5  # rows of a level that gets a column
FARTHEST = 1e9  # spreads of the target; what lies beyond could not be squared and summed


@dataclass(frozen=True, eq=False)
class TableEncoder:
    """How tables become matrices.

    Columns of numbers, in the order of the matrix, and their centres and spreads in the first table, the
    target, so that one source changes no number of another; over all tables where the target's numbers do not
    vary. Then columns of categories, and the levels of each that have a column; None for a missing value. All
    others look alike.
    """

    numeric_names: tuple[str, ...]
    scaler: Scaler
    category_names: tuple[str, ...]
    levels: tuple[tuple[str | None, ...], ...]

    @classmethod
    def learn(cls, tables: Sequence[Features]) -> TableEncoder:
        """Learn from tables with the same columns."""
        first = tables[0]
        kept = []
        for j in range(first.codes.shape[1]):
            counts: Counter[str | None] = Counter()
            for table in tables:
                codes, n = np.unique(table.codes[:, j], return_counts=True)
                levels = [None if code == MISSING else table.levels[j][code] for code in codes]
                counts.update(dict(zip(levels, n.tolist(), strict=True)))
            names = sorted(counts, key=lambda level: (level is None, str(level)))
            found = _frequent(np.array([counts[name] for name in names]), LEAST)
            kept.append(tuple(names[k] for k in found))
        return cls(first.numeric_names, _scaler(tables), first.category_names, tuple(kept))

    def apply(self, features: Features) -> Array:
        """Return the matrix of a table that has these columns; missing numbers stay NaN."""
        chosen = self.table(features)
        numeric = standardised(_numbers(chosen), self.scaler.centers, self.scaler.scales)
        numeric = np.clip(numeric, -FARTHEST, FARTHEST)
        blocks = [numeric]
        for j, kept in enumerate(self.levels):
            position = {level: code for code, level in enumerate(chosen.levels[j])}
            codes = [MISSING if level is None else position.get(level, -9) for level in kept]
            blocks.append((chosen.codes[:, [j]] == np.array(codes)).astype(float))
        return np.hstack(blocks)

    def table(self, features: Features) -> Features:
        """Return the columns that it encodes, as they are."""
        return features.select((*self.numeric_names, *self.category_names))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        made = [
            f"{name}={'' if level is None else level}"
            for name, kept in zip(self.category_names, self.levels, strict=True)
            for level in kept
        ]
        return (*self.numeric_names, *made)


def _scaler(tables: Sequence[Features]) -> Scaler:
    """Return the scaler of the columns of numbers."""
    own = _numbers(tables[0])
    found = Scaler.learn(own)
    lows, highs = np.fmin.reduce(own, initial=np.inf), np.fmax.reduce(own, initial=-np.inf)
    varies = lows < highs
    if varies.all():
        return found
    whole = Scaler.learn(np.vstack([_numbers(table) for table in tables]))
    return Scaler(
        np.where(varies, found.medians, whole.medians),
        np.where(varies, found.centers, whole.centers),
        np.where(varies, found.scales, whole.scales),
    )


def _numbers(features: Features) -> Array:
    numeric = laid_out(features).numeric
    return np.asarray(numeric, dtype=float)
