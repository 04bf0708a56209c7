"""Columns of Arrow: one type for pieces of several types, and for cells that come one by one.

Cells come from workbooks and databases. A column of them gets a type where all its cells agree,
otherwise it is text: "12", "n.a." stays what stands there, as in a text file. What values mean is
decided later, for every door alike.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from datakin.data.columns.numerals import EXACT
from datakin.data.columns.texts import is_text

NESTED = (list, tuple, dict, set, frozenset)
BYTES = (bytes, bytearray, memoryview)
LARGEST = 2**63


def plain_type(kind: Any) -> Any:
    """Return a type with the same values that every step behind the door knows."""
    name = str(kind)  # pyarrow 16 has no names for some of these types
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if name == "string_view":  # what polars writes texts in
        return pa.large_string()
    if name == "binary_view":
        return pa.large_binary()
    if name.startswith("run_end_encoded"):
        return plain_type(kind.value_type)
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)
    return kind


def converted(piece: Any, kind: Any) -> Any:
    """Return an array as another type; raise pyarrow's error where values would change."""
    if isinstance(piece.type, pa.BaseExtensionType):
        piece = piece.storage
    if piece.type == kind:
        return piece
    if pa.types.is_dictionary(piece.type):
        values = converted(piece.dictionary, plain_type(piece.type.value_type))
        piece = pa.DictionaryArray.from_arrays(piece.indices, values, ordered=piece.type.ordered)
        if piece.type == kind:
            return piece
        piece = piece.dictionary_decode()
    elif str(piece.type).startswith("run_end_encoded"):
        piece = pc.run_end_decode(piece)
    # Decimals become the nearest float, as they would from text.
    return piece.cast(kind, safe=not pa.types.is_decimal(piece.type))


def common_type(one: Any, other: Any) -> Any:
    """Return a type that holds both, None if there is none, as for text and numbers."""
    if one == other:
        return one
    one, other = (t.value_type if pa.types.is_dictionary(t) else t for t in (one, other))
    one, other = plain_type(one), plain_type(other)
    if is_text(one) and is_text(other):
        return pa.large_string()
    if one == other or not (_is_number(one) and _is_number(other)):
        return _unified(one, other)
    if pa.types.is_floating(one) or pa.types.is_floating(other):
        return pa.float64()
    # Whole numbers stay whole, so that ids beyond 2^53 stay apart.
    found = _unified(one, other)
    if found is None and pa.types.is_integer(one) and pa.types.is_integer(other):
        return pa.decimal128(20, 0)
    return pa.float64() if found is None else found


def _unified(one: Any, other: Any) -> Any:
    try:
        both = [pa.schema([("x", kind)]) for kind in (one, other)]
        return pa.unify_schemas(both, promote_options="permissive").field("x").type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def _is_number(kind: Any) -> bool:
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def table_of(
    rows: Sequence[Sequence[Any]],
    names: Sequence[str],
    skip: Collection[str] = (),
    *,
    whole: bool = False,
) -> pa.Table:
    """Return rows as a table without the columns to skip.

    With `whole`, floats without decimals are whole numbers: a workbook stores 7 as 7.0.
    """
    used = {name: j for j, name in enumerate(names) if name not in skip}
    return pa.table({name: _column([row[j] for row in rows], whole) for name, j in used.items()})


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
    if any(kinds <= {kind} for kind in (bool, dt.date, dt.timedelta)):  # which Arrow has, too
        return pa.array(values)
    if kinds <= {int}:
        top = max(abs(v) for v in values if v is not None)
        return pa.array(values, pa.int64() if top < LARGEST else pa.decimal128(38, 0))
    if kinds <= {int, float, Decimal}:
        return _numbers(values, kinds, whole)
    if kinds <= {dt.date, dt.datetime}:
        return _moments(values)
    raise TypeError("text")


def _numbers(values: list[Any], kinds: set[type], whole: bool) -> pa.Array:
    """Return decimals as such, whole numbers of a workbook as integers, and all others as floats."""
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
    try:
        return pa.array(values)
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
    if isinstance(value, dt.datetime) and value == dt.datetime(value.year, value.month, value.day):
        return str(value.date())
    if isinstance(value, BYTES):
        return bytes(value).decode("utf-8", "backslashreplace")
    return str(value)
