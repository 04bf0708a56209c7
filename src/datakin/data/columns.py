"""One column of any table library -> numbers or category codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.data.features import MISSING, Array

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["read_column", "read_labels"]

# Spellings of "no value" that tables carry as text. pandas reads most of them as missing
# from CSV, so that treating them alike everywhere keeps CSV and Parquet equal.
BLANKS = frozenset(
    {
        "",
        "?",
        "NA",
        "N/A",
        "NaN",
        "nan",
        "NULL",
        "null",
        "None",
        "n/a",
        "<NA>",
        "#N/A",
        "-nan",
        "-NaN",
    }
)
BOOLEANS = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T].*)?")
MICROSECONDS_PER_DAY = 86_400e6


def read_column(series: nw.Series[Any], name: str) -> tuple[Array, tuple[str, ...] | None]:
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


def _from_objects(values: Array, name: str) -> tuple[Array, tuple[str, ...] | None]:
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
    full = [t for t in texts if t not in BLANKS]
    numbers = _parsed_numbers(texts)
    if full and numbers is not None:
        return _looked_up(numbers, codes), None
    if full and all(ISO_DATE.fullmatch(t) for t in full):
        dates = pd.to_datetime(
            pd.Series([None if t in BLANKS else t for t in texts]),
            errors="coerce",
            format="ISO8601",
            utc=True,
        )
        if int(dates.isna().sum()) == len(texts) - len(full):
            days = (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
            return _looked_up(list(days), codes), None
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
