"""What stands behind the rows of an encoder's dataset: arrays and texts, loaded a batch at a time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from datakin.data.features import Array

__all__ = ["ArrayContents", "Contents", "Part", "TextContents", "hash_bytes"]


class Contents(Protocol):
    """What an encoder is fed with."""

    @property
    def kind(self) -> str:
        """One of "array", "image" and "text"."""

    def load(self, rows: Array, size: int | None) -> Any:
        """Return some rows: a float array, or a list of texts. `size` is for images."""

    def hashes(self) -> Array:
        """Return one 64-bit hash per row."""

    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class ArrayContents:
    """Numbers in an array of shape (n, ...)."""

    values: Array
    kind: str = "array"

    def load(self, rows: Array, size: int | None = None) -> Array:
        """Return some rows as they are."""
        return np.asarray(self.values[rows])

    def hashes(self) -> Array:
        """Return one hash per row."""
        return hash_bytes(np.ascontiguousarray(row).tobytes() for row in self.values)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of other contents."""

    whole: Contents
    rows: Array

    @property
    def kind(self) -> str:
        """The kind of the whole."""
        return self.whole.kind

    def load(self, rows: Array, size: int | None = None) -> Any:
        """Return some rows."""
        return self.whole.load(self.rows[rows], size)

    def hashes(self) -> Array:
        """Return one hash per row."""
        return np.asarray(self.whole.hashes()[self.rows])

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class TextContents:
    """A column of strings."""

    values: Array
    kind: str = "text"

    def load(self, rows: Array, size: int | None = None) -> list[str]:
        """Return some texts."""
        return [str(self.values[row]) for row in rows]

    def hashes(self) -> Array:
        """Return one hash per row."""
        return pd.util.hash_array(self.values.astype(object))

    def __len__(self) -> int:
        return len(self.values)


def hash_bytes(rows: Any) -> Array:
    """Return a 64-bit hash of each row's bytes, the same on every machine."""
    return np.array(
        [int.from_bytes(hashlib.blake2b(row, digest_size=8).digest(), "little") for row in rows],
        dtype=np.uint64,
    )
