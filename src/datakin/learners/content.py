"""The rows, classes and groups of a dataset in an order that follows from what they hold.

What is learned then does not depend on the order of rows, nor on names, units or the order of columns: rows
are told apart by the ranks of their values within each column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from datakin.data import Dataset
from datakin.data.features import Array, Features
from datakin.learners.encoding import laid_out

FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True, eq=False)
class Arranged:
    """The rows of a dataset in the order of their content.

    Attributes
    ----------
    whole : Dataset
        The dataset as it is.
    order : ndarray of shape (n,)
        Its rows, sorted by label and then by what they hold.
    classes : ndarray of int
        The position of each class when classes are sorted by what their rows hold; empty for regression.
    y, groups : ndarray
        Labels and groups in the order of content; groups are numbered as they come.
    """

    whole: Dataset
    order: Array
    classes: Array
    y: Array
    groups: Array | None

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset with rows, classes and groups in this order."""
        names = tuple(self.whole.classes[k] for k in np.argsort(self.classes))
        found = self.whole.take(self.order)
        return replace(found, y=self.y, classes=names, groups=self.groups, group_names=())

    @property
    def place(self) -> Array:
        """Where each row of the dataset stands in this order."""
        return np.argsort(self.order)


def arranged(dataset: Dataset) -> Arranged:
    """Return a dataset in the order of its content, found once; rows that are equal keep their order."""
    if "arranged" not in dataset.kept:
        dataset.kept["arranged"] = _arranged(dataset)
    found: Arranged = dataset.kept["arranged"]
    return found


def _arranged(dataset: Dataset) -> Arranged:
    marks, y, classes, groups = row_marks(dataset.features), dataset.y, np.arange(0), dataset.groups
    if groups is not None:
        marks = _mixed(marks + _mixed(_sums(marks, groups, int(groups.max()) + 1)[groups]))
    if dataset.classes:
        by_content = np.argsort(_sums(marks, y, len(dataset.classes)), kind="stable")
        classes = np.argsort(by_content)
        y = classes[y]
    order = np.lexsort((marks, y))
    if groups is not None:
        _, first, codes = np.unique(groups[order], return_index=True, return_inverse=True)
        groups = np.argsort(np.argsort(first))[codes]
    return Arranged(dataset, order, classes, y[order], groups)


def row_marks(features: Features) -> Array:
    """Return a number for each row that tells what it holds: 64 bits, whatever the names of columns.

    Where a sparse matrix is too large to be laid out, columns are told apart by name, and values count.
    """
    features = laid_out(features)
    if features.is_sparse:
        return features.kept_hashes(features.names)
    columns = [_ranks(column) for column in features.numeric.T]
    for codes, levels in zip(features.codes.T, features.levels, strict=True):
        names = pd.util.hash_array(np.array([*levels, ""], dtype=object))
        columns.append(_mixed(names[codes]))
    # First without telling columns apart; then a column is known by the rows its values stand in.
    rough = np.zeros(features.n_rows, dtype=np.uint64)
    for column in columns:
        rough += column
    rough = _mixed(rough)
    marks = np.zeros_like(rough)
    for column in columns:
        marks += _mixed(column + np.sum(_mixed(column ^ rough), dtype=np.uint64))
    return marks


def _ranks(column: Array) -> Array:
    """Return marks of the ranks of numbers; all missing ones have the same."""
    return _mixed(np.unique(column, return_inverse=True)[1].astype(np.uint64))


def _sums(marks: Array, codes: Array, n: int) -> Array:
    """Return the sum of the marks of the rows of each code."""
    found = np.zeros(n, dtype=np.uint64)
    np.add.at(found, codes, _mixed(marks))
    return found


def _mixed(marks: Array) -> Array:
    """Return numbers of 64 bits, scattered (the last steps of SplitMix64)."""
    marks = (marks ^ (marks >> np.uint64(30))) * FIRST
    marks = (marks ^ (marks >> np.uint64(27))) * SECOND
    return np.asarray(marks ^ (marks >> np.uint64(31)))
