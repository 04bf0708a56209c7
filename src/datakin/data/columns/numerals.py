"""Texts -> numbers: which spellings of numbers are understood, and which are codes.

A column is read in one spelling, which all its values must fit. ``1,234`` may be twelve hundred
or a little more than one: it is read with thousands separators where every comma is followed by
three digits, and with a decimal comma where another column of the table has one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from datakin.data.columns.texts import HEAD, fit_all, matches
from datakin.data.features import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "NUMBER",
    "Numerals",
    "code_reason",
    "lost_digits",
    "may_be_codes",
    "read_numerals",
    "without_signs",
]

EXACT = 2**53  # whole numbers up to here are exact as floats
LEADING_ZERO = r"[+-]?0[0-9]+"
DIGITS = r"[+-]?[0-9]+"
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?([iI]nf(inity)?|INF)"
DECIMAL_COMMA = r"[+-]?([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?"
GROUPED = r"[+-]?([1-9][0-9]{{0,2}}({sep}[0-9]{{3}})*|0)({dec}[0-9]+)?"
LOOSELY_GROUPED = r"[+-]?([1-9][0-9]{{0,2}}({sep}[0-9]{{3}})+|[0-9]+)({dec}[0-9]+)?"
SPACE = "[ \u00a0\u2009\u202f]"
APOSTROPHE = "['\u2019]"
THREE_DECIMALS = r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})?"

# Pattern, thousands separator, decimal separator, what is said. The first that all values fit.
STYLES = (
    (GROUPED, ",", r"\.", "thousands separators ','"),
    (DECIMAL_COMMA, "", ",", "decimal comma"),
    (GROUPED, r"\.", ",", "thousands separators '.', decimal comma"),
    (LOOSELY_GROUPED, SPACE, ",", "thousands separated by spaces, decimal comma"),
    (LOOSELY_GROUPED, SPACE, r"\.", "thousands separated by spaces"),
    (LOOSELY_GROUPED, APOSTROPHE, r"\.", "thousands separated by apostrophes"),
    (LOOSELY_GROUPED, APOSTROPHE, ",", "thousands separated by apostrophes, decimal comma"),
)


@dataclass(frozen=True, eq=False)
class Numerals:
    """Texts read as numbers.

    Parameters
    ----------
    values : ndarray
        One float per text.
    plain : pyarrow.Array
        The texts as a programming language writes the numbers.
    converted : str
        What was done to them; empty for plain numbers.
    """

    values: Array
    plain: pa.Array
    converted: str = ""


def read_numerals(texts: pa.Array, *, comma: bool = False) -> Numerals | None:
    """Return distinct texts as numbers, None when some are none.

    Parameters
    ----------
    texts : pyarrow.Array
        Cleaned texts without blanks, at least one.
    comma : bool
        Whether the table has a decimal comma elsewhere, so that ``1,234`` and ``1.234`` are read so.
    """
    texts, percent = without_signs(texts)
    found = None
    if comma:
        found = _with_comma(texts)
    if found is None:
        values = _floats(texts)
        found = Numerals(values, texts) if values is not None else _in_some_style(texts)
    if found is None or not percent:
        return found
    said = ", ".join(filter(None, [found.converted, "percent signs left out"]))
    return Numerals(found.values, found.plain, said)


def without_signs(texts: pa.Array) -> tuple[pa.Array, bool]:
    """Return texts with an ASCII minus and, if all have a percent sign, without it."""
    import pyarrow.compute as pc

    texts = pc.replace_substring(texts, "\u2212", "-")
    percent = bool(pc.all(pc.ends_with(texts, "%")).as_py())
    if percent:
        texts = pc.utf8_rtrim_whitespace(pc.utf8_rtrim(texts, "%"))
    return texts, percent


def _with_comma(texts: pa.Array) -> Numerals | None:
    """Read what could be either as in a table that has a decimal comma."""
    if fit_all(texts, DECIMAL_COMMA) and not fit_all(texts, NUMBER):
        return _styled(texts, *STYLES[1][1:])
    if fit_all(texts, THREE_DECIMALS) and not fit_all(texts, DIGITS):
        return _styled(texts, *STYLES[2][1:])
    return None


def _in_some_style(texts: pa.Array) -> Numerals | None:
    for pattern, sep, dec, said in STYLES:
        if fit_all(texts, pattern.format(sep=sep, dec=dec) if sep else pattern):
            return _styled(texts, sep, dec, said)
    return None


def _styled(texts: pa.Array, sep: str, dec: str, said: str) -> Numerals | None:
    import pyarrow.compute as pc

    if sep:
        texts = pc.replace_substring_regex(texts, sep, "")
    if dec == ",":
        texts = pc.replace_substring(texts, ",", ".")
    values = _floats(texts)
    return None if values is None else Numerals(values, texts, said)


def _floats(texts: pa.Array) -> Array | None:
    """Return correctly rounded floats, None when a text is no number."""
    import pyarrow as pa

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

    ``007`` and ``7`` are two codes, and so are ``1E2`` and ``100``.
    """
    if matches(texts, LEADING_ZERO).any():
        return "leading zeros"
    powers = matches(texts, r"[0-9]+[eE][0-9]+") & np.isfinite(values)
    if powers.any():
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        if (counts[place][powers] > 1).any():
            return "codes such as '1E2' beside '100'"
    return ""


def may_be_codes(texts: pa.Array) -> bool:
    """Whether texts that were read as numbers need a closer look: leading zeros, letters.

    Looking through the bytes of the whole column is ten times quicker than at text after text.
    """
    width = np.int64 if str(texts.type) == "large_string" else np.int32
    _, places, letters = texts.buffers()
    starts = np.frombuffer(places, width)[texts.offset : texts.offset + len(texts)]
    if letters is None or not len(starts):
        return False
    text = letters.to_pybytes() + b"   "  # the last text may end the column
    if b"n" in text or b"N" in text:  # "nan" and "inf" are no numbers here
        return True
    code = np.frombuffer(text, np.uint8)
    for power in (b"e", b"E"):
        if power in text and _are_digits(code[np.flatnonzero(code == ord(power)) + 1]).any():
            return True
    first = code[starts]
    starts = starts + ((first == ord("+")) | (first == ord("-")))
    zeros = np.flatnonzero((code[starts] == ord("0")) & _are_digits(code[starts + 1]))
    return bool(len(zeros) and matches(texts.take(zeros).drop_null(), LEADING_ZERO).any())


def _are_digits(letters: Array) -> Array:
    digits: Array = (letters >= ord("0")) & (letters <= ord("9"))
    return digits


def lost_digits(texts: pa.Array, values: Array) -> str:
    """Say that whole numbers are too long to be exact as floats; empty if none is."""
    large = np.flatnonzero(np.abs(values) >= EXACT)
    if not len(large):
        return ""
    for text, value in zip(texts.take(large).to_pylist(), values[large], strict=True):
        digits = re.sub(r"\.0*$", "", text.lstrip("+-"))
        if digits.isdigit() and np.isfinite(value) and int(digits) != abs(int(value)):
            return said_lost(text)
    return ""


def said_lost(number: object) -> str:
    """Return the sentence on numbers that are not exact as floats."""
    return f"whole numbers of so many digits are rounded ({number}); if they are ids, leave it out"
