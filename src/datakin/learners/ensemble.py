"""From the scores of several models to the losses of each model and of their weighted ensemble.

A *view* holds the weights, calibration and class shares that turn scores into predictions. View k
is made only from rows outside fold k, and it is used to predict fold k. The last view is made from
all rows and belongs to the full fit.

Decision values become probabilities by Platt's sigmoid. scikit-learn's ``probability=True`` costs five
to six more fits per model; a plan already has held-out decision values for every row, so only two
parameters per class are left to fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from datakin.data.features import Array
from datakin.learners.losses import Loss, checked_losses, largest, losses_of
from datakin.learners.newton import Tolerance, minimise, penalised

__all__ = [
    "View",
    "apply_sigmoids",
    "fit_sigmoids",
    "losses_of_fits",
    "model_weights",
    "outputs_of_fits",
]


# Damped, because all values may be equal.
SIGMOID = Tolerance(2e-12, rise=0.0, shortest=1e-10, most_steps=100, damping=1e-10)


@dataclass(frozen=True, eq=False)
class View:
    """How scores become predictions.

    The calibration of each model that gives decision values, the class shares in the training rows, and
    the weights of the models, 0 for one that failed.
    """

    sigmoids: Sequence[Array | None]
    shares: Array
    weights: Array


def model_weights(errors: Array, sharpness: float, scale: float = 1.0) -> Array:
    """Return the weights of algorithm 2, step 2: exp(-sharpness * s_E * E), normalised.

    The sharpness is the paper's lambda. A cross-validation error of NaN marks a failed model, which gets
    weight 0. Errors are divided by `scale` first: 1 for classes; for regression the loss of the best
    constant, because the literal rule changes with the unit of y.
    """
    works = ~np.isnan(errors)
    weights = np.zeros(len(errors))
    usable = errors[works] / scale
    if len(usable) == 1:
        weights[works] = 1.0
        return weights
    exponent = -sharpness * np.std(usable, ddof=1) * usable
    powers = np.exp(exponent - exponent.max())
    weights[works] = powers / powers.sum()
    return weights


def losses_of_fits(
    scores: Sequence[Sequence[Array | None]],
    views: Sequence[View],
    y: Array,
    loss: Loss,
    *,
    own: Array,
    names: Sequence[str],
    voting: str,
) -> Array:
    """Return the losses of every model and of the ensemble, and the models' weighted average.

    All fits at once, since on few rows a call of numpy takes longer than its numbers.

    Parameters
    ----------
    scores : sequence over fits of lists of (ndarray of shape (n, C) or None)
        One entry per model; None for one that failed, which it then did in all fits.
    views : sequence over fits of View
    y : ndarray of shape (n,)
        Class codes in the union of both datasets' classes, which `names` has, or numbers.
    own : ndarray of shape (C,)
        For each column of the scores, the position of its class in the union.
    voting : {"soft", "hard"}

    Returns
    -------
    ndarray of shape (fits, M + 2, n)
    """
    together = _Together(scores, views, loss)
    losses = np.full((len(views), len(scores[0]) + 2, len(y)), np.nan)
    for m, (outputs, best) in together.models.items():
        losses[:, m] = _losses(loss, y, outputs, best, own, names)
    losses[:, -2] = _losses(loss, y, *together.ensemble(voting), own, names)
    for view, of_fit in zip(views, losses, strict=True):
        works = view.weights > 0
        of_fit[-1] = view.weights[works] @ of_fit[:-2][works]
    return losses


def outputs_of_fits(
    scores: Sequence[Sequence[Array | None]],
    views: Sequence[View],
    loss: Loss,
    *,
    voting: str,
    model: int | None = None,
) -> tuple[Array | None, Array]:
    """Return what the predictions of one model, or of the ensemble, are whose losses `losses_of_fits` gives.

    Outputs have shape (fits, n, C): probabilities, or None for an ensemble that counts votes; (fits, n, 1)
    for numbers. Decided classes have shape (fits, n); there are none for numbers.
    """
    together = _Together(scores, views, loss)
    if model is not None:
        return together.models[model]
    outputs, decided = together.ensemble(voting)
    return None if voting == "hard" and loss.needs != "value" else outputs, decided


class _Together:
    """What several fits predict: outputs of shape (fits, n, C), and decided classes, of each model."""

    def __init__(
        self, scores: Sequence[Sequence[Array | None]], views: Sequence[View], loss: Loss
    ) -> None:
        self.is_class, self.balanced = loss.needs != "value", loss.balanced
        self.weights = np.array([view.weights for view in views])
        self.shares = np.array([view.shares for view in views])[:, None]
        self.models: dict[int, tuple[Array, Array]] = {}
        for m, first in enumerate(scores[0]):
            if first is None:
                continue
            outputs, best = np.array([of_fit[m] for of_fit in scores]), np.empty(0, dtype=int)
            if self.is_class:
                found = [view.sigmoids[m] for view in views]
                pairs = zip(outputs, found, strict=True)
                p = np.array(
                    [each if of is None else apply_sigmoids(each, of) for each, of in pairs]
                )
                # Without class weights a model's own decision counts, not the calibrated one.
                best = largest(p, self.shares) if loss.balanced else largest(outputs)
                outputs = p
            self.models[m] = outputs, best

    def ensemble(self, voting: str) -> tuple[Array, Array]:
        """Return the weighted mean of outputs, or of votes, and what it decides."""
        is_hard = voting == "hard" and self.is_class
        pooled: Array | float = 0.0
        for m, (outputs, best) in self.models.items():
            if self.weights[:, m].any():
                each = (best[..., None] == np.arange(outputs.shape[-1])) if is_hard else outputs
                pooled = pooled + self.weights[:, m, None, None] * each
        pooled = np.asarray(pooled)
        if not self.is_class:
            return pooled, np.empty(0, dtype=int)
        shares = self.shares if self.balanced and not is_hard else None
        return pooled, largest(pooled, shares, digits=12)


def _losses(
    loss: Loss, y: Array, outputs: Array, best: Array, own: Array, names: Sequence[str]
) -> Array:
    """Return the losses of several fits' predictions; functions of the user's see one fit at a time."""
    if loss.needs == "value":
        return np.array([checked_losses(loss, y, each[:, 0]) for each in outputs])
    if loss.needs == "probability":
        p = np.zeros((*outputs.shape[:-1], len(names)))
        p[..., own] = outputs
        return losses_of(loss, np.tile(y, len(p)), best, p.reshape(-1, len(names)), names).reshape(
            p.shape[:2]
        )
    return np.array([losses_of(loss, y, own[each], outputs, names) for each in best])


def fit_sigmoids(scores: Array, y: Array) -> Array:
    """Fit one sigmoid per class (one for two classes): slopes and intercepts of shape (sigmoids, 2).

    Decision values have shape (n, C), larger for the likelier class; labels are class codes.
    """
    n_classes = scores.shape[1]
    which = [1] if n_classes == 2 else range(n_classes)
    return np.array([_fit_sigmoid(scores[:, c], y == c) for c in which])


def apply_sigmoids(scores: Array, sigmoids: Array) -> Array:
    """Return a matrix of probabilities whose rows sum to 1."""
    if len(sigmoids) == 1:
        p = expit(sigmoids[0, 0] * scores[:, 1] + sigmoids[0, 1])
        return np.column_stack([1 - p, p])
    p = expit(scores * sigmoids[:, 0] + sigmoids[:, 1])
    total = p.sum(axis=1, keepdims=True)
    uniform = np.full_like(p, 1 / p.shape[1])
    return np.asarray(np.divide(p, total, out=uniform, where=total > 0))


def _fit_sigmoid(values: Array, positive: Array) -> tuple[float, float]:
    """Fit slope and intercept to Platt's targets, which are never 0 or 1."""
    n_pos = int(positive.sum())
    n_neg = len(values) - n_pos
    targets = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    scale = float(np.std(values)) or 1.0
    design = np.column_stack([values / scale, np.ones(len(values))])
    start = np.array([0.0, np.log((n_pos + 1) / (n_neg + 1))])
    objective = penalised(design, targets, np.ones(len(values)), np.zeros(2), "binary")
    slope, intercept = minimise(objective, start, SIGMOID)[0]
    return float(slope / scale), float(intercept)
