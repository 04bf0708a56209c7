"""Cells that come one by one, from workbooks and databases -> columns of a pyarrow table.

A column gets a type where all its cells agree, otherwise it is text: "12", "n.a." stays what stands
there, as in a text file. What values mean is decided later, for every door alike.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from datakin.data.files.reading import Lottery

__all__ = ["draw_rows", "table_of", "text_of"]

NESTED = (list, tuple, dict, set, frozenset)
BYTES = (bytes, bytearray, memoryview)
LARGEST = 2**63
EXACT = 2**53  # floats below it hold every whole number


def draw_rows(
    batches: Iterable[Sequence[Sequence[Any]]], size: int | None
) -> tuple[list[Sequence[Any]], int]:
    """Return the rows that are drawn, or all, and how many have passed; only those are kept."""
    drawn: list[Sequence[Any]] = []
    if size is None:
        for batch in batches:
            drawn += batch
        return drawn, len(drawn)
    lottery = Lottery(size)
    for batch in batches:
        drawn += [batch[i] for i in lottery.offer(len(batch))]
        if len(drawn) > 1.25 * size:
            drawn = [drawn[i] for i in lottery.settle()]
    return [drawn[i] for i in lottery.settle()], lottery.n_seen


def table_of(
    rows: Sequence[Sequence[Any]],
    names: Sequence[str],
    skip: Collection[str] = (),
    *,
    whole: bool = False,
) -> pa.Table:
    """Return rows as a table without the columns to skip.

    Parameters
    ----------
    rows : sequence of sequences
    names : sequence of str
    skip : collection of str
    whole : bool
        Whether floats without decimals are whole numbers: a workbook stores 7 as 7.0.
    """
    columns = {}
    for j, name in enumerate(names):
        if name not in skip:
            columns[name] = _column([row[j] for row in rows], whole)
    return pa.table(columns)


def _column(values: list[Any], whole: bool) -> pa.Array:
    """Return the cells of one column, typed where all agree."""
    kinds = {type(value) for value in values} - {type(None)}
    if any(issubclass(kind, NESTED) for kind in kinds):
        return _nested(values)
    if kinds and all(issubclass(kind, BYTES) for kind in kinds):
        return pa.array([None if v is None else bytes(v) for v in values], pa.binary())
    try:
        return _typed(values, kinds, whole)
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        pass  # beyond what the type holds, as whole numbers of 30 digits: text keeps every digit
    texts = [None if value is None else text_of(value) for value in values]
    return pa.array(texts, pa.large_string())


def _typed(values: list[Any], kinds: set[type], whole: bool) -> pa.Array:
    """Return the cells as numbers, truth values or dates; raise a TypeError if they are neither."""
    if kinds <= {bool}:
        return pa.array(values, pa.bool_() if kinds else pa.null())
    if kinds <= {int}:
        top = max(abs(v) for v in values if v is not None)
        return pa.array(values, pa.int64() if top < LARGEST else pa.decimal128(38, 0))
    if kinds <= {int, float, Decimal}:
        return _numbers(values, kinds, whole)
    if kinds <= {dt.date}:
        return pa.array(values, pa.date32())
    if kinds <= {dt.date, dt.datetime}:
        return _moments(values)
    if kinds <= {dt.timedelta}:
        return pa.array(values, pa.duration("us"))
    raise TypeError("text")


def _numbers(values: list[Any], kinds: set[type], whole: bool) -> pa.Array:
    known = [v for v in values if v is not None]
    if float not in kinds and all(math.isfinite(v) for v in known):
        return pa.array([None if v is None else Decimal(v) for v in values])
    if whole and all(math.isfinite(v) and v == int(v) and abs(v) < EXACT for v in known):
        return pa.array([None if v is None else int(v) for v in values], pa.int64())
    if any(isinstance(v, int) and abs(v) > EXACT for v in known):
        raise TypeError("as floats, neighbours would become one")
    return pa.array([None if v is None else float(v) for v in values], pa.float64())


def _moments(values: list[Any]) -> pa.Array:
    """Return dates and times; those with a time zone as moments, and never mixed with the others."""
    full = [
        v if v is None or isinstance(v, dt.datetime) else dt.datetime(v.year, v.month, v.day)
        for v in values
    ]
    zoned = {v.tzinfo is not None for v in full if v is not None}
    if len(zoned) > 1:
        raise TypeError("with and without time zone")
    return pa.array(full, pa.timestamp("us", "UTC" if zoned == {True} else None))


def _nested(values: list[Any]) -> pa.Array:
    """Return lists or records as such, so that they are refused by name like those of other files."""
    as_lists = [list(v) if isinstance(v, (set, frozenset, tuple)) else v for v in values]
    try:
        return pa.array(as_lists)
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        return pa.array([None if v is None else [repr(v)] for v in values], pa.list_(pa.string()))


def text_of(value: Any) -> str:
    """Return a cell as it would stand in a text file.

    Examples
    --------
    >>> text_of(7.0), text_of(2.5), text_of("n.a."), text_of(dt.datetime(2020, 1, 2))
    ('7', '2.5', 'n.a.', '2020-01-02')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    if isinstance(value, dt.datetime):
        return (
            str(value.date())
            if value == dt.datetime(value.year, value.month, value.day)
            else str(value)
        )
    if isinstance(value, BYTES):
        return bytes(value).decode("utf-8", "backslashreplace")
    return str(value)
