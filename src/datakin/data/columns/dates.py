"""Dates -> days since 1970, from the year 1 to 9999, and times of day -> hours: which texts and numbers."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datakin._core.typed_options import convert_option
from datakin.data.columns.texts import HEAD, fit_all, matches
from datakin.data.features import Array

DAY = 86_400_000_000  # microseconds
TIMES = "times of day as hours"
OTHER_ZONE = "times in another zone are taken in UTC"
UTC = frozenset({"UTC", "utc", "Z", "GMT", "Etc/UTC", "+00:00", "-00:00", "+0000", "-0000", "+00"})
NAMED_A_DATE = re.compile(r"(^|_|\b)(date|datum|fecha|dob)|(date|datum|_dt)$", re.IGNORECASE)
EARLY, LATE = 19000101, 21001231  # numbers between them may be dates
MANY_DAYS = 20  # different ones from which numbers that all are days are no chance

CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)? *(?P<half>[AaPp][Mm])?"
)
TIME = rf"(?:(?:T| +){CLOCK} *(?P<zone>Z|UTC|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)?)?$"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ENGLISH = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
LETTERS = r"\pL{3,10}\.?"  # the month in some language
GAP = "[-/., ]+"
DAYS, MONTH, YEAR = r"(?P<day>[0-9]{1,2})", r"(?P<month>[0-9]{1,2})", r"(?P<year>[0-9]{4})"
NAME, SHORT = rf"(?P<name>{ENGLISH})", r"(?P<short>[0-9]{2})"
CENTURY = "; years 69 to 99 as 1969 to 1999, 00 to 68 as 2000 to 2068"  # as Python's %y does
FIRST_DAY = ", as the first day of the month"
SEASONS = "years and months yyyy-mm" + FIRST_DAY
FORMS = {
    "": r"^(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})",
    "dates yyyy/mm/dd": rf"^{YEAR}[/.]{MONTH}[/.]{DAYS}",
    "dates dd.mm.yyyy": rf"^{DAYS}\.{MONTH}\.{YEAR}",
    "dates dd/mm/yyyy": rf"^{DAYS}[/-]{MONTH}[/-]{YEAR}",
    "dates mm/dd/yyyy": rf"^{MONTH}[/-]{DAYS}[/-]{YEAR}",
    "dates with names of months": rf"^{DAYS}(?:st|nd|rd|th)?{GAP}{NAME}{GAP}{YEAR}",
    "dates with names of months, month first": rf"^{NAME}{GAP}{DAYS}(?:st|nd|rd|th)?{GAP}{YEAR}",
    "dates with names of months, year first": rf"^{YEAR}{GAP}{NAME}{GAP}{DAYS}",
    "dates with names of months" + CENTURY: rf"^{DAYS}{GAP}{NAME}{GAP}{SHORT}",
    "dates dd.mm.yy" + CENTURY: rf"^{DAYS}\.{MONTH}\.{SHORT}",
    "dates yy.mm.dd" + CENTURY: rf"^{SHORT}\.{MONTH}\.{DAYS}",
    "dates dd/mm/yy" + CENTURY: rf"^{DAYS}[/-]{MONTH}[/-]{SHORT}",
    "dates mm/dd/yy" + CENTURY: rf"^{MONTH}[/-]{DAYS}[/-]{SHORT}",
    "dates yy/mm/dd" + CENTURY: rf"^{SHORT}[/-]{MONTH}[/-]{DAYS}",
    SEASONS: r"^(?P<year>[0-9]{4})-(?P<month>[0-9]{2})",
    "months mm/yyyy" + FIRST_DAY: rf"^{MONTH}/{YEAR}",
    "months mm.yyyy" + FIRST_DAY: rf"^{MONTH}\.{YEAR}",
    "names of months and years" + FIRST_DAY: rf"^{NAME}{GAP}{YEAR}",
}
POINTED_MONTH = r"(0?[1-9]|1[0-2])\.(19[0-9]{2}|20[0-9]{2}|2100)"  # a number as well
FEW_MONTHS = 3  # different months from which no leading zero is needed to tell them from decimals
FEW_POINTED = 5  # different texts that are needed then
# What most values of a column that is named must look like.
DATE = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([T ].*)?|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}( .*)?"
    rf"|[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{2}}|[0-9]{{1,2}}{GAP}{ENGLISH}{GAP}[0-9]{{4}}( .*)?"
)
# What may be asked about: formats of days, and of the times behind them.
ASKED = r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{2}|[0-9]{4})([T ].*)?"
ORDERS = ("%d{0}%m{0}%Y", "%m{0}%d{0}%Y", "%d{0}%m{0}%y", "%m{0}%d{0}%y", "%y{0}%m{0}%d")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", "T%H:%M", "T%H:%M:%S")


def read_dates(texts: pa.Array) -> tuple[Array, str] | None:
    """Return distinct texts as days since 1970, None when some are no date or it is not clear.

    Of ``03/04/2020`` only other values of the column can tell which is the month. The second result is
    what was done; it is empty for ISO dates in UTC.
    """
    found = {said: days for said in FORMS if (days := days_in_form(texts, said)) is not None}
    if len(found) != 1:
        return None
    ((said, days),) = found.items()
    if said == SEASONS and all((int(t[2:4]) + 1) % 100 == int(t[5:7]) for t in texts.to_pylist()):
        return None  # two years that follow each other, such as 2010-11
    part = _extracted(texts, FORMS[said] + TIME)
    zones = set() if part is None else set(part["zone"].unique().to_pylist())
    zone = OTHER_ZONE if zones - UTC - {""} else ""
    return days, ", ".join(filter(None, [said, zone]))


def form_of(converted: str) -> str:
    """Return the spelling of dates that a note on a column names; empty for ISO dates.

    Examples
    --------
    >>> form_of("dates dd/mm/yyyy, times of other zones")
    'dates dd/mm/yyyy'
    """
    known = [said for said in FORMS if said and converted.startswith(said)]
    return max(known, key=len, default="")


def days_in_form(texts: pa.Array, form: str) -> Array | None:
    """Return days since 1970 of distinct texts in a known spelling, None when some are in another."""
    part = _extracted(texts, FORMS[form] + TIME) if form in FORMS and len(texts) else None
    if part is None:
        return None
    days, clock = _calendar_days(*_calendar(part)), _clock(part)
    if days is None or clock is None:
        return None
    return np.asarray((days * DAY + clock) / float(DAY))


def read_times(texts: pa.Array) -> Array | None:
    """Return times of day such as 10:30 as hours, None when some are none."""
    part = _extracted(texts, f"^{CLOCK}$")
    clock = None if part is None else _clock(part)
    return None if clock is None else clock / (DAY / 24)


def are_months(texts: pa.Array) -> bool:
    """Whether all texts are months such as 03.2024, and not decimals that happen to look so."""
    if not len(texts) or not fit_all(texts, POINTED_MONTH):
        return False
    if pc.any(pc.starts_with(texts, "0")).as_py():
        return True
    some = pc.unique(texts)
    months = pc.unique(pc.replace_substring_regex(some, r"\..*", ""))
    return len(some) >= FEW_POINTED and len(months) >= FEW_MONTHS


def doubt_of_dates(texts: pa.Array, name: str) -> str:
    """Say that dates could not be read, and which options read them; empty if they are none."""
    example = texts[0].as_py()
    if fit_all(texts, ASKED):
        options = " or ".join(convert_option(name, form) for form in _working(texts.to_pylist()))
        if options:
            return (
                f"text: dates such as {example!r} can be read in more than one way; say {options}"
            )
    if _have_foreign_months(texts):
        option = convert_option(name, "%d-%m-%Y")
        return (
            f"text: dates with names of months that are not English ({example!r}); write the months "
            f"as numbers (02-06-2020) and say {option}"
        )
    return ""


def _working(words: list[str]) -> list[str]:
    """Return the formats that all texts fit, for Python as for the user."""
    mark = next(sign for sign in words[0] if not sign.isdigit())
    forms = (order.format(mark) + clock for order, clock in product(ORDERS, CLOCKS))
    return [form for form in forms if all(_fits(word, form) for word in words)]


def _fits(word: str, form: str) -> bool:
    try:
        datetime.strptime(word, form)
    except ValueError:
        return False
    return True


def _have_foreign_months(texts: pa.Array) -> bool:
    """Whether texts are days, words and years, with words that begin like the months of many languages."""
    if not fit_all(texts, rf"[0-9]{{1,2}}{GAP}{LETTERS}{GAP}[0-9]{{4}}"):
        return False
    words = pc.unique(pc.utf8_lower(pc.replace_substring_regex(texts, r"[^\pL]", "")))
    some = pc.utf8_slice_codeunits(words, 0, 3).to_pylist()
    return 1 < len(words) <= 2 * len(MONTHS) and bool(set(some) & set(MONTHS))


def _extracted(texts: pa.Array, pattern: str) -> dict[str, Any] | None:
    """Return the named parts of texts, None when some do not fit."""
    if len(texts) > HEAD and pc.extract_regex(texts[:HEAD], pattern=pattern).null_count:
        return None
    parts = pc.extract_regex(texts, pattern=pattern)
    if parts.null_count:
        return None
    return {field.name: parts.field(i) for i, field in enumerate(parts.type)}


def _calendar(part: dict[str, Any]) -> tuple[Array, Array, Array]:
    """Return years, months and days; without a day it is the first."""
    if "short" in part:
        short = _whole(part["short"])
        year = short + np.where(short < 69, 2000, 1900)
    else:
        year = _whole(part["year"])
    if "name" in part:
        names = pc.utf8_lower(pc.utf8_slice_codeunits(part["name"], 0, 3))
        found = pc.index_in(names, value_set=pa.array(MONTHS, names.type))
        month = found.to_numpy(zero_copy_only=False).astype(np.int64) + 1
    else:
        month = _whole(part["month"])
    return year, month, _whole(part["day"]) if "day" in part else np.ones_like(year)


def _calendar_days(year: Array, month: Array, day: Array) -> Array | None:
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
    hour, minute, second = (_whole(part[name]) for name in ("hour", "minute", "second"))
    half, zone = part["half"], part.get("zone")
    if matches(half, ".+").any():
        if np.any((hour < 1) | (hour > 12)):
            return None
        hour = hour % 12 + 12 * matches(half, "[Pp][Mm]")
    if np.any(hour > 23) or np.any(minute > 59) or np.any(second > 59):
        return None
    fraction = _whole(pc.utf8_slice_codeunits(pc.utf8_rpad(part["fraction"], 6, "0"), 0, 6))
    if zone is not None and matches(zone, ".+").any():
        minute = minute - _offsets(zone)
    return np.asarray(((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction)


def _offsets(zone: pa.Array) -> Array:
    """Return the minutes of zones such as +01:00."""
    zone = pc.replace_substring_regex(pc.replace_substring(zone, ":", ""), "^(Z|UTC|)$", "+00")
    form = "^(?P<sign>[+-])(?P<hour>[0-9]{2})(?P<minute>(?:[0-9]{2})?)$"
    sign, hour, minute = pc.extract_regex(zone, pattern=form).flatten()
    minutes = _whole(hour) * 60 + _whole(minute)
    return np.where(matches(sign, "-"), -minutes, minutes)


def _whole(texts: pa.Array) -> Array:
    """Return digits as whole numbers; no digits are 0."""
    filled = pc.if_else(pc.equal(texts, ""), "0", texts)
    return np.asarray(filled.cast("int64").to_numpy(zero_copy_only=False))


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
    # The first ones settle it for most columns.
    if any(_days_of_digits(some, EARLY, LATE) is None for some in (known[:100], known)):
        return ""
    if len(np.unique(known)) < MANY_DAYS:
        return ""
    option = convert_option(name, "%Y%m%d")
    return f"read as numbers, but may be dates ({known[0]:.0f}); if so, say {option}"


def _days_of_digits(numbers: Array, first: int, last: int) -> Array | None:
    """Return whole numbers yyyymmdd within bounds as days since 1970, None if some are none."""
    if not len(numbers) or not np.all((numbers >= first) & (numbers <= last)):
        return None
    if np.any(numbers != np.round(numbers)):
        return None
    whole = numbers.astype(np.int64)
    return _calendar_days(whole // 10_000, whole // 100 % 100, whole % 100)
