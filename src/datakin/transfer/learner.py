"""One fitted base learner: row weights in, answers over all classes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array

__all__ = ["Learner", "check_takes_weights", "default_estimator", "fit_weighted", "weight_argument"]


def default_estimator(is_class: bool) -> Any:
    """Return the house's base learner: logistic or linear regression."""
    if not is_class:
        return LinearRegression()
    # C = 1000: an unpenalised fit diverges on separable data.
    return make_pipeline(StandardScaler(), LogisticRegression(C=1e3, max_iter=1000))


@dataclass(frozen=True, eq=False)
class Learner:
    """A fitted base estimator that knows of classes its training rows did not have.

    Attributes
    ----------
    estimator : scikit-learn estimator or None
        None where one class alone was left to learn from: that class is the answer.
    present : ndarray of int
        Codes of the classes it has seen; empty for regression.
    n_classes : int
        0 for regression.
    """

    estimator: Any
    present: Array
    n_classes: int

    def values(self, X: Any) -> Array:
        """Return predicted numbers (regression)."""
        return np.asarray(self.estimator.predict(X), dtype=float).reshape(-1)

    def codes(self, X: Any) -> Array:
        """Return the codes of the predicted classes."""
        if self.estimator is None:
            return np.full(X.shape[0], self.present[0])
        return np.asarray(self.present[np.asarray(self.estimator.predict(X), dtype=int)])

    def probabilities(self, X: Any) -> Array:
        """Return one column per class, 0 for a class not seen; 0 and 1 without predict_proba."""
        found = np.zeros((X.shape[0], self.n_classes))
        if self.estimator is None or not hasattr(self.estimator, "predict_proba"):
            found[np.arange(len(found)), self.codes(X)] = 1.0
        else:
            found[:, self.present] = self.estimator.predict_proba(X)
        return found


def fit_weighted(
    estimator: Any,
    X: Any,
    y: Array,
    sample_weight: Array | None = None,
    *,
    n_classes: int = 0,
    seed: int = 0,
) -> Learner:
    """Fit a clone of an estimator with row weights.

    Rows of weight 0 are left out. If that leaves one class alone, the learner predicts that class.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Of a pipeline, the last step receives the weights.
    X : array or sparse array of shape (n, p)
    y : ndarray
        Class codes 0, 1, ...; numbers for regression.
    sample_weight : ndarray of shape (n,), optional
        Passed on as it is: its scale counts against the penalty of a penalised learner. None fits
        without weights, which any estimator can.
    n_classes : int
        Number of classes of the task, of which y may lack some; 0 for regression.
    seed : int
        For a random_state left at None.

    Returns
    -------
    Learner

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 2.0, 9.0])
    >>> learner = fit_weighted(LinearRegression(), X, y, np.array([1.0, 1.0, 1.0, 0.0]))
    >>> learner.values(np.array([[3.0]])).round(6)
    array([3.])
    """
    arguments: dict[str, Array] = {}
    if sample_weight is not None:
        name = check_takes_weights(estimator)
        weights = _check_weights(sample_weight, len(y))
        kept = weights > 0
        if not kept.all():
            X, y, weights = X[kept], y[kept], weights[kept]
        arguments = {name: weights}
    present, labels = np.arange(0), y
    if n_classes:
        # Labels 0..c-1 without gaps, as XGBoost demands, even when a class is absent.
        present, labels = np.unique(y, return_inverse=True)
        if len(present) == 1:
            return Learner(None, present, n_classes)
    model = _seeded(clone(estimator), seed)
    try:
        model.fit(X, labels, **arguments)
    except Exception as error:  # whatever a user's estimator raises
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DatakinError(
            f"{type(estimator).__name__} could not be fitted on {len(labels)} rows: {text}"
        ) from error
    return Learner(model, present, n_classes)


def weight_argument(estimator: Any) -> str | None:
    """Return the name under which `fit` takes row weights, None if it does not.

    Examples
    --------
    >>> weight_argument(default_estimator(True))
    'logisticregression__sample_weight'
    """
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        inner = weight_argument(last)
        return None if inner is None else f"{step}__{inner}"
    takes = hasattr(estimator, "fit") and has_fit_parameter(estimator, "sample_weight")
    return "sample_weight" if takes else None


def check_takes_weights(estimator: Any) -> str:
    """Return the name under which `fit` takes row weights; refuse an estimator that takes none."""
    name = weight_argument(estimator)
    if name is None:
        raise DatakinError(
            f"The base estimator must take row weights: fit(X, y, sample_weight=...). "
            f"{type(estimator).__name__} does not; use one that does, such as LogisticRegression, SVC, "
            f"RandomForestClassifier or XGBClassifier (their regressors for numbers)."
        )
    return name


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


def _seeded(estimator: Any, seed: int) -> Any:
    free = {
        name: seed
        for name, value in estimator.get_params().items()
        if name.endswith("random_state") and value is None
    }
    return estimator.set_params(**free) if free else estimator
