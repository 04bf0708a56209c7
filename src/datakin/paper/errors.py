"""The error of a fitted method on test rows: predictions of the kind that the loss asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.records import Labels, kept_weights
from datakin.data.features import Array
from datakin.learning.losses import Loss, checked_losses

__all__ = ["ErrorOn"]


@dataclass(frozen=True, eq=False)
class ErrorOn:
    """The error on rows of one dataset.

    Parameters
    ----------
    dataset : str
        Its name.
    loss : Loss
    classes : tuple of str
        All classes of the task; empty for regression.
    """

    dataset: str
    loss: Loss
    classes: tuple[str, ...]

    def __call__(self, name: str, fitted: Any, X: Any, y: Array, trained: Array) -> float:
        """Return the mean loss on test rows; a balanced one counts every class of them alike.

        Parameters
        ----------
        name : str
            What was fitted, for messages.
        fitted : object with predict
        X, y : arrays
            Test rows: features, and class names or numbers.
        trained : ndarray
            The labels of the target's training rows. Under the balanced loss, probabilities are
            divided by the shares of the classes there.
        """
        loss = self.loss
        if loss.needs == "value":
            values = np.asarray(fitted.predict(X), dtype=float).reshape(-1)
            return float(np.mean(checked_losses(loss, y, values)))
        codes = self._codes(y)
        if loss.needs == "probability":
            return float(np.mean(checked_losses(loss, codes, self._probabilities(name, fitted, X))))
        if loss.balanced and hasattr(fitted, "predict_proba"):
            shares = np.bincount(self._codes(trained), minlength=len(self.classes)) / len(trained)
            p = self._probabilities(name, fitted, X)
            # Without rows in the target a class cannot be right.
            votes = np.divide(p, shares, out=np.full_like(p, -1.0), where=shares > 0)
            # Rounded, so that ties do not depend on the last bit. The first class wins.
            predicted = np.array(self.classes)[np.argmax(np.round(votes, 12), axis=1)]
        else:
            predicted = np.asarray(fitted.predict(X)).reshape(-1)
        if loss.by_name:
            words = (np.asarray(labels, dtype=object) for labels in (y, predicted))
            return float(np.mean(checked_losses(loss, *words)))
        losses = checked_losses(loss, codes, self._codes(predicted))
        if not loss.balanced:
            return float(np.mean(losses))
        tested = Labels(self.dataset, codes, self.classes)
        return float(losses @ kept_weights(loss, tested, np.ones(len(y), dtype=bool)))

    def _codes(self, labels: Array) -> Array:
        """Return class codes; -1, which is no class, for what a method should not have predicted."""
        known = {label: code for code, label in enumerate(self.classes)}
        return np.array([known.get(str(label), -1) for label in labels.tolist()], dtype=int)

    def _probabilities(self, name: str, fitted: Any, X: Any) -> Array:
        """Return a column of probabilities for every class; 0 for those the method does not know."""
        if not hasattr(fitted, "predict_proba"):
            raise DatakinError(
                f"The loss {self.loss.name!r} needs probabilities, and {name} has no predict_proba. Choose "
                f"another learner or method, or another loss, such as 'zero_one'."
            )
        found = np.asarray(fitted.predict_proba(X), dtype=float)
        p = np.zeros((len(found), len(self.classes)))
        p[:, self._codes(np.asarray(fitted.classes_))] = found
        return p
