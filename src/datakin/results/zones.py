"""Zones: the answer, the sentence behind it, and the rules that decide it.

The paper has three zones; users read calls: helps, harmless, unclear, hurts. A trial of target and source
decides, or the paper's rule where that is asked for. A pair that was not tried has no call: it reads "not
tried".

A decision knows by which rule it was made: results, reports and plots ask it what to say and to draw.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING

from datakin.learners.metrics import Metrics
from datakin.learners.stack.records import COST, Trial, call_of
from datakin.results.call_words import rise_if_pooled
from datakin.results.record import register
from datakin.results.words import fall_or_rise, percent_interval, probability

if TYPE_CHECKING:
    from datakin.results.comparison import Estimate

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

# What decides zones: the paper's thresholds for the score, a trial of target and source, or nothing.
PAPER, TRIAL, NOT_TRIED = "paper", "trial", "none"
# By rule and zone, a tone and what to say of {source} and {target}.
HEADLINES = {
    PAPER: {
        Zone.POSITIVE: ("good", "By the paper's rule: positive. {source} is kin to {target}"),
        Zone.AMBIGUOUS: ("open", "By the paper's rule: ambiguous. {source} may be kin to {target}"),
        Zone.NEGATIVE: ("bad", "By the paper's rule: negative. {source} is not kin to {target}"),
    },
    TRIAL: {
        Zone.POSITIVE: ("good", "Use {source}: it should help {target}"),
        Zone.HARMLESS: ("plain", "Use {source} or leave it: it is harmless for {target}"),
        Zone.AMBIGUOUS: ("open", "The data do not tell whether {source} helps {target}"),
        Zone.NEGATIVE: ("bad", "Do not pool {source} with {target}: it hurts"),
    },
    NOT_TRIED: {Zone.UNTRIED: ("open", "Whether {source} helps {target} was not tried")},
}


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
        if self.is_about_gain:
            return ()
        return (
            (-inf, self.low, Zone.POSITIVE),
            (self.low, self.high, Zone.AMBIGUOUS),
            (self.high, inf, Zone.NEGATIVE),
        )

    @property
    def headline(self) -> tuple[str, str]:
        """A tone ("good", "open" or "bad") and what to say of {source} and {target}."""
        return HEADLINES[self.rule][self.zone]

    @property
    def is_about_gain(self) -> bool:
        """Whether the zone is about a gain, tried or not, rather than about the score."""
        return self.rule != PAPER

    @property
    def word(self) -> str:
        """The call; the zone's name where the paper's rule decided."""
        return self.zone.call if self.is_about_gain else self.zone.value


def decide_by_paper(score: Estimate, own: tuple[float, float]) -> ZoneDecision:
    """Decide by the paper's estimate of the score, and the own error with its standard error.

    The thresholds are 0 and 3.72 standard errors of the own error.
    """
    value, low, high = score.value, GAMMA_1 * own[1], GAMMA_2 * own[1]
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
    return ZoneDecision(zone, PAPER, value, low, high, reason)


def decide_by_trial(trial: Trial) -> ZoneDecision:
    """Decide by a trial: the target and one source in a stack, beside the stack of the target alone."""
    zone = ZONE_OF[call_of(trial)]
    return ZoneDecision(zone, TRIAL, trial.gain, trial.low, trial.high, _why(zone, trial))


def not_tried(why: str | None = None) -> ZoneDecision:
    """Return that there is no call; `why` says what kept the source from being tried."""
    reason = "not tried: the score says how kin the datasets are, not whether the source helps"
    if why is not None:
        reason = f"could not be tried ({why.rstrip('.')})"
    return ZoneDecision(Zone.UNTRIED, NOT_TRIED, nan, nan, nan, reason)


def _why(zone: Zone, trial: Trial) -> str:
    """Say what in a trial led to the call."""
    change = fall_or_rise(trial.gain)
    if zone is Zone.NEGATIVE:
        return (
            f"pooled with this source, the loss {rise_if_pooled(trial)}. In a stack, which can leave the "
            f"source out, it should {change}"
        )
    cost = {
        Zone.HARMLESS: f", and a cost above {COST:.0%} is all but ruled out",
        Zone.AMBIGUOUS: f", and a cost above {COST:.0%} is not ruled out",
    }.get(zone, "")
    reach = percent_interval(trial.low, trial.high)
    return (
        f"with this source the loss should {change} (90% interval of the gain {reach}). "
        f"A gain has probability {probability(trial.p_gain)}{cost}"
    )
