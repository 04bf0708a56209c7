"""Zones as results carry them: the answer and the sentence behind it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from datakin.results.record import register

__all__ = ["Zone", "ZoneDecision"]


@register
class Zone(enum.Enum):
    """Whether training on the source will help on the target, as far as the data tell."""

    POSITIVE = "positive"
    AMBIGUOUS = "ambiguous"
    NEGATIVE = "negative"

    @property
    def code(self) -> str:
        """The paper's abbreviation: PT, AZ or NT."""
        return {"positive": "PT", "ambiguous": "AZ", "negative": "NT"}[self.value]


@register
@dataclass(frozen=True)
class ZoneDecision:
    """A zone, the thresholds it was decided by, and why.

    Attributes
    ----------
    zone : Zone
    rule : {"paper", "gain"}
    score : float
        What was compared: the paper's estimate of the score, or the expected gain of pooling.
    low, high : float
        The paper's thresholds: a score at or below `low` is positive, at or above `high` negative.
        By the gain: its 90% interval, positive above 0 and negative below.
    reason : str
        A sentence for the user.
    """

    zone: Zone
    rule: str
    score: float
    low: float
    high: float
    reason: str
