"""One column of any library -> numbers or categories: the only place where values are interpreted.

A column of text is read as a whole: as truth values, numbers or dates if all its values are, and as
categories otherwise. So a table gives the same columns as CSV, where all is text, and as Parquet.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data.dataset import ColumnFacts
from datakin.data.dates import DATE, days_of_numbers, days_of_stamps, doubt_of_dates, read_dates
from datakin.data.features import MISSING, Array
from datakin.data.numerals import (
    EXACT,
    NUMBER,
    Numerals,
    code_reason,
    lost_digits,
    may_be_codes,
    read_numerals,
    said_lost,
)
from datakin.data.objects import ObjectColumn, known_objects, refuse
from datakin.data.texts import BLANKS, HEAD, Texts, as_text, count_words, fit_all, is_text, matches

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

__all__ = [
    "Column",
    "arrow_of",
    "check_finite",
    "floats_of",
    "is_object_series",
    "is_text_series",
    "read_column",
    "read_text",
    "readable",
]

MOST = 0.8  # share of numbers from which a column of text is named
MANY_LEVELS = 1000  # a column of text with more different values holds no codes
TRUTH = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class Column:
    """A column as learners take it.

    Parameters
    ----------
    values : ndarray
        Floats, NaN where missing; or codes of the levels.
    levels : tuple of str or None
        The sorted levels of a categorical column, None for a numeric one.
    facts : ColumnFacts
        How it was read.
    """

    values: Array
    levels: tuple[str, ...] | None
    facts: ColumnFacts


def read_column(series: nw.Series[Any], name: str, *, comma: bool = False) -> Column:
    """Return a column as numbers or categories.

    Truth values become 0 and 1, dates and times days since 1970, durations days.

    Parameters
    ----------
    series : narwhals Series
    name : str
        For messages.
    comma : bool
        Whether another column of the table has a decimal comma: ``1,234`` is then read so.
    """
    with readable(name):
        column = _read(series, name, comma)
    return _as_dates(column, name) if column.facts.kind == "number" else column


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn what a damaged column makes libraries raise into a sentence that names it."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, UnicodeError) as error:
        reason = (str(error).splitlines() or [""])[0][:80]
        raise refuse(name, f"what cannot be read ({reason})") from None


def _read(series: nw.Series[Any], name: str, comma: bool) -> Column:
    import narwhals as nw

    if is_object_series(series):
        return _of_objects(known_objects(series.to_list(), name), name, comma)
    dtype = series.dtype
    if dtype == nw.Boolean:
        return Column(floats_of(series), None, ColumnFacts("truth value"))
    if dtype.is_numeric():
        return Column(floats_of(series), None, _number_facts(series))
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        return _of_stamps(arrow_of(series), name)
    if dtype in (nw.Categorical, nw.Enum):
        return _of_categories(series)
    if is_text_series(series):
        return read_text(arrow_of(series), name, comma)
    if dtype in (nw.Object, nw.Unknown):
        return _of_objects(known_objects(series.to_list(), name), name, comma)
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

    array = series.to_arrow()
    if isinstance(array, pa.ChunkedArray):
        if str(array.type) in (
            "string",
            "string_view",
        ):  # one array holds 2 GB of such texts at most
            array = array.cast(pa.large_string())
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    return array.cast(pa.large_string()) if str(array.type) == "string_view" else array


def floats_of(series: nw.Series[Any]) -> Array:
    """Return a series of numbers or truth values as floats, rounded where they must be."""
    import narwhals as nw
    import pyarrow as pa

    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, np.dtype):
        return np.asarray(native.to_numpy(), dtype=float)
    if series.implementation.is_polars() and series.dtype != nw.Decimal:
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=float)
    array = arrow_of(series)
    if pa.types.is_decimal(array.type):
        array = array.cast(pa.string())  # rounded once, as the same number in a text file is
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    floats: Array = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return floats


def _number_facts(series: nw.Series[Any]) -> ColumnFacts:
    if not series.dtype.is_integer():
        return ColumnFacts("number")
    largest = max(abs(int(v)) for v in (series.max() or 0, series.min() or 0) if not pd.isna(v))
    if largest <= EXACT:
        return ColumnFacts("number")
    whole = (int(v) for v in series.drop_nulls().to_list())
    lost = next((v for v in whole if int(float(v)) != v), None)
    return ColumnFacts("number", doubt="" if lost is None else said_lost(lost))


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
    return Column(days, None, ColumnFacts(kind))


def _of_categories(series: nw.Series[Any]) -> Column:
    """Return a column that its table declares to be one of categories; it stays one."""
    codes, uniques = pd.factorize(np.asarray(series.to_list(), dtype=object))
    raw = Texts.of(as_text(uniques))
    texts = Texts(raw.distinct, np.append(raw.codes, -1)[codes], raw.n_merged)
    column = _categories(texts)
    if not column.levels or not fit_all(as_text(column.levels), NUMBER):
        return column
    # Said because a text file would give numbers.
    facts = replace(
        column.facts, converted="numbers kept as categories, as the table declares them"
    )
    return replace(column, facts=facts)


def _of_objects(column: ObjectColumn, name: str, comma: bool) -> Column:
    if column.numbers is not None:
        kind = "truth value" if column.are_truths else "number"
        return Column(column.numbers, None, ColumnFacts(kind, doubt=column.doubt))
    if column.days is not None:
        return Column(column.days, None, ColumnFacts("duration"))
    return read_text(column.texts, name, comma)


def read_text(column: pa.Array, name: str, comma: bool = False) -> Column:
    """Return a column of text as what all its values are: truth values, numbers, dates or words."""
    quick = None if comma else _quick_numbers(column)
    if quick is not None:
        return quick
    texts = Texts.of(column)
    found = _truths(texts) or _numbers(texts, comma) or _dates(texts)
    return _categories(texts, name) if found is None else found


def _quick_numbers(column: pa.Array) -> Column | None:
    """Return a column of plainly written numbers, None for everything that needs a closer look."""
    import pyarrow as pa
    import pyarrow.compute as pc

    head = Texts.of(column.slice(0, HEAD))
    if not (head.is_blank | matches(head.distinct, NUMBER)).all():
        return None
    known: pa.Array = pc.if_else(pc.equal(column, ""), None, column)
    blanks: dict[str, int] = {}
    try:
        floats = known.cast(pa.float64())
    except pa.ArrowInvalid:
        blank = pc.is_in(known, value_set=pa.array(sorted(BLANKS), known.type))
        blanks = count_words(known, blank)
        known = pc.if_else(blank, None, known)
        try:
            floats = known.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    if known.null_count == len(known) or may_be_codes(known):
        return None
    values: Array = floats.to_numpy(zero_copy_only=False)
    return Column(values, None, ColumnFacts("number", blanks, doubt=lost_digits(known, values)))


def _truths(texts: Texts) -> Column | None:
    truth = texts.are_in(TRUTH)
    if not truth.any() or not (truth | texts.is_blank).all():
        return None
    values = texts.spread([TRUTH.get(word, np.nan) for word in texts.words])
    return Column(values, None, ColumnFacts("truth value", texts.counted(texts.is_blank)))


def _numbers(texts: Texts, comma: bool) -> Column | None:
    """Return the column as numbers, None if some values are none, or codes."""
    found = _numerals(texts, comma)
    if found is None or code_reason(found.plain, found.values):
        return None
    facts = ColumnFacts(
        "number",
        texts.counted(texts.is_soft_blank),
        found.converted,
        lost_digits(found.plain, found.values),
    )
    return Column(_spread(texts, found.values), None, facts)


def _numerals(texts: Texts, comma: bool = False) -> Numerals | None:
    known = texts.distinct.filter(~texts.is_soft_blank)
    return read_numerals(known, comma=comma) if len(known) else None


def _spread(texts: Texts, values: Array) -> Array:
    """Return one number per row from one per value that is not blank."""
    table = np.full(len(texts.distinct), np.nan)
    table[~texts.is_soft_blank] = values
    return texts.spread(table)


def _dates(texts: Texts) -> Column | None:
    known = texts.distinct.filter(~texts.is_soft_blank)
    found = read_dates(known) if len(known) else None
    if found is None:
        return None
    facts = ColumnFacts("date", texts.counted(texts.is_soft_blank), found.converted)
    return Column(_spread(texts, found.values), None, facts)


def _categories(texts: Texts, name: str | None = None) -> Column:
    """Return the column as categories; with a name, say what is odd about text."""
    kept = np.flatnonzero(~texts.is_blank)
    words = texts.words
    order = sorted(kept, key=words.__getitem__)
    table = np.full(len(words), MISSING, dtype=np.int32)
    table[order] = np.arange(len(order))
    facts = ColumnFacts(
        "category",
        texts.counted(texts.is_blank),
        *(("", "") if name is None else _said_of_text(texts, kept, name)),
    )
    codes = texts.spread(table, MISSING).astype(np.int32)
    return Column(codes, tuple(words[i] for i in order), facts)


def _said_of_text(texts: Texts, kept: Array, name: str) -> tuple[str, str]:
    """Return what was done to a column of text, and what is odd about it."""
    found = _numerals(texts)
    if found is not None:
        return f"kept as text: {code_reason(found.plain, found.values)}", ""
    known = texts.distinct.take(kept)
    doubt = doubt_of_dates(known, name) if len(known) else ""
    done = "spellings joined that differ in outer spaces or composed letters"
    return done if texts.n_merged else "", doubt or _near(texts, kept) or _cases(texts, kept)


def _near(texts: Texts, kept: Array) -> str:
    """Say that most values are numbers or dates; empty if they are not."""
    counts = texts.counts * ~texts.is_soft_blank
    for what, pattern in (("numbers", f"{NUMBER}|[+-]?[0-9]+,[0-9]+"), ("dates", DATE)):
        fits = matches(texts.distinct, pattern)
        share = counts[fits].sum() / max(1, counts.sum())
        if share >= MOST:
            others = [texts.words[i] for i in kept if not fits[i]]
            return (
                f"text, although {share:.0%} of its values are {what} ({listed(others, limit=3)})"
            )
    return ""


def _cases(texts: Texts, kept: Array) -> str:
    """Say that values differ in case only; empty if none do, or if there are too many to be codes."""
    if len(kept) > MANY_LEVELS:
        return ""
    spelled: dict[str, list[str]] = {}
    for i in kept:
        spelled.setdefault(texts.words[i].casefold(), []).append(texts.words[i])
    twice = next((words for words in spelled.values() if len(words) > 1), None)
    return "" if twice is None else f"values that differ in case only ({listed(sorted(twice))})"


def check_finite(name: str, values: Array, where: str = "") -> None:
    """Refuse infinite numbers, naming the first rows that have one."""
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        rows = ", ".join(str(row) for row in infinite[:3])
        raise DatakinError(
            f"Column {name!r} must hold finite numbers. Got {len(infinite)} infinite value(s){where}, "
            f"first in row(s) {rows} counted from 0; replace them by missing values."
        )
