"""Table objects of any library, and paths to them, as narwhals frames.

narwhals is imported when the first table arrives, so that ``import datakin`` stays quick.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data.files import find_files, read_file, stem

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["frame_of", "open_table", "open_tables"]


def open_table(source: Any, delimiter: str) -> nw.DataFrame[Any]:
    """Return the one table that a path or table object names."""
    if isinstance(source, (str, os.PathLike)):
        files = find_files(source)
        if len(files) > 1:
            raise DatakinError(
                f"read_table reads one file. {os.fspath(source)!r} names {len(files)}: "
                f"{listed(files)}; use read_tables."
            )
        source = read_file(files[0], delimiter)
    return frame_of(source)


def open_tables(source: Any, delimiter: str) -> list[tuple[str, nw.DataFrame[Any]]]:
    """Return name and table for paths, globs, a mapping of names to tables, or one table."""
    if isinstance(source, Mapping):
        return [(str(name), open_table(table, delimiter)) for name, table in source.items()]
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if isinstance(source, (list, tuple)) and all(isinstance(s, (str, os.PathLike)) for s in source):
        files = [file for pattern in source for file in find_files(pattern)]
        return [(stem(file), open_table(file, delimiter)) for file in files]
    if isinstance(source, (list, tuple)):
        raise DatakinError("Several tables must come as a mapping of name to table, or as paths.")
    return [("", frame_of(source))]


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
