"""What every reader of files returns, and which rows of a large table are drawn.

Every row gets a random key from one fixed stream of numbers, and the rows with the smallest keys
are kept: a simple random sample without replacement, whatever the order of the rows. It depends on
the number of rows alone, so that a table gives the same sample on every machine, as CSV or as Parquet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array

STRETCH = 1 << 20  # rows that draw their keys together


class Read(NamedTuple):
    """A table as a reader found it, with nothing interpreted.

    Of a text file every column is text, and a field without text is ``""``.
    """

    table: pa.Table  # the rows that were read or drawn
    n_rows: int  # of the whole file
    columns: tuple[str, ...]  # all of them, also those that were not read
    notes: tuple[str, ...] = ()  # what the reader did that its user should know


class Lottery:
    """The rows with the smallest keys among those that have passed so far; at most `size` are kept."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.n_seen = self.n_drawn = 0  # rows that have passed, and those of them in the draw
        self._rows: list[Array] = [np.zeros(0, dtype=np.int64)]
        self._keys: list[Array] = [np.zeros(0, dtype=np.uint64)]
        self._highest = np.uint64(2**64 - 1)
        # The raw stream of a bit generator is the same in every version of numpy.
        self._stream = np.random.PCG64(derive_seed(0, "rows of a file"))

    @property
    def rows(self) -> Array:
        """Numbers of the rows still in the draw, in increasing order."""
        return np.concatenate(self._rows)

    def offer(self, n: int) -> Array:
        """Let the next n rows pass; return which of them, counted from 0, are in the draw."""
        keys = self._stream.random_raw(n)
        new = np.flatnonzero(keys <= self._highest)
        self._keys.append(keys[new])
        self._rows.append(new + self.n_seen)
        self.n_seen += n
        self.n_drawn += len(new)
        return new

    def settle(self) -> Array:
        """Drop rows beyond the size; return the positions in `rows` of those that stay."""
        rows, keys = self.rows, np.concatenate(self._keys)
        kept = np.arange(len(rows))
        if len(rows) > self.size:
            kept = np.sort(np.argpartition(keys, self.size - 1)[: self.size])
            rows, keys = rows[kept], keys[kept]
            self._highest = keys.max()
        self._rows, self._keys, self.n_drawn = [rows], [keys], len(rows)
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


class DrawnRows:
    """The rows that are kept of those that pass: `size` of them, drawn at random, or all for None."""

    def __init__(self, size: int | None) -> None:
        self.n_rows = 0  # that have passed
        self._lottery = None if size is None else Lottery(size)
        self._kept: list[pa.RecordBatch] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Let rows pass."""
        self.n_rows += batch.num_rows
        if self._lottery is None:
            self._kept.append(batch)
            return
        rows = self._lottery.offer(batch.num_rows)
        self._kept.append(batch if len(rows) == batch.num_rows else _taken(batch, rows))
        if self._lottery.n_drawn > 1.25 * self._lottery.size:
            self._settle(self._lottery)

    def _settle(self, lottery: Lottery) -> None:
        """Drop rows that are no longer in the draw; what is left of many blocks becomes few."""
        table = pa.Table.from_batches(self._kept)
        rows = lottery.settle()
        if len(rows) < table.num_rows:
            self._kept = _taken(table, rows).combine_chunks().to_batches()

    def table(self, schema: pa.Schema | None = None) -> pa.Table:
        """Return the rows that are kept, in the order of the file; of no rows, with the schema."""
        if self._lottery is not None and self._kept:
            self._settle(self._lottery)
        return pa.Table.from_batches(self._kept, schema)


def _taken(rows: Any, kept: Array) -> Any:
    """Return some rows of a block or table, in their order; for texts, a filter is quicker than `take`."""
    mask = np.zeros(rows.num_rows, dtype=bool)
    mask[kept] = True
    return rows.filter(pa.array(mask))


def draw_rows(
    batches: Iterable[Sequence[Sequence[Any]]], size: int | None
) -> tuple[list[Sequence[Any]], int]:
    """Return the rows that are drawn, or all, and how many have passed; only those are kept."""
    drawn: list[Sequence[Any]] = []
    if size is None:
        drawn = [row for batch in batches for row in batch]
        return drawn, len(drawn)
    lottery = Lottery(size)
    for batch in batches:
        drawn += [batch[i] for i in lottery.offer(len(batch))]
        if len(drawn) > 1.25 * size:
            drawn = [drawn[i] for i in lottery.settle()]
    return [drawn[i] for i in lottery.settle()], lottery.n_seen


def check_file_columns(names: Sequence[str], path: str) -> None:
    """Refuse a file with columns of the same name."""
    twice = repeated(names)
    if twice:
        raise DatakinError(f"The file {path!r} has more than one column named {listed(twice)}.")


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, shortened."""
    text = str(error).strip()
    return (text.splitlines()[0] if text else type(error).__name__).strip()[:120]


@contextmanager
def readable(path: str, what: str, hint: str) -> Iterator[None]:
    """Turn what libraries and the system raise into a sentence that names the file."""
    try:
        yield
    except DatakinError:
        raise
    except Exception as error:  # pyarrow, zlib, zipfile and the system have types of their own
        raise DatakinError(
            f"The file {path!r} could not be read as {what} ({first_line(error)}); {hint}"
        ) from None
