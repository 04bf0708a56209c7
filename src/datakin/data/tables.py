"""One table of any library, and its columns as numbers or categories.

narwhals is imported when the first data frame arrives, so that ``import datakin`` stays quick.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.features import MISSING, Array, Features

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "RawTable",
    "check_finite",
    "frame_of",
    "numbered",
    "read_column",
    "read_columns",
    "read_labels",
    "without_blanks",
]

# Spellings of "no value" that tables carry as text. pandas reads most of them as missing
# from CSV, so that treating them alike everywhere keeps CSV and Parquet equal.
BLANKS = frozenset(
    {"", "?", "NA", "N/A", "n/a", "<NA>", "#N/A"}
    | {"NaN", "nan", "-nan", "-NaN", "NULL", "null", "None"}
)
BOOLEANS = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T].*)?")
MICROSECONDS_PER_DAY = 86_400e6
PLAIN = "fdbBhHiIlLqQ?"  # numpy types that become floats without being looked at one by one

Column = tuple[Array, tuple[str, ...] | None]  # floats and None, or codes and their levels


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


def frame_of(source: Any) -> nw.DataFrame[Any]:
    """Return a pandas, polars or pyarrow table, or an array, as a narwhals frame."""
    import narwhals as nw

    if isinstance(source, nw.DataFrame):
        return source
    if isinstance(source, pd.DataFrame):
        source = source.set_axis([str(c) for c in source.columns], axis=1)
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
    _check_columns(frame.columns)
    return frame


def _array_of(source: Any) -> Array:
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


def _frame_of_array(array: Array) -> pd.DataFrame:
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


def read_columns(source: Any, names: Sequence[str] | None = None) -> Features:
    """Return the columns of an array or data frame, all of them or those named.

    Plain numbers of numpy or pandas are taken over together; every other table is read column by
    column, with the same result.
    """
    if isinstance(source, (np.ndarray, list, tuple)):
        array = _array_of(source)
        if _is_plain(array.dtype) and array.shape[1]:
            return Features.of_numbers(np.array(array, dtype=float, order="C"), numbered(array))
        source = _frame_of_array(array)
    frame = frame_of(source)
    names = frame.columns if names is None else names
    matrix = _plain_numbers(frame, names)
    if matrix is not None:
        return Features.of_numbers(matrix, names)
    numeric: dict[str, Array] = {}
    category: dict[str, tuple[Array, tuple[str, ...]]] = {}
    for name in names:
        values, levels = read_column(frame[name], name)
        if levels is None:
            numeric[name] = values
        else:
            category[name] = values, levels
    codes = [values for values, _ in category.values()]
    return Features(
        np.column_stack(list(numeric.values())) if numeric else np.zeros((len(frame), 0)),
        tuple(numeric),
        np.column_stack(codes) if codes else np.zeros((len(frame), 0), np.int32),
        tuple(category),
        tuple(levels for _, levels in category.values()),
    )


def _plain_numbers(frame: nw.DataFrame[Any], names: Sequence[str]) -> Array | None:
    """Return columns of a pandas frame as one matrix, None when some are not plain numbers."""
    native = frame.to_native()
    if not names or not isinstance(native, pd.DataFrame):
        return None
    types = dict(zip(frame.columns, native.dtypes, strict=True))
    if not all(_is_plain(types[name]) for name in names):
        return None
    some = native if len(names) == len(types) else native[list(names)]
    # A copy in row order: the user may change the frame, and learners expect this layout.
    return np.array(some.to_numpy(dtype=float), order="C")


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.char in PLAIN and dtype.isnative


def read_column(series: nw.Series[Any], name: str) -> Column:
    """Return (floats, None) for a numeric column, (codes, levels) for a categorical one.

    Booleans become 0 and 1, dates and times days since 1970, durations days.
    """
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        return _floats(series), None
    if dtype in (nw.Date, nw.Datetime):
        if getattr(dtype, "time_zone", None) is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        stamps = series.cast(nw.Datetime("us")).dt.timestamp("us")
        return _floats(stamps) / MICROSECONDS_PER_DAY, None
    if dtype == nw.Duration:
        return _floats(series.dt.total_microseconds()) / MICROSECONDS_PER_DAY, None
    if dtype in (nw.Categorical, nw.Enum):
        return _categories(np.asarray(series.to_list(), dtype=object), keep=True)
    if dtype in (nw.String, nw.Object, nw.Unknown):
        return _from_objects(np.asarray(series.to_list(), dtype=object), name)
    raise DatakinError(
        f"Column {name!r} must hold numbers, booleans, dates or text. Got {dtype}; "
        f"leave it out with ignore=[{name!r}] (--ignore) or convert it."
    )


def read_labels(series: nw.Series[Any]) -> Array:
    """Return the labels as an array: floats for numbers, objects otherwise, None if missing."""
    if series.dtype.is_numeric():
        return _floats(series)
    values = np.empty(len(series), dtype=object)
    for i, value in enumerate(series.to_list()):
        values[i] = value
    return without_blanks(values)


def without_blanks(values: Array) -> Array:
    """Return an array of objects with None for every spelling of a missing value."""
    values = values.copy()
    values[np.asarray(pd.isna(values), dtype=bool)] = None
    for i, value in enumerate(values):
        if isinstance(value, str) and value.strip() in BLANKS:
            values[i] = None
    return values


def _floats(series: nw.Series[Any]) -> Array:
    import narwhals as nw

    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=float)


def _from_objects(values: Array, name: str) -> Column:
    if any(isinstance(v, (list, dict, set, tuple, np.ndarray)) for v in values[:100]):
        raise DatakinError(
            f"Column {name!r} must hold one value per row. Got lists or records; "
            f"leave it out with ignore=[{name!r}] (--ignore) or spread it over columns."
        )
    if any(isinstance(v, complex) for v in values[:100]):
        raise DatakinError(
            f"Column {name!r} must hold numbers, booleans, dates or text. Got complex numbers; "
            f"leave it out with ignore=[{name!r}] (--ignore) or convert it."
        )
    codes, uniques = pd.factorize(values)  # missing values get code -1
    if all(isinstance(u, (int, float, np.number, np.bool_)) for u in uniques):
        return _looked_up([float(u) for u in uniques], codes), None
    texts = [str(u).strip() for u in uniques]
    numbers = _parsed_numbers(texts)
    if numbers is None:
        numbers = _parsed_dates(texts)
    if numbers is not None and not all(t in BLANKS for t in texts):
        return _looked_up(numbers, codes), None
    return _categories(values)


def _parsed_numbers(texts: list[str]) -> list[float] | None:
    if all(t in BLANKS or t in BOOLEANS for t in texts):  # pandas reads these as booleans from CSV
        return [BOOLEANS.get(t, float("nan")) for t in texts]
    if any("_" in t for t in texts):  # Python reads "1_2" as 12, which no table means
        return None
    try:
        return [float("nan") if t in BLANKS else float(t) for t in texts]
    except ValueError:
        return None


def _parsed_dates(texts: list[str]) -> list[float] | None:
    """Return ISO dates as days since 1970, None when a text is neither date nor blank."""
    blank = [t in BLANKS for t in texts]
    if not all(b or ISO_DATE.fullmatch(t) for t, b in zip(texts, blank, strict=True)):
        return None
    dates = pd.to_datetime(
        pd.Series([None if b else t for t, b in zip(texts, blank, strict=True)]),
        errors="coerce",
        format="ISO8601",
        utc=True,
    )
    if int(dates.isna().sum()) != sum(blank):
        return None
    return list((dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1))


def _looked_up(values: list[float], codes: Array) -> Array:
    return np.array([*values, np.nan], dtype=float)[codes]  # code -1 picks the NaN at the end


def _categories(values: Array, keep: bool = False) -> tuple[Array, tuple[str, ...]]:
    codes, uniques = pd.factorize(values)
    texts = [str(u).strip() for u in uniques]
    levels = tuple(sorted({t for t in texts if keep or t not in BLANKS}))
    position = {level: code for code, level in enumerate(levels)}
    table = np.array([*(position.get(t, MISSING) for t in texts), MISSING], dtype=np.int32)
    return table[codes], levels


def check_finite(name: str, values: Array, where: str = "") -> None:
    """Refuse infinite numbers, naming the first rows that have one."""
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        rows = ", ".join(str(row) for row in infinite[:3])
        raise DatakinError(
            f"Column {name!r} must hold finite numbers. Got {len(infinite)} infinite value(s){where}, "
            f"first in row(s) {rows} counted from 0; replace them by missing values."
        )
