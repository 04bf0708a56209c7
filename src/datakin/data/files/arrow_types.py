"""Types of Arrow: which one holds two others, and a plain one for each that few programs know."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

__all__ = ["common_type", "converted", "plain_type"]


def plain_type(kind: Any) -> Any:
    """Return a type with the same values that every step behind the door knows."""
    name = str(kind)  # pyarrow 16 has no names for some of these types
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if name == "string_view":  # what polars writes texts in
        return pa.large_string()
    if name == "binary_view":
        return pa.large_binary()
    if types.is_float16(kind):
        return pa.float32()
    if types.is_date64(kind):
        return pa.date32()
    if name.startswith(("decimal32", "decimal64")):
        return pa.decimal128(kind.precision, kind.scale)
    if name.startswith("run_end_encoded"):
        return plain_type(kind.value_type)
    if types.is_dictionary(kind):
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
    if _is_number(one) and _is_number(other):
        return _common_number(one, other)
    if _is_text(one) and _is_text(other):
        return pa.large_string()
    return _unified(one, other)


def _common_number(one: Any, other: Any) -> Any:
    if one == other:
        return one
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
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _is_text(kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view")
