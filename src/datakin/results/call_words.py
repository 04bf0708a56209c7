"""Calls in words: what each means, the number that decides it, and the sentences that say why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

from datakin.learners.stack.records import COST, HELPS, Trial
from datakin.results.answer import Bar, Remedy
from datakin.results.words import percent, percent_interval, probability, short, signed

if TYPE_CHECKING:
    from datakin.results.choice import SourceChoice
    from datakin.results.explanation import Explanation

    Tried: TypeAlias = Trial | SourceChoice  # what a trial of one source found

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


def gain_bar(found: Tried, call: str) -> Bar:
    """Return the number that decided a call, with its interval: of one pool if the source hurts."""
    if call == "hurts":
        return Bar(found.pooled, found.pooled_low, found.pooled_high)
    return Bar(found.gain, found.low, found.high)


def gain_cell(found: Tried | None, call: str) -> tuple[str, Bar | None]:
    """Return that number as it is written, with a mark if it is of one pool, and what is drawn of it."""
    if found is None:
        return "-", None
    bar = gain_bar(found, call)
    mark = POOLED if call == "hurts" else ""
    return f"{signed(bar.value)}{mark}" if isfinite(bar.value) else "-", bar


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
    if len(known) < 2:
        return []
    expected, tried = [each.gain for each in known], [each.tried for each in known]
    if max(expected) - min(expected) >= ALIKE * (max(tried) - min(tried)):
        return []
    return [
        "On these rows the trials tell little of single sources: their gains rest mostly on other data."
    ]


def rise_if_pooled(found: Tried) -> str:
    """Return what the loss does in one pool with a source that hurts."""
    reach = percent_interval(-found.pooled_high, -found.pooled_low)
    return f"rises by {percent(-found.pooled)}% (90% interval {reach})"


def reason_of(found: Tried, call: str, target: str) -> str:
    """Say why a source is called what it is called."""
    name = short(found.source)
    if call == "hurts":
        return f"{name} hurts: in one pool with {short(target)} the loss {rise_if_pooled(found)}."
    tried = f"{signed(found.tried)} on held-out rows; " if isfinite(found.tried) else ""
    sure = f"{tried}a gain has probability {probability(found.p_gain)}"
    if call == "helps":
        return f"{name} helps: {sure}."
    so = "all but ruled out" if call == "harmless" else "not ruled out"
    return (
        f"{name} is {call}: {sure} ({HELPS:.0%} is asked for), and a cost above {COST:.0%} is {so}."
    )


def explained(reason: str, explanations: Iterable[Explanation], source: str) -> str:
    """Return the reason of a source's call, and behind it why the source fails, if that is known.

    That is the headline, the size and the first reason of its explanation.
    """
    answer = next((each.answer for each in explanations if each.source == source), None)
    if answer is None:
        return reason.strip()
    return " ".join([reason, answer.headline, *answer.evidence[:1], *answer.reasons[:1]]).strip()


def mended_by(explanations: Iterable[Explanation]) -> tuple[Remedy, ...]:
    """Return what would mend the sources that were explained: what can be typed, with the source's name."""
    return tuple(
        replace(remedy, text=f"{short(each.source)}: {remedy.text[0].lower()}{remedy.text[1:]}")
        for each in explanations
        for remedy in each.answer.remedies
        if remedy.typed
    )
