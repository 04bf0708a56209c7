"""Whether values read from a file are what the fields of a result must hold."""

from __future__ import annotations

import types
from dataclasses import fields
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from datakin._core.exceptions import DatakinError

LONGEST = 60  # characters of a value in a message


def check_fields(record: Any) -> None:
    """Refuse a record, just read, with a field that holds something else than its annotation says.

    Parameters
    ----------
    record : dataclass instance
    """
    kind: Any = type(record)
    for name, hint in _hints(kind).items():
        value = getattr(record, name)
        if not _is(value, hint):
            raise DatakinError(
                f"This datakin result is damaged: {name!r} of a {kind.__name__} cannot be {short(value)}. "
                f"Compute the result again."
            )


@cache
def _hints(cls: Any) -> dict[str, Any]:
    known = get_type_hints(cls)
    return {f.name: known[f.name] for f in fields(cls)}


def short(value: Any) -> str:
    """Return a value for a message, its end cut off."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def are_numbers(values: Any) -> bool:
    """Return whether values, nested as in an array, are numbers.

    One long text among many short ones would give each of them its room in the array.
    """
    if isinstance(values, tuple):
        return all(map(are_numbers, values))
    return isinstance(values, (int, float))


def _is(value: Any, hint: Any) -> bool:
    """Return whether a value fits an annotation: those that results use."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(_is(value, part) for part in parts)
    if origin in (dict, tuple, np.ndarray) and not isinstance(value, origin):
        return False
    if origin is dict:
        return all(_is(k, parts[0]) and _is(v, parts[1]) for k, v in value.items())
    if origin is tuple:
        wanted = parts[:1] * len(value) if parts[1:] == (Ellipsis,) else parts
        return len(value) == len(wanted) and all(map(_is, value, wanted))
    if origin is np.ndarray:
        return bool(value.dtype.kind in "biuf")
    if hint in (int, float):
        kinds = (int, float) if hint is float else int
        return isinstance(value, kinds) and not isinstance(value, bool)
    # Of other annotations only classes are checked; no result has a field with any further one.
    return isinstance(value, hint) if isinstance(hint, type) and origin is None else True
