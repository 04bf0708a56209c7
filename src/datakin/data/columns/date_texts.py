"""Texts -> dates and times of day: which spellings are understood, and which are asked about."""

from __future__ import annotations

from datetime import datetime
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from datakin.data.columns.dates import DAY, HOUR, OTHER_ZONE, UTC, calendar_days
from datakin.data.columns.texts import HEAD, fit_all, matches
from datakin.data.columns.typed_options import convert_option
from datakin.data.features import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DATE",
    "FORMS",
    "are_months",
    "days_in_form",
    "doubt_of_dates",
    "form_of",
    "read_dates",
    "read_times",
]

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
FEW_MONTHS = 3  # different ones from which no leading zero is needed,
FEW_POINTED = 5  # and different texts
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
    found = {
        said: days for said, form in FORMS.items() if (days := _parsed(texts, form)) is not None
    }
    if len(found) != 1 or (SEASONS in found and _are_seasons(texts)):
        return None
    said, days = next(iter(found.items()))
    return days, ", ".join(filter(None, [said, _zone(texts, FORMS[said])]))


def _zone(texts: pa.Array, form: str) -> str:
    """Say that some times are in another zone than UTC; empty if none are."""
    part = _extracted(texts, form + TIME)
    zones = set() if part is None else set(part["zone"].unique().to_pylist())
    return OTHER_ZONE if zones - UTC - {""} else ""


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
    return _parsed(texts, FORMS[form]) if form in FORMS and len(texts) else None


def are_months(texts: pa.Array) -> bool:
    """Whether all texts are months such as 03.2024, and not decimals that happen to look so."""
    import pyarrow.compute as pc

    if not len(texts) or not fit_all(texts, POINTED_MONTH):
        return False
    if pc.any(pc.starts_with(texts, "0")).as_py():
        return True
    some = pc.unique(texts)
    months = pc.unique(pc.replace_substring_regex(some, r"\..*", ""))
    return len(some) >= FEW_POINTED and len(months) >= FEW_MONTHS


def _are_seasons(texts: pa.Array) -> bool:
    """Whether all texts are two years that follow each other, such as 2010-11."""
    return all((int(t[2:4]) + 1) % 100 == int(t[5:7]) for t in texts.to_pylist())


def doubt_of_dates(texts: pa.Array, name: str) -> str:
    """Say that dates could not be read, and which options read them; empty if they are none."""
    example = texts[0].as_py()
    if fit_all(texts, ASKED):
        working = _working(texts.to_pylist())
        options = " or ".join(convert_option(name, form) for form in working)
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
    import pyarrow.compute as pc

    if not fit_all(texts, rf"[0-9]{{1,2}}{GAP}{LETTERS}{GAP}[0-9]{{4}}"):
        return False
    words = pc.unique(pc.utf8_lower(pc.replace_substring_regex(texts, r"[^\pL]", "")))
    some = pc.utf8_slice_codeunits(words, 0, 3).to_pylist()
    return 1 < len(words) <= 2 * len(MONTHS) and bool(set(some) & set(MONTHS))


def read_times(texts: pa.Array) -> Array | None:
    """Return times of day such as 10:30 as hours, None when some are none."""
    part = _extracted(texts, f"^{CLOCK}$")
    clock = None if part is None else _clock(part)
    return None if clock is None else clock / HOUR


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
    days = calendar_days(*_calendar(part))
    clock = _clock(part)
    if days is None or clock is None:
        return None
    days_float: Array = (days * DAY + clock) / float(DAY)
    return days_float


def _calendar(part: dict[str, Any]) -> tuple[Array, Array, Array]:
    """Return years, months and days; without a day it is the first."""
    import pyarrow as pa
    import pyarrow.compute as pc

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
