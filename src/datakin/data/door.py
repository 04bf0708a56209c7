"""The door: tables, files and arrays in, checked datasets out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np
from scipy import sparse

from datakin._core.exceptions import DatakinError, together, warn
from datakin.data.checks import make_datasets
from datakin.data.columns import Block, check_finite, read_columns, without_blanks
from datakin.data.dataset import Dataset, Origin
from datakin.data.draft import (
    Draft,
    Roles,
    check_ignored,
    make_draft,
    split_by_domain,
    warn_of_shared_groups,
)
from datakin.data.features import Array
from datakin.data.files import open_table, open_tables, stem
from datakin.data.labels import Labelling
from datakin.data.tables import FileOptions, Table, numbered

__all__ = ["as_dataset", "read_table", "read_tables"]

READ_ROWS = 200_000  # a file with more rows is sampled

P = ParamSpec("P")
R = TypeVar("R")


def _says_read_rows(reader: Callable[P, R]) -> Callable[P, R]:
    """Refuse ``max_rows``, which is an option of scores, with the name that is meant."""

    @wraps(reader)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        if "max_rows" in options:
            raise DatakinError(
                f"{reader.__name__} has no option 'max_rows'. Rows to draw from a larger file are "
                f"'read_rows'; 'max_rows' is an option of score, rank and matrix."
            )
        return reader(*args, **options)

    return checked


@_says_read_rows
def read_table(
    source: Any,
    *,
    label: str,
    ignore: Sequence[str] = (),
    group: str | None = None,
    positive: Any = None,
    name: str | None = None,
    task: str = "auto",
    label_map: Mapping[Any, Any] | None = None,
    delimiter: str = ",",
    read_rows: int | None = READ_ROWS,
) -> Dataset:
    """Read one labelled table.

    Parameters
    ----------
    source : path or data frame
        csv, csv.gz, parquet or feather; or a pandas, polars or pyarrow table. A folder or glob of
        Parquet files is one table in parts, which must have the same columns.
    label : str
        The column to predict.
    ignore : sequence of str
        Columns to leave out (row ids, columns that give the label away).
    group : str, optional
        Column whose equal values stay in one fold, such as a patient id. Not a feature.
    positive : optional
        The positive class, or a list of its spellings; labels become 1 (positive) and 0 (other).
    name : str, optional
        How results call the dataset; the file's name by default.
    task : {"auto", "binary", "multiclass", "regression"}
    label_map : mapping, optional
        Old label -> new label, for datasets that code the same classes differently.
    delimiter : str
        Separator of a csv file.
    read_rows : int, optional
        Of a file (or parts) with more rows, this many are drawn at random, with a warning; None
        for all rows. The file may be larger than memory and in any order; the same file gives the
        same rows. Tables in memory are taken as they are.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [40, 63, 51, 72] * 10, "died": [0, 1] * 20})
    >>> read_table(frame, label="died", name="icu")
    Dataset('icu': 40 rows x 1 columns, binary (0, 1))
    """
    roles = Roles(str(label), _names(ignore), group)
    labelling = Labelling(task, label_map, positive)
    table = open_table(source, _file_options(roles, delimiter, read_rows))
    check_ignored(roles, [table])
    if name is None:
        name = stem(source) if isinstance(source, (str, os.PathLike)) else ""
    origin = _origin(table, roles, labelling, {"delimiter": delimiter, "read_rows": read_rows})
    datasets = make_datasets([make_draft(table, name, roles, origin)], labelling)
    _announce(datasets)
    return datasets[0]


@_says_read_rows
def read_tables(
    source: Any,
    *,
    label: str,
    domain: str | None = None,
    ignore: Sequence[str] = (),
    group: str | None = None,
    positive: Any = None,
    task: str = "auto",
    label_map: Mapping[Any, Any] | None = None,
    delimiter: str = ",",
    read_rows: int | None = READ_ROWS,
) -> dict[str, Dataset]:
    """Read several labelled tables, or split one into a dataset per value of a column.

    Parameters
    ----------
    source : path, glob, list of paths, mapping of name to table, or one table
        Each file of a glob, or of a folder given alone, is a dataset. A folder of Parquet files among
        several paths, or with `domain`, is one table in parts.
    domain : str, optional
        Column of one table whose values name the datasets, such as a hospital id. Values with too
        few rows or one class are left out with a warning.
    label, ignore, group, positive, task, label_map, delimiter
        As in `read_table`.
    read_rows : int, optional
        As in `read_table`, for each file. With `domain` the rows are drawn from the whole file, so
        that a value keeps its share of them and a rare one may be left with too few.

    Returns
    -------
    dict of str to Dataset
        In file order, or in the order of the domain's values.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": range(80), "site": ["a", "b"] * 40, "died": [0, 1, 1, 0] * 20})
    >>> sorted(read_tables(frame, label="died", domain="site"))
    ['a', 'b']
    """
    roles = Roles(str(label), _names(ignore), group, domain)
    labelling = Labelling(task, label_map, positive)
    options = _file_options(roles, delimiter, read_rows)
    tables = open_tables(source, options, together=domain is not None)
    check_ignored(roles, [table for _, table in tables])
    if domain is not None and len(tables) != 1:
        raise DatakinError(
            f"domain={domain!r} splits one table. Got {len(tables)} tables; "
            f"leave domain out, or put the tables into one."
        )
    how = {"delimiter": delimiter, "read_rows": read_rows}
    drafts = [
        make_draft(table, name, roles, _origin(table, roles, labelling, how))
        for name, table in tables
    ]
    if domain is None:
        datasets = make_datasets(drafts, labelling)
    else:
        datasets = _split(drafts[0], roles, labelling)
    _announce(datasets)
    return {dataset.name: dataset for dataset in datasets}


def as_dataset(
    X: Any,
    y: Any,
    *,
    name: str | None = None,
    task: str = "auto",
    group: Any = None,
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
    columns = _sparse_block(X) if sparse.issparse(X) else read_columns(X)
    draft = Draft(name or "", "y", labels, columns)
    if draft.n_rows != len(labels):
        raise DatakinError(
            f"X and y must have the same number of rows. Got {draft.n_rows} and {len(labels)}."
        )
    if group is not None:
        groups = _vector(group, "group")
        if len(groups) != len(labels):
            raise DatakinError(
                f"group must have one value per row. Got {len(groups)} for {len(labels)} rows."
            )
        draft = replace(draft, groups=groups)
    datasets = make_datasets([draft], Labelling(task))
    _announce(datasets)
    return datasets[0]


def _file_options(roles: Roles, delimiter: str, read_rows: Any) -> FileOptions:
    """Return how to read files: ignored columns of a Parquet file are not even read."""
    if read_rows is not None and (
        isinstance(read_rows, bool) or not isinstance(read_rows, Integral) or read_rows < 1
    ):
        raise DatakinError(
            f"The 'read_rows' parameter must be a whole number above 0, or None for all rows. "
            f"Got {read_rows!r} instead."
        )
    return FileOptions(delimiter, None if read_rows is None else int(read_rows), roles.unread)


def _origin(table: Table, roles: Roles, labelling: Labelling, how: dict[str, Any]) -> Origin | None:
    """Return how a dataset can be read again, None if it did not come from a file."""
    if table.path is None:
        return None
    options = {"label": roles.label, "ignore": roles.ignore, "group": roles.group, **how}
    options |= {"positive": labelling.positive, "label_map": labelling.label_map}
    if roles.domain is not None:
        options |= {"domain": roles.domain}
    return Origin(table.path, {**options, "task": labelling.task})


def _split(draft: Draft, roles: Roles, labelling: Labelling) -> list[Dataset]:
    """Return a dataset for each value of the domain column that can be used."""
    assert roles.domain is not None
    parts = split_by_domain(draft, roles.domain)
    left_out: dict[str, str] = {}
    datasets = make_datasets(parts, labelling, left_out)
    if left_out:
        warn(
            f"{len(left_out)} of {len(parts)} values of {roles.domain!r} were left out: "
            f"{' '.join(list(left_out.values())[:3])}{' ...' if len(left_out) > 3 else ''}"
        )
    warn_of_shared_groups([part for part in parts if part.name not in left_out], roles)
    return datasets


def _names(names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)


def _vector(values: Any, what: str) -> Array:
    """Return labels or groups as floats, or as objects with None where a value is missing."""
    if hasattr(values, "to_list"):
        values = values.to_list()
    # A list as objects: numpy would turn None, NaN and numbers beside words into words.
    array = np.asarray(values, dtype=object if isinstance(values, (list, tuple)) else None)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DatakinError(f"{what} must be one column. Got an array of shape {array.shape}.")
    if array.dtype.kind in "iuf":
        return array.astype(float)
    objects = without_blanks(array.astype(object))
    if all(isinstance(v, Real) and not isinstance(v, bool) for v in objects if v is not None):
        return np.array([np.nan if v is None else v for v in objects], dtype=float)
    return objects


def _sparse_block(X: Any) -> Block:
    matrix = sparse.csr_array(X, dtype=float, copy=True)
    # One stored form for each matrix: explicit zeros would otherwise differ from implicit ones.
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if np.isnan(matrix.data).any():
        raise DatakinError("A sparse X must have no missing values; impute them first.")
    check_finite("X (sparse)", matrix.data)
    return Block(matrix, numbered(matrix))


def _announce(datasets: Iterable[Dataset]) -> None:
    """Warn once for each kind of note, naming the datasets it is about."""
    for line in together((dataset.name, note) for dataset in datasets for note in dataset.notes):
        warn(line)
