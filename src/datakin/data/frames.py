"""Table objects of any library, and paths to them, as narwhals frames.

narwhals is imported when the first table arrives, so that ``import datakin`` stays quick.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data.files import are_parts, find_files, read_files, stem, table_paths

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["Opened", "Opener", "frame_of", "open_table"]


@dataclass(frozen=True, eq=False)
class Opened:
    """A table as it came in.

    Parameters
    ----------
    frame : narwhals DataFrame
    columns : tuple of str
        All its columns, also those that were not read.
    notes : tuple of str
        What its user should know.
    path : str or None
        Where it was read from.
    """

    frame: nw.DataFrame[Any]
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    path: str | None = None


@dataclass(frozen=True)
class Opener:
    """How tables are opened.

    Parameters
    ----------
    delimiter : str
        Separator of csv files.
    max_rows : int or None
        Rows to draw from files that have more.
    skip : frozenset of str
        Columns that need not be read.
    """

    delimiter: str = ","
    max_rows: int | None = None
    skip: frozenset[str] = frozenset()

    def one(self, source: Any) -> Opened:
        """Return the one table that a path, the Parquet parts of a path, or an object names."""
        if not isinstance(source, (str, os.PathLike)):
            frame = frame_of(source)
            return Opened(frame, tuple(frame.columns))
        files = find_files(source)
        if len(files) > 1 and not are_parts(files):
            raise DatakinError(
                f"read_table reads one file, or the Parquet part files of one table. "
                f"{os.fspath(source)!r} names {len(files)}: {listed(files)}; use read_tables."
            )
        table = read_files(files, self.delimiter, max_rows=self.max_rows, skip=self.skip)
        return Opened(
            frame_of(table.frame),
            table.columns,
            (table.note,) if table.note else (),
            os.path.abspath(source),
        )

    def several(self, source: Any, *, together: bool = False) -> list[tuple[str, Opened]]:
        """Return name and table for paths, globs, a mapping of names to tables, or one table.

        With `together`, the Parquet files of one folder or glob are one table.
        """
        if isinstance(source, Mapping):
            return [(str(name), self.one(table)) for name, table in source.items()]
        if isinstance(source, (str, os.PathLike)):
            source = [source]
        if isinstance(source, (list, tuple)) and all(
            isinstance(s, (str, os.PathLike)) for s in source
        ):
            if together and len(source) == 1 and are_parts(find_files(source[0])):
                return [(stem(source[0]), self.one(source[0]))]
            return [(stem(path), self._with_parts(path)) for path in table_paths(source)]
        if isinstance(source, (list, tuple)):
            raise DatakinError(
                "Several tables must come as a mapping of name to table, or as paths."
            )
        return [("", self.one(source))]

    def _with_parts(self, path: str) -> Opened:
        """Open one of several paths; say so when it is a folder, for its files could be datasets."""
        opened = self.one(path)
        n_files = len(find_files(path))
        if n_files == 1:
            return opened
        note = f"{n_files} Parquet files of the folder read as one table"
        return replace(opened, notes=(note, *opened.notes))


def open_table(source: Any, delimiter: str) -> nw.DataFrame[Any]:
    """Return all of the one table that a path or table object names."""
    return Opener(delimiter).one(source).frame


def frame_of(source: Any) -> nw.DataFrame[Any]:
    """Return a pandas, polars or pyarrow table, or an array, as a narwhals frame."""
    import narwhals as nw

    if isinstance(source, nw.DataFrame):
        return source
    if isinstance(source, pd.DataFrame):
        source = source.set_axis([str(c) for c in source.columns], axis=1)
    elif isinstance(source, (np.ndarray, list, tuple)):
        if isinstance(source, np.ma.MaskedArray):
            source = np.ma.filled(source.astype(float), np.nan)
        try:
            array = np.asarray(source)
        except ValueError:
            raise DatakinError("X must be a table. Got rows of different lengths.") from None
        if array.ndim != 2:
            raise DatakinError(f"X must have two dimensions. Got an array of shape {array.shape}.")
        source = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
        source = source.infer_objects()
    if hasattr(source, "collect") and not hasattr(source, "to_numpy"):
        source = source.collect()  # a lazy polars frame
    try:
        frame: nw.DataFrame[Any] = nw.from_native(source, eager_only=True)
    except TypeError:
        raise DatakinError(
            f"A table must be a path, or a pandas, polars or pyarrow table. "
            f"Got {type(source).__name__}."
        ) from None
    except nw.exceptions.DuplicateError:
        _check_names([str(n) for n in getattr(source, "column_names", source.columns)])
        raise
    _check_names(list(frame.columns))
    return frame


def _check_names(names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatakinError(
            f"Every column must have its own name. Got more than one named {listed(twice)}."
        )
