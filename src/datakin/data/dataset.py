"""A checked, labelled dataset: what every other room receives."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.features import MISSING, Array, Features

if TYPE_CHECKING:
    from datakin.data.origin import Origin

TASKS = ("binary", "multiclass", "regression")


@dataclass(frozen=True)
class ColumnFacts:
    """How one column was read.

    Parameters
    ----------
    kind : str
        One of "number", "truth value", "date", "duration" and "category".
    blanks : mapping of str to int
        Words that were read as missing values, and how often they stand there; not the empty text.
    converted : str
        What was done to its values, such as "decimal comma"; empty if nothing was.
    doubt : str
        What looks odd, such as "text, although 97% of its values are numbers ('12 mg')".
    decimal : str
        The decimal sign that its texts show, "," or "."; "?" where 1,234 may be either.
    """

    kind: str
    blanks: Mapping[str, int] = field(default_factory=dict)
    converted: str = ""
    doubt: str = ""
    decimal: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Features, labels and groups of one labelled table, checked when it was read.

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
    facts : mapping of str to ColumnFacts
        How each column was read, those left out too; empty for a sparse matrix.
    left_out : mapping of str to str
        Columns that are not used, and why.
    keep : frozenset of str
        Columns that the user wants used, whatever they look like.
    group_names : tuple of str
        The name of each group code; empty without groups.
    how : Origin or None
        The options it was read with, and its file if it came from one.
    weights : ndarray or None
        How much each row counts, as given; only `choose` uses them.
    """

    name: str
    features: Features
    y: Array
    classes: tuple[str, ...] = ()
    groups: Array | None = None
    label: str = "label"
    notes: tuple[str, ...] = ()
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    keep: frozenset[str] = frozenset()
    group_names: tuple[str, ...] = ()
    how: Origin | None = None
    weights: Array | None = None

    @property
    def task(self) -> str:
        """One of "binary", "multiclass" and "regression"."""
        return task_of(self.classes)

    @property
    def n_rows(self) -> int:
        """Number of labelled rows."""
        return len(self.y)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the feature columns."""
        return self.features.names

    @property
    def origin(self) -> Origin | None:
        """How to read it again elsewhere, if it was read from a file.

        With the task that was found, which a file may not show alone, unless all of its parts are read.
        """
        if self.how is None or self.how.path is None:
            return None
        return self.how if self.how.value is not None else replace(self.how, task=self.task)

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
        """Sixteen hexadecimal digits that change when column names, values or row weights do."""
        state = hashlib.blake2b(self.features.digest(), digest_size=8)
        state.update(self.label_hashes.tobytes())
        if self.groups is not None:
            state.update(self.groups.astype(np.int64).tobytes())
        if self.weights is not None:
            state.update(b"weights" + (self.weights + 0.0).tobytes())
        return state.hexdigest()

    @cached_property
    def label_hashes(self) -> Array:
        """One hash per label, by class name or value."""
        return hash_labels(self.y, self.classes)

    @cached_property
    def no_rows(self) -> Array:
        """A mask of none of the rows, the same for all who ask."""
        nothing = np.zeros(self.n_rows, dtype=bool)
        nothing.flags.writeable = False
        return nothing

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was found on the way out of what is sent elsewhere."""
        return {name: value for name, value in self.__dict__.items() if name != "kept"}

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What comparisons with other datasets keep of this one, beside its columns."""
        return {}

    def row_hashes(self, columns: tuple[str, ...]) -> Array:
        """Return one hash per row over some columns and the label."""
        return hash_rows(self.features, columns, self.label_hashes)

    def distinct_rows(self, columns: tuple[str, ...]) -> Array:
        """Return the different hashes of `row_hashes`, in order; kept for the last columns asked for."""
        known, found = self.kept.get("rows", ((), None))
        if known != columns or found is None:
            found = np.unique(self.row_hashes(columns))
            self.kept["rows"] = columns, found
        return np.asarray(found)

    def take(self, rows: Array) -> Dataset:
        """Return some of the rows, with classes and levels coded as before."""
        return self.edited(
            features=self.features.take(rows), **rows_of(self, ("y", "groups", "weights"), rows)
        )

    def edited(self, **changes: Any) -> Dataset:
        """Return other data than those of the file, which is not read again."""
        how = None if self.how is None else replace(self.how, path=None)
        return replace(self, how=how, **changes)

    def renamed(self, name: str) -> Dataset:
        """Return the same data under another name; the hashes of its rows are kept."""
        return self if name == self.name else replace(self, name=name)

    def unweighted(self) -> Dataset:
        """Return the same data without row weights; their column stays out of the features."""
        if self.weights is None:
            return self
        how = self.how
        if how is not None and how.weight is not None:
            how = replace(how, weight=None, ignore=(*how.ignore, how.weight))
        return replace(self, weights=None, how=how)

    def __repr__(self) -> str:
        more = "..." if len(self.classes) > 4 else ""
        classes = f" ({', '.join(self.classes[:4])}{more})" if self.classes else ""
        size = f"{self.n_rows} rows x {len(self.columns)} columns"
        return f"Dataset({self.name!r}: {size}, {self.task}{classes})"


def rows_of(holder: Any, names: Sequence[str], rows: Array) -> dict[str, Any]:
    """Return some of the rows of each of these arrays, where there is one."""
    arrays = {name: getattr(holder, name) for name in names}
    return {name: None if array is None else array[rows] for name, array in arrays.items()}


def check_unique(names: Iterable[str], advice: str) -> None:
    """Refuse datasets of the same name."""
    if twice := repeated(names):
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; {advice}."
        )


def task_of(classes: tuple[str, ...]) -> str:
    """Return "binary", "multiclass" or "regression"."""
    if not classes:
        return "regression"
    return "binary" if len(classes) == 2 else "multiclass"


def hash_labels(y: Array, classes: tuple[str, ...]) -> Array:
    """Return one hash per label, by class name or value."""
    if classes:
        return pd.util.hash_array(np.array(classes, dtype=object))[y]
    return pd.util.hash_array(y + 0.0)


def hash_rows(features: Features, columns: tuple[str, ...], label_hashes: Array) -> Array:
    """Return one hash per row over some columns and the label."""
    return np.asarray(features.kept_hashes(columns) * np.uint64(31) ^ label_hashes)
