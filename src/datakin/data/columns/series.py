"""What a series of any library holds: numbers, dates, text in Arrow, or Python objects of known kinds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from datakin._core.exceptions import DatakinError
from datakin._core.typed_options import recode_option
from datakin.data.columns.dates import DAY
from datakin.data.columns.numerals import EXACT, rounded
from datakin.data.columns.text_columns import Column
from datakin.data.columns.texts import arrow_texts, is_text
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array

TRUTHS = (bool, np.bool_)
WHOLE = (int, np.integer, Decimal)
NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction, *TRUTHS)
STAMPS = (dt.date, dt.time, np.datetime64)  # a datetime and a pandas Timestamp are dates, too
DURATIONS = (dt.timedelta, np.timedelta64)
MISSING = (type(None), type(pd.NA), type(pd.NaT))
SEVERAL = (list, dict, set, frozenset, tuple, np.ndarray)


def refuse(name: str, got: str) -> DatakinError:
    """Return the error on a column that no learner can use."""
    return DatakinError(
        f"Column {name!r} must hold numbers, booleans, dates or text. Got {got}; "
        f"leave it out with ignore=[{name!r}] (--ignore {name}) or convert it."
    )


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn what a damaged column makes libraries raise into a sentence that names it."""
    try:
        yield
    except (pa.ArrowException, UnicodeError) as error:
        reason = (str(error).splitlines() or [""])[0][:80]
        raise refuse(name, f"what cannot be read ({reason})") from None


def check_finite(name: str, values: Array, where: str = "") -> None:
    """Refuse infinite numbers, naming the first rows that have one, and the options for a dataset."""
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        rows = ", ".join(str(row) for row in infinite[:3])
        words = [f"{value:g}" for value in np.unique(values[infinite])]
        options = " and ".join(recode_option(name, word, "") for word in words)
        raise DatakinError(
            f"Column {name!r} must hold finite numbers. Got {len(infinite)} infinite value(s){where}, "
            f"first in row(s) {rows} counted from 0; replace them by missing values"
            f"{f', in a table with {options}' if where else ''}."
        )


def dtype_of(series: nw.Series[Any]) -> Any:
    """Return the narwhals type; of pandas objects narwhals would look at the first rows only."""
    is_object = series.implementation.is_pandas() and series.to_native().dtype == object
    return nw.Object() if is_object else series.dtype


def is_text_series(series: nw.Series[Any]) -> bool:
    """Whether a series holds text and nothing else."""
    if dtype_of(series) == nw.String:
        return True
    return series.implementation.is_pyarrow() and is_text(series.to_native().type)


def arrow_of(series: nw.Series[Any]) -> pa.Array:
    """Return a narwhals series as one Arrow array."""
    # narwhals would copy a column of pyarrow even if it is in one piece.
    array = series.to_native() if series.implementation.is_pyarrow() else series.to_arrow()
    if is_text(array.type):  # one array of the other types holds 2 GB of texts at most
        array = array.cast(pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    return array


def floats_of(series: nw.Series[Any]) -> Array:
    """Return a series of numbers or truth values as floats, rounded where they must be."""
    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, np.dtype):
        return np.asarray(native.to_numpy(), dtype=float)
    if series.implementation.is_polars():
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=float)
    array = arrow_of(series)
    return np.asarray(array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def long_numbers(series: nw.Series[Any]) -> list[int | None] | None:
    """Return whole numbers as they are if some are too long for a float, None otherwise."""
    if not series.dtype.is_integer():
        return None
    ends = [abs(int(end)) for end in (series.max(), series.min()) if not is_none(end)]
    if max(ends, default=0) <= EXACT:
        return None
    return [None if is_none(v) else int(v) for v in series.to_list()]


def listed_values(series: nw.Series[Any]) -> list[Any]:
    """Return the values of a series as objects; dates that Python cannot hold as text."""
    try:
        return series.to_list()
    except (OverflowError, ValueError):
        texts: list[Any] = arrow_of(series).cast("string").to_pylist()
        return texts


def content_of(series: nw.Series[Any], name: str) -> Column | pa.Array:
    """Return a series of text, decimals or objects as numbers or durations, or as text; or refuse it.

    Numbers are text, too, if some have too many digits for a float.
    """
    if is_text_series(series):
        return arrow_of(series)
    if dtype_of(series) == nw.Decimal:  # text is rounded once and has all its digits
        texts = arrow_of(series).cast(pa.large_string())
        return pc.replace_substring_regex(texts, r"\.0+$", "")
    values = series.to_list()
    kinds = _kinds_of(values)
    _check_kinds(kinds, name)
    # To numpy a duration is a whole number, too.
    durations = {kind for kind in kinds if issubclass(kind, DURATIONS)}
    if durations and durations != kinds:
        raise refuse(name, "durations beside other values")
    if durations:
        days = np.array([_microseconds(v, name) for v in values]) / float(DAY)
        return Column(days, None, ColumnFacts("duration"))
    if kinds and all(issubclass(kind, NUMBERS) for kind in kinds):
        return _numbers(values, kinds)
    return arrow_texts(_spelled(v) for v in values)


def _kinds_of(values: Sequence[Any]) -> set[type]:
    """Return the types of the values that are not missing."""
    kinds = set(map(type, values)) - set(MISSING)
    if len(kinds) > 1:  # NaN stands among values of any type
        return {type(value) for value in values if not is_none(value)}
    return kinds


def mixed_types(series: nw.Series[Any]) -> str:
    """Return the types of objects that become text, if there are several."""
    kinds = _kinds_of(series.to_list()) if dtype_of(series) in (nw.Object, nw.Unknown) else set()
    is_mixed = len(kinds) > 1 and not all(issubclass(kind, str) for kind in kinds)
    return ", ".join(sorted(kind.__name__ for kind in kinds)) if is_mixed else ""


def _check_kinds(kinds: set[type], name: str) -> None:
    for kind in sorted(kinds, key=lambda k: k.__name__):
        if issubclass(kind, SEVERAL):
            raise DatakinError(
                f"Column {name!r} must hold one value per row. Got lists or records "
                f"({kind.__name__}); leave it out with ignore=[{name!r}] (--ignore {name}) or spread "
                f"it over columns."
            )
        if issubclass(kind, (complex, np.complexfloating)):
            raise refuse(name, "complex numbers")
        if issubclass(kind, (bytes, bytearray, memoryview)):
            raise refuse(name, "bytes")
        if not issubclass(kind, (str, UUID, *NUMBERS, *STAMPS, *DURATIONS)):
            raise refuse(name, f"objects of type {kind.__name__}")


def _numbers(values: Sequence[Any], kinds: set[type]) -> Column | pa.Array:
    floats = np.array([_float(v) for v in values], dtype=float)
    large = np.flatnonzero((np.abs(floats) >= EXACT) & np.isfinite(floats)).tolist()
    lost = rounded(int(values[i]) for i in large if isinstance(values[i], WHOLE))
    if lost:  # as text, a whole number has all its digits
        known = (None if is_none(v) else v for v in values)
        return arrow_texts(
            v if v is None else int(v) if float(v).is_integer() else float(v) for v in known
        )
    kind = "truth value" if all(issubclass(kind, TRUTHS) for kind in kinds) else "number"
    return Column(floats, None, ColumnFacts(kind))


def _microseconds(value: Any, name: str) -> float:
    """Return the microseconds of a duration; NaN for none."""
    if is_none(value):
        return float("nan")
    if isinstance(value, np.timedelta64):
        if np.datetime_data(value.dtype)[0] in ("Y", "M", "generic"):
            raise refuse(name, "durations in months or years, or without a unit")
        value = value.astype("timedelta64[us]").item()
    return float((value.days * 86_400 + value.seconds) * 10**6 + value.microseconds)


def _float(value: Any) -> float:
    if is_none(value):
        return float("nan")
    try:
        return float(value)
    except OverflowError:  # more than 309 digits; refused with all that is not finite
        return float("inf") if value > 0 else float("-inf")


def is_none(value: Any) -> bool:
    """Whether a single object is missing: None, NaN, NaT or NA."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _spelled(value: Any) -> str | None:
    if is_none(value):
        return None
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else str(value)


def object_array(values: Sequence[Any]) -> Array:
    """Return values of any kind as an array of one dimension."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
