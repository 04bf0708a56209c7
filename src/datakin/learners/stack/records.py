"""What trials of sources found, and the call each leads to. Nothing here fits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from datakin.learners.metrics import Metrics

COST = 0.02  # a source is harmless if it surely costs no more than this share of the loss
SURE = 0.95
HELPS = 0.9  # probability of a gain from which a source is said to help


@dataclass(frozen=True)
class Trial:
    """What one source does for the target.

    Attributes
    ----------
    source : str
    gain, low, high : float
        What to expect: by how much the loss falls, with its 90% interval.
    p_gain : float
        Probability that it falls.
    tried : float
        The gain on the target's held-out rows, before anything else is known.
    standard_error : float
        Of `tried`, from the rows alone.
    pooled, pooled_low, pooled_high : float
        The gain of one pool of target and source, every row counting the same.
    p_harmless : float
        Probability that the source costs at most 2% of the loss.
    metrics : Metrics or None
        Of the stack of target and source on the target's held-out rows; None in a choice, and in results
        of earlier versions.
    """

    source: str
    gain: float
    low: float
    high: float
    p_gain: float
    tried: float
    standard_error: float
    pooled: float
    pooled_low: float
    pooled_high: float
    p_harmless: float
    metrics: Metrics | None = None


def call_of(trial: Trial, *, is_used: bool = False) -> str:
    """Return "helps", "harmless", "unclear" or "hurts". A source that is used never hurts."""
    if trial.p_gain >= HELPS:
        return "helps"
    if trial.pooled_high < 0 and not is_used:
        return "hurts"
    return "harmless" if trial.p_harmless >= SURE else "unclear"


@dataclass(frozen=True)
class Trials:
    """The trials of a target's sources.

    Attributes
    ----------
    target : str
    loss_alone : float
        The squared error (for classes: Brier loss) of the learners on the target alone: the baseline
        of all gains.
    trials : dict of str to Trial
        By source, in the order given.
    unusable : dict of str to str
        Sources that could not be tried, and why.
    learners : tuple of str
    repeats : int
        Draws of the folds.
    alone : Metrics or None
        Of the stack of the target alone on its held-out rows.
    error_alone : float or None
        What `choose` says of the target alone; None in tables of earlier versions.
    """

    target: str
    loss_alone: float
    trials: dict[str, Trial]
    unusable: dict[str, str]
    learners: tuple[str, ...]
    repeats: int
    alone: Metrics | None = None
    error_alone: float | None = None

    def only(self, names: Iterable[str]) -> Trials:
        """Return the trials of some of the sources."""
        wanted = set(names)
        return replace(
            self,
            trials={name: trial for name, trial in self.trials.items() if name in wanted},
            unusable={name: why for name, why in self.unusable.items() if name in wanted},
        )

    def joined(self, other: Trials) -> Trials | None:
        """Return the trials of both; None if the target alone came out differently in the two.

        Gains have one baseline. It may differ where categories have levels that only some of the
        sources show.
        """
        ours = replace(self, trials={}, unusable={})
        if ours != replace(other, trials={}, unusable={}):
            return None
        return replace(
            self,
            trials={**self.trials, **other.trials},
            unusable={**self.unusable, **other.unusable},
        )
