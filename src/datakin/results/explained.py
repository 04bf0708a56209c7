"""What the explanation of a source adds to the reasons of a comparison, a ranking or a choice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from datakin.results.answer import Remedy
from datakin.results.words import short

if TYPE_CHECKING:
    from datakin.results.explanation import Explanation

__all__ = ["explained", "mended_by", "why_of"]


def why_of(explanations: Iterable[Explanation], source: str) -> str:
    """Say why what is learned on a source fails: headline, size and first reason of its explanation.

    Returns
    -------
    str
        Empty if the source was not explained.
    """
    for each in explanations:
        if each.source == source:
            answer = each.answer
            return " ".join([answer.headline, *answer.evidence[:1], *answer.reasons[:1]])
    return ""


def explained(reason: str, explanations: Iterable[Explanation], source: str) -> str:
    """Return the reason of a source's call, and behind it why the source fails, if that is known."""
    return f"{reason} {why_of(explanations, source)}".strip()


def mended_by(explanations: Iterable[Explanation]) -> tuple[Remedy, ...]:
    """Return what would mend the sources that were explained: what can be typed, with the source's name."""
    return tuple(
        replace(remedy, text=f"{short(each.source)}: {remedy.text[0].lower()}{remedy.text[1:]}")
        for each in explanations
        for remedy in each.answer.remedies
        if remedy.typed
    )
