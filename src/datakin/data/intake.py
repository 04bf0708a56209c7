"""The door: tables, files and arrays in, validated datasets out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from datakin._core.exceptions import DatakinError, DatakinWarning, listed, suggest
from datakin.data.build import Draft, build
from datakin.data.columns import check_finite, read_column, read_labels, without_blanks
from datakin.data.dataset import Dataset
from datakin.data.features import Array
from datakin.data.files import stem
from datakin.data.frames import Opened, Opener, frame_of
from datakin.data.labels import canonical_label, is_missing, sort_classes
from datakin.data.origin import Origin

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["as_dataset", "check_names", "coerce", "collect", "read_table", "read_tables"]

MAX_ROWS = 200_000  # a file with more rows is sampled


@dataclass(frozen=True)
class _Roles:
    """Which column plays which part."""

    label: str
    ignore: tuple[str, ...] = ()
    group: str | None = None
    domain: str | None = None

    def opener(self, delimiter: str, max_rows: Any) -> Opener:
        """Return how to open tables: ignored columns of a Parquet file are not even read."""
        if max_rows is not None and (
            isinstance(max_rows, bool) or not isinstance(max_rows, Integral) or max_rows < 1
        ):
            raise DatakinError(
                f"The 'max_rows' parameter must be a whole number above 0, or None for all rows. "
                f"Got {max_rows!r} instead."
            )
        skip = frozenset(self.ignore) - {self.label, self.group, self.domain}
        return Opener(delimiter, None if max_rows is None else int(max_rows), skip)


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
    roles = _Roles(str(label), _names(ignore), group)
    table = roles.opener(delimiter, max_rows).one(source)
    _check_ignored(roles, [table])
    if name is None:
        name = stem(source) if isinstance(source, (str, os.PathLike)) else ""
    drafts = [_draft(table.frame, name, roles)]
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
    roles = _Roles(str(label), _names(ignore), group, domain)
    tables = roles.opener(delimiter, max_rows).several(source, together=domain is not None)
    _check_ignored(roles, [table for _, table in tables])
    if domain is None:
        drafts = [_draft(table.frame, name, roles) for name, table in tables]
        notes = {name: table.notes for name, table in tables}
    elif len(tables) == 1:
        drafts = _split(_draft(tables[0][1].frame, tables[0][0], roles), roles)
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


def coerce(data: Any, name: str = "") -> Dataset:
    """Return a Dataset for a Dataset or an (X, y) pair, naming it when it has no name."""
    if isinstance(data, Dataset):
        return data if data.name else data.renamed(name)
    if isinstance(data, (tuple, list)) and len(data) == 2:
        return as_dataset(data[0], data[1], name=name)
    raise DatakinError(
        f"A dataset must be a Dataset or a pair (X, y). Got {type(data).__name__}; "
        f"read tables and files with datakin.read_table(table, label=...)."
    )


def collect(data: Any, stem: str) -> list[Dataset]:
    """Return the datasets of a list or mapping; a mapping's keys are their names."""
    if isinstance(data, Mapping):
        return [coerce(d, str(name)).renamed(str(name)) for name, d in data.items()]
    if isinstance(data, (list, tuple)):
        return [coerce(d, f"{stem} {i}") for i, d in enumerate(data, start=1)]
    raise DatakinError(
        f"Several datasets must come as a list, or as a mapping of name to dataset. "
        f"Got {type(data).__name__}."
    )


def check_names(datasets: Sequence[Dataset]) -> None:
    """Refuse datasets of the same name."""
    names = [d.name for d in datasets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; "
            f"pass name= when reading them, or a mapping of name to dataset."
        )


def _with_origin(dataset: Dataset, table: Opened, roles: _Roles, how: dict[str, Any]) -> Dataset:
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


def _need(frame: nw.DataFrame[Any], name: str, role: str, table: str) -> None:
    if not frame.columns:
        raise DatakinError(f"The table {table!r} must have columns. Got no column.")
    if name not in frame.columns:
        where = f" of {table!r}" if table else ""
        raise DatakinError(
            f"The {role} column {name!r} must be one of the columns{where}: "
            f"{listed(frame.columns, limit=12)}.{suggest(name, frame.columns)}"
        )


def _with_notes(datasets: list[Dataset], notes: Mapping[str, tuple[str, ...]]) -> list[Dataset]:
    return [replace(d, notes=(*notes[d.name], *d.notes)) for d in datasets]


def _check_ignored(roles: _Roles, tables: Sequence[Opened]) -> None:
    """Refuse an ignored column that no table has; not every file need have it."""
    known = dict.fromkeys(name for table in tables for name in table.columns)
    for name in roles.ignore:
        if known and name not in known:
            raise DatakinError(
                f"The ignored column {name!r} must be one of the columns: "
                f"{listed(known, limit=12)}.{suggest(name, known)}"
            )


def _draft(frame: nw.DataFrame[Any], name: str, roles: _Roles) -> Draft:
    _need(frame, roles.label, "label", name)
    for role, column in (("group", roles.group), ("domain", roles.domain)):
        if column is not None:
            _need(frame, column, role, name)
            if column == roles.label:
                raise DatakinError(
                    f"The {role} column must differ from the label. Got {column!r} for both."
                )
    taken = {roles.label, roles.group, roles.domain, *roles.ignore}
    columns = {c: read_column(frame[c], c) for c in frame.columns if c not in taken}
    return Draft(
        name,
        roles.label,
        read_labels(frame[roles.label]),
        columns,
        groups=None if roles.group is None else read_labels(frame[roles.group]),
        domains=None if roles.domain is None else read_labels(frame[roles.domain]),
    )


def _split(draft: Draft, roles: _Roles) -> list[Draft]:
    assert draft.domains is not None
    missing = is_missing(draft.domains)
    spelled = np.array([canonical_label(v) for v in draft.domains], dtype=object)
    names = list(pd.unique(spelled[~missing]))
    if missing.any():
        warnings.warn(
            f"{int(missing.sum())} of {len(missing)} rows have no {roles.domain!r} and were dropped.",
            DatakinWarning,
            stacklevel=4,
        )
    if len(names) < 2:
        raise DatakinError(
            f"The domain column {roles.domain!r} must have at least two values. "
            f"Got {listed(names) or 'none'}."
        )
    rows = [np.flatnonzero(~missing & (spelled == v)) for v in sort_classes(names)]
    return [draft.take(r, name=v) for r, v in zip(rows, sort_classes(names), strict=True)]


def _announce(datasets: Iterable[Dataset]) -> None:
    """Warn once for each kind of note, naming the datasets it is about."""
    where: dict[str, list[str]] = {}
    for dataset in datasets:
        for note in dataset.notes:
            where.setdefault(note, []).append(dataset.name)
    for note, names in where.items():
        named = [name for name in names if name]
        head = f"{', '.join(named[:4])}{f' and {len(named) - 4} more' if len(named) > 4 else ''}: "
        warnings.warn((head if named else "") + note, DatakinWarning, stacklevel=3)
