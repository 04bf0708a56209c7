"""Datasets of features and labels held in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from datakin._core.exceptions import DatakinError, announce_reading
from datakin.data.columns import roles
from datakin.data.columns.labels import is_missing
from datakin.data.columns.placeholders import doubt_of_numbers, is_placeholder, may_be_odd
from datakin.data.columns.series import check_finite
from datakin.data.columns.tables import frame_of, numbered
from datakin.data.dataset import ColumnFacts, Dataset
from datakin.data.drafts import Draft, check_known, make_datasets
from datakin.data.features import Array, Features
from datakin.data.origin import Origin

MANY_STORED = 10  # different values that there must be before one is far away from them


def as_dataset(
    X: Any,
    y: Any,
    *,
    name: str | None = None,
    task: str = "auto",
    group: Any = None,
    keep: Sequence[str] = (),
    weights: Any = None,
) -> Dataset:
    """Make a dataset of features and labels held in memory.

    Parameters
    ----------
    X : array, scipy sparse array or data frame of shape (n, p)
    y : array or series of length n
    name : str, optional
    task : {"auto", "binary", "multiclass", "regression"}
    group : array of length n, optional
        Rows with equal values stay in one fold.
    keep : sequence of str
        Columns to use although they look like row ids or copies of the label, as in `read_table`. The
        columns of an array are called x0, x1, ...
    weights : array of length n, optional
        How much each row counts: finite numbers, 0 or above. Used by `choose` and `explain` only.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import numpy as np
    >>> as_dataset(np.eye(30), np.arange(30) % 2, name="toy")
    Dataset('toy': 30 rows x 30 columns, binary (0, 1))
    """
    series = roles.series_of(y, "y")
    if sparse.issparse(X):
        features, facts = _sparse_columns(X)
        labels, facts["y"] = roles.read_labels(series, "y")
    else:
        features, labels, facts = roles.read_labelled(X, None, series, "y")
    n_rows = len(labels)
    if features.n_rows != n_rows:
        raise _not_as_long(features.n_rows, n_rows)
    groups = counts = None
    if group is not None:
        groups = roles.read_keys(_series_beside(labels, group, "group", "value"), "group")[0]
    if weights is not None:
        given = _series_beside(labels, weights, "weights", "number")
        counts = roles.read_weights(given, None, ~is_missing(labels))[0]
    how = Origin("y", task=task, keep=keep)
    check_known(how, features.names)
    draft = Draft(name or "", how, labels, features, groups, facts=facts, weights=counts)
    return announce_reading(make_datasets([draft]))[0]


def _series_beside(labels: Array, values: Any, name: str, noun: str) -> nw.Series[Any]:
    """Return what stands beside labels, one value for each of them."""
    series = roles.series_of(values, name)
    if len(series) != len(labels):
        raise DatakinError(
            f"{name} must have one {noun} per row. Got {len(series)} for {len(labels)} rows."
        )
    return series


def _not_as_long(n_features: int, n_labels: int) -> DatakinError:
    return DatakinError(
        f"X and y must have the same number of rows. Got {n_features} and {n_labels}."
    )


def as_tables(source: Any, label: str | None) -> tuple[Any, str | None]:
    """Return tables instead of pairs (X, y), and the name of the label: that of y if there are pairs.

    A pair may stand alone, or in a mapping or list; anything else stays as it is.
    """
    if isinstance(source, (tuple, list)) and source and all(map(_is_pair, source)):
        source = {f"dataset {i}": each for i, each in enumerate(source, start=1)}
    if _is_pair(source):
        source = {"": source}
    if not isinstance(source, Mapping) or not any(map(_is_pair, source.values())):
        return source, label
    if label not in (None, "y"):
        raise DatakinError(
            f"label= names a column of a table. Got {label!r} and a pair (X, y), whose label is y: "
            f"leave it out."
        )
    return {k: _table_of(*v) if _is_pair(v) else v for k, v in source.items()}, "y"


def _is_pair(source: Any) -> bool:
    """Whether this is (X, y): not two paths, two tables, or two rows of a table."""
    if not isinstance(source, (tuple, list)) or len(source) != 2:
        return False
    X, y = source
    is_column = math.prod(getattr(y, "shape", ())[1:]) == 1
    rows = isinstance(source, tuple) and isinstance(X, (tuple, list))
    return is_column and (hasattr(X, "shape") or rows)


def _table_of(X: Any, y: Any) -> Any:
    """Return features and labels in one table."""
    if sparse.issparse(X):
        raise DatakinError(
            "describe takes tables and dense arrays. Got a sparse X; describe some of its columns, such "
            "as (X[:, :50].toarray(), y)."
        )
    frame, labels = frame_of(X), roles.series_of(y, "y")
    if len(frame) != len(labels):
        raise _not_as_long(len(frame), len(labels))
    if "y" in frame.columns:
        raise DatakinError("The label is called 'y'. Got a column of X of that name; rename it.")
    series = nw.new_series("y", labels.to_list(), backend=frame.implementation)
    return frame.with_columns(series).to_native()


def _sparse_columns(X: Any) -> tuple[Features, dict[str, ColumnFacts]]:
    matrix = sparse.csr_array(X, dtype=float, copy=True)
    # One stored form for each matrix: explicit zeros would otherwise differ from implicit ones.
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if np.isnan(matrix.data).any():
        raise DatakinError("A sparse X must have no missing values; impute them first.")
    check_finite("X (sparse)", matrix.data)
    names, facts = numbered(matrix), {}
    for j in _odd_columns(matrix) if matrix.shape[0] else ():
        doubt = doubt_of_numbers(matrix[:, [j]].toarray()[:, 0], names[j])
        if doubt:
            facts[names[j]] = ColumnFacts("number", doubt=doubt)
    return Features.of_numbers(matrix, names), facts


def _odd_columns(matrix: Any) -> list[int]:
    """Return the columns that are worth a look at all their values, of which most may be 0."""
    lows, highs = (np.ravel(end.toarray()) for end in (matrix.min(axis=0), matrix.max(axis=0)))
    full = matrix.count_nonzero(axis=0) * 2 >= matrix.shape[0]
    # Which columns have no stored value but their ends in the middle of their range.
    columns, room = matrix.indices, (highs - lows) / 3
    middle = (matrix.data > (lows + room)[columns]) & (matrix.data < (highs - room)[columns])
    stored = np.bincount(columns, minlength=matrix.shape[1])
    is_some = np.bincount(columns[middle], minlength=matrix.shape[1]) > 0
    away = ~is_some & (stored >= MANY_STORED)
    return [
        j
        for j, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True))
        if away[j] or ((full[j] or low < 0 or is_placeholder(high)) and may_be_odd(low, high))
    ]
