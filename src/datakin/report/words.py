"""Numbers and names in sentences, and the answer of a result as the report shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from datakin.results.answer import Answer
from datakin.results.zones import Zone

__all__ = [
    "CALLS",
    "WORDS",
    "ZONES",
    "enumerated",
    "notes_of",
    "percent",
    "plural",
    "shortened",
    "verdict_of",
]

# Invisible characters that change the direction of the text around them.
TURNS = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
LONGEST = 48  # characters of a name in a sentence; charts and tables show all of it
ZONES = ("positive", "ambiguous", "negative")  # of the paper
CALLS = tuple(zone.call for zone in Zone if zone is not Zone.UNTRIED)


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


def percent(share: float) -> str:
    """Return a share with its sign, in percent.

    Examples
    --------
    >>> percent(0.0271)
    '+2.7%'
    """
    return f"{'+' if share >= 0 else chr(8722)}{abs(share):.1%}"


# Words that a colleague without any other page may look up.
WORDS = (
    ("target, source", "the table to predict on; another table that may be learned from"),
    ("alone", "the same learners on the target only: what every gain is measured against"),
    ("90% interval", "where the number should lie, nine times in ten; wide where there are few rows"),
    ("held-out rows", "rows that the fit which predicts them has not seen"),
    ("error", "the share of wrong predictions; balanced: the mean of the classes' shares"),
    ("root mean squared error", "how far predictions are off, in the unit of the label"),
    ("loss, Brier loss", "what gains are measured in: the squared distance between a prediction and what is "
     "true; for classes, between the probability and 0 or 1"),
    ("helps, harmless, unclear, hurts", "a gain is likely; it costs next to nothing; the rows do not tell; "
     "one pool with the target's rows raises the loss"),
    ("pool", "the rows of several tables in one, each counting the same"),
    ("share", "how much of the prediction comes from a table"),
    ("repeats, resampled", "the rows split anew; the target as if it had other rows of its kind"),
    ("AUC", "how often a row of one class gets a higher probability than one of the other: 0.5 is guessing"),
    ("calibration", "whether probabilities come true: the intercept should be 0, the slope 1"),
    ("R squared", "the part of the label's variation that is predicted"),
    ("score", "the Cross-Learning Score: how much is lost by learning on the other table; 0 means kin"),
    ("seed, fingerprint", "with the same seed and tables that have these marks, the numbers come again"),
)  # fmt: skip


def verdict_of(answer: Answer) -> dict[str, Any]:
    """Return the card at the top of a report: the answer of the result."""
    return {"tone": answer.tone, "head": answer.headline, "lines": list(answer.evidence)}


def notes_of(answer: Answer) -> list[str]:
    """Return what to know: what limits the answer, then what was done to the data. Each once."""
    return list(dict.fromkeys([*answer.caveats, *answer.notes]))
