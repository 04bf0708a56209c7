"""Whether a pair's samples are large enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datakin.scoring.cls import last_change
from datakin.scoring.pairs import Pair
from datakin.scoring.uncertainty import variances

__all__ = ["Growth", "measure_growth"]


@dataclass(frozen=True)
class Growth:
    """What larger samples could still do for a score.

    Attributes
    ----------
    error : float
        The part of the standard error that comes from samples.
    rest : float
        The part that comes from datasets used whole.
    change : float
        By how much doubling the samples is likely to change the score.
    wanted : float
        The precision asked for.
    """

    error: float
    rest: float
    change: float
    wanted: float

    @property
    def is_precise(self) -> bool:
        """Whether samples add no more error than asked for, or than there is without them."""
        return self.error <= max(self.wanted, self.rest)

    @property
    def is_enough(self) -> bool:
        """Whether larger samples are not worth their time."""
        return self.is_precise and self.change <= max(self.wanted, self.rest, self.error)

    @property
    def note(self) -> str | None:
        """Say what was reached, if it is less than asked for."""
        if self.is_precise:
            return None
        return (
            f"the samples' part of the standard error is {self.error:.4f}, above the precision "
            f"asked for ({self.wanted:.4g}): max_rows allows no larger ones"
        )


def measure_growth(pair: Pair, target: bool, source: bool, wanted: float) -> Growth:
    """Measure what larger samples could do.

    Parameters
    ----------
    pair : Pair
    target, source : bool
        Which of the two datasets is sampled.
    wanted : float
        The precision asked for.
    """
    estimate = pair.options.estimate
    variance = {True: 0.0, False: 0.0}
    change = 0.0
    for part, ways, factor, groups, (tested, learner) in zip(
        pair.both(estimate, "matched"),
        (pair.to_target, pair.to_source),
        pair.factors,
        pair.groups,
        ((target, source), (source, target)),
        strict=True,
    ):
        by_rows, by_folds = variances(part, groups)
        variance[tested] += factor**2 * by_rows
        variance[learner] += factor**2 * by_folds
        moved = [last_change(way, estimate, learner, tested) for way in ways]
        change += factor * float(np.mean(moved))
    error, rest = (float(np.sqrt(variance[which])) for which in (True, False))
    return Growth(error, rest, abs(change), wanted)
