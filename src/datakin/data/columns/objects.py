"""Columns of Python objects: numbers, durations or text, or a sentence on what they are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.data.columns.dates import DAY
from datakin.data.columns.numerals import EXACT, rounded
from datakin.data.columns.texts import arrow_texts
from datakin.data.features import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ObjectColumn", "is_none", "known_objects", "object_array", "refuse"]

TRUTHS = (bool, np.bool_)
WHOLE = (int, np.integer, Decimal)
NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction, *TRUTHS)
STAMPS = (dt.date, dt.time, np.datetime64)  # a datetime and a pandas Timestamp are dates, too
DURATIONS = (dt.timedelta, np.timedelta64)
MISSING = (type(None), type(pd.NA), type(pd.NaT))
MAY_BE_NAN = (float, np.floating, np.datetime64, np.timedelta64)
SEVERAL = (list, dict, set, frozenset, tuple, np.ndarray)


@dataclass(frozen=True, eq=False)
class ObjectColumn:
    """Objects of known kinds: one of the three is given.

    Parameters
    ----------
    numbers, days : ndarray or None
        Floats, and durations in days.
    texts : pyarrow.Array or None
    are_truths : bool
        Whether all numbers are truth values.
    long : pyarrow.Array or None
        The numbers as text if some have too many digits for a float.
    mixed : str
        The types of objects that became text, if there are several.
    """

    numbers: Array | None = None
    days: Array | None = None
    texts: pa.Array | None = None
    are_truths: bool = False
    long: pa.Array | None = None
    mixed: str = ""


def refuse(name: str, got: str) -> DatakinError:
    """Return the error on a column that no learner can use."""
    return DatakinError(
        f"Column {name!r} must hold numbers, booleans, dates or text. Got {got}; "
        f"leave it out with ignore=[{name!r}] (--ignore {name}) or convert it."
    )


def known_objects(values: Sequence[Any], name: str) -> ObjectColumn:
    """Return objects as numbers, durations or text, or refuse what they are."""
    kinds = set(map(type, values)) - set(MISSING)
    if len(kinds) > 1 and any(issubclass(kind, (*MAY_BE_NAN, Decimal)) for kind in kinds):
        kinds = {type(value) for value in values if not is_none(value)}
    _check_kinds(kinds, name)
    # To numpy a duration is a whole number, too.
    durations = {kind for kind in kinds if issubclass(kind, DURATIONS)}
    if durations and durations != kinds:
        raise refuse(name, "durations beside other values")
    if durations:
        return ObjectColumn(days=np.array([_days(v, name) for v in values]) / float(DAY))
    if kinds and all(issubclass(kind, NUMBERS) for kind in kinds):
        return _numbers(values, kinds)
    families = [kind for kind in kinds if not issubclass(kind, str)]
    mixed = (
        ", ".join(sorted(kind.__name__ for kind in kinds)) if families and len(kinds) > 1 else ""
    )
    return ObjectColumn(texts=arrow_texts(_spelled(v) for v in values), mixed=mixed)


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


def _numbers(values: Sequence[Any], kinds: set[type]) -> ObjectColumn:
    floats = np.array([_float(v) for v in values], dtype=float)
    truths = all(issubclass(kind, TRUTHS) for kind in kinds)
    large = np.flatnonzero((np.abs(floats) >= EXACT) & np.isfinite(floats)).tolist()
    lost = rounded(int(values[i]) for i in large if isinstance(values[i], WHOLE))
    long = arrow_texts(_spelled_number(v) for v in values) if lost else None
    return ObjectColumn(numbers=floats, are_truths=truths, long=long)


def _spelled_number(value: Any) -> str | None:
    """Return a number as text, a whole one with all its digits."""
    if is_none(value):
        return None
    return str(int(value)) if float(value).is_integer() else str(float(value))


def _days(value: Any, name: str) -> float:
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
    if isinstance(value, Decimal):
        return value.is_nan()
    if not isinstance(value, MAY_BE_NAN):
        return isinstance(value, MISSING)
    maybe: Any = value
    return bool(pd.isna(maybe))


def _spelled(value: Any) -> str | None:
    if is_none(value):
        return None
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else str(value)


def object_array(values: Sequence[Any]) -> Array:
    """Return values of any kind as an array of one dimension."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
