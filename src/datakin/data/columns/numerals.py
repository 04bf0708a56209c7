"""Texts -> numbers: which spellings of numbers are understood, and which are codes.

A column is read in one spelling, which all its values must fit. ``1,234`` may be twelve hundred
or a little more than one: other columns of the table tell, and where they do not, it is read with
thousands separators, and that is said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datakin.data.columns.texts import HEAD, fit_all, matches
from datakin.data.features import Array

EXACT = 2**53  # whole numbers up to here are exact as floats
LEADING_ZERO = r"[+-]?0[0-9]+"
MAY_BE_CODE = rf"^(?:{LEADING_ZERO})$|[nN]|[eE][0-9]"  # "nan" and "inf" are no numbers here
DIGITS = r"[+-]?[0-9]+"
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?([iI]nf(inity)?|INF)"
DECIMAL_COMMA = r"[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?"
GROUPED = r"[+-]?([1-9][0-9]{{0,2}}({sep}[0-9]{{3}})*|0)({dec}[0-9]+)?"
LOOSELY_GROUPED = r"[+-]?([1-9][0-9]{{0,2}}({sep}[0-9]{{3}})+|[0-9]+)({dec}[0-9]+)?"
SPACE = "[ \u00a0\u2009\u202f]"
APOSTROPHE = "['\u2019]"
THREE_DECIMALS = r"[+-]?([1-9][0-9]{0,2}(\.[0-9]{3})?|0)"
THREE_BEHIND_COMMA = r"[+-]?([1-9][0-9]{0,2},[0-9]{3}|0)"
THREE_BEHIND_POINT = r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}"
SMALL = r"[+-]?[0-9]{1,3}"
EXCEL_TEXT = '^="([^"]*)"$'  # by which Excel keeps a number as text
NO_CHANCE = 50  # numbers rounded to three digits of which one would end with a zero, and be shorter
IN_PARENTHESES = r"^\(([0-9.,'\x{2019} \x{A0}%]+)\)$"
LONG = "whole numbers with more digits than a number can hold"
# Digits of any script, signs without width, and what stands between digits.
NUMERIC = (
    r"[\p{Nd}\p{Cf}\p{Zs}.,'\x{2019}+\-\x{2212}\x{2013}%eE:/T\x{FF05}\x{FF0B}-\x{FF0F}\x{FF1A}]+"
)

# Pattern, thousands separator, decimal separator, what is said. The first that all values fit.
COMMA = (DECIMAL_COMMA, "", ",", "")
POINTS = (GROUPED, r"\.", ",", "thousands separators '.'")
STYLES = (
    (GROUPED, ",", r"\.", "thousands separators ','"),
    (LOOSELY_GROUPED, ",", r"\.", "thousands separators ',' here and there"),
    COMMA,
    POINTS,
    (LOOSELY_GROUPED, r"\.", ",", "thousands separators '.' here and there"),
    (LOOSELY_GROUPED, SPACE, ",", "thousands separated by spaces"),
    (LOOSELY_GROUPED, SPACE, r"\.", "thousands separated by spaces"),
    (LOOSELY_GROUPED, APOSTROPHE, r"\.", "thousands separated by apostrophes"),
    (LOOSELY_GROUPED, APOSTROPHE, ",", "thousands separated by apostrophes"),
)


@dataclass(frozen=True, eq=False)
class Numerals:
    """Texts read as numbers.

    The decimal sign is "," or "."; "?" for texts such as 1,234 or 1.234 that fit both; empty where none
    is seen. `either` is a text that fits both, if all do and nothing tells how they are meant, and a whole
    number that stands beside it without a separator.
    """

    values: Array  # one float per text
    plain: pa.Array  # the texts as a programming language writes the numbers
    converted: str = ""  # what was done to them
    decimal: str = ""
    either: tuple[str, str] = ("", "")


def read_numerals(texts: pa.Array, *, decimal: str = "") -> Numerals | None:
    """Return distinct, cleaned texts without blanks as numbers, None when some are none.

    `decimal` is the decimal sign of the table, "," or ".", as far as it is known.
    """
    bare = pc.replace_substring_regex(texts, IN_PARENTHESES, r"-\1")  # as accountants write
    said, texts = "" if bare.equals(texts) else "numbers in parentheses as negative", bare
    percent = bool(pc.all(pc.ends_with(texts, "%")).as_py())
    if percent:
        texts = pc.utf8_rtrim_whitespace(pc.utf8_rtrim(texts, "%"))
    found = _with_comma(texts) if decimal == "," else None
    found = found or _plainly(texts) or _in_some_style(texts)
    if found is None:
        return None
    either = "", ""
    if decimal == "" and found.decimal == "?" and fit_all(texts, THREE_BEHIND_COMMA):
        either = texts.filter(pc.match_substring(texts, ","))[0].as_py(), ""
    elif not found.converted:
        either = either_behind_point(texts)
    done = [found.converted, said, "percent signs left out" if percent else ""]
    return replace(found, converted=", ".join(filter(None, done)), either=either)


def either_behind_point(texts: pa.Array) -> tuple[str, str]:
    """Return a text like 22.180, which may have a decimal point or be whole thousands, if all are.

    Numbers that were rounded to three digits are shorter where they end with a zero. The second
    text is a whole number that stands beside them, such as 885: if the points separate thousands,
    it has none. Both are empty where nothing is in doubt.
    """
    pointed = texts.filter(pc.match_substring(texts, "."))
    if not len(pointed) or not fit_all(pointed, THREE_BEHIND_POINT):
        return "", ""
    is_cut = pc.any(pc.ends_with(pointed, "0")).as_py()
    example = pointed[0].as_py()
    if len(pointed) == len(texts):
        is_either = is_cut or len(pc.unique(texts.slice(0, 10 * NO_CHANCE))) >= NO_CHANCE
        return (example, "") if is_either else ("", "")
    plain = texts.filter(pc.invert(pc.match_substring(texts, ".")))
    plain = plain.filter(pc.not_equal(plain, "0"))  # which is the same in both readings
    if not len(plain) or not fit_all(plain, SMALL if not is_cut else DIGITS):
        return "", ""
    return example, plain[0].as_py()


def in_ascii(texts: pa.Array) -> pa.Array:
    """Return texts with plain digits and signs if they are numbers in all but that."""
    odd = np.asarray(pc.invert(pc.string_is_ascii(texts)), dtype=bool)
    if not odd.any() or not fit_all(texts, NUMERIC):
        return texts
    made = [_plain(text) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(texts, odd, pa.array(made, texts.type))


def _plain(text: str) -> str:
    """Return a text with ASCII digits, signs and marks, and without signs that have no width."""
    kinds = [(sign, unicodedata.category(sign)) for sign in text]
    made = "".join(
        sign if kind[0] == "Z" else unicodedata.normalize("NFKC", sign)
        for sign, kind in kinds
        if kind != "Cf"
    )
    digits = "".join(str(unicodedata.decimal(sign, sign)) for sign in made.replace("\u2212", "-"))
    return re.sub("^\u2013(?=[0-9.,])", "-", digits)


def _with_comma(texts: pa.Array) -> Numerals | None:
    """Read what could be either as in a table that has a decimal comma."""
    if fit_all(texts, DECIMAL_COMMA) and not fit_all(texts, NUMBER):
        return _styled(texts, *COMMA[1:])
    if fit_all(texts, THREE_DECIMALS) and not fit_all(texts, DIGITS):
        return _styled(texts, *POINTS[1:])
    return None


def _plainly(texts: pa.Array) -> Numerals | None:
    """Read numbers as a programming language writes them, and what they tell of the decimal sign."""
    values = _floats(texts)
    if values is None:
        return None
    if not matches(texts, r".*\..*").any():
        return Numerals(values, texts)
    return Numerals(values, texts, decimal="?" if fit_all(texts, THREE_DECIMALS) else ".")


def _in_some_style(texts: pa.Array) -> Numerals | None:
    for pattern, sep, dec, said in STYLES:
        if fit_all(texts, pattern.format(sep=sep, dec=dec) if sep else pattern):
            return _styled(texts, sep, dec, said)
    return None


def _styled(texts: pa.Array, sep: str, dec: str, said: str) -> Numerals | None:
    plain = pc.replace_substring_regex(texts, sep, "") if sep else texts
    sign = dec[-1] if pc.any(pc.match_substring(plain, dec[-1])).as_py() else ""
    if sign == ",":
        said = ", ".join(filter(None, [said, "decimal comma"]))
    elif not sign and sep in (",", r"\."):  # 1,234 may be either, 1,234,567 not
        sure = matches(texts, rf".*{sep}.*{sep}.*").any()
        sign = dec[-1] if sure else "?"
    plain = pc.replace_substring(plain, ",", ".")
    values = _floats(plain)
    return None if values is None else Numerals(values, plain, said, sign)


def _floats(texts: pa.Array) -> Array | None:
    """Return correctly rounded floats, None when a text is no number."""
    if not matches(texts.slice(0, HEAD), NUMBER).all():
        return None
    try:
        values: Array = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        if not fit_all(texts, NUMBER):
            return None
        values = np.array([float(text) for text in texts.to_pylist()])  # "+1" in old versions
    return None if np.isnan(values).any() else values


def code_reason(texts: pa.Array, values: Array) -> str:
    """Say why texts that could be numbers are codes; empty if they are not.

    ``007`` and ``7`` are two codes, and so are ``1E2`` and ``100``, and whole numbers that would be
    rounded.
    """
    if matches(texts, LEADING_ZERO).any():
        return "leading zeros"
    powers = matches(texts, r"[0-9]+[eE][0-9]+") & np.isfinite(values)
    if powers.any():
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        if (counts[place][powers] > 1).any():
            return "codes such as '1E2' beside '100'"
    if np.mean(np.abs(values) >= EXACT) >= 0.5 and lost_digits(texts, values):
        return LONG
    return ""


def lost_digits(texts: pa.Array, values: Array) -> str:
    """Say that whole numbers are too long to be exact as floats; empty if none is."""
    large = np.flatnonzero((np.abs(values) >= EXACT) & np.isfinite(values))
    words = (re.sub(r"\.0*$", "", text) for text in texts.take(large).to_pylist())
    return rounded(int(word) for word in words if word.lstrip("+-").isdigit())


def rounded(numbers: Iterable[int]) -> str:
    """Say that a whole number is rounded as a float; empty if all are exact."""
    lost = next((n for n in numbers if abs(n) > EXACT and int(float(n)) != n), None)
    return "" if lost is None else f"whole numbers of so many digits are rounded ({lost})"
