"""scikit-learn estimators as learners: how they are cloned, seeded, given weights, and read out."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

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

    @cached_property
    def weight_argument(self) -> str:
        """The name of the argument of `fit` for row weights; an error if there is none."""
        return check_takes_weights(self.estimator)

    def seeded(self, seed: int) -> Any:
        """Return an estimator to fit; the seed is used where its own random_state is None."""
        made = deepcopy(self.estimator)
        return made.set_params(**dict.fromkeys(self.free, seed)) if self.free else made


def weight_argument(estimator: Any) -> str | None:
    """Return the name of the argument of `fit` for row weights, None if there is none.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> weight_argument(make_pipeline(Ridge()))
    'ridge__sample_weight'
    """
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        inner = weight_argument(last)
        return None if inner is None else f"{step}__{inner}"
    takes = hasattr(estimator, "fit") and has_fit_parameter(estimator, "sample_weight")
    return "sample_weight" if takes else None


def check_takes_weights(estimator: Any) -> str:
    """Return the name of the argument of `fit` for row weights; refuse an estimator without one."""
    name = weight_argument(estimator)
    if name is None:
        raise DatakinError(
            f"The base estimator must take row weights: fit(X, y, sample_weight=...). "
            f"{type(estimator).__name__} does not; use one that does, such as LogisticRegression, SVC, "
            f"RandomForestClassifier or XGBClassifier (their regressors for numbers)."
        )
    return name


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


def fit_weighted(
    estimator: Any,
    X: Any,
    y: Array,
    sample_weight: Array | None = None,
    *,
    n_classes: int = 0,
    seed: int = 0,
) -> FittedLearner:
    """Fit a clone of an estimator, or of a prototype, with row weights.

    Weights are passed on unscaled (with a penalised learner, larger ones make the penalty matter less), in a
    pipeline to the last step. Rows of weight 0 are left out. None fits without weights, which works with any
    estimator. `n_classes` counts the classes of the task, including any that y does not have; 0 for
    regression. If only one class is left, the learner always predicts it.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 2.0, 9.0])
    >>> learner = fit_weighted(LinearRegression(), X, y, np.array([1.0, 1.0, 1.0, 0.0]))
    >>> learner.values(np.array([[3.0]])).round(6)
    array([3.])
    """
    arguments: dict[str, Array] = {}
    prototype = estimator if isinstance(estimator, Prototype) else Prototype(estimator)
    if sample_weight is not None:
        name = prototype.weight_argument
        weights = _check_weights(sample_weight, len(y))
        kept = weights > 0
        if not kept.all():
            X, y, weights = X[kept], y[kept], weights[kept]
        arguments = {name: weights}
    who = type(prototype.estimator).__name__
    return fitted_clone(prototype, X, y, arguments, n_classes, seed, who)


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


def _check_weights(sample_weight: Array, n_rows: int) -> Array:
    weights = np.asarray(sample_weight, dtype=float)
    if weights.shape != (n_rows,):
        raise DatakinError(
            f"There must be one weight for each of the {n_rows} rows. "
            f"Got an array of shape {weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise DatakinError("Row weights must be finite and not negative.")
    if not weights.any():
        raise DatakinError(
            f"Row weights must not all be 0. Got {n_rows} zeros; there is nothing left to learn from."
        )
    return weights
