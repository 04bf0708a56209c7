"""What is odd about a column that stays text: numbers with other signs, dates, spellings."""

from __future__ import annotations

import re

from datakin._core.exceptions import listed
from datakin._core.typed_options import recode_option
from datakin.data.columns.dates import DATE, doubt_of_dates
from datakin.data.columns.numerals import (
    DECIMAL_COMMA,
    NUMBER,
    code_reason,
    in_ascii,
    read_numerals,
)
from datakin.data.columns.texts import Texts, matches
from datakin.data.features import Array

__all__ = ["CASES", "KEPT", "said_of_text"]

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


def said_of_text(texts: Texts, kept: Array, name: str) -> tuple[str, str]:
    """Return what was done to a column of text, and what is odd about it."""
    found = read_numerals(in_ascii(texts.known)) if len(texts.known) else None
    if found is not None:
        return f"{KEPT}{code_reason(found.plain, found.values)}", ""
    known = texts.distinct.take(kept)
    done = "spellings joined that differ in outer spaces or composed letters"
    said = done if texts.n_merged else ""
    if not len(known):
        return said, ""
    doubt = doubt_of_dates(known, name) or _near(texts, name) or _units(texts)
    return said, doubt or _signs(texts) or _quotes(texts, kept) or _cases(texts, kept)


def _near(texts: Texts, name: str) -> str:
    """Say that most values are numbers or dates; empty if they are not."""
    known = ~texts.is_soft_blank
    n_known = max(1, int(texts.counts[known].sum()))
    numbers = f"{NUMBER}|{DECIMAL_COMMA}"
    for what, pattern, share in (("numbers", numbers, HALF), ("dates", DATE, MOST)):
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
    import pyarrow.compute as pc

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


def _quotes(texts: Texts, kept: Array) -> str:
    """Say that all values stand in single quotes; empty if some do not."""
    if not matches(texts.distinct.take(kept), QUOTED).all():
        return ""
    return 'text: all values stand in single quotes; use " in the file, or none'


def _cases(texts: Texts, kept: Array) -> str:
    """Say that values differ in case only; empty if none do, or if there are too many to be codes."""
    if len(kept) > MANY_LEVELS:
        return ""
    spelled: dict[str, list[str]] = {}
    for i in kept:
        spelled.setdefault(texts.words[i].casefold(), []).append(texts.words[i])
    twice = next((words for words in spelled.values() if len(words) > 1), None)
    return "" if twice is None else f"{CASES} ({listed(sorted(twice))})"
