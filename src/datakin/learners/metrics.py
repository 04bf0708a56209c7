"""Metrics that people know, from held-out predictions: AUC, calibration, accuracy, RMSE, R squared.

Several draws of the folds, or several predictors, give one number each; their mean counts. Every row's
part in a metric (its influence) is averaged the same way, so that the interval is that of the mean, and rows
that belong together count as one. A metric that is not defined (AUC with one class among the rows, the
calibration slope where predictions separate the classes) is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import expit, logit, stdtrit

from datakin.data.features import Array
from datakin.learners.calibration import Part, auc, calibration
from datakin.learners.losses import LOSSES, Judge

__all__ = [
    "ERROR_SPREAD",
    "LEVEL",
    "Metrics",
    "agreeing",
    "class_metrics",
    "error_interval",
    "mean_with_error",
    "metrics_of",
    "number_metrics",
    "reach",
    "sampling_error",
]

LEVEL = 0.9  # of intervals
# Rows alone underrate how far what is said lies from what comes true: by this factor on the development
# half (python -m benchmarks.decisions.calibrate).
ERROR_SPREAD = 1.35
DIGITS = 12  # probabilities that agree so far are equal: rounding must not order rows
SHARES = ("accuracy", "balanced_accuracy", "auc")  # between 0 and 1
SIZES = ("brier", "mse", "mae")  # never negative


@dataclass(frozen=True)
class Metrics:
    """How well some predictions do, in numbers that people know.

    Attributes
    ----------
    of : str
        What predicts, in words.
    rows : int
        Labelled rows that were predicted; those of weight 0 do not count.
    values : dict of str to float
        By name; what is not defined is left out.

        "accuracy"
            Share of the rows whose predicted class is right. The class is the one that the loss asks for:
            the most likely one, or for the balanced loss the most likely for its share of the rows.
        "balanced_accuracy"
            The mean over the classes of the share that is right.
        "brier"
            Mean of (p - y)^2 for two classes, of half the squared distance for several.
        "auc"
            Probability that a row of the second class gets a higher probability than one of the first,
            ties counting half. Several classes: the mean over classes, each against the rest.
        "calibration_intercept"
            Two classes: a in logit P(y) = a + logit(p), fitted to the rows. 0 is right; above 0 the
            probabilities are too low on the whole.
        "calibration_slope"
            Two classes: b in logit P(y) = a + b logit(p). 1 is right; below 1 the probabilities are too
            extreme. Both take p between 1e-6 and 1 - 1e-6.
        "rmse", "mae"
            Numbers: root of the mean squared error, and mean absolute error.
        "r2"
            Numbers: 1 - mean squared error / variance of the labels around their mean.
    intervals : dict of str to tuple of float
        90% intervals.
    positive : str
        Two classes: the class whose probability is meant.
    """

    of: str
    rows: int
    values: dict[str, float]
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    positive: str = ""

    def get(self, name: str) -> float | None:
        """Return a metric; None where it is not defined."""
        return self.values.get(name)


def class_metrics(
    of: str,
    probabilities: Sequence[Array],
    decided: Sequence[Array],
    y: Array,
    weights: Array,
    *,
    classes: Sequence[str] = (),
    groups: Array | None = None,
    spread: float = 1.0,
    is_known: bool = True,
) -> Metrics:
    """Return the metrics of predicted classes.

    For each draw there are probabilities of shape (n, C), or none at all: then only what predicted classes
    tell is given. Decided classes and labels are codes; `classes` are their names. Rows of one group count as
    one, and standard errors from rows are too small by the factor `spread`. Unless the predictors know every
    class among the rows (`is_known`), AUC and calibration are left out.
    """
    at = weights > 0
    if not at.any():
        return Metrics(of, 0, {})
    y, weights = y[at], weights[at]
    groups = None if groups is None else groups[at]
    draws: list[dict[str, Part]] = []
    for number, codes in enumerate(decided):
        right = (codes[at] == y).astype(float)
        found = {
            "accuracy": _mean(right, weights),
            "balanced_accuracy": _by_class(right, y, weights),
        }
        if len(probabilities):
            p = np.asarray(probabilities[number])[at]
            found["brier"] = _mean(LOSSES["brier"].rows(y, p), weights)
            if is_known:
                found |= _of_probabilities(p, y, weights)
        draws.append(found)
    n_classes = np.asarray(probabilities[0]).shape[1] if len(probabilities) else len(classes)
    positive = classes[1] if n_classes == 2 and len(classes) == 2 else ""
    fewest = int(np.unique(y, return_counts=True)[1].min())
    return _combined(of, draws, weights, groups, spread, fewest, positive)


def number_metrics(
    of: str,
    values: Sequence[Array],
    y: Array,
    weights: Array,
    *,
    groups: Array | None = None,
    spread: float = 1.0,
) -> Metrics:
    """Return the metrics of predicted numbers, one array for each draw; see `class_metrics`."""
    at = weights > 0
    if not at.any():
        return Metrics(of, 0, {})
    y, weights = y[at].astype(float), weights[at]
    groups = None if groups is None else groups[at]
    draws = []
    for each in values:
        apart = np.asarray(each)[at] - y
        draws.append({"mse": _mean(apart**2, weights), "mae": _mean(np.abs(apart), weights)})
    found = _combined(of, draws, weights, groups, spread, len(y))
    error, ends = found.values.pop("mse"), found.intervals.pop("mse")
    variance = float(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))
    return agreeing(found, "squared", error, ends, variance)


def metrics_of(
    of: str,
    draws: Sequence[Array],
    judge: Judge,
    y: Array,
    weights: Array,
    groups: Array | None,
    spread: float,
) -> Metrics:
    """Return the metrics of a stack's predictions, one array for each draw of the folds.

    The judge says which class is predicted; all else is as in `class_metrics`.
    """
    if judge.kind == "regression":
        values = [each[:, 0] for each in draws]
        return number_metrics(of, values, y, weights, groups=groups, spread=spread)
    p = [judge.probabilities(each) for each in draws]
    codes = [judge.codes(each) for each in p]
    return class_metrics(
        of, p, codes, y, weights, classes=judge.classes, groups=groups, spread=spread
    )


def agreeing(
    metrics: Metrics,
    loss: str,
    error: float,
    interval: tuple[float, float] | None = None,
    variance: float = 0.0,
) -> Metrics:
    """Return metrics of which those that follow from a stated error are exactly what it says.

    The error may have a 90% interval; with the variance of the labels, R squared follows too. `loss` is the
    name of its loss: one that none of the metrics is made of changes nothing.
    """
    values, intervals = dict(metrics.values), dict(metrics.intervals)

    def say(name: str, value: float, *ends: float) -> None:
        values[name] = value
        if ends:
            intervals[name] = (ends[0], ends[1])

    ends = interval or ()
    if loss in ("zero_one", "balanced"):
        name = "accuracy" if loss == "zero_one" else "balanced_accuracy"
        say(name, 1 - error, *(1 - end for end in ends[::-1]))
    elif loss in ("brier", "absolute"):
        say("brier" if loss == "brier" else "mae", error, *ends)
    elif loss == "squared":
        say("rmse", float(np.sqrt(error)), *(float(np.sqrt(max(end, 0.0))) for end in ends))
        if variance > 0:
            say("r2", 1 - error / variance, *(1 - end / variance for end in ends[::-1]))
    return replace(metrics, values=values, intervals=intervals)


def error_interval(
    error: float, standard_error: float, n_units: int, *, is_share: bool, spread: float
) -> tuple[float, float]:
    """Return the 90% interval of an error, on the scale of logits (shares) or of logarithms.

    There it reaches as far down as up: errors that come true are rarely far smaller and now and then
    far larger. Units are rows or groups of them; the standard error is too small by the factor `spread`.

    Examples
    --------
    >>> low, high = error_interval(0.1, 0.03, 100, is_share=True, spread=1.35)
    >>> round(low, 3), round(high, 3)
    (0.05, 0.19)
    """
    far = reach(n_units) * spread * standard_error
    if is_share:
        middle = min(max(error, 0.5 / n_units), 1 - 0.5 / n_units)
        far /= middle * (1 - middle)
        low, high = expit(logit(middle) + np.array([-far, far])).tolist()
        # With no wrong row, or no right one, the interval ends there.
        return min(low, error) if error > 0 else 0.0, max(high, error) if error < 1 else 1.0
    if error <= 0:  # a loss of the user's own, or nothing wrong at all
        return error - far, error + far
    factor = float(np.exp(far / error))
    return error / factor, error * factor


def reach(n_units: int, level: float = LEVEL) -> float:
    """Return how many standard errors an interval reaches to each side."""
    return float(stdtrit(max(n_units - 1, 1), 0.5 + level / 2))


def sampling_error(parts: Array, groups: Array | None = None) -> tuple[float, int]:
    """Return the standard error of a sum that is 0 on the mean, and of how many units it is made.

    `parts` is what each row adds; rows of one group (0, 1, 2, ...) count as one unit.
    """
    parts = parts if groups is None else np.bincount(groups, weights=parts)
    n = len(parts)
    return float(np.sqrt(np.sum(parts**2) * n / max(n - 1, 1))), n


def mean_with_error(values: Array, weights: Array, groups: Array | None) -> tuple[float, float]:
    """Return the weighted mean of rows and its standard error, rows that belong together as one."""
    mean = float(np.average(values, weights=weights))
    return mean, sampling_error(weights * (values - mean), groups)[0] / float(weights.sum())


def _combined(
    of: str,
    draws: Sequence[Mapping[str, Part]],
    weights: Array,
    groups: Array | None,
    spread: float,
    fewest: int,
    positive: str = "",
) -> Metrics:
    """Return the means over the draws of the metrics that all of them have, with intervals."""
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1]
    values, intervals = {}, {}
    for name in draws[0]:
        if not all(name in each for each in draws):
            continue
        value = float(np.mean([each[name][0] for each in draws]))
        parts = np.mean([each[name][1] for each in draws], axis=0)
        error, n = sampling_error(parts, codes)
        is_share = name in SHARES
        if is_share:  # rows that are all right tell nothing of their spread
            m = min(n, fewest) if name == "auc" else n
            share = (value * m + 1) / (m + 2)
            error = max(error, float(np.sqrt(share * (1 - share) / m)) / 2)
        if is_share or name in SIZES:
            ends = error_interval(value, error, n, is_share=is_share, spread=spread)
        else:
            far = reach(n) * spread * error
            ends = value - far, value + far
        values[name], intervals[name] = value, ends
    return Metrics(of, len(weights), values, intervals, positive)


def _mean(rows: Array, weights: Array) -> Part:
    mean = float(np.average(rows, weights=weights))
    return mean, np.asarray(weights * (rows - mean) / weights.sum())


def _by_class(rows: Array, y: Array, weights: Array) -> Part:
    """Return the mean over classes of the mean over their rows."""
    codes = np.unique(y)
    means, parts = [], np.zeros(len(y))
    for code in codes:
        at = y == code
        mean, parts[at] = _mean(rows[at], weights[at])
        means.append(mean)
    return float(np.mean(means)), parts / len(codes)


def _of_probabilities(p: Array, y: Array, weights: Array) -> dict[str, Part]:
    """Return AUC and, for two classes, calibration; nothing where one class is all there is."""
    rounded = np.round(p, DIGITS)
    if p.shape[1] == 2:
        event = y == 1
        if event.all() or not event.any():
            return {}
        return {"auc": auc(rounded[:, 1], event, weights), **calibration(p[:, 1], event, weights)}
    codes = [code for code in np.unique(y) if not (y == code).all()]
    if not codes:
        return {}
    parts = [auc(rounded[:, code], y == code, weights) for code in codes]
    return {"auc": (float(np.mean([a for a, _ in parts])), np.mean([b for _, b in parts], axis=0))}
