"""Numbers, dates and words that may stand for "no value": -999, 9999-12-31, None.

No rule can know, so that they are pointed at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin._core.typed_options import recode_option
from datakin.data.columns.dates import EARLY, LATE, doubt_of_digits
from datakin.data.columns.texts import BLANKS
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array

OFTEN = 0.05  # share of rows from which a word for "no value" is asked about in labels and groups
OFTEN_FEATURE = 0.1  # the same in features
ANSWERS = ("None", "NA")  # words for "no value" that features may have as values, too
CENTURY = 36_525  # days that a date which means "no value" is away from all others
FEW = 3  # other values that nines must stand beside, or a code of two values would be named
FEW_CLASSES = 2  # the same of labels
LOW = 0.4  # of the median: the smallest of the others from which 0 may be far below them
GAP = 1.2  # the same in ranges of their middle half
POISSON = 0.6  # logarithm of variance over mean up to which numbers are counts, of which some are 0
SMALL = 50  # mean below which they are
AWAY = 5  # ranges of all others that a value which is no number of nines must be away
REPEATED = 3  # rows in which such a value must stand
DISTINCT = 10  # other values beside which it must stand


def is_placeholder(value: float) -> bool:
    """Whether a number is one that people write for "no value": nines only.

    Examples
    --------
    >>> [is_placeholder(v) for v in (-999.0, 99.0, -9.0, 9.0, 990.0)]
    [True, True, True, False, False]
    """
    if not np.isfinite(value) or abs(value) > 1e15 or value != int(value):
        return False
    digits = str(abs(int(value)))
    return set(digits) == {"9"} and (len(digits) > 1 or value < 0)


def may_be_odd(low: float, high: float) -> bool:
    """Whether the ends of a column alone are worth a look at all its values."""
    is_odd = is_placeholder(low) or is_placeholder(high) or low in (-1, 0)
    return is_odd or (low >= EARLY and high <= LATE)  # dates such as 20200131


def doubt_of_numbers(values: Array, name: str, *, kind: str = "number", few: int = FEW) -> str:
    """Say that some values may stand for "no value", or all numbers for dates; empty if none do.

    `kind` is "number" or "date"; beside the values there must be a `few` others.
    """
    is_date = kind == "date"
    known = values[~np.isnan(values)]
    for end in map(float, (known.min(initial=np.inf), known.max(initial=-np.inf))):
        others = known[known != end]
        if not np.isfinite(end) or not len(others) or not np.isfinite(others).all():
            continue
        count = len(known) - len(others)
        why = _far_date(end, others) if is_date else _odd_number(end, count, others, few)
        if why:
            return _said(_day(end) if is_date else _spelled(end), count, why, name)
    return "" if is_date else doubt_of_digits(values, name)


def _said(word: str, count: int, why: str, name: str) -> str:
    option = recode_option(name, word, "")
    return f"{word} stands {count} time(s){why}; if it means 'no value', say {option}"


def doubt_of_labels(labels: Array, name: str) -> str:
    """Say that some labels may stand for "no value"; empty if none do."""
    if labels.dtype == float:
        return doubt_of_numbers(labels, name, few=FEW_CLASSES)
    words = {v for v in labels if isinstance(v, str)}
    odd = [word for word in words if re.fullmatch("-?9+", word) and is_placeholder(float(word))]
    if len(odd) != 1 or len(words) <= FEW_CLASSES:
        return ""
    return _said(odd[0], int(sum(v == odd[0] for v in labels)), " beside words", name)


def _spelled(number: float) -> str:
    """Return a number as people write it: -999, 999.9, 1e+30."""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _odd_number(end: float, count: int, others: Array, few: int) -> str:
    """Say that a value stands further from all others than these from each other, or is impossible.

    Nines are known to stand for "no value"; other values must repeat, and be much further away. 0 must
    be far below the others, and -1, -9, ... may be the only negative number.
    """
    low, high = float(others.min()), float(others.max())
    is_nines = is_placeholder(end)
    if end == 0:
        is_far = low >= 0 and _is_far_zero(count, others)
    elif end == -1:
        is_far = False
    else:
        least, times, distinct = (2, 1, few) if is_nines else (REPEATED, AWAY, DISTINCT)
        gap = min(abs(end - low), abs(end - high))
        is_far = gap > times * (high - low) and count >= least and _many(others, distinct)
    if is_far:
        return f", far from all others ({low:g} to {high:g})"
    if low < 0 or count < 2 or end >= 0 or not (is_nines or end == -1):
        return ""
    if (end == -1 and _is_tail(count, others)) or not _many(others[others > 0], 10):
        return ""
    return f", the only negative number (others {low:g} to {high:g})"


def _is_far_zero(count: int, others: Array) -> bool:
    """Whether 0 is far below all others, and neither most of the values nor the zeros of counts."""
    low, some = float(others.min()), others[:10_000]
    if not 3 <= count <= len(others) or low < LOW * np.median(some):
        return False
    quarter, middle, three = np.percentile(others, [25, 50, 75])
    if low < LOW * middle or low < GAP * (three - quarter) or not _many(others, 20):
        return False
    spread = abs(np.log(some.var() / some.mean()))
    is_counted = _are_whole(some) and spread < POISSON and some.mean() < SMALL
    return not is_counted


def _is_tail(count: int, others: Array) -> bool:
    """Whether -1 may be the lowest of whole numbers around 0, of which more are 0 and 1."""
    if not _are_whole(others[:10_000]):
        return False
    few = count < 5 and others.min() < 5
    return bool(few or count <= 2 * (others <= 1).sum())


def _are_whole(values: Array) -> bool:
    """Whether most numbers have no fraction."""
    return bool(np.mean(values == np.round(values)) > 0.9)


def _many(values: Array, n: int) -> bool:
    """Whether there are so many different values; the first settle it for most columns."""
    return any(len(np.unique(some)) >= n for some in (values[:1000], values))


def _far_date(end: float, others: Array) -> str:
    low, high = float(others.min()), float(others.max())
    if min(abs(end - low), abs(end - high)) <= max(CENTURY, high - low):
        return ""
    return f", far from all others ({_day(low)} to {_day(high)})"


def _day(days: float) -> str:
    return str(np.datetime64(int(days // 1), "D"))


def with_doubt_of_blanks(
    facts: ColumnFacts, levels: Sequence[str], n_rows: int, name: str
) -> ColumnFacts:
    """Point at words that are missing values by their look, but stand in many rows beside words.

    "None" is as often an answer, so that the user has to say; NA may stand for North America.
    """
    often = _often(facts, levels, OFTEN * n_rows)
    if "None" in often:
        value, missing = _kept(name, "None"), recode_option(name, "None", "")
        raise DatakinError(
            f"Column {name!r} has the word 'None' in {often['None']} of {n_rows} rows, beside "
            f"{listed(levels, limit=3)}. If it is a value like them, say {value}; if it means that "
            f"the value is missing, {missing}."
        )
    said = [_missing(word, n, n_rows, name) for word, n in often.items()]
    return replace(facts, doubt="; ".join(filter(None, [*said, facts.doubt])))


def doubt_of_answers(
    facts: ColumnFacts, levels: Sequence[str], n_rows: int, name: str, marks: Collection[str]
) -> str:
    """Point at None and NA in many rows of a feature of words; empty if they are not there.

    `marks` are missing values in other columns of the table, where they cannot be answers.
    """
    often = _often(facts, levels, OFTEN_FEATURE * n_rows)
    words = [word for word in often if word in ANSWERS and word not in marks]
    return "; ".join(_missing(word, often[word], n_rows, name) for word in words)


def _often(facts: ColumnFacts, levels: Sequence[str], least: float) -> dict[str, int]:
    """Return words that were read as missing in more rows than that, if all others are words."""
    if not any(letter.isalpha() for level in levels for letter in level):
        return {}
    return {word: n for word, n in facts.blanks.items() if n > least}


def _kept(name: str, word: str) -> str:
    """Return the option that keeps a word for "no value" as a value."""
    new = next(w for w in (word.lower(), f"{word} value") if w not in BLANKS)
    return recode_option(name, word, new)


def _missing(word: str, n: int, n_rows: int, name: str) -> str:
    option = _kept(name, word)
    return f"{word!r} is read as missing in {n} of {n_rows} rows; if it is a value, say {option}"
