"""Numbers and dates that may stand for "no value": -999, 9999-12-31.

No rule can know, so that they are kept and pointed at.
"""

from __future__ import annotations

import numpy as np

from datakin.data.features import Array

__all__ = ["doubt_of_extremes", "is_placeholder"]

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
