"""One table of any library, and its columns side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.columns.column import read_column
from datakin.data.columns.placeholders import doubt_of_answers
from datakin.data.columns.text_columns import Column
from datakin.data.columns.texts import clean
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Features

Read = tuple[nw.Series[Any], ColumnFacts]  # a column, and how it was read


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table as it came in."""

    name: str  # how results call it
    frame: nw.DataFrame[Any]
    columns: tuple[str, ...]  # all of them, also those that were not read
    notes: tuple[str, ...] = ()  # what its user should know
    path: str | None = None  # where it was read from

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(clean(name) for name in self.columns))


def frame_of(source: Any) -> nw.DataFrame[Any]:
    """Return a pandas, polars or pyarrow table, or an array, as a narwhals frame.

    Names of columns are texts in composed letters, without outer spaces.
    """
    if isinstance(source, nw.DataFrame):
        source = source.to_native()
    if isinstance(source, pd.DataFrame):
        names = [clean(str(c)) for c in source.columns]
        _check_columns(names, [str(c) for c in source.columns])
        source = _with_index_first(source.set_axis(names, axis=1))
    elif isinstance(source, (np.ndarray, list, tuple)):
        source = _frame_of_array(source)
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
    names = [clean(name) for name in frame.columns]
    _check_columns(names, frame.columns)
    changed = {old: new for old, new in zip(frame.columns, names, strict=True) if old != new}
    return frame.rename(changed) if changed else frame


def _with_index_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its named index as columns, as a Parquet file of it has them.

    An index that counts the rows, has no name or is a column as well tells nothing new.
    """
    if isinstance(frame.index, pd.RangeIndex):
        return frame
    names = ["" if name is None else clean(str(name)) for name in frame.index.names]
    new = [i for i, name in enumerate(names) if name and name not in frame.columns]
    _check_columns(names[i] for i in new)
    return frame.reset_index(level=new, names=names) if new else frame


def _frame_of_array(source: Any) -> pd.DataFrame:
    """Return an array, or a list of rows, as a data frame; masked values are missing.

    Columns of objects get the type of their values.
    """
    if isinstance(source, np.ma.MaskedArray):
        kind, missing = (float, np.nan) if source.dtype.kind in "biuf" else (object, None)
        source = np.ma.filled(source.astype(kind), missing)
    try:
        array = np.asarray(source)
    except ValueError:
        raise DatakinError("X must be a table. Got rows of different lengths.") from None
    if array.ndim != 2:
        raise DatakinError(f"X must have two dimensions. Got an array of shape {array.shape}.")
    is_object = array.dtype.kind == "O"
    frame = pd.DataFrame(array, columns=list(numbered(array)), dtype=object if is_object else None)
    with suppress(UnicodeEncodeError):  # damaged text, which is spelled out where columns are read
        return frame.infer_objects()
    return frame


def numbered(matrix: Any) -> tuple[str, ...]:
    """Return names for the columns of a matrix: x0, x1, ..."""
    return tuple(f"x{j}" for j in range(matrix.shape[1]))


def _check_columns(names: Iterable[str], given: Iterable[str] = ()) -> None:
    names = list(names)
    twice = repeated(names)
    if twice:
        both = [old for old, new in zip(given, names, strict=False) if new == twice[0]]
        apart = len(set(both)) > 1
        raise DatakinError(
            f"Every column must have its own name. Got more than one named {listed(twice)}"
            f"{f' ({listed(both)} differ in outer spaces or composed letters only)' if apart else ''}."
        )


def read_columns(
    source: Any, names: Sequence[str] | None = None
) -> tuple[Features, dict[str, ColumnFacts]]:
    """Return the columns of an array or data frame, all or those named, and how each was read."""
    return read_beside(source, names, {})[:2]


def read_beside(
    source: Any, names: Sequence[str] | None, others: Mapping[str, Read]
) -> tuple[Features, dict[str, ColumnFacts], str]:
    """Return columns as `read_columns` does, and the decimal sign that they and others agree on.

    What one column shows tells how 1,234 and 1.234 are read in all of them.
    """
    frame = frame_of(source)
    names = frame.columns if names is None else names
    given = {name: frame[name] for name in names}
    columns = {name: read_column(series, name) for name, series in given.items()}
    sign = _decimal_sign({**{n: (given[n], c.facts) for n, c in columns.items()}, **others})
    for name, column in columns.items() if sign else ():
        is_number = column.facts.kind == "number" and _has_text(given[name])
        if is_number and column.facts.decimal != sign:
            columns[name] = read_column(given[name], name, decimal=sign)
    _doubt_answers(columns, len(frame))
    return side_by_side(columns, len(frame)), {n: c.facts for n, c in columns.items()}, sign


def _has_text(series: nw.Series[Any]) -> bool:
    return series.dtype in (nw.String, nw.Object, nw.Unknown)


def _decimal_sign(columns: Mapping[str, Read]) -> str:
    """Return the decimal sign that columns of text agree on; empty if nothing depends on it."""
    if not any(facts.decimal for _, facts in columns.values()):
        return ""
    seen = set()
    for name, (series, facts) in columns.items():
        sign = facts.decimal
        if not sign and facts.kind == "number" and _has_text(series):
            sign = read_column(series, name, decimal="?").facts.decimal
        seen.add(sign)
    found = seen & {",", "."}
    return found.pop() if len(found) == 1 else ""


def _doubt_answers(columns: dict[str, Column], n_rows: int) -> None:
    """Point at words for "no value" that may be answers; not if they stand among numbers, too."""
    marks = {
        word for column in columns.values() if column.levels is None for word in column.facts.blanks
    }
    for name, column in columns.items():
        if column.levels is not None and not column.facts.doubt:
            doubt = doubt_of_answers(column.facts, column.levels, n_rows, name, marks)
            columns[name] = column.noted(doubt=doubt)


def side_by_side(columns: Mapping[str, Column], n_rows: int) -> Features:
    """Return columns as features: numbers in one block, codes of categories in another."""
    numeric = {name: c.values for name, c in columns.items() if c.levels is None}
    codes = {name: c.values for name, c in columns.items() if c.levels is not None}
    numbers = np.column_stack([*numeric.values()]) if numeric else np.zeros((n_rows, 0))
    numbers[np.isnan(numbers)] = np.nan  # of which there are many; rows must not differ by them
    return Features(
        numbers,
        tuple(numeric),
        np.column_stack([*codes.values()]) if codes else np.zeros((n_rows, 0), np.int32),
        tuple(codes),
        tuple(columns[name].levels or () for name in codes),
    )
