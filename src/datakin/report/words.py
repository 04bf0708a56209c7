"""What a report says: numbers and names in sentences, zones in words, the answer at the top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from datakin.results import Comparison
from datakin.results.answer import Answer
from datakin.results.zones import Zone, ZoneDecision

__all__ = [
    "CALLS",
    "ZONES",
    "amount",
    "enumerated",
    "error_text",
    "percent",
    "plural",
    "points",
    "score_zones",
    "shortened",
    "verdict",
    "verdict_of",
]

# Invisible characters that change the direction of the text around them.
TURNS = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
LONGEST = 48  # characters of a name in a sentence; charts and tables show all of it
LEAST = 0.05  # sources with a lower row weight are left out
ZONES = ("positive", "ambiguous", "negative")  # of the paper
CALLS = tuple(zone.call for zone in Zone)


def shortened(name: str) -> str:
    r"""Return a name on one line, shortened in the middle if it is long.

    Examples
    --------
    >>> shortened("two\nlines")
    'two lines'
    >>> len(shortened("x" * 300))
    48
    >>> shortened("\u202etxt")
    '\\u202etxt'
    """
    line = " ".join(name.split()).translate(TURNS)
    if len(line) <= LONGEST:
        return line
    half = (LONGEST - 1) // 2
    return f"{line[: LONGEST - 1 - half]}…{line[-half:]}"


def enumerated(items: Iterable[str], limit: int = 6) -> str:
    """Return items as a list in a sentence.

    Examples
    --------
    >>> enumerated(["a", "b", "c"])
    'a, b and c'
    >>> enumerated("abcd", limit=2)
    'a, b and 2 more'
    """
    found: Sequence[str] = list(items)
    if len(found) > limit:
        return f"{', '.join(found[:limit])} and {len(found) - limit} more"
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} and {found[-1]}"


def plural(n: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "source"), plural(2, "source"), plural(2, "family", "families")
    ('1 source', '2 sources', '2 families')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {nouns or noun + 's'}"


def error_text(error: float, in_points: bool) -> str:
    """Return an error as a percentage, or as a plain number if it is not a share of rows."""
    return f"{100 * error:.1f}%" if in_points else f"{error:.4g}"


def points(gain: float, in_points: bool) -> str:
    """Return the size of a gain, without its sign."""
    size = abs(gain)
    if not in_points:
        return f"{size:.4g}"
    text = f"{100 * size:.{1 if size >= 0.001 else 2}f}"
    return f"{text} point{'' if text == '1.0' else 's'}"


def percent(share: float) -> str:
    """Return a share with its sign, in percent.

    Examples
    --------
    >>> percent(0.0271)
    '+2.7%'
    """
    return f"{'+' if share >= 0 else chr(8722)}{abs(share):.1%}"


def amount(gain: float, in_points: bool) -> str:
    """Return a gain with its sign, in points if it is a share of rows."""
    sign = "+" if gain >= 0 else "\N{MINUS SIGN}"
    return f"{sign}{100 * abs(gain):.1f}" if in_points else f"{sign}{abs(gain):.4g}"


def score_zones(comparison: Comparison) -> ZoneDecision | None:
    """Return the decision whose thresholds are scores; None if only gains decided."""
    zones = comparison.by_paper or comparison.decision
    return zones if zones.bands else None


def verdict(tone: str, head: str, *lines: str) -> dict[str, Any]:
    """Return a verdict; tone is "good", "open", "bad" or "plain"."""
    return {"tone": tone, "head": head, "lines": [line for line in lines if line]}


def verdict_of(answer: Answer) -> dict[str, Any]:
    """Return the card at the top of a report: the answer of the result."""
    return verdict(answer.tone, answer.headline, *answer.evidence)
