"""JSON as datakin writes it, read with care: a text that it cannot have written is refused."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from datakin._core.exceptions import DatakinError

__all__ = ["parse_json"]

LARGEST = 2**63  # a whole number beyond is none of ours, and may have millions of digits


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Keys that come twice, NaN and Infinity, numbers that 64 bits cannot hold, and lists within lists
    without end are refused. Our own files have none of them.

    Examples
    --------
    >>> parse_json('{"score": 0.5}')
    {'score': 0.5}
    >>> parse_json('{"score": 1e400}')
    Traceback (most recent call last):
    datakin._core.exceptions.DatakinError: This is not JSON that datakin wrote (the number 1e400).
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_float,
            parse_int=_int,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise DatakinError(f"This is not JSON (line {error.lineno}: {error.msg}).") from None
    except UnicodeDecodeError:
        raise DatakinError("This is not JSON (it is not UTF-8 text).") from None
    except RecursionError:
        raise _refusal("parts within parts without end") from None
    except TypeError:
        raise DatakinError(f"JSON must be a text. Got {type(text).__name__}.") from None


def _refusal(what: str) -> DatakinError:
    return DatakinError(f"This is not JSON that datakin wrote ({what}).")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _refusal("a key comes twice")
    return made


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _refusal(f"the number {digits[:40]}")
    return value


def _int(digits: str) -> int:
    value = int(digits) if len(digits) < 40 else LARGEST
    if not -LARGEST <= value < LARGEST:
        raise _refusal(f"the number {digits[:40]}")
    return value


def _constant(word: str) -> NoReturn:
    raise _refusal(word)
