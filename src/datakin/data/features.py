"""The features of a dataset: numbers and categories side by side, in plain arrays.

Nothing here is learned from data: encoding, imputation and scaling belong to the
training rows of a fit and live in `datakin.learners.encoding`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

Array = np.ndarray[Any, Any]

MISSING = -1  # code of a missing category
FACTOR, STEP = np.uint64(6364136223846793005), np.uint64(1442695040888963407)  # of row hashes
UNKNOWN = -2  # code of a level that the other dataset has never seen
MOST_SORTED = 10_000  # rows of a table whose columns are kept in order too


def is_known(values: Array) -> Array:
    """Return which values are not missing, of floats of numbers or codes of categories."""
    return np.asarray(~np.isnan(values) if values.dtype.kind == "f" else values != MISSING)


@dataclass(frozen=True, eq=False)
class Features:
    """Numeric columns as one float block, categorical columns as one block of codes.

    Parameters
    ----------
    numeric : ndarray or csr_array of shape (n, p)
        Missing numbers are NaN; a sparse block has none.
    numeric_names : tuple of str
    codes : ndarray of int32, shape (n, q)
        Position of each value in its column's levels; `MISSING` where there is none.
    category_names : tuple of str
    levels : tuple of tuples of str
        The sorted levels of each categorical column.
    """

    numeric: Any
    numeric_names: tuple[str, ...]
    codes: Array
    category_names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    _hashes: dict[tuple[str, ...], Array] = field(default_factory=dict, init=False, repr=False)
    _sorted: dict[str, tuple[Array, Array]] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was found on the way out of what is sent elsewhere."""
        return {**self.__dict__, "_hashes": {}, "_sorted": {}}

    @classmethod
    def of_numbers(cls, matrix: Any, names: Sequence[str]) -> Features:
        """Return features without categories from a float matrix, dense or sparse."""
        return Features(matrix, tuple(names), np.zeros((matrix.shape[0], 0), np.int32), (), ())

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.numeric.shape[0])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns, numeric ones first."""
        return self.numeric_names + self.category_names

    def columns(self) -> Iterator[tuple[str, Array]]:
        """Yield the name and values of each column: floats of numbers, codes of categories."""
        yield from zip(self.numeric_names, self.numeric.T, strict=True)
        yield from zip(self.category_names, self.codes.T, strict=True)

    @property
    def is_sparse(self) -> bool:
        """Whether the numeric block is a scipy sparse array."""
        return bool(sparse.issparse(self.numeric))

    def kind(self, name: str) -> str:
        """Return "numeric" or "category"."""
        return "numeric" if name in self.numeric_names else "category"

    def column(self, name: str) -> tuple[Array, tuple[str, ...] | None]:
        """Return the values of a column, and the levels that they are codes of, None for numbers."""
        if name in self.numeric_names:
            return self.numeric[:, self.numeric_names.index(name)], None
        j = self.category_names.index(name)
        return self.codes[:, j], self.levels[j]

    def how_to_recode(self, own: Sequence[str], other: Sequence[str]) -> str:
        """Say how a user can give these classes the codes of another dataset."""
        return (
            "map the codes of one to the other's with label_map={'old': 'new', ...} "
            "(--label-map old=new ...), or name the positive class of each (positive)"
        )

    def take(self, rows: Array) -> Features:
        """Return the same columns for some of the rows."""
        return replace(self, numeric=self.numeric[rows], codes=self.codes[rows])

    def select(self, names: Sequence[str]) -> Features:
        """Return the named columns, in the order given within each kind."""
        if tuple(names) == self.names:
            return self
        numeric, category = self._places(names)
        return Features(
            self.numeric[:, numeric],
            tuple(self.numeric_names[i] for i in numeric),
            self.codes[:, category],
            tuple(self.category_names[i] for i in category),
            tuple(self.levels[i] for i in category),
        )

    def _places(self, names: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the places of named columns among the numeric ones, and among the others."""
        place = {name: j for j, name in enumerate(self.numeric_names)}
        other = {name: j for j, name in enumerate(self.category_names)}
        numeric = [place[name] for name in names if name in place]
        return numeric, [other[name] for name in names if name in other]

    def canonical(self) -> Features:
        """Return the columns in an order that depends on their ranks, not names or units.

        Learners that break ties by position (trees) then give the same predictions when
        columns are renamed, permuted or rescaled. Columns of equal content keep name order.
        """
        if self.is_sparse:
            return self

        def key(column: Array, name: str) -> tuple[bytes, str]:
            ranks = np.unique(column, return_inverse=True)[1].astype(np.int64)
            return hashlib.blake2b(ranks.tobytes(), digest_size=8).digest(), name

        numeric = [key(self.numeric[:, j], name) for j, name in enumerate(self.numeric_names)]
        category = [key(self.codes[:, j], name) for j, name in enumerate(self.category_names)]
        return self.select([name for _, name in sorted(numeric)] + [n for _, n in sorted(category)])

    def matched_to(self, other: Features) -> Features:
        """Return these rows with the column order and category codes of another dataset."""
        mine = self.select(other.names)
        codes = mine.codes.copy()
        for j, (own, theirs) in enumerate(zip(mine.levels, other.levels, strict=True)):
            if own != theirs:
                position = {level: code for code, level in enumerate(theirs)}
                table = np.array([*(position.get(v, UNKNOWN) for v in own), MISSING], np.int32)
                codes[:, j] = table[mine.codes[:, j]]  # code -1 picks the last entry: MISSING
        return replace(mine, codes=codes, levels=other.levels)

    def stacked(self, other: Features) -> Features:
        """Return these rows with those of another dataset below; levels are those of both."""
        other = other.select(self.names)
        both = tuple(
            tuple(sorted({*own, *theirs}))
            for own, theirs in zip(self.levels, other.levels, strict=True)
        )
        whole = replace(self, levels=both)
        parts = [self.matched_to(whole), other.matched_to(whole)]
        numeric = [part.numeric for part in parts]
        return replace(
            whole,
            numeric=sparse.vstack(numeric, format="csr") if self.is_sparse else np.vstack(numeric),
            codes=np.vstack([part.codes for part in parts]),
        )

    @cached_property
    def is_single(self) -> bool:
        """Whether all numbers fit 32 bits, as those of a table that was stored so do."""
        stored: Any = self.numeric
        values = stored if isinstance(stored, np.ndarray) else stored.data
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.array_equal(values.astype(np.float32), values, equal_nan=True))

    def row_hashes(self, names: Sequence[str]) -> Array:
        """Return one 64-bit hash per row over the named columns, whatever their order."""
        columns, categories = self._places(sorted(names))
        hashes = np.zeros(self.n_rows, dtype=np.uint64)
        if self.is_sparse:
            hashes = _mix_stored(hashes, self.numeric[:, columns])
        for j in () if self.is_sparse else columns:
            # Adding 0.0 turns -0.0 into 0.0, so that the two hash alike.
            hashes = _mix(hashes, pd.util.hash_array(self.numeric[:, j] + 0.0))
        for j in categories:
            table = pd.util.hash_array(np.array([*self.levels[j], "\x00missing"], dtype=object))
            hashes = _mix(hashes, table[self.codes[:, j]])
        return hashes

    def kept_hashes(self, names: Sequence[str]) -> Array:
        """Return `row_hashes`, computed once for each set of columns."""
        key = tuple(sorted(names))
        if key not in self._hashes:
            self._hashes[key] = self.row_hashes(key)
        return self._hashes[key]

    def in_order(self, name: str) -> tuple[Array, Array]:
        """Return the rows sorted by a numeric column, and its values in that order, NaN last.

        Kept where rows are few: many others may be tested on the same table.
        """
        found = self._sorted.get(name)
        if found is None:
            column = self.column(name)[0]
            order = np.argsort(column)
            found = order.astype(np.int32), column[order]
            if len(column) <= MOST_SORTED:
                self._sorted[name] = found
        return found

    def digest(self) -> bytes:
        """Return a digest of names and values, the same on every machine."""
        state = hashlib.blake2b(digest_size=16)
        for name in sorted(self.names):
            state.update(name.encode() + b"\x00")
        state.update(self.kept_hashes(self.names).tobytes())
        return state.digest()


def _mix(hashes: Array, new: Array) -> Array:
    return np.asarray((hashes * FACTOR + STEP) ^ new)


def _mix_stored(hashes: Array, matrix: Any) -> Array:
    """Return what `_mix` gives column by column, from the stored values of a sparse matrix alone.

    The hash of 0.0 is 0, so that a run of k zeros only multiplies and adds: by ``factors[k]`` and
    ``steps[k]``.
    """
    matrix = matrix.tocsr().sorted_indices()
    n_columns = matrix.shape[1]
    factors = np.concatenate([[np.uint64(1)], np.cumprod(np.full(n_columns, FACTOR))])
    steps = STEP * np.concatenate([[np.uint64(0)], np.cumsum(factors[:-1])])
    new = pd.util.hash_array(matrix.data + 0.0)
    hashes, position = hashes.copy(), np.zeros(len(hashes), dtype=np.int64)
    n_stored = np.diff(matrix.indptr)
    rows = np.arange(len(hashes))
    for k in range(int(n_stored.max(initial=0))):
        rows = rows[n_stored[rows] > k]
        at = matrix.indptr[rows] + k
        column = matrix.indices[at]
        gap = column - position[rows]
        hashes[rows] = _mix(hashes[rows] * factors[gap] + steps[gap], new[at])
        position[rows] = column + 1
    gap = n_columns - position
    return np.asarray(hashes * factors[gap] + steps[gap])
