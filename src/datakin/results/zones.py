"""Zones: the answer, the sentence behind it, and the rules that decide it.

The paper has three zones; users read calls: helps, harmless, unclear, hurts. A trial of target and source
decides, or the paper's rule where that is asked for. A pair that was not tried has no call: it reads "not
tried".

A rule is one object that scores, matrices, reports and plots all ask: nothing else in the package tests
which rule is in force.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING, ClassVar

from datakin.learners.metrics import Metrics
from datakin.learners.stack.records import COST, Trial, call_of
from datakin.results.record import register
from datakin.results.words import percent, percent_interval, probability

if TYPE_CHECKING:
    from datakin.results.comparison import Estimate

__all__ = ["NOT_TRIED", "PAPER", "RULES", "TRIAL", "ZONE_OF", "Zone", "ZoneDecision", "ZoneRule"]

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
    UNTRIED = "not tried"

    @property
    def code(self) -> str:
        """The paper's abbreviation: PT, AZ or NT; harmless is AZ, and what was not tried has none."""
        return {"positive": "PT", "negative": "NT", "not tried": ""}.get(self.value, "AZ")

    @property
    def call(self) -> str:
        """What users read: helps, harmless, unclear or hurts; "not tried" where there is no call."""
        return CALLS.get(self.value, self.value)


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
    rule : {"trial", "paper", "none"}
        A trial of target and source, the paper's rule, or nothing: the source was not tried.
    score : float
        What was decided by: the gain to expect, as a share of the target's own loss; or the paper's
        estimate of the score. NaN if nothing was tried.
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
        """Whether the zone is about a gain, tried or not, rather than about the score."""
        return RULES[self.rule] is not PAPER

    @property
    def word(self) -> str:
        """The call; the zone's name where the paper's rule decided."""
        return self.zone.call if self.is_about_gain else self.zone.value


class ZoneRule:
    """What decides zones.

    Attributes
    ----------
    name : str
        As decisions keep it.
    headlines : dict of Zone to (str, str)
        For each zone a tone and what to say of {source} and {target}.
    """

    name: ClassVar[str]
    headlines: ClassVar[dict[Zone, tuple[str, str]]]

    def bands(self, decision: ZoneDecision) -> tuple[Band, ...]:
        """Return where zones begin and end on an axis of scores; none if gains decide."""
        return ()


class _PaperRule(ZoneRule):
    """The paper's rule: thresholds 0 and 3.72 standard errors of the own error, for the score."""

    name = "paper"
    headlines: ClassVar = {
        Zone.POSITIVE: ("good", "By the paper's rule: positive. {source} is kin to {target}"),
        Zone.AMBIGUOUS: ("open", "By the paper's rule: ambiguous. {source} may be kin to {target}"),
        Zone.NEGATIVE: ("bad", "By the paper's rule: negative. {source} is not kin to {target}"),
    }

    def bands(self, decision: ZoneDecision) -> tuple[Band, ...]:
        low, high = decision.low, decision.high
        return (-inf, low, Zone.POSITIVE), (low, high, Zone.AMBIGUOUS), (high, inf, Zone.NEGATIVE)

    def decide(self, score: Estimate, own: tuple[float, float]) -> ZoneDecision:
        """Decide by the paper's estimate of the score, and the own error with its standard error."""
        value, _, low, high = self.measured(score, own)
        zone, why = Zone.AMBIGUOUS, "the loss is within the chance variation of the own errors"
        if value <= low:
            zone = Zone.POSITIVE
            why = "what is learned on one dataset holds on the other as well as on itself"
        elif value >= high:
            zone = Zone.NEGATIVE
            why = "the loss is larger than chance variation of the own errors explains"
        reason = (
            f"the score {value:.4f} stands against thresholds of {low:.4f} and {high:.4f} (own error "
            f"{own[0]:.4f}, standard error {own[1]:.4f}). So {why}"
        )
        return ZoneDecision(zone, self.name, value, low, high, reason)

    def measured(
        self, score: Estimate, own: tuple[float, float]
    ) -> tuple[float, float, float, float]:
        """Return the score, its standard error, and the two thresholds for it."""
        return score.value, score.standard_error, GAMMA_1 * own[1], GAMMA_2 * own[1]


class _TrialRule(ZoneRule):
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


class _NotTried(ZoneRule):
    """No trial was made, so that there is no call."""

    name = "none"
    headlines: ClassVar = {
        Zone.UNTRIED: ("open", "Whether {source} helps {target} was not tried"),
    }

    def decide(self, why: str | None = None) -> ZoneDecision:
        """Return that there is no call; `why` says what kept the source from being tried."""
        reason = "not tried: the score says how kin the datasets are, not whether the source helps"
        if why is not None:
            reason = f"could not be tried ({why.rstrip('.')})"
        return ZoneDecision(Zone.UNTRIED, self.name, nan, nan, nan, reason)


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


PAPER, TRIAL, NOT_TRIED = _PaperRule(), _TrialRule(), _NotTried()
RULES: dict[str, ZoneRule] = {rule.name: rule for rule in (PAPER, TRIAL, NOT_TRIED)}
