"""Dates -> days since 1970, from the year 1 to 9999, and times of day -> hours, whatever holds them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from datakin.data.columns.texts import HEAD, fit_all, matches
from datakin.data.features import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DATE",
    "TIMES",
    "Dates",
    "days_of_numbers",
    "days_of_stamps",
    "doubt_of_dates",
    "hours_of_times",
    "read_dates",
    "read_times",
]

DAY = 86_400_000_000  # microseconds
FIRST, LAST = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31
HOUR = DAY / 24
UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}
TIMES = "times of day as hours"
CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)? *(?P<half>[AaPp][Mm])?"
)
TIME = rf"(?:(?:T| +){CLOCK} *(?P<zone>Z|UTC|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)?)?$"
YEAR_FIRST = r"^(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
FORMS = {
    "": YEAR_FIRST,
    "dates yyyy/mm/dd": r"^(?P<year>[0-9]{4})[/.](?P<month>[0-9]{1,2})[/.](?P<day>[0-9]{1,2})",
    "dates dd.mm.yyyy": r"^(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})",
    "dates dd/mm/yyyy": r"^(?P<day>[0-9]{1,2})[/-](?P<month>[0-9]{1,2})[/-](?P<year>[0-9]{4})",
    "dates mm/dd/yyyy": r"^(?P<month>[0-9]{1,2})[/-](?P<day>[0-9]{1,2})[/-](?P<year>[0-9]{4})",
}
DATE = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([T ].*)?|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}( .*)?"
)
SHORT_YEAR = r"[0-9]{1,2}([-/.])[0-9]{1,2}[-/.][0-9]{2}"
NAMED_A_DATE = re.compile(r"(^|_|\b)(date|datum|fecha|dob)|(date|datum|_dt)$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Dates:
    """Texts read as dates: days since 1970 of each, and what was done; empty for ISO dates."""

    values: Array
    converted: str = ""


def read_dates(texts: pa.Array) -> Dates | None:
    """Return distinct texts as days since 1970, None when some are no date or it is not clear.

    Of ``03/04/2020`` only other values of the column can tell which is the month.
    """
    found = {}
    for said, form in FORMS.items():
        days = _parsed(texts, form)
        if days is not None:
            found[said] = days
    if len(found) != 1:
        return None
    said, days = next(iter(found.items()))
    return Dates(days, said)


def doubt_of_dates(texts: pa.Array, name: str) -> str:
    """Say that dates could not be read since their form is not clear; empty if they are none."""
    forms = {"/": "%d/%m/%Y", "-": "%d-%m-%Y"}
    if _parsed(texts, FORMS["dates dd/mm/yyyy"]) is None:
        if not fit_all(texts, SHORT_YEAR):
            return ""
        forms = {mark: f"%d{mark}%m{mark}%y" for mark in "/-."}
    example = texts[0].as_py()
    form = next(form for mark, form in forms.items() if mark in example)
    return (
        f"text: dates such as {example!r} can be read in more than one way; say which with "
        f"convert={{{name!r}: {form!r}}} (--convert {name}={form})"
    )


def read_times(texts: pa.Array) -> Array | None:
    """Return times of day such as 10:30 as hours, None when some are none."""
    part = _extracted(texts, f"^{CLOCK}$")
    clock = None if part is None else _clock(part)
    return None if clock is None else clock / HOUR


def hours_of_times(times: pa.Array) -> Array:
    """Return an Arrow column of times of day as hours."""
    import pyarrow as pa

    missing = np.asarray(times.is_null())
    whole = times.cast(pa.time64("ns")).cast(pa.int64()).fill_null(0)
    hours: Array = whole.to_numpy(zero_copy_only=False) // 1_000 / HOUR
    hours[missing] = np.nan
    return hours


def _extracted(texts: pa.Array, pattern: str) -> dict[str, Any] | None:
    """Return the named parts of texts, None when some do not fit."""
    import pyarrow.compute as pc

    if pc.extract_regex(texts.slice(0, HEAD), pattern=pattern).null_count:
        return None
    parts = pc.extract_regex(texts, pattern=pattern)
    if parts.null_count:
        return None
    return {field.name: parts.field(i) for i, field in enumerate(parts.type)}


def _parsed(texts: pa.Array, form: str) -> Array | None:
    """Return days since 1970 of texts in one form, None when some are in another."""
    part = _extracted(texts, form + TIME)
    if part is None:
        return None
    year, month, day = (_whole(part[name]) for name in ("year", "month", "day"))
    days = _days(year, month, day)
    clock = _clock(part)
    if days is None or clock is None:
        return None
    days_float: Array = (days * DAY + clock) / float(DAY)
    return days_float


def _days(year: Array, month: Array, day: Array) -> Array | None:
    """Return days since 1970, None for a date that no calendar has."""
    if not (np.all(year >= 1) and np.all((month >= 1) & (month <= 12)) and np.all(day >= 1)):
        return None
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    first = months.astype("datetime64[D]").astype(np.int64)
    following = (months + 1).astype("datetime64[D]").astype(np.int64)
    days: Array = first + day - 1
    return days if np.all(days < following) else None


def _clock(part: dict[str, Any]) -> Array | None:
    """Return microseconds since midnight in UTC, None for a time that no clock shows."""
    import pyarrow.compute as pc

    hour, minute, second = (_whole(part[name]) for name in ("hour", "minute", "second"))
    half, zone = part["half"], part.get("zone")
    if not pc.all(_is_empty(half)).as_py():
        if np.any((hour < 1) | (hour > 12)):
            return None
        hour = hour % 12 + 12 * matches(half, "[Pp][Mm]")
    if np.any(hour > 23) or np.any(minute > 59) or np.any(second > 59):
        return None
    fraction = _whole(pc.utf8_slice_codeunits(pc.utf8_rpad(part["fraction"], 6, "0"), 0, 6))
    if zone is not None and not pc.all(_is_empty(zone)).as_py():
        minute = minute - _offsets(zone)
    clock: Array = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    return clock


def _offsets(zone: pa.Array) -> Array:
    """Return the minutes of zones such as +01:00."""
    import pyarrow.compute as pc

    zone = pc.replace_substring_regex(pc.replace_substring(zone, ":", ""), "^(Z|UTC|)$", "+00")
    form = "^(?P<sign>[+-])(?P<hour>[0-9]{2})(?P<minute>(?:[0-9]{2})?)$"
    sign, hour, minute = pc.extract_regex(zone, pattern=form).flatten()
    signs, hours, minutes = np.where(matches(sign, "-"), -1, 1), _whole(hour), _whole(minute)
    offsets: Array = signs * (hours * 60 + minutes)
    return offsets


def _is_empty(texts: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    return pc.equal(texts, "")


def _whole(texts: pa.Array) -> Array:
    """Return digits as whole numbers; no digits are 0."""
    import pyarrow.compute as pc

    filled = pc.if_else(_is_empty(texts), "0", texts)
    numbers: Array = filled.cast("int64").to_numpy(zero_copy_only=False)
    return numbers


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
    dates = values[known]
    if not len(dates) or not np.all((dates >= 18000101) & (dates <= 22001231)):
        return None
    if np.any(dates != np.round(dates)):
        return None
    whole = dates.astype(np.int64)
    days = _days(whole // 10_000, whole // 100 % 100, whole % 100)
    if days is None:
        return None
    found = np.full(len(values), np.nan)
    found[known] = days
    return found
