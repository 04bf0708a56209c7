"""From held-out predictions to metrics: the target alone, the best single source, everything, the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from datakin.choosing.summary import ERROR_SPREAD, Stated
from datakin.data.features import Array
from datakin.learners.losses import LOSSES, Judge, squared
from datakin.learners.metrics import Metrics, agreeing, metrics_of
from datakin.learners.stack.fitting import Passes
from datakin.learners.stack.weights import Mix

__all__ = ["best_single", "measured"]


def measured(
    of: str,
    draws: Sequence[Array],
    error: Stated,
    judge: Judge,
    y: Array,
    weights: Array,
    groups: Array | None,
) -> Metrics:
    """Return the metrics of held-out predictions, beside the error that is stated of them.

    They are means over the draws of the folds, as the error is, and their intervals are as much wider than
    rows alone say. What follows from the error (accuracy, RMSE, ...) is exactly what it says.

    Parameters
    ----------
    of : str
        What predicts, in words.
    draws : sequence of ndarray
        Held-out predictions, of each draw of the folds.
    error : Stated
        Of the same predictions.
    judge : Judge
    y : ndarray
        Class codes, or numbers.
    weights : ndarray
        Of the rows, as the user gave them.
    groups : ndarray or None
    """
    found = metrics_of(of, draws, judge, y, weights, groups, ERROR_SPREAD)
    if LOSSES.get(judge.loss.name) is not judge.loss:  # a loss of the user's own may have any name
        return found
    variance = float(np.cov(y, aweights=weights, ddof=0)) if judge.kind == "regression" else 0.0
    return agreeing(found, judge.loss.name, error.error, (error.low, error.high), variance)


def best_single(
    passes: Passes, singles: Mapping[str, Sequence[Mix]]
) -> tuple[str, list[Array]] | None:
    """Return the source that is most often the best one, and held-out predictions by the best one.

    For every fold the best source is that whose stack with the target loses least (Brier or squared
    error) on the rows of the other folds: no row helps to pick what it is predicted by.

    Parameters
    ----------
    passes : Passes
    singles : mapping of str to sequence of Mix
        Of each source, for each draw of the folds.
    """
    if not singles:
        return None
    names, target = sorted(singles), passes.stack.target
    picked, draws = np.zeros(len(names), dtype=int), []
    for draw, folds in enumerate(passes.folds):
        found = np.array([singles[name][draw].predictions for name in names])
        losses = np.array([target.weights * squared(target.Y, P, target.kind) for P in found])
        by_fold = np.array([np.bincount(folds, weights=each) for each in losses])
        best = np.argmin(losses.sum(axis=1)[:, None] - by_fold, axis=0)
        picked += np.bincount(best, minlength=len(names))
        draws.append(found[best[folds], np.arange(len(folds))])
    return names[int(np.argmax(picked))], draws
