"""Numbers, dates and words that may stand for "no value": -999, 9999-12-31, None.

No rule can know, so that they are pointed at.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data.columns.texts import BLANKS
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array

__all__ = ["doubt_of_extremes", "is_placeholder", "with_doubt_of_blanks"]

OFTEN = 0.05  # share of rows from which a word for "no value" is asked about
CENTURY = 36_525  # days
FEW = 3  # other values that there must be, or a code of two values would be named


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


def doubt_of_extremes(values: Array, kind: str, name: str) -> str:
    """Say that the lowest or highest value stands far from all others; empty if none does."""
    for lowest in (True, False):
        end = (np.fmin if lowest else np.fmax).reduce(values, initial=np.nan)
        if kind == "number" and not is_placeholder(end):
            continue
        if np.isfinite(end):
            said = _said(values, float(end), kind, name)
            if said:
                return said
    return ""


def _said(values: Array, end: float, kind: str, name: str) -> str:
    others = values[~np.isnan(values) & (values != end)]
    if not len(others) or not np.isfinite(others).all():
        return ""
    low, high = float(others.min()), float(others.max())
    gap = min(abs(end - low), abs(end - high))
    count = int((values == end).sum())
    if kind == "number":
        if gap <= high - low or count < 2 or len(np.unique(others[:10_000])) < FEW:
            return ""
        spelled = [f"{v:g}" for v in (low, high)]
        word = str(int(end))
    else:
        if gap <= max(CENTURY, high - low):
            return ""
        word, *spelled = (str(np.datetime64(int(v // 1), "D")) for v in (end, low, high))
    return (
        f"{word} stands {count} time(s), far from all others ({spelled[0]} to {spelled[1]}); if it "
        f"means 'no value', say recode={{{name!r}: {{{word!r}: ''}}}} (--recode {name}:{word}=)"
    )


def with_doubt_of_blanks(
    facts: ColumnFacts, levels: Sequence[str], n_rows: int, name: str
) -> ColumnFacts:
    """Point at words that are missing values by their look, but stand in many rows beside words.

    "None" is as often an answer, so that the user has to say; NA may stand for North America.
    """
    often = {word: n for word, n in facts.blanks.items() if n > OFTEN * n_rows}
    if not often or not any(letter.isalpha() for level in levels for letter in level):
        return facts
    said = []
    for word, n in often.items():
        new = next(w for w in (word.lower(), f"{word} value") if w not in BLANKS)
        value, missing = (_recode_option(name, word, to) for to in (new, ""))
        if word == "None":
            raise DatakinError(
                f"Column {name!r} has the word 'None' in {n} of {n_rows} rows, beside "
                f"{listed(levels, limit=3)}. If it is a value like them, say {value}; if it means that "
                f"the value is missing, {missing}."
            )
        said.append(
            f"{word!r} is read as missing in {n} of {n_rows} rows; if it is a value, say {value}"
        )
    return replace(facts, doubt="; ".join(filter(None, [*said, facts.doubt])))


def _recode_option(name: str, old: str, new: str) -> str:
    typed = shlex.quote(f"{name}:{old}={new}")
    return f"recode={{{name!r}: {{{old!r}: {new!r}}}}} (--recode {typed})"
