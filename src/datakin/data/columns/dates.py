"""Dates -> days since 1970, from the year 1 to 9999, and times of day -> hours, as tables hold them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from datakin.data.columns.typed_options import convert_option
from datakin.data.features import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DAY",
    "EARLY",
    "HOUR",
    "LATE",
    "NAMED_A_DATE",
    "OTHER_ZONE",
    "TIMES",
    "UTC",
    "calendar_days",
    "days_of_numbers",
    "days_of_stamps",
    "doubt_of_digits",
    "hours_of_times",
]

DAY = 86_400_000_000  # microseconds
FIRST, LAST = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31
HOUR = DAY / 24
UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}
TIMES = "times of day as hours"
OTHER_ZONE = "times in another zone are taken in UTC"
UTC = frozenset({"UTC", "utc", "Z", "GMT", "Etc/UTC", "+00:00", "-00:00", "+0000", "-0000", "+00"})
NAMED_A_DATE = re.compile(r"(^|_|\b)(date|datum|fecha|dob)|(date|datum|_dt)$", re.IGNORECASE)
EARLY, LATE = 19000101, 21001231  # numbers between them may be dates
MANY_DAYS = 20  # different ones from which numbers that all are days are no chance


def hours_of_times(times: pa.Array) -> Array:
    """Return an Arrow column of times of day as hours."""
    import pyarrow as pa

    missing = np.asarray(times.is_null())
    whole = times.cast(pa.time64("ns")).cast(pa.int64()).fill_null(0)
    hours: Array = whole.to_numpy(zero_copy_only=False) // 1_000 / HOUR
    hours[missing] = np.nan
    return hours


def calendar_days(year: Array, month: Array, day: Array) -> Array | None:
    """Return days since 1970, None for a date that no calendar has."""
    if not (np.all(year >= 1) and np.all((month >= 1) & (month <= 12)) and np.all(day >= 1)):
        return None
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    first = months.astype("datetime64[D]").astype(np.int64)
    following = (months + 1).astype("datetime64[D]").astype(np.int64)
    days: Array = first + day - 1
    return days if np.all(days < following) else None


def days_of_stamps(stamps: pa.Array) -> Array | None:
    """Return an Arrow column of dates, times or durations as days, None beyond the years 1 to 9999.

    Stamps with a time zone count from 1970 in UTC.
    """
    import pyarrow as pa
    import pyarrow.types as types

    missing = np.asarray(stamps.is_null())
    kind = stamps.type
    if types.is_date32(kind):
        whole = stamps.cast(pa.int32())
        per_day, unit = 1.0, "D"
    else:
        whole, unit = stamps.cast(pa.int64()), "ms" if types.is_date64(kind) else kind.unit
        per_day = float(DAY)
    numbers = whole.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if unit == "ns":
        numbers = numbers // 1_000
    elif unit != "D":
        if np.abs(numbers.astype(float) * UNITS[unit]).max(initial=0.0) > 9.2e18:
            return None
        numbers = numbers * UNITS[unit]
    days: Array = numbers / per_day
    if not types.is_duration(kind) and ((days < FIRST) | (days >= LAST + 1)).any():
        return None
    days[missing] = np.nan
    return days


def days_of_numbers(values: Array, name: str) -> Array | None:
    """Return numbers such as 20200131 as days since 1970, None unless named and valued like dates."""
    if not NAMED_A_DATE.search(name):
        return None
    known = ~np.isnan(values)
    days = _days_of_digits(values[known], 18000101, 22001231)
    if days is None:
        return None
    found = np.full(len(values), np.nan)
    found[known] = days
    return found


def doubt_of_digits(values: Array, name: str) -> str:
    """Say that numbers such as 20200131 may be dates; empty unless all are, and many different ones."""
    known = values[~np.isnan(values)]
    if _days_of_digits(known[:100], EARLY, LATE) is None or len(np.unique(known)) < MANY_DAYS:
        return ""
    if _days_of_digits(known, EARLY, LATE) is None:
        return ""
    return f"read as numbers, but may be dates ({known[0]:.0f}); if so, say " + convert_option(
        name, "%Y%m%d"
    )


def _days_of_digits(numbers: Array, first: int, last: int) -> Array | None:
    """Return whole numbers yyyymmdd within bounds as days since 1970, None if some are none."""
    if not len(numbers) or not np.all((numbers >= first) & (numbers <= last)):
        return None
    if np.any(numbers != np.round(numbers)):
        return None
    whole = numbers.astype(np.int64)
    return calendar_days(whole // 10_000, whole // 100 % 100, whole % 100)
