"""Texts as they are recorded, and the comparison of two of them, word by word and number by number.

Numbers of more digits than anybody reads, as in JSON, are kept to `DIGITS` of them.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Set
from typing import Any, NamedTuple

__all__ = ["ELSEWHERE", "HERE", "Closeness", "changes", "laid_out", "rounded", "without"]

DIGITS = 9  # a difference of 1e-8 shows
LONG = (
    7  # digits from which on a number is one of JSON, rather than one that was rounded to be read
)
LEFT_OUT = {"versions", "Versions"}  # which change with the machine
WIDE = 100  # characters of a line of JSON, if possible
MADE = re.compile(r'(made on |"created": ")\d{4}-\d\d-\d\d')  # the day of the run
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])", re.IGNORECASE)


class Closeness(NamedTuple):
    """What may differ: units in the last digit of numbers to read, and a share of those of JSON."""

    units: int
    share: float
    spaces: bool  # whether white space may differ: a number of another width moves a column


HERE = Closeness(units=0, share=1e-8, spaces=False)  # two versions on one machine
ELSEWHERE = Closeness(units=1, share=1e-6, spaces=True)  # today's code and the record


def rounded(text: str) -> str:
    """Return a text whose long decimal numbers have `DIGITS` digits."""

    def short(found: re.Match[str]) -> str:
        number = found.group()
        return (
            f"{float(number):.{DIGITS}g}"
            if _digits(number) > DIGITS and _is_float(number)
            else number
        )

    return NUMBER.sub(short, text)


def without(value: Any, keys: Set[str] = LEFT_OUT) -> Any:
    """Return plain values without the fields of some names."""
    if isinstance(value, dict):
        return {key: without(part, keys) for key, part in value.items() if key not in keys}
    return [without(part, keys) for part in value] if isinstance(value, list) else value


def laid_out(value: Any, indent: int = 0) -> str:
    """Return plain values as JSON: what is short on one line, so that a change shows where it is."""
    value = float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
    whole = rounded(json.dumps(value, ensure_ascii=False))
    if len(whole) + indent <= WIDE or not isinstance(value, (dict, list)):
        return whole
    inner, items = indent + 1, value.items() if isinstance(value, dict) else enumerate(value)
    lines = [
        " " * inner + (f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(value, dict) else "")
        + laid_out(part, inner)
        for key, part in items
    ]  # fmt: skip
    ends = "{}" if isinstance(value, dict) else "[]"
    return f"{ends[0]}\n" + ",\n".join(lines) + f"\n{' ' * indent}{ends[1]}"


def changes(old: str, new: str, close: Closeness) -> list[str]:
    """Return the lines that differ, as a diff; none if the texts say the same."""
    old, new = (MADE.sub(r"\1(day)", text) for text in (old, new))
    if old == new or _same(old, new, close):
        return []
    before, after = old.splitlines(), new.splitlines()
    # Lines that are near enough are made equal, so that only the others are shown.
    if len(before) == len(after):
        after = [b if _same(b, a, close) else a for b, a in zip(before, after, strict=True)]
    lines = list(difflib.unified_diff(before, after, "before", "after", lineterm="", n=0))
    return [line for line in lines[2:] if not line.startswith("@@")] or [
        "(only white space differs)"
    ]


def _same(old: str, new: str, close: Closeness) -> bool:
    if close.spaces:
        old, new = " ".join(old.split()), " ".join(new.split())
    if NUMBER.split(old) != NUMBER.split(new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(a == b or _is_near(a, b, close) for a, b in pairs)


def _is_near(old: str, new: str, close: Closeness) -> bool:
    before, after = (float(text.replace(",", "")) for text in (old, new))
    gap = abs(before - after)
    if max(_digits(old), _digits(new)) >= LONG or "e" in f"{old}{new}".lower():
        return gap <= close.share * max(abs(before), abs(after), 1.0)
    unit = max(_unit(old), _unit(new))
    return gap <= close.units * unit * (1 + 1e-9) and (close.units > 0 or gap == 0.0)


def _digits(number: str) -> int:
    """Return how many digits count: neither the zeros before them nor an exponent."""
    return len(re.sub(r"e.*|\D", "", number.lower()).lstrip("0"))


def _unit(number: str) -> float:
    base, _, power = number.lower().partition("e")
    return 10.0 ** (int(power or 0) - len(base.partition(".")[2]))


def _is_float(number: str) -> bool:
    return "." in number or "e" in number.lower()
