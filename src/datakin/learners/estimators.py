"""scikit-learn estimators as learners: how they are cloned, seeded, and read out."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array


class Prototype:
    """An estimator that many fits start from, whose options are looked through once and not for each.

    Parameters
    ----------
    estimator : scikit-learn estimator
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = clone(estimator)
        self.free = [
            name
            for name, value in self.estimator.get_params().items()
            if name.endswith("random_state") and value is None
        ]

    def seeded(self, seed: int) -> Any:
        """Return an estimator to fit; the seed is used where its own random_state is None."""
        made = deepcopy(self.estimator)
        return made.set_params(**dict.fromkeys(self.free, seed)) if self.free else made


@dataclass(frozen=True, eq=False)
class FittedLearner:
    """A fitted estimator that predicts over all classes, also those it was not trained on.

    The estimator is None if the training rows had only one class, which is then always predicted. `present`
    are codes of the classes it was trained on; there are none for regression (`n_classes` 0), where numbers
    were learned in a unit with a center and a scale.
    """

    estimator: Any
    present: Array
    n_classes: int
    center: float = 0.0
    scale: float = 1.0

    @property
    def is_decision(self) -> bool:
        """Whether `scores` are decision values, which need calibration before they are probabilities."""
        return not hasattr(self.estimator, "predict_proba") and hasattr(
            self.estimator, "decision_function"
        )

    def values(self, X: Any) -> Array:
        """Return predicted numbers (regression)."""
        found = np.asarray(self.estimator.predict(X), dtype=float).reshape(-1)
        return np.asarray(found * self.scale + self.center)

    def codes(self, X: Any) -> Array:
        """Return the codes of the predicted classes."""
        if self.estimator is None:
            return np.full(X.shape[0], self.present[0])
        return np.asarray(self.present[np.asarray(self.estimator.predict(X), dtype=int)])

    def probabilities(self, X: Any) -> Array:
        """Return a column per class: 0 for classes not trained on; 0 or 1 without predict_proba."""
        if hasattr(self.estimator, "predict_proba"):
            return self._spread(self.estimator.predict_proba(X))
        found = np.zeros((X.shape[0], self.n_classes))
        found[np.arange(len(found)), self.codes(X)] = 1.0
        return found

    def scores(self, X: Any) -> Array:
        """Return what is finite, of shape (n, classes), largest for the likeliest; or numbers (n, 1)."""
        if not self.n_classes:
            found, width = self.values(X)[:, None], 1
        elif self.is_decision:
            local = np.asarray(self.estimator.decision_function(X), dtype=float)
            local = np.column_stack([-local, local]) if local.ndim == 1 else local
            found, width = self._spread(local, np.min(local, initial=np.inf) - 1.0), self.n_classes
        else:
            found, width = self.probabilities(X), self.n_classes
        _check_shape(found, (X.shape[0], width))
        if not np.isfinite(found).all():
            raise ValueError("predictions that are NaN or infinite")
        return found

    def _spread(self, given: Any, absent: float = 0.0) -> Array:
        """Return columns for all classes from those of the classes trained on."""
        local: Array = np.asarray(given, dtype=float)
        _check_shape(local, (len(local), len(self.present)))
        if len(self.present) == self.n_classes:
            return local
        found = np.full((len(local), self.n_classes), absent)
        found[:, self.present] = local
        return found


def _check_shape(values: Array, shape: tuple[int, int]) -> None:
    if values.shape != shape:
        raise ValueError(f"predictions of shape {values.shape} where {shape} was expected")


def fitted_clone(
    prototype: Prototype,
    X: Any,
    y: Array,
    arguments: dict[str, Array],
    n_classes: int,
    seed: int,
    who: str,
    given: str = "",
) -> FittedLearner:
    """Return a fitted clone; `who` could not be fitted on what was `given`, if it raises anything."""
    present, labels = np.arange(0), y
    if n_classes:
        # XGBoost requires labels 0..c-1 without gaps, even when a class is absent.
        present, labels = np.unique(y, return_inverse=True)
        if len(present) == 1:
            return FittedLearner(None, present, n_classes)
    model = prototype.seeded(seed)
    try:
        model.fit(X, labels, **arguments)
    except Exception as error:  # whatever a user's estimator raises
        raise DatakinError(
            f"{who} could not be fitted on {len(labels)} rows: {reason_of(error)}{given}"
        ) from error
    return FittedLearner(model, present, n_classes)


def reason_of(error: Exception) -> str:
    """Return the first line of what an estimator raised."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
