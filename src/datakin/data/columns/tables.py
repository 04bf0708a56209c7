"""One table of any library, and its columns side by side.

narwhals is imported when the first data frame arrives, so that ``import datakin`` stays quick.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.columns.column import read_column
from datakin.data.columns.dates import NAMED_A_DATE
from datakin.data.columns.numerals import EXACT, said_lost
from datakin.data.columns.placeholders import doubt_of_extremes, is_placeholder
from datakin.data.columns.text_columns import Column
from datakin.data.columns.texts import clean
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array, Features

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["RawTable", "frame_of", "has_decimal_comma", "numbered", "read_columns"]

PLAIN = "fdbBhHiIlLqQ?"  # numpy types that become floats without being looked at one by one
LONG = "lLqQ"  # those that may have too many digits for a float


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table as it came in.

    Parameters
    ----------
    name : str
        How results call it.
    frame : narwhals DataFrame
    columns : tuple of str
        All its columns, also those that were not read.
    notes : tuple of str
        What its user should know.
    path : str or None
        Where it was read from.
    """

    name: str
    frame: nw.DataFrame[Any]
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    path: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(clean(name) for name in self.columns))


def frame_of(source: Any) -> nw.DataFrame[Any]:
    """Return a pandas, polars or pyarrow table, or an array, as a narwhals frame.

    Names of columns are texts in composed letters, without outer spaces.
    """
    import narwhals as nw

    if isinstance(source, nw.DataFrame):
        source = source.to_native()
    if isinstance(source, pd.DataFrame):
        names = [clean(str(c)) for c in source.columns]
        _check_columns(names, [str(c) for c in source.columns])
        source = source.set_axis(names, axis=1)
    elif isinstance(source, (np.ndarray, list, tuple)):
        source = _frame_of_array(_array_of(source))
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
    return _renamed(frame)


def _renamed(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Return a frame whose columns have clean names."""
    names = [clean(name) for name in frame.columns]
    _check_columns(names, frame.columns)
    changed = {old: new for old, new in zip(frame.columns, names, strict=True) if old != new}
    return frame.rename(changed) if changed else frame


def _array_of(source: Any) -> Array:
    """Return an array, or a list of rows, as an array of two dimensions; masked values are missing."""
    if isinstance(source, np.ma.MaskedArray):
        plain = source.dtype.kind in "biuf"
        source = (
            np.ma.filled(source.astype(float), np.nan)
            if plain
            else np.ma.filled(source.astype(object), None)
        )
    try:
        array = np.asarray(source)
    except ValueError:
        raise DatakinError("X must be a table. Got rows of different lengths.") from None
    if array.ndim != 2:
        raise DatakinError(f"X must have two dimensions. Got an array of shape {array.shape}.")
    return array


def _frame_of_array(array: Array) -> pd.DataFrame:
    """Return an array as a data frame; columns of objects get the type of their values."""
    return pd.DataFrame(array, columns=list(numbered(array))).infer_objects()


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
    """Return the columns of an array or data frame, all of them or those named.

    Plain numbers of numpy or pandas are taken over together; every other table is read column by
    column, with the same result.

    Returns
    -------
    features : Features
    facts : dict of str to ColumnFacts
        How each column was read; nothing for an array of plain numbers, unless they lost digits.
    """
    if isinstance(source, (np.ndarray, list, tuple)):
        array = _array_of(source)
        if _is_plain(array.dtype) and array.shape[1]:
            return _of_plain_array(array)
        source = _frame_of_array(array)
    frame = frame_of(source)
    names = frame.columns if names is None else names
    plain = _plain_numbers(frame, names)
    if plain is not None:
        return plain
    columns = {name: read_column(frame[name], name) for name in names}
    if has_decimal_comma({name: column.facts for name, column in columns.items()}):
        _read_with_comma(frame, columns)
    return _side_by_side(columns, len(frame)), {n: c.facts for n, c in columns.items()}


def has_decimal_comma(facts: Mapping[str, ColumnFacts]) -> bool:
    """Whether some column was read with a decimal comma."""
    return any("decimal comma" in fact.converted for fact in facts.values())


def _read_with_comma(frame: nw.DataFrame[Any], columns: dict[str, Column]) -> None:
    """Read numbers such as 1,234 and 1.234 again, in a table where another column has 12,5."""
    import narwhals as nw

    for name, column in columns.items():
        facts, dtype = column.facts, frame[name].dtype
        if facts.kind != "number" or "decimal comma" in facts.converted:
            continue
        if dtype in (nw.String, nw.Object, nw.Unknown):
            columns[name] = read_column(frame[name], name, comma=True)


def _side_by_side(columns: dict[str, Column], n_rows: int) -> Features:
    numeric = {name: c.values for name, c in columns.items() if c.levels is None}
    category = {name: c for name, c in columns.items() if c.levels is not None}
    codes = [column.values for column in category.values()]
    return Features(
        np.column_stack(list(numeric.values())) if numeric else np.zeros((n_rows, 0)),
        tuple(numeric),
        np.column_stack(codes) if codes else np.zeros((n_rows, 0), np.int32),
        tuple(category),
        tuple(column.levels or () for column in category.values()),
    )


def _of_plain_array(array: Array) -> tuple[Features, dict[str, ColumnFacts]]:
    names = numbered(array)
    matrix = np.array(array, dtype=float, order="C")
    doubts = _doubts(matrix, names)
    for name, values in zip(names, array.T, strict=True) if array.dtype.char in LONG else ():
        doubts[name] = _rounded(values) or doubts.get(name, "")
    facts = {name: ColumnFacts("number", doubt=said) for name, said in doubts.items() if said}
    return Features.of_numbers(matrix, names), facts


def _doubts(matrix: Array, names: Sequence[str]) -> dict[str, str]:
    """Return what is odd about columns of plain numbers whose lowest or highest value is -999."""
    if not len(matrix):
        return {}
    ends = np.fmin.reduce(matrix, axis=0), np.fmax.reduce(matrix, axis=0)
    return {
        name: doubt_of_extremes(matrix[:, j], "number", name)
        for j, name in enumerate(names)
        if any(is_placeholder(end[j]) for end in ends)
    }


def _plain_numbers(
    frame: nw.DataFrame[Any], names: Sequence[str]
) -> tuple[Features, dict[str, ColumnFacts]] | None:
    """Return columns of a pandas frame together, None when some are not plain numbers."""
    native = frame.to_native()
    if not names or not isinstance(native, pd.DataFrame):
        return None
    types = dict(zip(frame.columns, native.dtypes, strict=True))
    if not all(_is_plain(types[name]) for name in names):
        return None
    if any(NAMED_A_DATE.search(name) for name in names):  # may be 20200131
        return None
    some = native if len(names) == len(types) else native[list(names)]
    # A copy in row order: the user may change the frame, and learners expect this layout.
    matrix = np.array(some.to_numpy(dtype=float), order="C")
    doubts = _doubts(matrix, names)
    facts = {}
    for name in names:
        said = _rounded(native[name].to_numpy()) if types[name].char in LONG else ""
        kind = "truth value" if types[name].char == "?" else "number"
        facts[name] = ColumnFacts(kind, doubt=said or doubts.get(name, ""))
    return Features.of_numbers(matrix, names), facts


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.char in PLAIN and dtype.isnative


def _rounded(values: Array) -> str:
    """Say that whole numbers are not exact as floats; empty if they are."""
    if not len(values) or max(int(values.max()), -int(values.min())) <= EXACT:
        return ""
    lost = next((int(v) for v in values if int(float(v)) != int(v)), None)
    return "" if lost is None else said_lost(lost)
