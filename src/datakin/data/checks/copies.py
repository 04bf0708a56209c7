"""Rows that stand twice, within one dataset or in two: copies, or chance?"""

from __future__ import annotations

import numpy as np

from datakin._core.exceptions import SERIOUS, Note
from datakin.data.dataset import hash_labels, hash_rows
from datakin.data.features import Array, Features

__all__ = ["chance_of_a_copy", "repeated_rows", "repeated_share"]

MANY = 0.1  # share of rows with a copy in the same dataset from which they are noted
RICH = 20  # a column with more different values than this is not a code
TIMES = 5  # columns hang together, so that rows coincide more often than independent ones would


def repeated_share(hashes: Array) -> float:
    """Return the share of rows that have a copy in their own dataset.

    Examples
    --------
    >>> repeated_share(np.array([1, 1, 2, 3]))
    0.5
    """
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return float(np.mean(counts[inverse] > 1))


def repeated_rows(features: Features, y: Array, classes: tuple[str, ...]) -> list[str]:
    """Return a note when rows repeat in a table with so many values that it is not chance."""
    if features.is_sparse:
        return []
    labels = hash_labels(y, classes)
    hashes = hash_rows(features, features.names, labels)
    copies = round(repeated_share(hashes) * len(y))
    if copies < MANY * len(y) or not _has_rich_column(features):
        return []
    if copies <= TIMES * len(y) * chance_of_a_copy(features, features.names, labels, len(y) - 1):
        return []
    text = (
        f"{copies} of {len(y)} rows have a copy in the same dataset, so that its own error "
        f"looks smaller than it is (consider group=, --group, or drop copies)"
    )
    return [Note(text, SERIOUS)]


def _has_rich_column(features: Features) -> bool:
    columns = [*features.numeric.T, *features.codes.T]
    return any(len(np.unique(column)) > RICH for column in columns)


def chance_of_a_copy(
    features: Features, columns: tuple[str, ...], labels: Array, n_others: int
) -> float:
    """Return the share of rows that would have a copy among others if columns were independent.

    Parameters
    ----------
    features : Features
    columns : tuple of str
        The columns that are compared, beside the label.
    labels : ndarray
        A hash of each label.
    n_others : int
        Number of rows in which copies are looked for.
    """
    if features.is_sparse:
        return 0.0
    chance = _share_of_value(labels)
    for name in columns:
        if name in features.numeric_names:
            values = features.numeric[:, features.numeric_names.index(name)]
        else:
            values = features.codes[:, features.category_names.index(name)]
        chance = chance * _share_of_value(values)
        if n_others * chance.max() < 1e-3:
            return 0.0
    return float(np.mean(-np.expm1(n_others * np.log1p(-np.minimum(chance, 1 - 1e-12)))))


def _share_of_value(values: Array) -> Array:
    """Return, for each row, the share of the other rows with its value: 0 for what stands once."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts[inverse] - 1) / max(1, len(values) - 1))
