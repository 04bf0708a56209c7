"""Error against rows: the learning curve of a dataset.

Errors of many learners fall like 1 / rows, so two sizes give a straight line in 1 / rows. The limit
extrapolates far beyond the sizes seen: its uncertainty is large and says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin.data.features import Array
from datakin.results.comparison import LearningCurve
from datakin.scoring.cls import Direction, of_tested, own_error
from datakin.scoring.uncertainty import make_estimate, row_variance

__all__ = ["learning_curve"]


def learning_curve(
    directions: Sequence[Direction], estimate: str, groups: Array | None
) -> LearningCurve:
    """Return the learning curve of the dataset that the directions (one per repeat) are tested on."""
    return of_tested(
        directions, estimate, "curve", lambda: _learning_curve(directions, estimate, groups)
    )


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
