"""A validated labelled dataset: what every other room receives."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from datakin.data.features import MISSING, Array, Features

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Features, labels and groups of one labelled table, checked at the door.

    Made by `read_table`, `read_tables` and `as_dataset`, not by hand.

    Parameters
    ----------
    name : str
        How results call it; empty when the user gave none.
    features : Features
    y : ndarray
        Class codes (int) or the response (float).
    classes : tuple of str
        Class names in code order; empty for regression.
    groups : ndarray of int or None
        Rows with equal codes stay in one fold.
    label : str
        Name of the label column.
    notes : tuple of str
        What was dropped or looked odd while reading.
    origin : Origin or None
        How to read it again elsewhere, if it was read from a file.
    """

    name: str
    features: Features
    y: Array
    classes: tuple[str, ...] = ()
    groups: Array | None = None
    label: str = "label"
    notes: tuple[str, ...] = ()
    origin: Any = None
    _hashes: dict[tuple[str, ...], Array] = field(default_factory=dict, init=False)

    @property
    def task(self) -> str:
        """One of "binary", "multiclass" and "regression"."""
        if not self.classes:
            return "regression"
        return "binary" if len(self.classes) == 2 else "multiclass"

    @property
    def n_rows(self) -> int:
        """Number of labelled rows."""
        return len(self.y)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the feature columns."""
        return self.features.names

    @cached_property
    def class_shares(self) -> Array:
        """Share of rows in each class."""
        return np.bincount(self.y, minlength=len(self.classes)) / self.n_rows

    @cached_property
    def missing_share(self) -> float:
        """Share of the feature values that are missing; a sparse block has none."""
        numeric, codes = self.features.numeric, self.features.codes
        n_missing = 0 if self.features.is_sparse else int(np.isnan(numeric).sum())
        n_missing += int((codes == MISSING).sum())
        return n_missing / max(1, self.n_rows * len(self.columns))

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when names or values do."""
        state = hashlib.blake2b(self.features.digest(), digest_size=8)
        state.update(self.label_hashes().tobytes())
        if self.groups is not None:
            state.update(self.groups.astype(np.int64).tobytes())
        return state.hexdigest()

    def label_hashes(self) -> Array:
        """Return one hash per label, by class name or value."""
        if self.classes:
            return pd.util.hash_array(np.array(self.classes, dtype=object))[self.y]
        return pd.util.hash_array(self.y + 0.0)

    def row_hashes(self, columns: tuple[str, ...]) -> Array:
        """Return one hash per row over some columns and the label; remembered, for many pairs ask."""
        if columns not in self._hashes:
            hashes = self.features.row_hashes(columns) * np.uint64(31) ^ self.label_hashes()
            self._hashes[columns] = hashes
        return self._hashes[columns]

    def take(self, rows: Array) -> Dataset:
        """Return some of the rows, classes and levels coded as before."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(
            self, features=self.features.take(rows), y=self.y[rows], groups=groups, origin=None
        )

    def renamed(self, name: str) -> Dataset:
        """Return the same data under another name."""
        return replace(self, name=name)

    def __repr__(self) -> str:
        what = self.task if not self.classes else f"{self.task} ({', '.join(self.classes[:4])}...)"
        if len(self.classes) <= 4:
            what = what.replace("...", "")
        return f"Dataset({self.name!r}: {self.n_rows} rows x {len(self.columns)} columns, {what})"
