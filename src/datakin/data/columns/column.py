"""One column of any library -> numbers or categories: the only place where values are interpreted.

A column of text is read as a whole: as truth values, numbers or dates if all its values are, and as
categories otherwise. So a table gives the same columns as CSV, where all is text, and as Parquet.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.data.columns.dates import (
    OTHER_ZONE,
    TIMES,
    UTC,
    days_of_numbers,
    days_of_stamps,
    hours_of_times,
)
from datakin.data.columns.numerals import EXACT, NUMBER
from datakin.data.columns.objects import ObjectColumn, is_none, known_objects, refuse
from datakin.data.columns.placeholders import doubt_of_numbers
from datakin.data.columns.text_columns import Column, as_categories, read_text
from datakin.data.columns.texts import Texts, arrow_texts, fit_all, is_text
from datakin.data.columns.typed_options import recode_option
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

__all__ = [
    "arrow_of",
    "check_finite",
    "decimals_of",
    "floats_of",
    "is_object_series",
    "is_text_series",
    "listed_values",
    "long_numbers",
    "read_column",
    "readable",
]


def read_column(series: nw.Series[Any], name: str, *, decimal: str = "") -> Column:
    """Return a column as numbers or categories.

    Truth values become 0 and 1, dates and times days since 1970, durations days.

    Parameters
    ----------
    series : narwhals Series
    name : str
        For messages.
    decimal : {"", ",", ".", "?"}
        The decimal sign of the table, as in `read_text`.
    """
    with readable(name):
        column = _read(series, name, decimal)
    if column.facts.kind == "number":
        column = _as_dates(column, name)
    if column.facts.doubt or column.facts.kind not in ("number", "date"):
        return column
    doubt = doubt_of_numbers(column.values, name, kind=column.facts.kind)
    return replace(column, facts=replace(column.facts, doubt=doubt)) if doubt else column


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn what a damaged column makes libraries raise into a sentence that names it."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, UnicodeError) as error:
        reason = (str(error).splitlines() or [""])[0][:80]
        raise refuse(name, f"what cannot be read ({reason})") from None


def _read(series: nw.Series[Any], name: str, decimal: str) -> Column:
    import narwhals as nw

    if is_object_series(series):
        return _of_objects(known_objects(series.to_list(), name), name, decimal)
    dtype = series.dtype
    if dtype == nw.Boolean:
        return Column(floats_of(series), None, ColumnFacts("truth value"))
    if dtype == nw.Decimal:
        return read_text(decimals_of(series), name, decimal)
    if dtype.is_numeric():
        whole = long_numbers(series)
        if whole is not None:  # ids, or numbers with a doubt, as in a text file
            return read_text(arrow_texts(whole), name, decimal)
        return Column(floats_of(series), None, ColumnFacts("number"))
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        return _of_stamps(arrow_of(series), name)
    if dtype == nw.Time:
        return Column(
            hours_of_times(arrow_of(series)), None, ColumnFacts("number", converted=TIMES)
        )
    if dtype in (nw.Categorical, nw.Enum):
        return _of_categories(series)
    if is_text_series(series):
        return read_text(arrow_of(series), name, decimal)
    if dtype in (nw.Object, nw.Unknown):
        return _of_objects(known_objects(series.to_list(), name), name, decimal)
    raise refuse(name, str(dtype))


def is_object_series(series: nw.Series[Any]) -> bool:
    """Whether it is a pandas series of objects, of which narwhals looks at the first rows only."""
    return bool(series.implementation.is_pandas() and series.to_native().dtype == object)


def is_text_series(series: nw.Series[Any]) -> bool:
    """Whether a series holds text and nothing else."""
    import narwhals as nw

    if is_object_series(series):
        return False
    if series.dtype == nw.String:
        return True
    return series.implementation.is_pyarrow() and is_text(series.to_native().type)


def arrow_of(series: nw.Series[Any]) -> pa.Array:
    """Return a narwhals series as one Arrow array."""
    import pyarrow as pa

    # narwhals would copy a column of pyarrow even if it is in one piece.
    array = series.to_native() if series.implementation.is_pyarrow() else series.to_arrow()
    if isinstance(array, pa.ChunkedArray):
        if str(array.type) in (
            "string",
            "string_view",
        ):  # one array holds 2 GB of such texts at most
            array = array.cast(pa.large_string())
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    return array.cast(pa.large_string()) if str(array.type) == "string_view" else array


def decimals_of(series: nw.Series[Any]) -> pa.Array:
    """Return a series of decimal numbers as text, which is rounded once and has all its digits."""
    import pyarrow.compute as pc

    return pc.replace_substring_regex(arrow_of(series).cast("string"), r"\.0+$", "")


def floats_of(series: nw.Series[Any]) -> Array:
    """Return a series of numbers or truth values as floats, rounded where they must be."""
    import narwhals as nw
    import pyarrow as pa

    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, np.dtype):
        return np.asarray(native.to_numpy(), dtype=float)
    if series.implementation.is_polars():
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=float)
    array = arrow_of(series)
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    floats: Array = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return floats


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


def _as_dates(column: Column, name: str) -> Column:
    """Return numbers such as 20200131 in a column that is named like a date as dates."""
    days = days_of_numbers(column.values, name)
    if days is None:
        return column
    facts = replace(column.facts, kind="date", converted="dates yyyymmdd")
    return replace(column, values=days, facts=facts)


def _of_stamps(stamps: pa.Array, name: str) -> Column:
    import pyarrow.types as types

    days = days_of_stamps(stamps)
    kind = "duration" if types.is_duration(stamps.type) else "date"
    if days is None:
        raise refuse(name, f"{kind}s beyond the years 1 to 9999")
    said = OTHER_ZONE if getattr(stamps.type, "tz", None) not in (None, *UTC) else ""
    return Column(days, None, ColumnFacts(kind, converted=said))


def _of_categories(series: nw.Series[Any]) -> Column:
    """Return a column that its table declares to be one of categories; it stays one."""
    codes, uniques = pd.factorize(np.asarray(series.to_list(), dtype=object))
    raw = Texts.of(arrow_texts(uniques))
    texts = Texts(raw.distinct, np.append(raw.codes, -1)[codes], raw.n_merged)
    column = as_categories(texts)
    if not column.levels or not fit_all(arrow_texts(column.levels), NUMBER):
        return column
    # Said because a text file would give numbers.
    facts = replace(
        column.facts, converted="numbers kept as categories, as the table declares them"
    )
    return replace(column, facts=facts)


def _of_objects(column: ObjectColumn, name: str, decimal: str) -> Column:
    if column.long is not None:
        return read_text(column.long, name, decimal)
    if column.numbers is not None:
        kind = "truth value" if column.are_truths else "number"
        return Column(column.numbers, None, ColumnFacts(kind))
    if column.days is not None:
        return Column(column.days, None, ColumnFacts("duration"))
    read = read_text(column.texts, name, decimal)
    if read.levels is None or read.facts.doubt or not column.mixed:
        return read
    return replace(read, facts=replace(read.facts, doubt=f"text of mixed types ({column.mixed})"))


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
