"""The door: tables, files and arrays in, validated datasets out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from datakin._core.exceptions import DatakinError, DatakinWarning
from datakin._core.notes import together
from datakin.data.build import Draft, build
from datakin.data.columns import check_finite, read_column, without_blanks
from datakin.data.dataset import Dataset
from datakin.data.features import Array
from datakin.data.files import stem
from datakin.data.frames import Opened, frame_of
from datakin.data.origin import Origin
from datakin.data.roles import (
    Roles,
    check_ignored,
    make_draft,
    split_by_domain,
    warn_of_shared_groups,
)

__all__ = ["as_dataset", "read_table", "read_tables"]

MAX_ROWS = 200_000  # a file with more rows is sampled


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
    max_rows: int | None = MAX_ROWS,
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
    max_rows : int, optional
        Of a file (or parts) with more rows, this many are drawn at random, which is said; None
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
    table = roles.opener(delimiter, max_rows).one(source)
    check_ignored(roles, [table])
    if name is None:
        name = stem(source) if isinstance(source, (str, os.PathLike)) else ""
    drafts = [make_draft(table.frame, name, roles)]
    datasets = build(drafts, task=task, label_map=label_map, positive=positive)
    datasets = _with_notes(datasets, {name: table.notes})
    _announce(datasets)
    how = {"positive": positive, "label_map": label_map, "delimiter": delimiter}
    return _with_origin(datasets[0], table, roles, {**how, "max_rows": max_rows})


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
    max_rows: int | None = MAX_ROWS,
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
    max_rows : int, optional
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
    tables = roles.opener(delimiter, max_rows).several(source, together=domain is not None)
    check_ignored(roles, [table for _, table in tables])
    if domain is None:
        drafts = [make_draft(table.frame, name, roles) for name, table in tables]
        notes = {name: table.notes for name, table in tables}
    elif len(tables) == 1:
        drafts = split_by_domain(make_draft(tables[0][1].frame, tables[0][0], roles), roles)
        notes = {draft.name: tables[0][1].notes for draft in drafts}
    else:
        raise DatakinError(
            f"domain={domain!r} splits one table. Got {len(tables)} tables; "
            f"leave domain out, or put the tables into one."
        )
    left_out: dict[str, str] = {}
    datasets = build(
        drafts,
        task=task,
        label_map=label_map,
        positive=positive,
        left_out=None if domain is None else left_out,
    )
    if left_out:
        warnings.warn(
            f"{len(left_out)} of {len(drafts)} values of {domain!r} were left out: "
            f"{' '.join(list(left_out.values())[:3])}{' ...' if len(left_out) > 3 else ''}",
            DatakinWarning,
            stacklevel=2,
        )
    if domain is not None:
        kept = {dataset.name for dataset in datasets}
        warn_of_shared_groups([d for d in drafts if d.name in kept], roles, stacklevel=3)
    datasets = _with_notes(datasets, notes)
    _announce(datasets)
    opened = dict(tables) if domain is None else {d.name: tables[0][1] for d in datasets}
    how = {"positive": positive, "label_map": label_map, "delimiter": delimiter}
    how |= {"max_rows": max_rows} | ({} if domain is None else {"task": task})
    return {d.name: _with_origin(d, opened[d.name], roles, how) for d in datasets}


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
    if sparse.issparse(X):
        draft = _sparse_draft(X, labels, name or "")
    else:
        frame = frame_of(X)
        columns = {str(c): read_column(frame[c], str(c)) for c in frame.columns}
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
    datasets = build([draft], task=task)
    _announce(datasets)
    return datasets[0]


def _with_origin(dataset: Dataset, table: Opened, roles: Roles, how: dict[str, Any]) -> Dataset:
    """Note how a dataset can be read again, if it came from a file."""
    if table.path is None:
        return dataset
    options = {"label": roles.label, "ignore": roles.ignore, "group": roles.group, **how}
    if roles.domain is None:
        return replace(dataset, origin=Origin(table.path, {**options, "task": dataset.task}))
    return replace(
        dataset, origin=Origin(table.path, {**options, "domain": roles.domain}, dataset.name)
    )


def _names(names: Sequence[str]) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)


def _vector(values: Any, what: str) -> Array:
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


def _sparse_draft(X: Any, labels: Array, name: str) -> Draft:
    matrix = sparse.csr_array(X, dtype=float, copy=True)
    # One stored form for each matrix: explicit zeros would otherwise differ from implicit ones.
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if np.isnan(matrix.data).any():
        raise DatakinError("A sparse X must have no missing values; impute them first.")
    check_finite("X (sparse)", matrix.data)
    return Draft(name, "y", labels, {}, matrix=matrix)


def _with_notes(datasets: list[Dataset], notes: Mapping[str, tuple[str, ...]]) -> list[Dataset]:
    return [replace(d, notes=(*notes[d.name], *d.notes)) for d in datasets]


def _announce(datasets: Iterable[Dataset]) -> None:
    """Warn once for each kind of note, naming the datasets it is about."""
    for line in together((dataset.name, note) for dataset in datasets for note in dataset.notes):
        warnings.warn(line, DatakinWarning, stacklevel=3)
