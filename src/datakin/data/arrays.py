"""Datasets of features and labels held in memory."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from datakin._core.exceptions import DatakinError, announce_reading, listed, suggest
from datakin.data.dataset import Dataset, Origin
from datakin.data.drafts import Draft, make_datasets, names_of
from datakin.data.features import Array, Features
from datakin.data.tables import check_finite, numbered, read_columns, without_blanks

__all__ = ["as_dataset"]

EXACT = 2**53  # whole numbers beyond are not all floats


def as_dataset(
    X: Any,
    y: Any,
    *,
    name: str | None = None,
    task: str = "auto",
    group: Any = None,
    keep: Sequence[str] = (),
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

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import numpy as np
    >>> as_dataset(np.eye(30), np.arange(30) % 2, name="toy")
    Dataset('toy': 30 rows x 30 columns, binary (0, 1))
    """
    labels = _vector(y, "y")
    features = _sparse_features(X) if sparse.issparse(X) else read_columns(X)
    if features.n_rows != len(labels):
        raise DatakinError(
            f"X and y must have the same number of rows. Got {features.n_rows} and {len(labels)}."
        )
    groups = None if group is None else _vector(group, "group")
    if groups is not None and len(groups) != len(labels):
        raise DatakinError(
            f"group must have one value per row. Got {len(groups)} for {len(labels)} rows."
        )
    how = Origin("y", task=task, keep=names_of(keep))
    unknown = [each for each in how.keep if each not in features.names]
    if unknown:
        raise DatakinError(
            f"The kept column {unknown[0]!r} must be one of the columns: "
            f"{listed(features.names, limit=12)}.{suggest(unknown[0], features.names)}"
        )
    draft = Draft(name or "", how, labels, features, groups)
    return announce_reading(make_datasets([draft]))[0]


def _vector(values: Any, what: str) -> Array:
    """Return labels or groups as floats, or as objects with None where a value is missing."""
    if isinstance(values, np.ma.MaskedArray):  # what is masked is missing
        values = np.ma.filled(values.astype(object), None)
    if hasattr(values, "to_list"):
        values = values.to_list()
    # A list as objects: numpy would turn None, NaN and numbers beside words into words.
    array = np.asarray(values, dtype=object if isinstance(values, (list, tuple)) else None)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DatakinError(
            f"{what} must be one column. Got an array of shape {array.shape}"
            f"{'; several labels at once are not for datakin: take one' if what == 'y' else ''}."
        )
    if array.dtype.kind in "mM" and what == "y":
        raise DatakinError(
            f"y must hold numbers, booleans or text. Got {array.dtype}; convert it first, such as to "
            f"days since a date."
        )
    if array.dtype.kind == "f" or (array.dtype.kind in "iu" and _are_exact(array)):
        return array.astype(float)
    objects = without_blanks(array.astype(object))
    given = [value for value in objects if value is not None]
    are_numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in given)
    if are_numbers and _are_exact([v for v in given if isinstance(v, Integral)]):
        return np.array([np.nan if v is None else v for v in objects], dtype=float)
    return objects


def _are_exact(numbers: Any) -> bool:
    """Whether whole numbers stay apart as floats."""
    return not len(numbers) or (int(np.max(numbers)) <= EXACT and int(np.min(numbers)) >= -EXACT)


def _sparse_features(X: Any) -> Features:
    matrix = sparse.csr_array(X, dtype=float, copy=True)
    # One stored form for each matrix: explicit zeros would otherwise differ from implicit ones.
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if np.isnan(matrix.data).any():
        raise DatakinError("A sparse X must have no missing values; impute them first.")
    check_finite("X (sparse)", matrix.data)
    return Features.of_numbers(matrix, numbered(matrix))
