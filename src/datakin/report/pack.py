"""The JSON of a result, packed so that it fits into a page, and unpacked to the last digit.

The matrix of 300 datasets is 16 MB of JSON: seven squares of numbers with seventeen digits. Here a
large square of numbers is stored as 8-byte floats in base64, only one half if it is symmetric. A large
square of a few different values (zones) is stored with one byte for each. Nothing else is changed.
"""

from __future__ import annotations

import base64
import json
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import numpy as np

from datakin.data.features import Array

__all__ = ["pack", "unpack"]

LARGE = 400  # entries; smaller squares are not packed


def pack(result: Any) -> dict[str, Any]:
    """Return the JSON of a result as a smaller tree."""
    packed = {field.name: _packed(getattr(result, field.name)) for field in fields(result)}
    packed = {name: part for name, part in packed.items() if part is not None}
    rest: dict[str, Any] = json.loads(replace(result, **dict.fromkeys(packed)).to_json())
    return {key: packed.get(key, value) for key, value in rest.items()}


def unpack(tree: Any) -> str:
    """Return the JSON text of the result that `pack` was given."""
    return json.dumps({key: _unpacked(part) for key, part in tree.items()}, allow_nan=False)


def _packed(value: Any) -> dict[str, Any] | None:
    """Pack a large square of floats or of enums; None for anything else."""
    if isinstance(value, np.ndarray):
        square = value.ndim == 2 and len(value) == value.shape[1] and value.dtype == np.float64
        return _floats(value) if square and value.size >= LARGE else None
    if isinstance(value, tuple) and len(value) ** 2 >= LARGE and isinstance(value[0], tuple):
        return _choices(value) if isinstance(value[0][0], Enum) else None
    return None


def _floats(square: Array) -> dict[str, Any]:
    square = np.ascontiguousarray(square, dtype="<f8")
    # Compared bit by bit, so that NaN equals NaN and 0.0 does not equal -0.0.
    bits = square.view("<u8")
    symmetric = bool(np.array_equal(bits, bits.T))
    kept = square[np.triu_indices(len(square))] if symmetric else square
    return {
        "type": "packed floats",
        "n": len(square),
        "symmetric": symmetric,
        "data": _base64(kept),
    }


def _choices(rows: tuple[tuple[Enum, ...], ...]) -> dict[str, Any]:
    codes: dict[Enum, int] = {}
    flat = [codes.setdefault(item, len(codes)) for row in rows for item in row]
    return {
        "type": "packed choices",
        "n": len(rows),
        "choices": [{"type": type(item).__name__, "value": item.value} for item in codes],
        "data": _base64(np.array(flat, dtype=np.uint8)),
    }


def _base64(values: Array) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")


def _unpacked(value: Any) -> Any:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "packed floats":
        return {"type": "array", "values": _square_of(value)}
    if kind == "packed choices":
        n, codes = value["n"], base64.b64decode(value["data"])
        return [[value["choices"][codes[i * n + j]] for j in range(n)] for i in range(n)]
    return value


def _square_of(value: dict[str, Any]) -> list[list[Any]]:
    n, flat = value["n"], np.frombuffer(base64.b64decode(value["data"]), dtype="<f8")
    if value["symmetric"]:
        rows, columns = np.triu_indices(n)
        square = np.empty((n, n))
        square[rows, columns] = square[columns, rows] = flat
    else:
        square = flat.reshape(n, n)
    return [[_plain(item) for item in row] for row in square.tolist()]


def _plain(item: float) -> Any:
    return item if np.isfinite(item) else {"type": "float", "value": str(item)}
