"""Error against rows: the learning curve of a dataset, and whether samples are large enough.

Errors of many learners fall like 1 / rows, so two sizes give a straight line in 1 / rows. The limit
extrapolates far beyond the sizes seen: its uncertainty is large and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin.data.features import Array
from datakin.results.comparison import LearningCurve
from datakin.scoring.cls import Direction, average, discrepancy, last_change, of_tested, own_error
from datakin.scoring.uncertainty import make_estimate, row_variance, variances

__all__ = ["Growth", "learning_curve", "measure_growth"]


def learning_curve(
    directions: Sequence[Direction], estimate: str, groups: Array | None
) -> LearningCurve:
    """Return the learning curve of the dataset that the directions are tested on.

    Parameters
    ----------
    directions : sequence of Direction
        One per repeat.
    estimate : str
    groups : ndarray or None
    """

    def find() -> LearningCurve:
        return _learning_curve(directions, estimate, groups)

    return of_tested(directions, estimate, "curve", find)


def _learning_curve(
    directions: Sequence[Direction], estimate: str, groups: Array | None
) -> LearningCurve:
    own = directions[0].tested.own
    rows, folds = {}, {}
    for size in ("fold", "inner"):
        found = [own_error(d, estimate, size) for d in directions]
        rows[size] = np.mean([(losses - losses @ w) * w for losses, w, _ in found], axis=0)
        folds[size] = np.mean([errors for _, _, errors in found], axis=0)
    sizes = {size: own.n_train[size] for size in ("all", "fold", "inner")}
    errors = {size: float(folds[size].mean()) for size in folds}
    factor = sizes["fold"] / (sizes["fold"] - sizes["inner"])
    limit = factor * errors["fold"] - (factor - 1) * errors["inner"]
    n_folds = len(folds["fold"])
    by_rows = row_variance(factor * rows["fold"] - (factor - 1) * rows["inner"], groups, own.least)
    by_folds = np.var(factor * folds["fold"] - (factor - 1) * folds["inner"], ddof=1) / n_folds
    spread = {size: float(np.sqrt(row_variance(rows[size], groups, own.least))) for size in rows}
    return LearningCurve(
        dataset=own.tested_on,
        n_rows=int(sizes["all"]),
        n_train=(sizes["inner"], sizes["fold"]),
        errors=(errors["inner"], errors["fold"]),
        standard_errors=(spread["inner"], spread["fold"]),
        slope=(errors["inner"] - errors["fold"]) / (1 / sizes["inner"] - 1 / sizes["fold"]),
        limit=make_estimate(limit, float(np.sqrt(max(by_rows, by_folds))), n_folds),
    )


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


def measure_growth(
    ways: Sequence[tuple[Sequence[Direction], Array | None]],
    factors: tuple[float, float],
    is_sampled: tuple[bool, bool],
    estimate: str,
    wanted: float,
) -> Growth:
    """Measure what larger samples could do.

    Parameters
    ----------
    ways : pair of (directions, groups)
        Source to target, target to source; the groups are of the tested rows.
    factors : pair of float
        Weights of the two directions in the score.
    is_sampled : pair of bool
        Whether target and source are sampled.
    estimate : str
    wanted : float
        The precision asked for.
    """
    variance = {True: 0.0, False: 0.0}
    change = 0.0
    for (directions, groups), factor, (tested, learner) in zip(
        ways, factors, (is_sampled, is_sampled[::-1]), strict=True
    ):
        part = average([discrepancy(d, estimate, "matched") for d in directions])
        by_rows, by_folds = variances(part, groups)
        variance[tested] += factor**2 * by_rows
        variance[learner] += factor**2 * by_folds
        moved = [last_change(way, estimate, learner, tested) for way in directions]
        change += factor * float(np.mean(moved))
    error, rest = (float(np.sqrt(variance[which])) for which in (True, False))
    return Growth(error, rest, abs(change), wanted)
