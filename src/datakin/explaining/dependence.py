"""Effects of columns where trees predict: partial dependence (Friedman, 2001).

All rows get one value of a column and then another; how far do predictions move on average?
"""

from __future__ import annotations

import numpy as np

from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.explaining.ladder import reach
from datakin.learners.learner import Learner, Rows
from datakin.learners.newton import link

__all__ = ["partial_effects"]

HALVES = 8  # of a table, which tell how much its effects move by chance
MOST = 300  # rows whose predictions are averaged
ENDS = (0.1587, 0.8413)  # quantiles one standard deviation below and above the middle


def partial_effects(learner: Learner, rows: Rows, target: Rows, seed: int) -> tuple[Array, Array]:
    """Return effects of one standard deviation in the target, and how far their intervals reach.

    Parameters
    ----------
    learner : Learner
    rows : Rows
        What is learned from.
    target : Rows
        Over whose rows predictions are averaged.
    seed : int

    Notes
    -----
    The spread of an effect is that of random halves of the rows (a delete-half jackknife).
    """
    X = target.X[np.linspace(0, len(target) - 1, min(MOST, len(target))).astype(int)]
    steps = [_ends(column) for column in target.X.T]
    found = _moved(learner, rows, X, steps)
    rng = np.random.default_rng(derive_seed(seed, "halves for effects"))
    halves = [rng.permutation(len(rows))[: len(rows) // 2] for _ in range(HALVES)]
    apart = np.array([_moved(learner, rows.take(half), X, steps) for half in halves]) - found
    return found, reach(HALVES) * np.sqrt(np.mean(apart**2, axis=0))


def _ends(column: Array) -> tuple[float, float, float]:
    """Return two values of a column, and how many standard deviations lie between them."""
    known = column[~np.isnan(column)]
    if not len(known) or known.min() == known.max():
        return 0.0, 0.0, 1.0
    low, high = (float(each) for each in np.quantile(known, ENDS))
    if low == high or set(np.unique(known)) <= {0.0, 1.0}:
        low, high = float(known.min()), float(known.max())
    return low, high, (high - low) / max(float(np.std(known)), 1e-12)


def _moved(
    learner: Learner, rows: Rows, X: Array, steps: list[tuple[float, float, float]]
) -> Array:
    predictor = learner.fit(rows)[0]
    found = np.zeros(len(steps))
    for j, (low, high, size) in enumerate(steps):
        if low == high:
            continue
        means = []
        for value in (low, high):
            moved = X.copy()
            moved[:, j] = value
            means.append(float(np.mean(link(predictor.predict(moved), rows.kind)[:, 0])))
        found[j] = (means[1] - means[0]) / size
    return found
