"""Zones: the answer, the sentence behind it, and the rules that decide it.

The paper has three zones; users read calls: helps, harmless, unclear, hurts. A trial of target and source
decides. Where none was made the gain formula does, or the paper's rule where that is asked for.

A rule is one object that scores, matrices, reports and plots all ask: nothing else in the package tests
which rule is in force.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar, Protocol

from datakin.learners.metrics import Metrics
from datakin.learners.stack.records import COST, Trial, call_of
from datakin.results.record import register
from datakin.results.words import percent, percent_interval, probability

if TYPE_CHECKING:
    from datakin.results.comparison import Estimate
    from datakin.results.forecast import ExpectedGain

__all__ = ["GAIN", "PAPER", "RULES", "TRIAL", "ZONE_OF", "Zone", "ZoneDecision", "ZoneRule"]

register(Trial)
register(Metrics)

GAMMA_1 = 0.0
GAMMA_2 = 3.719016485455709  # the 99.99% quantile of the normal distribution


@register
class Zone(enum.Enum):
    """Whether training on the source will help on the target, as far as the data tell."""

    POSITIVE = "positive"
    HARMLESS = "harmless"
    AMBIGUOUS = "ambiguous"
    NEGATIVE = "negative"

    @property
    def code(self) -> str:
        """The paper's abbreviation: PT, AZ or NT. The paper has three zones: harmless is AZ."""
        return {"positive": "PT", "negative": "NT"}.get(self.value, "AZ")

    @property
    def call(self) -> str:
        """What users read: helps, harmless, unclear or hurts."""
        return CALLS[self.value]


CALLS = {
    "positive": "helps",
    "harmless": "harmless",
    "ambiguous": "unclear",
    "negative": "hurts",
}
ZONE_OF = {call: Zone(zone) for zone, call in CALLS.items()}


Band = tuple[float, float, Zone]


@register
@dataclass(frozen=True)
class ZoneDecision:
    """A zone, the thresholds it was decided by, and why.

    Attributes
    ----------
    zone : Zone
    rule : {"trial", "gain", "paper"}
        A trial of target and source, the formula for the gain of pooling, or the paper's rule.
    score : float
        What was decided by: the gain to expect, as a share of the target's own loss; the formula's
        gain, in units of the loss; or the paper's estimate of the score.
    low, high : float
        The 90% interval of the gain. The paper's thresholds: a score at or below `low` is positive,
        at or above `high` negative.
    reason : str
        A sentence for the user.
    """

    zone: Zone
    rule: str
    score: float
    low: float
    high: float
    reason: str

    @property
    def bands(self) -> tuple[Band, ...]:
        """Where zones begin and end on an axis of scores; none if gains decided."""
        return RULES[self.rule].bands(self)

    @property
    def headline(self) -> tuple[str, str]:
        """A tone ("good", "open" or "bad") and what to say of {source} and {target}."""
        return RULES[self.rule].headlines[self.zone]

    @property
    def is_about_gain(self) -> bool:
        """Whether the zone was decided by a gain, tried or expected."""
        return RULES[self.rule] is not PAPER

    @property
    def word(self) -> str:
        """The call; the zone's name where the paper's rule decided."""
        return self.zone.call if self.is_about_gain else self.zone.value


class ZoneRule(Protocol):
    """How zones are decided, and what their bands on a chart mean.

    A rule is given all that zones may be decided by: the paper's estimate of the score; the own error
    e_0 = w e_t + (1 - w) e_s with its standard error; and the gain of plain pooling for the target.
    """

    @property
    def name(self) -> str:
        """The option's word for it."""

    @property
    def is_symmetric(self) -> bool:
        """Whether a source's zone for a target is also the target's for the source."""

    def decide(self, score: Estimate, own: tuple[float, float], gain: ExpectedGain) -> ZoneDecision:
        """Return the zone, its thresholds and why."""

    def measured(
        self, score: Estimate, own: tuple[float, float], gain: ExpectedGain
    ) -> tuple[float, float, float, float]:
        """Return a value that is small for kin, its standard error, and the two thresholds for it."""

    def bands(self, decision: ZoneDecision) -> tuple[Band, ...]:
        """Return where zones begin and end on an axis of scores; none if gains decide."""

    @property
    def headlines(self) -> dict[Zone, tuple[str, str]]:
        """For each zone a tone and what to say of {source} and {target}."""


class _PaperRule:
    """The paper's rule: thresholds 0 and 3.72 standard errors of the own error, for the score."""

    name, is_symmetric = "paper", True
    headlines: ClassVar = {
        Zone.POSITIVE: ("good", "By the paper's rule: positive. {source} is kin to {target}"),
        Zone.AMBIGUOUS: ("open", "By the paper's rule: ambiguous. {source} may be kin to {target}"),
        Zone.NEGATIVE: ("bad", "By the paper's rule: negative. {source} is not kin to {target}"),
    }

    def bands(self, decision: ZoneDecision) -> tuple[Band, ...]:
        low, high = decision.low, decision.high
        return (-inf, low, Zone.POSITIVE), (low, high, Zone.AMBIGUOUS), (high, inf, Zone.NEGATIVE)

    def decide(self, score: Estimate, own: tuple[float, float], gain: ExpectedGain) -> ZoneDecision:
        mean, error = own
        low, high = GAMMA_1 * error, GAMMA_2 * error
        if score.value <= low:
            zone = Zone.POSITIVE
            why = "what is learned on one dataset holds on the other as well as on itself"
        elif score.value >= high:
            zone = Zone.NEGATIVE
            why = "the loss is larger than chance variation of the own errors explains"
        else:
            zone = Zone.AMBIGUOUS
            why = "the loss is within the chance variation of the own errors"
        return ZoneDecision(
            zone,
            self.name,
            score.value,
            low,
            high,
            f"the score {score.value:.4f} stands against thresholds of {low:.4f} and {high:.4f} (own error "
            f"{mean:.4f}, standard error {error:.4f}). So {why}",
        )

    def measured(
        self, score: Estimate, own: tuple[float, float], gain: ExpectedGain
    ) -> tuple[float, float, float, float]:
        return score.value, score.standard_error, GAMMA_1 * own[1], GAMMA_2 * own[1]


class _GainRule:
    """By the formula for what pooling brings: on which side of 0 the 90% interval of the gain lies."""

    name, is_symmetric = "gain", False
    headlines: ClassVar = {
        Zone.POSITIVE: ("good", "Use {source}: by the gain formula it should help {target}"),
        Zone.AMBIGUOUS: ("open", "The data do not tell whether {source} helps {target}"),
        Zone.NEGATIVE: ("bad", "Do not use {source}: by the gain formula it would hurt {target}"),
    }

    def bands(self, decision: ZoneDecision) -> tuple[Band, ...]:
        return ()

    def decide(self, score: Estimate, own: tuple[float, float], gain: ExpectedGain) -> ZoneDecision:
        return self.decide_gain(gain)

    def decide_gain(self, gain: ExpectedGain) -> ZoneDecision:
        """Decide by a gain alone."""
        if gain.low90 > 0:
            zone, why = Zone.POSITIVE, "it lies above 0"
        elif gain.high90 < 0:
            zone, why = Zone.NEGATIVE, "it lies below 0"
        else:
            zone, why = Zone.AMBIGUOUS, "it contains 0"
        return ZoneDecision(
            zone,
            self.name,
            gain.value,
            gain.low90,
            gain.high90,
            f"by the gain formula, pooling should bring a gain of {gain.value:.4f}, 90% interval "
            f"[{gain.low90:.4f}, {gain.high90:.4f}]: {why}",
        )

    def measured(
        self, score: Estimate, own: tuple[float, float], gain: ExpectedGain
    ) -> tuple[float, float, float, float]:
        reach = (gain.low90 - gain.value, gain.high90 - gain.value)
        return -gain.value, gain.standard_error, *reach


class _TrialRule(_GainRule):
    """By a trial: the target and one source in a stack, beside the stack of the target alone."""

    name = "trial"
    headlines: ClassVar = {
        Zone.POSITIVE: ("good", "Use {source}: it should help {target}"),
        Zone.HARMLESS: ("plain", "Use {source} or leave it: it is harmless for {target}"),
        Zone.AMBIGUOUS: ("open", "The data do not tell whether {source} helps {target}"),
        Zone.NEGATIVE: ("bad", "Do not pool {source} with {target}: it hurts"),
    }

    def decide_trial(self, trial: Trial) -> ZoneDecision:
        """Decide by a trial alone."""
        zone = ZONE_OF[call_of(trial)]
        return ZoneDecision(zone, self.name, trial.gain, trial.low, trial.high, _why(zone, trial))


def _why(zone: Zone, trial: Trial) -> str:
    """Say what in a trial led to the call."""
    way, size = ("fall" if trial.gain >= 0 else "rise"), percent(abs(trial.gain))
    if zone is Zone.NEGATIVE:
        reach = percent_interval(-trial.pooled_high, -trial.pooled_low)
        return (
            f"pooled with this source, the loss rises by {percent(-trial.pooled)}% (90% interval {reach}). "
            f"In a stack, which can leave the source out, it should {way} by {size}%"
        )
    cost = {
        Zone.HARMLESS: f", and a cost above {COST:.0%} is all but ruled out",
        Zone.AMBIGUOUS: f", and a cost above {COST:.0%} is not ruled out",
    }.get(zone, "")
    reach = percent_interval(trial.low, trial.high)
    return (
        f"with this source the loss should {way} by {size}% (90% interval of the gain {reach}). "
        f"A gain has probability {probability(trial.p_gain)}{cost}"
    )


PAPER, GAIN, TRIAL = _PaperRule(), _GainRule(), _TrialRule()
RULES: dict[str, ZoneRule] = {rule.name: rule for rule in (PAPER, GAIN, TRIAL)}
