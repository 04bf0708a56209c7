"""Area under the ROC curve, and calibration of probabilities, with what each row adds to their error."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from datakin.data.features import Array
from datakin.learners.newton import Tolerance, minimise, penalised

__all__ = ["Part", "auc", "calibration"]

CLIP = 1e-6  # probabilities are never taken nearer to 0 or 1

FOUND = Tolerance(0.0, step=1e-9, rise=1e-12, shortest=1e-8, most_steps=100)

Part = tuple[float, Array]  # a metric, and what each row adds to its sampling error


def auc(scores: Array, event: Array, weights: Array) -> Part:
    """Return the area under the ROC curve, and what each row adds to its error (DeLong's placements).

    All of shape (n,): scores, whether a row is an event (there must be both kinds), and its weight.
    """
    level = np.unique(scores, return_inverse=True)[1]
    sums = [np.bincount(level, weights * is_kind) for is_kind in (event, ~event)]
    # Weight of the other kind below each level, ties counting half.
    events, others = (np.cumsum(each) - each / 2 for each in sums)
    n_events, n_others = (float(each.sum()) for each in sums)
    place = np.where(event, others[level] / n_others, 1 - events[level] / n_events)
    area = float(np.average(place[event], weights=weights[event]))
    return area, weights * (place - area) / np.where(event, n_events, n_others)


def calibration(p: Array, event: Array, weights: Array) -> dict[str, Part]:
    """Return intercept and slope of the calibration of probabilities, where they are defined.

    All of shape (n,): probabilities, whether a row is an event (there must be both kinds), and its weight.
    """
    eta = logit(np.clip(p, CLIP, 1 - CLIP))
    one = np.ones((len(p), 1))
    found = {}
    fitted = _logistic(one, event, weights, eta)
    if fitted is not None:
        found["calibration_intercept"] = float(fitted[0][0]), fitted[1][:, 0]
    scale = float(np.std(eta))
    # With one column, a logistic regression exists unless a threshold separates the classes.
    separated = max(eta[~event]) <= min(eta[event]) or max(eta[event]) <= min(eta[~event])
    if separated or scale < 1e-9:
        return found
    middle = float(np.mean(eta))
    fitted = _logistic(np.column_stack([(eta - middle) / scale, one]), event, weights, 0.0)
    if fitted is not None:
        found["calibration_slope"] = float(fitted[0][0]) / scale, fitted[1][:, 0] / scale
    return found


def _logistic(
    design: Array, event: Array, weights: Array, offset: Array | float
) -> tuple[Array, Array] | None:
    """Return coefficients and what each row adds to them; None where there is no end to them."""
    free = np.zeros(design.shape[1])
    objective = penalised(design, event, weights, free, "binary", offset)
    beta, is_found = minimise(objective, free, FOUND)
    if not is_found:
        return None
    residual = weights * (event - expit(design @ beta + offset))
    second = objective(beta)[2]()
    return beta, np.linalg.solve(second, (design * residual[:, None]).T).T
