"""Calls in words: what each means, the number that decides it, and the sentence that says why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Protocol

from datakin.learners.stack.records import COST, HELPS, Trial
from datakin.results.words import percent, percent_interval, probability, short, signed

__all__ = [
    "BAR_OF",
    "CALL_ORDER",
    "Tried",
    "called",
    "gain_cell",
    "gain_legend",
    "legend_of_calls",
    "reason_of",
    "resting_elsewhere",
]

CALL_ORDER = ("hurts", "unclear", "harmless", "helps")  # in which reasons are given
BAR_OF = "90% interval of the gain"
ALIKE = 0.3  # gains that differ by less than this share of what was measured rest on other data
POOLED = "*"  # beside the gain of one pool
MEANING = {
    "helps": f"helps: a gain is likely (probability {HELPS:.0%} or more).",
    "harmless": f"harmless: it almost surely costs no more than {COST:.0%}.",
    "unclear": "unclear: the rows of the target do not tell.",
    "hurts": "hurts: in one pool with the target's rows it raises the loss.",
}


class Tried(Protocol):
    """What a trial of one source found."""

    @property
    def source(self) -> str:
        """The source's name."""

    @property
    def call(self) -> str:
        """helps, harmless, unclear or hurts."""

    @property
    def gain(self) -> float:
        """By how much the loss falls, as a share."""

    @property
    def low(self) -> float:
        """The lower end of its 90% interval."""

    @property
    def high(self) -> float:
        """The upper end."""

    @property
    def p_gain(self) -> float:
        """Probability that it falls."""

    @property
    def tried(self) -> float:
        """The gain on held-out rows, before anything else is known."""

    @property
    def pooled(self) -> float:
        """The gain of one pool."""

    @property
    def pooled_low(self) -> float:
        """The lower end of its 90% interval."""

    @property
    def pooled_high(self) -> float:
        """The upper end."""


@dataclass(frozen=True)
class Called:
    """A trial and the call that was made of it."""

    source: str
    call: str
    gain: float
    low: float
    high: float
    p_gain: float
    tried: float
    pooled: float
    pooled_low: float
    pooled_high: float


def called(trial: Trial, call: str) -> Called:
    """Return a trial with its call."""
    found = (trial.gain, trial.low, trial.high, trial.p_gain, trial.tried)
    pool = (trial.pooled, trial.pooled_low, trial.pooled_high)
    return Called(trial.source, call, *found, *pool)


def gain_cell(each: Tried) -> str:
    """Return the number that decided a call: of one pool, with a mark, if the source hurts."""
    if each.call == "hurts" and isfinite(each.pooled):
        return f"{signed(each.pooled)}{POOLED}"
    return signed(each.gain) if isfinite(each.gain) else "-"


def legend_of_calls(calls: Iterable[str]) -> tuple[str, ...]:
    """Return what the calls of a table mean."""
    found = set(calls)
    return tuple(meaning for call, meaning in MEANING.items() if call in found)


def gain_legend(loss: str, calls: Iterable[str]) -> tuple[str, ...]:
    """Return what the column of gains means."""
    first = (
        f"Gain: how much the {loss} of the target should fall with this source beside it, from the trial on "
        f"its rows and trials on other data; line: 90% interval."
    )
    if "hurts" not in set(calls):
        return (first,)
    return (first, f"{POOLED} of one pool with the target's rows, which decides this call.")


def resting_elsewhere(found: Iterable[Tried]) -> list[str]:
    """Say so where single sources hardly differ in the gain to expect, although their trials do."""
    known = [each for each in found if isfinite(each.tried)]
    spread = [
        max(values) - min(values)
        for values in ([e.gain for e in known], [e.tried for e in known])
        if values
    ]
    if len(known) < 2 or spread[0] >= ALIKE * spread[1]:
        return []
    return [
        "On these rows the trials tell little of single sources: their gains rest mostly on other data."
    ]


def reason_of(each: Tried, target: str) -> str:
    """Say why a source is called what it is called."""
    name = short(each.source)
    if each.call == "hurts":
        rise = f"{percent(-each.pooled)}%"
        reach = percent_interval(-each.pooled_high, -each.pooled_low)
        pool = f"in one pool with {short(target)} the loss rises by {rise}"
        return f"{name} hurts: {pool} (90% interval {reach})."
    tried = f"{signed(each.tried)} on held-out rows; " if isfinite(each.tried) else ""
    sure = f"{tried}a gain has probability {probability(each.p_gain)}"
    if each.call == "helps":
        return f"{name} helps: {sure}."
    asked = f"{HELPS:.0%} is asked for"
    if each.call == "harmless":
        return f"{name} is harmless: {sure} ({asked}), and a cost above {COST:.0%} is all but ruled out."
    return f"{name} is unclear: {sure} ({asked}), and a cost above {COST:.0%} is not ruled out."
