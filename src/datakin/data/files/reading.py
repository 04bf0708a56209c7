"""What every reader of files returns, and which rows of a large table are drawn.

Every row gets a random key from one fixed stream of numbers, and the rows with the smallest keys
are kept: a simple random sample without replacement, whatever the order of the rows. It depends on
the number of rows alone, so that a table gives the same sample on every machine, as CSV or as Parquet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Lottery", "Read", "check_file_columns", "choose_rows", "first_line"]

STRETCH = 1 << 20  # rows that draw their keys together


class Read(NamedTuple):
    """A table as a reader found it, with nothing interpreted.

    Parameters
    ----------
    table : pyarrow Table
        The rows that were read or drawn. Of a text file every column is text, and a field without
        text is ``""``.
    n_rows : int
        How many rows the file has.
    columns : tuple of str
        All its columns, also those that were not read.
    notes : tuple of str
        What the reader did that its user should know.
    """

    table: pa.Table
    n_rows: int
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Lottery:
    """The rows with the smallest keys among those that have passed so far.

    Parameters
    ----------
    size : int
        How many rows to keep.

    Attributes
    ----------
    rows : ndarray
        Numbers of the rows still in the draw, in increasing order; at most `size` after `settle`.
    n_seen : int
        How many rows have passed.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.n_seen = 0
        self._rows: list[Array] = [np.zeros(0, dtype=np.int64)]
        self._keys: list[Array] = [np.zeros(0, dtype=np.uint64)]
        self._highest = np.uint64(2**64 - 1)
        # The raw stream of a bit generator is the same in every version of numpy.
        self._stream = np.random.PCG64(derive_seed(0, "rows of a file"))

    @property
    def rows(self) -> Array:
        """Numbers of the rows still in the draw."""
        return np.concatenate(self._rows)

    def offer(self, n: int) -> Array:
        """Let the next n rows pass; return which of them, counted from 0, are in the draw."""
        keys = self._stream.random_raw(n)
        new = np.flatnonzero(keys <= self._highest)
        self._keys.append(keys[new])
        self._rows.append(new + self.n_seen)
        self.n_seen += n
        return new

    def settle(self) -> Array:
        """Drop rows beyond the size; return the positions in `rows` of those that stay."""
        rows, keys = self.rows, np.concatenate(self._keys)
        kept = np.arange(len(rows))
        if len(rows) > self.size:
            kept = np.sort(np.argpartition(keys, self.size - 1)[: self.size])
            rows, keys = rows[kept], keys[kept]
            self._highest = keys.max()
        self._rows, self._keys = [rows], [keys]
        return kept


def choose_rows(n_rows: int, size: int) -> Array:
    """Return the numbers of `size` of `n_rows` rows, in increasing order.

    Examples
    --------
    >>> choose_rows(3, 5)
    array([0, 1, 2])
    >>> len(choose_rows(1_000_000, 100))
    100
    """
    lottery = Lottery(size)
    for start in range(0, n_rows, STRETCH):
        lottery.offer(min(STRETCH, n_rows - start))
        lottery.settle()
    return lottery.rows


def check_file_columns(names: Sequence[str], path: str) -> None:
    """Refuse a file with columns of the same name."""
    twice = repeated(names)
    if twice:
        raise DatakinError(f"The file {path!r} has more than one column named {listed(twice)}.")


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, shortened."""
    text = str(error).strip()
    return (text.splitlines()[0] if text else type(error).__name__).strip()[:120]
