"""The door: tables, files and arrays in, checked datasets out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd
from scipy import sparse

from datakin._core.exceptions import DatakinError, DatakinWarning, listed, together, warn
from datakin.data.columns import check_finite
from datakin.data.dataset import Dataset, Origin
from datakin.data.drafts import Draft, check_ignored, make_datasets, make_draft
from datakin.data.features import Features
from datakin.data.files import open_table, open_tables
from datakin.data.labels import canonical_label, is_missing, sort_classes
from datakin.data.roles import check_label, read_keys, read_labels, series_of
from datakin.data.tables import numbered, read_columns

__all__ = ["SharedGroups", "as_dataset", "read_table", "read_tables"]

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
    keep: Sequence[str] = (),
    group: str | None = None,
    positive: Any = None,
    name: str | None = None,
    task: str = "auto",
    label_map: Mapping[Any, Any] | None = None,
    rename: Mapping[str, Any] | None = None,
    recode: Mapping[str, Any] | None = None,
    convert: Mapping[str, Any] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    table: str | None = None,
    query: str | None = None,
    read_rows: int | None = READ_ROWS,
) -> Dataset:
    """Read one labelled table.

    Parameters
    ----------
    source : path, database URL or data frame
        Text (.csv, .tsv, .txt, also as .gz or .zip; ``"-"`` for standard input), Parquet, Feather,
        a sheet of .xlsx, .xls or .ods, a table of a SQLite or DuckDB file or of a database
        (``"postgresql://..."``); or a pandas, polars or pyarrow table. A folder or glob of Parquet
        files is one table in parts, which must have the same columns.
    label : str
        The column to predict.
    ignore : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to use although they look like row ids, copies of the label or codes of the dataset,
        which are left out otherwise.
    group : str, optional
        Column whose equal values stay in one fold, such as a patient id. Not a feature.
    positive : optional
        The positive class, or a list of its spellings; labels become 1 (positive) and 0 (other).
    name : str, optional
        How results call the dataset; the file's name by default.
    task : {"auto", "binary", "multiclass", "regression"}
    label_map : mapping, optional
        Old label -> new label, for datasets that code the same classes differently.
    rename : mapping, optional
        Old name -> new name of columns; or name of a table -> such a mapping.
    recode : mapping, optional
        Column -> mapping of old value to new value; or name of a table -> such a mapping.
    convert : mapping, optional
        Column -> (slope, intercept), for numbers in other units, or -> a date format such as
        "%d/%m/%Y"; or name of a table -> such a mapping.
    delimiter : str, optional
        Separator of a text file; recognised by default.
    encoding : str, optional
        Encoding of a text file, such as "cp1252"; recognised by default.
    header : bool
        Whether the first line of a text file or sheet names the columns; without it they are called
        x0, x1, ...
    table : str, optional
        The sheet of a workbook, table of a database or member of an archive, where there are several.
    query : str, optional
        What to read from a database, in SQL, instead of a table; it can only read.
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
    check_label(label)
    how = Origin(
        str(label),
        _names(ignore),
        group,
        None,
        positive,
        task,
        label_map,
        delimiter,
        read_rows,
        _names(keep),
        rename,
        recode,
        convert,
        encoding,
        header,
        table,
        query,
    )
    opened = open_table(source, how, name)
    check_ignored(how.ignore, [opened])
    return _announced(make_datasets([make_draft(opened, how)]))[0]


@_says_read_rows
def read_tables(
    source: Any,
    *,
    label: str,
    domain: str | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
    group: str | None = None,
    positive: Any = None,
    task: str = "auto",
    label_map: Mapping[Any, Any] | None = None,
    rename: Mapping[str, Any] | None = None,
    recode: Mapping[str, Any] | None = None,
    convert: Mapping[str, Any] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    table: str | None = None,
    query: str | None = None,
    read_rows: int | None = READ_ROWS,
    skip_unusable: bool = False,
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
    label, ignore, keep, group, positive, task, label_map, rename, recode, convert, delimiter, \
    encoding, header, table, query
        As in `read_table`.
    read_rows : int, optional
        As in `read_table`, for each file. With `domain` the rows are drawn from the whole file, so
        that a value keeps its share of them and a rare one may be left with too few.
    skip_unusable : bool
        Leave out tables that cannot be used, such as one of 15 rows, with a warning; otherwise they
        are errors.

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
    check_label(label)
    how = Origin(
        str(label),
        _names(ignore),
        group,
        domain,
        positive,
        task,
        label_map,
        delimiter,
        read_rows,
        _names(keep),
        rename,
        recode,
        convert,
        encoding,
        header,
        table,
        query,
    )
    tables = open_tables(source, how)
    check_ignored(how.ignore, tables)
    if domain is not None and len(tables) != 1:
        raise DatakinError(
            f"domain={domain!r} splits one table. Got {len(tables)} tables; "
            f"leave domain out, or put the tables into one."
        )
    drafts = [make_draft(table, how) for table in tables]
    datasets = make_datasets(drafts) if domain is None else _split(drafts[0])
    return {dataset.name: dataset for dataset in _announced(datasets)}


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
    labels, about = read_labels(series_of(y, "y"), "y")
    features, facts = (_sparse_features(X), {}) if sparse.issparse(X) else read_columns(X)
    if features.n_rows != len(labels):
        raise DatakinError(
            f"X and y must have the same number of rows. Got {features.n_rows} and {len(labels)}."
        )
    groups = None if group is None else read_keys(series_of(group, "group"), "group")[0]
    if groups is not None and len(groups) != len(labels):
        raise DatakinError(
            f"group must have one value per row. Got {len(groups)} for {len(labels)} rows."
        )
    draft = Draft(
        name or "", Origin("y", task=task), labels, features, groups, facts={**facts, "y": about}
    )
    return _announced(make_datasets([draft]))[0]


def _split(draft: Draft) -> list[Dataset]:
    """Return a dataset for each value of the domain column that can be used."""
    assert draft.domains is not None
    domain = draft.how.domain
    missing = is_missing(draft.domains)
    spelled = np.array([canonical_label(v) for v in draft.domains], dtype=object)
    names = sort_classes(spelled[~missing])
    if missing.any():
        warn(f"{int(missing.sum())} of {len(missing)} rows have no {domain!r} and were dropped.")
    if len(names) < 2:
        raise DatakinError(
            f"The domain column {domain!r} must have at least two values. "
            f"Got {listed(names) or 'none'}."
        )
    parts = []
    for value in names:
        part = draft.take(np.flatnonzero(~missing & (spelled == value)))
        parts.append(replace(part, name=value, how=replace(draft.how, value=value)))
    left_out: dict[str, str] = {}
    datasets = make_datasets(parts, left_out)
    if left_out:
        warn(
            f"{len(left_out)} of {len(parts)} values of {domain!r} were left out: "
            f"{' '.join(list(left_out.values())[:3])}{' ...' if len(left_out) > 3 else ''}"
        )
    if draft.groups is not None:
        _warn_of_shared_groups([part for part in parts if part.name not in left_out])
    return datasets


class SharedGroups(DatakinWarning):
    """A group is in two domains: its rows train one dataset's models and test the other's."""


def _warn_of_shared_groups(drafts: Sequence[Draft]) -> None:
    """Name the groups that have labelled rows in several of these domains."""
    places: Counter[str] = Counter()
    for draft in drafts:
        assert draft.groups is not None
        known = draft.groups[~is_missing(draft.labels) & ~is_missing(draft.groups)]
        places.update({canonical_label(v) for v in pd.unique(known)})
    shared = sort_classes(group for group, n in places.items() if n > 1)
    if shared:
        how = drafts[0].how
        warn(
            f"Every {how.group!r} should be in one {how.domain!r} only. Otherwise its rows train one "
            f"dataset and test another, and the two look more alike than they are. "
            f"{len(shared)} of {len(places)} stand in several: {listed(shared)}; drop their rows in all but "
            f"one, or split by something coarser.",
            SharedGroups,
        )


def _names(names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)


def _sparse_features(X: Any) -> Features:
    matrix = sparse.csr_array(X, dtype=float, copy=True)
    # One stored form for each matrix: explicit zeros would otherwise differ from implicit ones.
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if np.isnan(matrix.data).any():
        raise DatakinError("A sparse X must have no missing values; impute them first.")
    check_finite("X (sparse)", matrix.data)
    return Features.of_numbers(matrix, numbered(matrix))


def _announced(datasets: list[Dataset]) -> list[Dataset]:
    """Warn once for each kind of note, naming the datasets it is about; return the datasets."""
    for line in together((dataset.name, note) for dataset in datasets for note in dataset.notes):
        warn(line)
    return datasets
