"""The door: tables and files in, checked datasets out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from datakin._core.exceptions import DatakinError, announce_reading
from datakin.data.dataset import Dataset
from datakin.data.files.opening import open_table
from datakin.data.origin import READ_ROWS, Origin
from datakin.data.reading import Reading

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
    weight: str | None = None,
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
    weight : str, optional
        Column of how much each row counts: finite numbers, 0 or above. Not a feature; used by `choose`
        only.
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
    >>> frame = pd.DataFrame({"age": [40, 63, 51, 72, 45] * 8, "died": [0, 1] * 20})
    >>> read_table(frame, label="died", name="icu")
    Dataset('icu': 40 rows x 1 columns, binary (0, 1))
    """
    how = Origin.of(locals())
    reading = Reading(how, opened=[open_table(source, how, name)])
    return announce_reading(reading.correct().draft().finish().datasets)[0]


@_says_read_rows
def read_tables(
    source: Any,
    *,
    label: str,
    domain: str | None = None,
    ignore: Sequence[str] = (),
    keep: Sequence[str] = (),
    group: str | None = None,
    weight: str | None = None,
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
    label, ignore, keep, group, weight, positive, task, label_map, rename, recode, convert, delimiter, \
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
    >>> frame = pd.DataFrame({"age": [40, 63, 51, 72, 45] * 16, "died": [0, 1, 1, 0] * 20})
    >>> frame["site"] = ["a", "b"] * 40
    >>> sorted(read_tables(frame, label="died", domain="site"))
    ['a', 'b']
    """
    how = Origin.of(locals())
    may_miss = "sources" if skip_unusable and domain is None else "none"
    datasets = Reading(how, may_miss).open(source).correct().draft().finish().datasets
    return {dataset.name: dataset for dataset in announce_reading(datasets)}


def read_usable(source: Any, **options: Any) -> tuple[dict[str, Dataset], dict[str, str]]:
    """Read a target, the first path, and those of its sources that can be read; say why others cannot."""
    reading = Reading(Origin(**options), "others").open(source).correct().draft().finish()
    found = {dataset.name: dataset for dataset in announce_reading(reading.datasets)}
    return found, reading.left_out
