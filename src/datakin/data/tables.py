"""One table: as an object of any library, or as it was read from files.

narwhals is imported when the first data frame arrives, so that ``import datakin`` stays quick.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.features import Array

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "FileOptions",
    "Loaded",
    "Table",
    "array_of",
    "check_file_columns",
    "first_line",
    "frame_of",
    "frame_of_array",
    "numbered",
    "readable",
]


@dataclass(frozen=True, eq=False)
class Table:
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


def frame_of(source: Any) -> nw.DataFrame[Any]:
    """Return a pandas, polars or pyarrow table, or an array, as a narwhals frame."""
    import narwhals as nw

    if isinstance(source, nw.DataFrame):
        return source
    if isinstance(source, pd.DataFrame):
        source = source.set_axis([str(c) for c in source.columns], axis=1)
    elif isinstance(source, (np.ndarray, list, tuple)):
        source = frame_of_array(array_of(source))
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
        _check_columns(str(n) for n in getattr(source, "column_names", source.columns))
        raise
    _check_columns(frame.columns)
    return frame


def array_of(source: Any) -> Array:
    """Return an array, or a list of rows, as an array of two dimensions; masked values are NaN."""
    if isinstance(source, np.ma.MaskedArray):
        source = np.ma.filled(source.astype(float), np.nan)
    try:
        array = np.asarray(source)
    except ValueError:
        raise DatakinError("X must be a table. Got rows of different lengths.") from None
    if array.ndim != 2:
        raise DatakinError(f"X must have two dimensions. Got an array of shape {array.shape}.")
    return array


def frame_of_array(array: Array) -> pd.DataFrame:
    """Return an array as a data frame; columns of objects get the type of their values."""
    return pd.DataFrame(array, columns=list(numbered(array))).infer_objects()


def numbered(matrix: Any) -> tuple[str, ...]:
    """Return names for the columns of a matrix: x0, x1, ..."""
    return tuple(f"x{j}" for j in range(matrix.shape[1]))


def _check_columns(names: Iterable[str]) -> None:
    twice = repeated(names)
    if twice:
        raise DatakinError(
            f"Every column must have its own name. Got more than one named {listed(twice)}."
        )


@dataclass(frozen=True)
class FileOptions:
    """How files are read.

    Parameters
    ----------
    delimiter : str
        Separator of csv files.
    read_rows : int or None
        Rows to draw from a table that has more; None for all.
    skip : frozenset of str
        Columns that need not be read.
    """

    delimiter: str = ","
    read_rows: int | None = None
    skip: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Loaded:
    """What was read of the files of one table.

    Parameters
    ----------
    frame : DataFrame
        The rows and columns that were read.
    n_rows : int
        All rows that there are.
    columns : tuple of str
        Names of columns that were not read, and of any others.
    n_files : int
    """

    frame: pd.DataFrame
    n_rows: int
    columns: tuple[str, ...] = ()
    n_files: int = 1

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for the user when rows were drawn."""
        if len(self.frame) >= self.n_rows:
            return ()
        where = "the file" if self.n_files == 1 else f"{self.n_files} files"
        return (
            f"{self.n_rows:,} rows in {where}; {len(self.frame):,} drawn at random "
            f"(read_rows of read_table, --read-rows)",
        )


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Turn what a reader raises into a sentence that names the file."""
    try:
        yield
    except DatakinError:
        raise
    except Exception as error:  # pyarrow raises its own types, OSError among them
        raise DatakinError(
            f"The file {path!r} could not be read as a {Path(path).suffix[1:]} table "
            f"({first_line(error)}); is it complete, and does the suffix fit?"
        ) from None


def check_file_columns(names: Sequence[str], path: str) -> None:
    """Refuse a file with columns of the same name."""
    twice = repeated(names)
    if twice:
        raise DatakinError(f"The file {path!r} has more than one column named {listed(twice)}.")


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, shortened."""
    text = str(error).strip()
    return (text.splitlines()[0] if text else type(error).__name__).strip()[:120]
