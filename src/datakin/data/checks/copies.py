"""Rows that stand twice, within one dataset or in two: copies, or chance?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from datakin._core.exceptions import SERIOUS, Note
from datakin.data.dataset import Dataset, hash_labels, hash_rows
from datakin.data.features import Array, Features

MANY = 0.1  # share of rows with a copy in the same dataset from which they are noted
RICH = 20  # a column with more different values than this is not a code
MOST = 20  # columns with which another one may hang together, those of most values first
TIMES = 5  # columns hang together, so that rows coincide more often than independent ones would


def repeated_share(hashes: Array) -> float:
    """Return the share of rows that have a copy in their own dataset.

    Examples
    --------
    >>> repeated_share(np.array([1, 1, 2, 3]))
    0.5
    """
    return float(pd.Series(hashes).duplicated(keep=False).mean())


def repeated_rows(features: Features, y: Array, classes: tuple[str, ...]) -> list[str]:
    """Return a note when rows repeat in a table with so many values that it is not chance."""
    if features.is_sparse:
        return []
    labels = hash_labels(y, classes)
    share = repeated_share(hash_rows(features, features.names, labels))
    if share < MANY or not _are_copies(share, features, features.names, labels):
        return []
    text = (
        f"{round(share * len(y))} of {len(y)} rows have a copy in the same dataset, so that its own "
        f"error looks smaller than it is (consider group=, --group, or drop copies)"
    )
    return [Note(text, SERIOUS)]


def copied_share(dataset: Dataset) -> float:
    """Return the share of rows that have a copy in their own dataset, 0 where rows coincide by chance."""
    columns, labels = dataset.columns, dataset.label_hashes
    share = repeated_share(dataset.row_hashes(columns))
    return share if share and _are_copies(share, dataset.features, columns, labels) else 0.0


def _are_copies(share: float, features: Features, columns: tuple[str, ...], labels: Array) -> bool:
    """Whether a table has too many values for so many of its rows to repeat by chance."""
    return (
        any(len(np.unique(values)) > RICH for values in _values(features, columns))
        and share > TIMES * chance_of_a_copy(features, columns, labels, len(labels) - 1)
        and share > TIMES * _chance_of_different_rows(features, columns, labels)
    )


def _chance_of_different_rows(features: Features, columns: tuple[str, ...], labels: Array) -> float:
    """Return the share of rows that would have a copy, as the rows that differ let one expect.

    Columns may hang together, as an age and a year of birth do. Of two rows that differ, how often do
    they agree in a column, and how often if they agree in another one? Numbers with many digits never
    do, whatever is copied, so that copies do not pass for chance.
    """
    if features.is_sparse:
        return 0.0
    first = np.unique(hash_rows(features, columns, labels), return_index=True)[1]
    every = [*_values(features, columns), labels]
    every = [np.unique(values[first], return_inverse=True)[1] for values in every]
    every.sort(key=_agreement)
    chance = 1.0
    for k, values in enumerate(every):
        # Of those that agree in another column, the share of pairs with the same code.
        within = [
            _pairs(others * (values.max() + 1) + values) / max(1.0, _pairs(others))
            for others in every[: min(k, MOST)]
        ]
        chance *= max([_agreement(values), *within])
        if len(labels) * chance < 1e-3:
            return 0.0
    return float(-np.expm1(-len(labels) * chance))


def _agreement(codes: Array) -> float:
    """Return the share of pairs of rows that have the same code, if one more pair had it."""
    return (1 + _pairs(codes)) / max(1.0, len(codes) * (len(codes) - 1) / 2)


def _pairs(codes: Array) -> float:
    counts = np.unique(codes, return_counts=True)[1].astype(float)
    return float(np.sum(counts * (counts - 1)) / 2)


def _values(features: Features, names: tuple[str, ...]) -> list[Array]:
    """Return the values of some columns, numbers first; of a sparse block what it stores of each column."""
    if features.is_sparse:
        block = features.numeric.tocsc()
        return np.split(block.data, block.indptr[1:-1])
    wanted = set(names)
    return [values for name, values in features.columns() if name in wanted]


def chance_by_repeats(
    features: Features, columns: tuple[str, ...], labels: Array, rows: Array
) -> float:
    """Return the share of rows that repeat in their own dataset, 0 if they are copies of each other.

    Compared are some columns and the label; `labels` and `rows` are hashes, of all rows or of some.
    """
    _, inverse, counts = np.unique(rows, return_inverse=True, return_counts=True)
    counts = counts // np.gcd.reduce(counts)  # all of them twice: the table stands there twice
    share = float(np.mean(counts[inverse] > 1))
    return 0.0 if share and _are_copies(share, features, columns, labels) else share


def chance_of_a_copy(
    features: Features, columns: tuple[str, ...], labels: Array, n_others: int
) -> float:
    """Return the share of rows that would have a copy among others if columns were independent.

    What is compared is as in `chance_by_repeats`.
    """
    if features.is_sparse:
        return 0.0
    chance = np.ones(len(labels))
    for values in [labels, *_values(features, columns)]:
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        # The share of the other rows with this row's value: 0 for what stands once.
        chance = chance * ((counts[inverse] - 1) / max(1, len(values) - 1))
        if n_others * chance.max() < 1e-3:
            return 0.0
    return float(np.mean(-np.expm1(n_others * np.log1p(-np.minimum(chance, 1 - 1e-12)))))
