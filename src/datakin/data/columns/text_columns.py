"""Columns of text -> truth values, numbers, dates or categories: what all their values are.

Of a column that stays text it is said what is odd about it: numbers with other signs, dates, spellings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datakin._core.exceptions import listed
from datakin._core.typed_options import convert_option, recode_option
from datakin.data.columns import dates, numerals
from datakin.data.columns.numerals import DECIMAL_COMMA, LEADING_ZERO, LONG, NUMBER, Numerals
from datakin.data.columns.texts import BLANKS, HEAD, Texts, grouped, matches
from datakin.data.dataset import ColumnFacts
from datakin.data.features import MISSING, Array

STRAY = 0.01  # share of values with a leading zero below which they are no codes,
FEW_STRAY = 5  # and their number
NO_FACTOR = "thousands or decimals? Write all of them in one way"
EXCEL = 'texts of Excel such as ="65" read without their signs'
ODD_SIGNS = "unusual digits or signs read as plain ones"
TRUTH = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}
KEPT = "kept as text: "
MOST = 0.8  # share of dates, or of numbers with a unit, from which a column of text is named
HALF = 0.5  # the same of plain numbers, and of numbers with other signs
MANY_LEVELS = 1000  # a column of text with more different values holds no codes
FEW_VALUES = 5  # numbers with a unit that there must be, or codes such as 12a would be named
FEW_UNITS = 3
CASES = "values that differ in case only"
THIN = r"\x{A0}\x{2009}\x{202F}"  # spaces that separate thousands
AMOUNT = rf"[+-]?[0-9]+(['\x{{2019}} {THIN}][0-9]{{3}})*([.,][0-9]+)*"
CURRENCY = "[$€£¥]|EUR|USD|CHF|GBP"
UNIT = r"[\pL°µ%/][\pL°µ%/²³2]{0,7}\.?"
WITH_UNIT = rf"({CURRENCY})[ {THIN}]?{AMOUNT}|{AMOUNT}[ {THIN}]?({CURRENCY}|{UNIT})"
PLAIN = r"[+-]?[0-9]+(,[0-9]{3})*([.,][0-9]+)?"
WITH_SIGN = (
    rf"['`\x{{2019}}~≈<>≤≥=]{{0,2}} ?{PLAIN} ?[*†‡%+!'\x{{2019}}\x{{2032}}\x{{2033}}\"-]{{0,3}}"
)
QUOTED = r"'[^']*'"
BOUND = re.compile(r"(<|<=|≤|>|>=|≥) *(-?[0-9]+(?:\.[0-9]+)?)|(-?[0-9]+(?:\.[0-9]+)?) ?\+")


@dataclass(frozen=True, eq=False)
class Column:
    """A column as learners take it."""

    values: Array  # floats, NaN where missing; or codes of the levels
    levels: tuple[str, ...] | None  # sorted; None for a numeric column
    facts: ColumnFacts  # how it was read

    def noted(self, **more: Any) -> Column:
        """Return the column with other facts."""
        return replace(self, facts=replace(self.facts, **more))

    def of_levels(self, numbers: Array) -> Array:
        """Return one number per row from one per level."""
        return np.append(numbers, np.nan)[self.values]  # code -1 picks the last


def read_text(column: pa.Array, name: str, decimal: str = "") -> Column:
    """Return a column of text as what all its values are: truth values, numbers, dates or words.

    `decimal` is the decimal sign of the table, if it is known; with "?" the column is asked what it tells
    of it.
    """
    quick = None if decimal else _quick_numbers(column, name)
    if quick is not None:
        return quick
    texts = Texts.of(column)
    return (
        _truths(texts) or _measured(texts, name, decimal.strip("?")) or as_categories(texts, name)
    )


def _quick_numbers(column: pa.Array, name: str) -> Column | None:
    """Return a column of plainly written numbers, None for everything that needs a closer look."""
    head = Texts.of(column.slice(0, HEAD))
    if not (head.is_blank | matches(head.distinct, NUMBER)).all():
        return None
    known: pa.Array = pc.if_else(pc.equal(column, ""), None, column)
    blanks: Mapping[str, int] = {}
    try:
        floats = known.cast(pa.float64())
    except pa.ArrowInvalid:
        blank = pc.is_in(known, value_set=pa.array(sorted(BLANKS), known.type))
        some = Texts.of(known.filter(blank))
        blanks = some.counted(some.is_blank)
        known = pc.if_else(blank, None, known)
        try:
            floats = known.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    values: Array = floats.to_numpy(zero_copy_only=False)
    there = known.drop_null()
    if (
        not len(there)
        or pc.any(pc.match_substring_regex(there, numerals.MAY_BE_CODE)).as_py()
        or dates.are_months(there)
        or numerals.lost_digits(known, values)
    ):
        return None
    doubt = _either(*numerals.either_behind_point(there), name)
    return Column(values, None, ColumnFacts("number", blanks, doubt=doubt))


def _truths(texts: Texts) -> Column | None:
    truth = texts.are_in(TRUTH)
    if not truth.any() or not (truth | texts.is_blank).all():
        return None
    values = texts.spread([TRUTH.get(word, np.nan) for word in texts.words])
    return Column(values, None, ColumnFacts("truth value", texts.counted(texts.is_blank)))


def _measured(texts: Texts, name: str, decimal: str) -> Column | None:
    """Return the column as numbers, dates or times of day, None if some values are none."""
    if not len(texts.known):
        return None
    bare = pc.replace_substring_regex(texts.known, numerals.EXCEL_TEXT, r"\1")
    plain = numerals.in_ascii(bare)
    kind, sign, doubt = "number", "", ""
    numbers = None
    if not dates.are_months(plain):
        numbers = numerals.read_numerals(plain, decimal=decimal)
    if numbers is not None:
        values, said, sign = numbers.values, numbers.converted, numbers.decimal
        reason = numerals.code_reason(numbers.plain, values)
        if reason and not (said and reason == LONG):  # nobody writes ids with separators
            doubt = _stray_zeros(texts, numbers)
            if not doubt:
                return None
        lost = numerals.lost_digits(numbers.plain, values)
        doubt = lost or doubt or _either(*numbers.either, name)
    elif (days := dates.read_dates(plain)) is not None:
        kind, (values, said) = "date", days
    elif (hours := dates.read_times(plain)) is not None:
        values, said = hours, dates.TIMES
    else:
        return None
    done = ("" if bare.equals(texts.known) else EXCEL, "" if plain.equals(bare) else ODD_SIGNS)
    said = ", ".join(filter(None, [said, *done]))
    facts = ColumnFacts(kind, texts.counted(texts.is_soft_blank), said, doubt, sign)
    return Column(texts.spread_known(values), None, facts)


def _either(example: str, beside: str, name: str) -> str:
    """Say that nothing in the table tells thousands from decimals; empty without an example."""
    if not example:
        return ""
    whole = example.replace(".", "").replace(",", "")
    if beside:  # no factor is right for both
        return (
            f"{example!r} beside {beside!r} is read as {float(example):g}, but may be {whole}: "
            f"{NO_FACTOR}"
        )
    if "." in example:
        return (
            f"{example!r} is read as {float(example):g}, but may be {whole}; if the point separates "
            f"thousands, say {convert_option(name, (1000, 0))}"
        )
    return (
        f"{example!r} is read as {whole}, but may be {example.replace(',', '.')}; if the comma is a "
        f"decimal one, say {convert_option(name, (0.001, 0))}"
    )


def _stray_zeros(texts: Texts, found: Numerals) -> str:
    """Say that a few numbers have a leading zero; empty if they are codes."""
    counts = texts.counts[~texts.is_soft_blank]
    zeros = matches(found.plain, LEADING_ZERO)
    n, n_all = int(counts[zeros].sum()), int(counts.sum())
    others = found.plain.filter(~zeros)
    is_few = 0 < n < min(FEW_STRAY, STRAY * n_all)
    if not is_few or numerals.code_reason(others, found.values[~zeros]):
        return ""
    return (
        f"{listed(found.plain.filter(zeros).to_pylist(), limit=3)} with a leading zero "
        f"({n} of {n_all} values), read as a number like all others; are they codes?"
    )


def as_categories(texts: Texts, name: str | None = None) -> Column:
    """Return the column as categories; with a name, say what is odd about text."""
    kept = np.flatnonzero(~texts.is_blank)
    words = texts.words
    order = sorted(kept, key=words.__getitem__)
    table = np.full(len(words), MISSING, dtype=np.int32)
    table[order] = np.arange(len(order))
    said, doubt = ("", "") if name is None else _said_of_text(texts, kept, name)
    facts = ColumnFacts("category", texts.counted(texts.is_blank), said, doubt)
    codes = texts.spread(table, MISSING).astype(np.int32)
    return Column(codes, tuple(words[i] for i in order), facts)


def _said_of_text(texts: Texts, kept: Array, name: str) -> tuple[str, str]:
    """Return what was done to a column of text, and what is odd about it."""
    plain = numerals.in_ascii(texts.known)
    found = numerals.read_numerals(plain) if len(plain) else None
    if found is not None:
        return f"{KEPT}{numerals.code_reason(found.plain, found.values)}", ""
    known = texts.distinct.take(kept)
    done = "spellings joined that differ in outer spaces or composed letters"
    said = done if texts.n_merged else ""
    if not len(known):
        return said, ""
    doubt = (
        dates.doubt_of_dates(known, name) or _near(texts, name) or _units(texts) or _signs(texts)
    )
    if not doubt and matches(known, QUOTED).all():
        doubt = 'text: all values stand in single quotes; use " in the file, or none'
    return said, doubt or _cases(texts, kept)


def _near(texts: Texts, name: str) -> str:
    """Say that most values are numbers or dates; empty if they are not."""
    known = ~texts.is_soft_blank
    n_known = max(1, int(texts.counts[known].sum()))
    numbers = f"{NUMBER}|{DECIMAL_COMMA}"
    for what, pattern, share in (("numbers", numbers, HALF), ("dates", dates.DATE, MOST)):
        fits = known & matches(texts.distinct, pattern)
        n_fits = int(texts.counts[fits].sum())
        if n_fits < share * n_known or (n_fits < MOST * n_known and fits.sum() < FEW_VALUES):
            continue
        others = texts.distinct.filter(known & ~fits).to_pylist()
        if not others:
            some = listed(texts.distinct.filter(fits).to_pylist(), limit=3)
            return f"text: {what} that are written in more than one way, or do not exist ({some})"
        option = recode_option(name, others[0], _stand_in(others[0]))
        return (
            f"text, although {100 * n_fits // n_known}% of its values are {what} "
            f"({listed(others, limit=3)}); replace the others, for example with {option}"
        )
    return ""


def _stand_in(word: str) -> str:
    """Return a number for what is known within bounds, nothing for other words.

    Examples
    --------
    >>> [_stand_in(word) for word in ("> 89", "<0.5", ">=7.5", "90+", "soon")]
    ['90', '0.25', '7.5', '90', '']
    """
    found = BOUND.fullmatch(word)
    if found is None:
        return ""
    sign, bound, least = found.groups()
    if sign is None or sign not in "<>":  # the bound itself is possible
        return least or bound
    number = float(bound)
    if sign == "<":
        return f"{number / 2:g}" if number > 0 else bound
    return bound if "." in bound else str(int(bound) + 1)


def _units(texts: Texts) -> str:
    """Say that values are numbers with a unit or currency; empty if they are not."""
    fits = texts.known.filter(matches(texts.known, WITH_UNIT))
    if len(fits) < max(FEW_VALUES, MOST * len(texts.known)):
        return ""
    units = pc.unique(pc.replace_substring_regex(fits, rf"[-+0-9.,'\x{{2019}} {THIN}]", ""))
    if len(units) > FEW_UNITS:
        return ""
    shown = pc.replace_substring_regex(fits.slice(0, 2), f"[{THIN}]", " ")
    some = listed(shown.to_pylist())
    return f"text: numbers with a unit or currency ({some}); write the numbers alone"


def _signs(texts: Texts) -> str:
    """Say that values are numbers with signs such as 1.36* and ~2; empty if they are not."""
    known = texts.known
    fits = matches(known, WITH_SIGN)
    if fits.sum() < max(FEW_VALUES, HALF * len(known)):
        return ""
    odd = known.filter(fits & ~matches(known, f"{NUMBER}|{DECIMAL_COMMA}"))
    some = listed(odd.slice(0, 2).to_pylist())
    return f"text: numbers with other signs ({some}); write the numbers alone" if len(odd) else ""


def _cases(texts: Texts, kept: Array) -> str:
    """Say that values differ in case only; empty if none do, or if there are too many to be codes."""
    if len(kept) > MANY_LEVELS:
        return ""
    spelled = grouped((texts.words[i] for i in kept), str.casefold)
    twice = next((words for words in spelled.values() if len(words) > 1), None)
    return "" if twice is None else f"{CASES} ({listed(sorted(twice))})"
