"""Rows for an encoder: arrays of any shape, images and texts, loaded a batch at a time.

`Contents` holds the rows themselves. `Items` takes the place of a table's `Features`, so that
alignment, fingerprints and results work as they do for tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data import Dataset
from datakin.data.features import Array, Features


@dataclass(frozen=True, eq=False)
class Contents:
    """The rows of a dataset for an encoder. A kind of rows says how some are loaded, and hashes all."""

    kind: ClassVar[str]  # "array", "image" or "text"

    values: Any

    def load(self, rows: Array) -> Any:
        """Return some rows: a float array, or a list of texts."""
        raise NotImplementedError

    def hashes(self) -> Array:
        """Return one 64-bit hash per row."""
        raise NotImplementedError

    def sized(self, size: int | None) -> Contents:
        """Return the rows with images of another edge in pixels."""
        return self

    def take(self, rows: Array) -> Contents:
        """Return some of the rows; files are not read for it."""
        return replace(self, values=self.values[rows])

    def __len__(self) -> int:
        return len(self.values)


class ArrayContents(Contents):
    """Numbers in an array of shape (n, ...)."""

    kind = "array"

    def load(self, rows: Array) -> Array:
        """Return some rows unchanged."""
        return np.asarray(self.values[rows])

    def hashes(self) -> Array:
        """Return one hash per row."""
        return hash_bytes(np.ascontiguousarray(row).tobytes() for row in self.values)


class TextContents(Contents):
    """A column of strings."""

    kind = "text"

    def load(self, rows: Array) -> list[str]:
        """Return some texts."""
        return [str(self.values[row]) for row in rows]

    def hashes(self) -> Array:
        """Return one hash per row."""
        return pd.util.hash_array(self.values.astype(object))


def hash_bytes(rows: Iterable[bytes]) -> Array:
    """Return a 64-bit hash of each row's bytes, the same on every machine."""
    return np.array(
        [int.from_bytes(hashlib.blake2b(row, digest_size=8).digest(), "little") for row in rows],
        dtype=np.uint64,
    )


@dataclass(frozen=True, eq=False)
class Items(Features):
    """Contents in the place of a table's columns. Only an encoder can read them."""

    contents: Any = None

    @classmethod
    def holding(cls, contents: Contents) -> Self:
        """Return items with these contents and no columns."""
        empty = np.zeros((0, 0), np.int32)
        return cls(np.zeros((len(contents), 0)), (), empty, (), (), contents)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.contents)

    @property
    def names(self) -> tuple[str, ...]:
        """The kind of row as the only name, so that images share a column with images only."""
        return (str(self.contents.kind),)

    @property
    def is_sparse(self) -> bool:
        """True, as for a sparse block: there is no dense column to look at."""
        return True

    def kind(self, name: str) -> str:
        """Return "array", "image" or "text"."""
        return str(self.contents.kind)

    def how_to_recode(self, own: Sequence[str], other: Sequence[str]) -> str:
        """Say how to pair the classes of two datasets, using their own names."""
        pairs = ", ".join(f"{name!r}: ..." for name in own[:3]) + (", ..." if len(own) > 3 else "")
        return (
            f"pair the classes when reading the latter (read_images, read_texts, as_items), with "
            f"classes={{{pairs}}} and one of {listed(other)} for each"
        )

    def row_hashes(self, names: Sequence[str]) -> Array:
        """Return one hash per row."""
        return np.asarray(self.contents.hashes())

    def take(self, rows: Array) -> Features:
        """Return some of the rows; files are not read for it."""
        return Items.holding(self.contents.take(rows))

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise an error that names the score for such rows."""
        raise DatakinError(
            f"Rows must be columns of a table here. Got {self.contents.kind}s, which need an encoder: "
            f"datakin.deep.EncoderHeadScore(encoder).compare(target, source)."
        )

    select = canonical = matched_to = _refuse


def make_feeds(
    datasets: Sequence[Dataset], columns: tuple[str, ...], encoder: Any
) -> list[Contents]:
    """Return the rows of each of two datasets, after checking that one encoder can read both.

    `columns` are those that they share. An encoder that is a module may have the attributes ``size``
    (edge of its images) and ``reads`` (the kind of rows that it reads).
    """
    if len({d.columns for d in datasets}) == 1:
        columns = datasets[0].columns  # in the user's order: an encoder may depend on it
    size, reads = getattr(encoder, "size", None), getattr(encoder, "reads", None)
    feeds = [_contents(d, columns).sized(size if isinstance(size, int) else None) for d in datasets]
    for dataset, feed in zip(datasets, feeds, strict=True):
        if reads not in (None, feed.kind):
            raise DatakinError(
                f"This encoder reads {reads}s. {dataset.name!r} holds {feed.kind}s; give each kind an "
                f"encoder of its own."
            )
    shapes = [np.shape(feed.load(np.arange(1)))[1:] for feed in feeds]
    if shapes[0] != shapes[-1]:
        are_images = feeds[0].kind == "image"
        advice = "read both with the same size and channels" if are_images else "bring both to one"
        raise DatakinError(
            f"Rows of both datasets must have the same shape. {datasets[0].name!r} has {shapes[0]}, "
            f"{datasets[-1].name!r} has {shapes[-1]}; {advice}."
        )
    return feeds


def _contents(dataset: Dataset, columns: tuple[str, ...]) -> Contents:
    """Return a dataset's contents; for a table, the shared columns as one array."""
    features = dataset.features
    if isinstance(features, Items):
        found: Contents = features.contents
        return found
    chosen = features.select(columns)
    if chosen.category_names:
        raise DatakinError(
            f"An encoder reads numbers. {dataset.name!r} has text columns, {listed(chosen.category_names)}; "
            f"leave them out, or read one of them with datakin.deep.read_texts."
        )
    values = chosen.numeric.toarray() if chosen.is_sparse else chosen.numeric
    missing = np.isnan(values).any(axis=0)
    if missing.any():
        names = [name for name, gap in zip(chosen.numeric_names, missing, strict=True) if gap]
        raise DatakinError(
            f"An encoder reads numbers without gaps. {dataset.name!r} has missing values in "
            f"{listed(names)}; fill them in first."
        )
    return ArrayContents(values)
