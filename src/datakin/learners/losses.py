"""Losses per row. Each says what kind of prediction it needs: label, probability or value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learners.learner import Kind

RARE = 0.3  # divided by the number of classes: the share of the rows below which one counts as rare
WIDEST = 1e70  # of a response: variances of squared errors are its fourth powers
CLIP = 1e-3  # log loss: a probability is never taken below this

Rows = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels that predictors are tested on, and which rows belong together."""

    name: str
    y: Array
    classes: tuple[str, ...]
    groups: Array | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @cached_property
    def class_shares(self) -> Array:
        """Share of rows in each class."""
        return np.bincount(self.y, minlength=len(self.classes)) / self.n_rows

    @cached_property
    def kept(self) -> dict[bool, Array]:
        """Weights of all rows, the same for all who are tested on them: balanced ones or not."""
        return {}


@dataclass(frozen=True)
class Loss:
    """A loss per row.

    Parameters
    ----------
    name : str
    needs : {"label", "probability", "value"}
        What the function is given as its second argument: predicted labels, a probability
        matrix over the classes, or predicted numbers (regression).
    rows : callable
        ``rows(y, prediction)`` returns one loss per row. Labels and y are class codes.
    balanced : bool
        Every class of the tested dataset has the same weight, whatever its share of the rows.
    by_name : bool
        Labels are passed as class names instead of codes (a user's own loss).
    constant : callable, optional
        Regression: the best constant prediction for some y; the mean by default.
    """

    name: str
    needs: Literal["label", "probability", "value"]
    rows: Rows
    balanced: bool = False
    by_name: bool = False
    constant: Callable[[Array], float] | None = None

    def row_weights(self, dataset: Dataset | Labels) -> Array:
        """Return weights with mean 1 that the tested dataset's rows carry under this loss."""
        if not self.balanced:
            return np.ones(dataset.n_rows)
        return np.asarray(1.0 / (len(dataset.classes) * dataset.class_shares[dataset.y]))

    def of_best_constant(self, y: Array) -> float:
        """Return the mean loss of the best constant prediction: Var(y) for squared error."""
        best = float(np.mean(y)) if self.constant is None else self.constant(y)
        return float(np.mean(self.rows(y, np.full(len(y), best))))


def _zero_one(y: Array, label: Array) -> Array:
    return np.asarray(y != label, dtype=float)


def _brier(y: Array, p: Array) -> Array:
    # Half the squared distance to the 0/1 vector: equals (p - y)^2 for two classes.
    return np.asarray(0.5 * (np.sum(p**2, axis=1) - 2 * p[np.arange(len(y)), y] + 1))


def _log(y: Array, p: Array) -> Array:
    return np.asarray(-np.log(np.clip(p[np.arange(len(y)), y], CLIP, 1.0)))


def _squared(y: Array, value: Array) -> Array:
    return np.asarray((y - value) ** 2)


def _absolute(y: Array, value: Array) -> Array:
    return np.asarray(np.abs(y - value))


LOSSES: dict[str, Loss] = {
    "zero_one": Loss("zero_one", "label", _zero_one),
    "balanced": Loss("balanced", "label", _zero_one, balanced=True),
    "brier": Loss("brier", "probability", _brier),
    "log": Loss("log", "probability", _log),
    "squared": Loss("squared", "value", _squared),
    "absolute": Loss("absolute", "value", _absolute, constant=np.median),
}


def resolve_loss(loss: Any) -> Loss | None:
    """Return the loss for an option of the user; None for "auto".

    A callable is called with the true and predicted class names (classes) or with numbers
    (regression) and returns one loss per row.
    """
    if isinstance(loss, Loss):
        return loss
    if callable(loss):
        name = getattr(loss, "__name__", type(loss).__name__)
        return Loss(name, "label", loss, by_name=True)
    if loss == "auto":
        return None
    if not isinstance(loss, str) or loss not in LOSSES:
        raise DatakinError(
            f"The 'loss' parameter must be 'auto', a callable or one of {listed(LOSSES, limit=9)}. "
            f"Got {loss!r} instead.{suggest(str(loss), LOSSES)}"
        )
    return LOSSES[loss]


def choose_loss(loss: Loss | None, dataset: Dataset | Labels) -> Loss:
    """Return the loss that errors on this dataset's rows are measured in.

    The default is squared error for regression and 0-1 loss for classes. If a class is rare (a share
    below 0.3 divided by the number of classes: 15% of two, 10% of three), the 0-1 loss is balanced:
    otherwise always guessing the common class would look good. The loss depends only on the dataset
    tested on.
    """
    if loss is None:
        if not dataset.classes:
            return LOSSES["squared"]
        rare = RARE / len(dataset.classes)
        return LOSSES["balanced" if dataset.class_shares.min() < rare else "zero_one"]
    if loss.by_name and not dataset.classes:
        return Loss(loss.name, "value", loss.rows)
    if (loss.needs == "value") != (not dataset.classes):
        kind = "classes" if dataset.classes else "regression"
        fitting = [
            n for n, known in LOSSES.items() if (known.needs == "value") != bool(dataset.classes)
        ]
        raise DatakinError(
            f"The loss {loss.name!r} does not fit the task: {dataset.name!r} poses {kind}. "
            f"Use one of {listed(fitting)}."
        )
    return loss


def largest(votes: Array, shares: Array | None = None, digits: int | None = None) -> Array:
    """Return the class with the most votes, the first of equal ones; votes have shape (..., classes).

    With shares, where classes are weighed alike: the most for its share. A class of share 0 cannot be right.
    Votes may be rounded to some digits first, so that ties do not depend on the last bit.
    """
    if shares is not None and shares.size:
        votes = np.divide(votes, shares, out=np.full(votes.shape, -1.0), where=shares > 0)
    votes = votes if digits is None else np.round(votes, digits)
    return np.asarray(np.argmax(votes, axis=-1))


def losses_of(
    loss: Loss, y: Array, codes: Array, p: Array, classes: Sequence[str] | Array
) -> Array:
    """Return the loss of every row for predicted classes and their probabilities, of shape (n, classes).

    Labels and predicted classes are positions in `classes`.
    """
    if loss.needs == "probability":
        return checked_losses(loss, y, p)
    if loss.by_name:
        names = np.array(classes, dtype=object)
        return checked_losses(loss, names[y], names[codes])
    return checked_losses(loss, y, codes)


def checked_losses(loss: Loss, y: Array, prediction: Array) -> Array:
    """Return the loss of every row; refuse a user's function that gives something else."""
    try:
        losses = np.asarray(loss.rows(y, prediction), dtype=float)
    except Exception as error:  # whatever a user's function raises
        raise DatakinError(
            f"The loss {loss.name!r} is called with the true and the predicted values and must "
            f"return one number per row. It raised {type(error).__name__}: {error}."
        ) from None
    if losses.shape != (len(y),):
        raise DatakinError(
            f"The loss {loss.name!r} must return one number per row, shape ({len(y)},). "
            f"Got shape {losses.shape}."
        )
    if not np.isfinite(losses).all():
        raise DatakinError(
            f"The loss {loss.name!r} must return finite numbers. "
            f"Got {int((~np.isfinite(losses)).sum())} NaN or infinite of {len(y)}."
        )
    return losses


def check_spread(name: str, y: Array) -> None:
    """Refuse a response so large or small that its squared errors cannot be held in 64 bits."""
    largest = float(np.max(np.abs(y), initial=0.0))
    spread = float(np.max(y) / 2 - np.min(y) / 2) * 2 if len(y) else 0.0
    if largest > WIDEST or 0 < spread < 1 / WIDEST:
        size = largest if largest > WIDEST else spread
        power = -int(np.floor(np.log10(size)))
        raise DatakinError(
            f"The response must vary by something between {1 / WIDEST:.0e} and {WIDEST:.0e}, or its squared "
            f"errors cannot be computed. That of {name!r} has numbers of the size {size:.0e}; give it "
            f"in another unit: convert={{'LABEL': (1e{power}, 0)}} (--convert LABEL=1e{power},0)."
        )


def squared(Y: Array, P: Array, kind: Kind) -> Array:
    """Return the losses that weights and calls are decided by: squared error, or Brier loss.

    For two classes it is (p - y)^2, for several half the sum over the classes.
    """
    losses: Array = np.sum((Y - P) ** 2, axis=-1)
    return losses / 2 if kind == "multiclass" else losses


def mean_squared(Y: Array, draws: Sequence[Array], kind: Kind) -> Array:
    """Return `squared` of each row, mean over several draws of the folds."""
    return np.asarray(np.mean([squared(Y, P, kind) for P in draws], axis=0))


@dataclass(frozen=True, eq=False)
class Judge:
    """Row losses of predictions, and how much each row counts.

    Shares are those that each class has of the target where classes count alike; empty otherwise.
    """

    loss: Loss
    kind: Kind
    classes: tuple[str, ...]
    shares: Array

    @classmethod
    def make(
        cls, loss: Loss, kind: Kind, classes: Sequence[str], y: Array, weights: Array | None = None
    ) -> Judge:
        """Return the judge of a target with these labels, and weights of its rows."""
        shares = np.zeros(0)
        if loss.balanced:
            counts = np.bincount(y, weights=weights, minlength=len(classes))
            shares = counts / counts.sum()
        return cls(loss, kind, tuple(classes), shares)

    def rows(self, y: Array, outputs: Array) -> Array:
        """Return one loss per row, for class codes or numbers and outputs of shape (n, m)."""
        if self.kind == "regression":
            return checked_losses(self.loss, y, outputs[:, 0])
        p = self.probabilities(outputs)
        return losses_of(self.loss, y, self.codes(p), p, self.classes)

    def error(self, draws: Sequence[Array], y: Array, weights: Array) -> float:
        """Return the error of predictions, one array for each draw of the folds."""
        rows = np.mean([self.rows(y, outputs) for outputs in draws], axis=0)
        return float(np.average(rows, weights=self.row_weights(y, weights)))

    def probabilities(self, outputs: Array) -> Array:
        """Return a column for each class; only for classes."""
        return np.hstack([1 - outputs, outputs]) if self.kind == "binary" else outputs

    def codes(self, p: Array) -> Array:
        """Return predicted classes: the most likely, or most likely for its share."""
        return largest(p, self.shares)

    def row_weights(self, y: Array, weights: Array | None = None) -> Array:
        """Return how much rows count: as their weights say, every class alike for a balanced loss."""
        weights = np.ones(len(y)) if weights is None else weights
        if not self.loss.balanced:
            return weights
        counts = np.bincount(y, weights=weights, minlength=len(self.classes))
        present = int(np.count_nonzero(counts))
        return np.asarray(weights * len(y) / (present * np.where(counts[y] > 0, counts[y], 1.0)))
