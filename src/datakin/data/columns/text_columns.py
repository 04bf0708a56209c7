"""Columns of text -> truth values, numbers, dates or categories: what all their values are."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from datakin._core.exceptions import listed
from datakin.data.columns.dates import DATE, TIMES, doubt_of_dates, read_dates, read_times
from datakin.data.columns.numerals import (
    DECIMAL_COMMA,
    LEADING_ZERO,
    NUMBER,
    Numerals,
    code_reason,
    in_ascii,
    lost_digits,
    may_be_codes,
    read_numerals,
)
from datakin.data.columns.texts import BLANKS, HEAD, Texts, count_words, matches
from datakin.data.dataset import ColumnFacts
from datakin.data.features import MISSING, Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CASES", "ODD_SIGNS", "Column", "as_categories", "read_text"]

MOST = 0.8  # share of numbers from which a column of text is named
MANY_LEVELS = 1000  # a column of text with more different values holds no codes
FEW_VALUES = 5  # numbers with a unit that there must be, or codes such as 12a would be named
FEW_UNITS = 3
STRAY = 0.01  # share of values with a leading zero below which they are no codes,
FEW_STRAY = 5  # and their number
ODD_SIGNS = "unusual digits or signs read as plain ones"
CASES = "values that differ in case only"
AMOUNT = r"[+-]?[0-9]+([.,][0-9]+)*"
CURRENCY = "[$€£¥]|EUR|USD|CHF|GBP"
WITH_UNIT = rf"({CURRENCY}) ?{AMOUNT}|{AMOUNT} ?({CURRENCY}|[\pL°µ%/][\pL°µ%/²³2]{{0,7}})"
TRUTH = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class Column:
    """A column as learners take it.

    Parameters
    ----------
    values : ndarray
        Floats, NaN where missing; or codes of the levels.
    levels : tuple of str or None
        The sorted levels of a categorical column, None for a numeric one.
    facts : ColumnFacts
        How it was read.
    """

    values: Array
    levels: tuple[str, ...] | None
    facts: ColumnFacts


def read_text(column: pa.Array, name: str, decimal: str = "") -> Column:
    """Return a column of text as what all its values are: truth values, numbers, dates or words.

    Parameters
    ----------
    column : pyarrow.Array
    name : str
        For messages.
    decimal : {"", ",", ".", "?"}
        The decimal sign of the table, if it is known; with "?" the column is asked what it tells of it.
    """
    quick = None if decimal else _quick_numbers(column)
    if quick is not None:
        return quick
    texts = Texts.of(column)
    found = _truths(texts) or _measured(texts, name, decimal.strip("?"))
    return as_categories(texts, name) if found is None else found


def _quick_numbers(column: pa.Array) -> Column | None:
    """Return a column of plainly written numbers, None for everything that needs a closer look."""
    import pyarrow as pa
    import pyarrow.compute as pc

    head = Texts.of(column.slice(0, HEAD))
    if not (head.is_blank | matches(head.distinct, NUMBER)).all():
        return None
    known: pa.Array = pc.if_else(pc.equal(column, ""), None, column)
    blanks: dict[str, int] = {}
    try:
        floats = known.cast(pa.float64())
    except pa.ArrowInvalid:
        blank = pc.is_in(known, value_set=pa.array(sorted(BLANKS), known.type))
        blanks = count_words(known, blank)
        known = pc.if_else(blank, None, known)
        try:
            floats = known.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    if known.null_count == len(known) or may_be_codes(known):
        return None
    values: Array = floats.to_numpy(zero_copy_only=False)
    return Column(values, None, ColumnFacts("number", blanks, doubt=lost_digits(known, values)))


def _truths(texts: Texts) -> Column | None:
    truth = texts.are_in(TRUTH)
    if not truth.any() or not (truth | texts.is_blank).all():
        return None
    values = texts.spread([TRUTH.get(word, np.nan) for word in texts.words])
    return Column(values, None, ColumnFacts("truth value", texts.counted(texts.is_blank)))


def _measured(texts: Texts, name: str, decimal: str) -> Column | None:
    """Return the column as numbers, dates or times of day, None if some values are none."""
    known = texts.distinct.filter(~texts.is_soft_blank)
    if not len(known):
        return None
    plain = in_ascii(known)
    kind, sign, doubt = "number", "", ""
    numbers = read_numerals(plain, decimal=decimal)
    if numbers is not None:
        values, said, sign = numbers.values, numbers.converted, numbers.decimal
        if code_reason(numbers.plain, values):
            doubt = _stray_zeros(texts, numbers)
            if not doubt:
                return None
        doubt = lost_digits(numbers.plain, values) or doubt or _either(numbers.example, name)
    elif (dates := read_dates(plain)) is not None:
        kind, values, said = "date", dates.values, dates.converted
    elif (hours := read_times(plain)) is not None:
        values, said = hours, TIMES
    else:
        return None
    said = ", ".join(filter(None, [said, "" if plain.equals(known) else ODD_SIGNS]))
    facts = ColumnFacts(kind, texts.counted(texts.is_soft_blank), said, doubt, sign)
    return Column(_spread(texts, values), None, facts)


def _either(example: str, name: str) -> str:
    """Say that nothing in the table tells thousands from decimals; empty without an example."""
    if not example:
        return ""
    whole = example.replace(",", "")
    option = shlex.quote(f"{name}=0.001,0")
    return (
        f"{example!r} is read as {whole}, but may be {example.replace(',', '.')}; if the comma is a "
        f"decimal one, say convert={{{name!r}: (0.001, 0)}} (--convert {option})"
    )


def _stray_zeros(texts: Texts, found: Numerals) -> str:
    """Say that a few numbers have a leading zero; empty if they are codes."""
    counts = texts.counts[~texts.is_soft_blank]
    zeros = matches(found.plain, LEADING_ZERO)
    n, n_all = int(counts[zeros].sum()), int(counts.sum())
    others = found.plain.filter(~zeros)
    if not 0 < n < min(FEW_STRAY, STRAY * n_all) or code_reason(others, found.values[~zeros]):
        return ""
    return (
        f"{listed(found.plain.filter(zeros).to_pylist(), limit=3)} with a leading zero "
        f"({n} of {n_all} values), read as a number like all others; are they codes?"
    )


def _spread(texts: Texts, values: Array) -> Array:
    """Return one number per row from one per value that is not blank."""
    table = np.full(len(texts.distinct), np.nan)
    table[~texts.is_soft_blank] = values
    return texts.spread(table)


def as_categories(texts: Texts, name: str | None = None) -> Column:
    """Return the column as categories; with a name, say what is odd about text."""
    kept = np.flatnonzero(~texts.is_blank)
    words = texts.words
    order = sorted(kept, key=words.__getitem__)
    table = np.full(len(words), MISSING, dtype=np.int32)
    table[order] = np.arange(len(order))
    facts = ColumnFacts(
        "category",
        texts.counted(texts.is_blank),
        *(("", "") if name is None else _said_of_text(texts, kept, name)),
    )
    codes = texts.spread(table, MISSING).astype(np.int32)
    return Column(codes, tuple(words[i] for i in order), facts)


def _said_of_text(texts: Texts, kept: Array, name: str) -> tuple[str, str]:
    """Return what was done to a column of text, and what is odd about it."""
    known = texts.distinct.filter(~texts.is_soft_blank)
    found = read_numerals(in_ascii(known)) if len(known) else None
    if found is not None:
        return f"kept as text: {code_reason(found.plain, found.values)}", ""
    known = texts.distinct.take(kept)
    doubt = doubt_of_dates(known, name) if len(known) else ""
    done = "spellings joined that differ in outer spaces or composed letters"
    return done if texts.n_merged else "", doubt or _near(texts, name) or _units(texts) or _cases(
        texts, kept
    )


def _near(texts: Texts, name: str) -> str:
    """Say that most values are numbers or dates; empty if they are not."""
    known = ~texts.is_soft_blank
    n_known = max(1, int(texts.counts[known].sum()))
    for what, pattern in (("numbers", f"{NUMBER}|{DECIMAL_COMMA}"), ("dates", DATE)):
        fits = known & matches(texts.distinct, pattern)
        n_fits = int(texts.counts[fits].sum())
        if n_fits < MOST * n_known:
            continue
        others = texts.distinct.filter(known & ~fits).to_pylist()
        if not others:
            some = listed(texts.distinct.filter(fits).to_pylist(), limit=3)
            return f"text: {what} that are written in more than one way, or do not exist ({some})"
        return (
            f"text, although {100 * n_fits // n_known}% of its values are {what} "
            f"({listed(others, limit=3)}); replace the others with recode={{{name!r}: "
            f"{{{others[0]!r}: ...}}}} (--recode {shlex.quote(f'{name}:{others[0]}=...')})"
        )
    return ""


def _units(texts: Texts) -> str:
    """Say that values are numbers with a unit or currency; empty if they are not."""
    import pyarrow.compute as pc

    known = texts.distinct.filter(~texts.is_soft_blank)
    fits = known.filter(matches(known, WITH_UNIT))
    if len(fits) < max(FEW_VALUES, MOST * len(known)):
        return ""
    units = pc.unique(pc.replace_substring_regex(fits, "[-+0-9., ]", ""))
    if len(units) > FEW_UNITS:
        return ""
    some = listed(fits.slice(0, 2).to_pylist())
    return f"text: numbers with a unit or currency ({some}); write the numbers alone"


def _cases(texts: Texts, kept: Array) -> str:
    """Say that values differ in case only; empty if none do, or if there are too many to be codes."""
    if len(kept) > MANY_LEVELS:
        return ""
    spelled: dict[str, list[str]] = {}
    for i in kept:
        spelled.setdefault(texts.words[i].casefold(), []).append(texts.words[i])
    twice = next((words for words in spelled.values() if len(words) > 1), None)
    return "" if twice is None else f"{CASES} ({listed(sorted(twice))})"
