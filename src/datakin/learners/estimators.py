"""Any scikit-learn estimator as a learner of the stack."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from datakin._core.exceptions import DatakinError, counted, listed, suggest
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learners.learner import Predictor, Rows
from datakin.learners.predictors import ConstantPredictor
from datakin.learners.scaling import medians

__all__ = [
    "FittedLearner",
    "ForeignLearner",
    "ForeignPredictor",
    "Prototype",
    "check_takes_weights",
    "choose_estimator",
    "default_estimator",
    "fit_weighted",
    "weight_argument",
]


@dataclass(frozen=True, eq=False)
class ForeignPredictor:
    """A fitted scikit-learn estimator.

    Attributes
    ----------
    estimator : scikit-learn estimator
    present : ndarray of int
        Codes of the classes it was trained on; empty for regression.
    n_outputs : int
    kind : str
    medians : ndarray of shape (p,)
        For missing numbers.
    name : str
        Of the learner; that of the estimator's class if empty.
    """

    estimator: Any
    present: Array
    n_outputs: int
    kind: str
    medians: Array
    name: str = ""

    def predict(self, X: Array) -> Array:
        """Return one column per response."""
        X = np.where(np.isnan(X), self.medians, X)
        try:
            return self._predicted(X)
        except Exception as error:  # whatever a user's estimator raises
            text = (str(error).strip() or type(error).__name__).splitlines()[0]
            name = self.name or type(self.estimator).__name__
            raise DatakinError(
                f"The learner {name!r} could not predict {counted(len(X), 'row')}: {text}"
            ) from error

    def _predicted(self, X: Array) -> Array:
        if self.kind == "regression":
            return np.asarray(self.estimator.predict(X), dtype=float).reshape(len(X), -1)
        n_classes = 2 if self.kind == "binary" else self.n_outputs
        found = np.zeros((len(X), n_classes))
        if hasattr(self.estimator, "predict_proba"):
            found[:, self.present] = self.estimator.predict_proba(X)
        else:
            codes = self.present[np.asarray(self.estimator.predict(X), dtype=int)]
            found[np.arange(len(X)), codes] = 1.0
        return found[:, 1:] if self.kind == "binary" else found


@dataclass(frozen=True)
class ForeignLearner:
    """A scikit-learn classifier or regressor; missing numbers become medians.

    Attributes
    ----------
    name : str
    estimator : scikit-learn estimator
    seed : int
        Where the estimator's own random_state is None.
    """

    name: str
    estimator: Any
    seed: int = 0
    refits: ClassVar[bool] = True  # each fold is a fit

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[Predictor, Array]:
        """Return the predictor of all rows; there is no penalty to tell about."""
        middles = medians(rows.X)
        X = np.where(np.isnan(rows.X), middles, rows.X)
        present, labels = np.arange(0), rows.Y[:, 0]
        if rows.kind != "regression":
            codes = rows.codes
            present, labels = np.unique(codes, return_inverse=True)
            if len(present) == 1:
                return ConstantPredictor(rows.Y[0].copy()), np.zeros(1)
        estimator = self._seeded()
        arguments = {}
        if (rows.weights != rows.weights[0]).any():
            if not has_fit_parameter(estimator, "sample_weight"):
                raise DatakinError(
                    f"Rows have weights, and the learner {self.name!r} takes none: its fit has no "
                    f"sample_weight. Leave the weights out, or use another learner."
                )
            arguments = {"sample_weight": rows.weights}
        try:
            estimator.fit(X, labels, **arguments)
        except Exception as error:  # whatever a user's estimator raises
            text = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise DatakinError(
                f"The learner {self.name!r} could not be fitted on {len(X)} rows: {text}"
            ) from error
        made = ForeignPredictor(estimator, present, rows.Y.shape[1], rows.kind, middles, self.name)
        return made, np.zeros(1)

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and nothing about penalties."""
        inside = np.flatnonzero(folds >= 0)
        found = np.empty((len(inside), rows.Y.shape[1]))
        for k in range(int(folds.max()) + 1):
            here = folds[inside] == k
            found[here] = self.fit(rows.take(folds != k))[0].predict(rows.X[inside[here]])
        return found, np.zeros((2 + int(folds.max()), 1))

    def _seeded(self) -> Any:
        made = clone(self.estimator)
        free = {
            name: derive_seed(self.seed, self.name)
            for name, value in made.get_params().items()
            if name.endswith("random_state") and value is None
        }
        return made.set_params(**free) if free else made


def default_estimator(is_class: bool) -> Any:
    """Return the default base learner: logistic or linear regression."""
    if not is_class:
        return LinearRegression()
    # C = 1000: an unpenalised fit diverges on separable data.
    return make_pipeline(StandardScaler(), LogisticRegression(C=1e3, max_iter=1000))


def choose_estimator(estimator: Any, is_class: bool, is_sparse: bool = False) -> Any:
    """Return the base learner of a given name, or check an estimator of the user.

    Parameters
    ----------
    estimator : None, "logistic" (for numbers "linear"), "forest", "xgboost", or an estimator
    is_class : bool
    is_sparse : bool
        Whether the learner must accept sparse rows.
    """
    names = ("logistic" if is_class else "linear", "forest", "xgboost")
    if estimator is None or isinstance(estimator, str):
        if estimator not in (None, *names):
            raise DatakinError(
                f"The 'estimator' parameter must be one of {listed(names)} for "
                f"{'classes' if is_class else 'numbers'}, or a scikit-learn estimator. "
                f"Got {estimator!r} instead.{suggest(estimator, names)}"
            )
        return _named(estimator or names[0], is_class, is_sparse)
    wanted = "classifier" if is_class else "regressor"
    usable = hasattr(estimator, "fit") and not isinstance(estimator, type)
    if not usable or get_tags(estimator).estimator_type != wanted:
        raise DatakinError(
            f"The 'estimator' parameter must be a {wanted} for this task, such as "
            f"{'LogisticRegression' if is_class else 'LinearRegression'}(), or one of {listed(names)}. "
            f"Got {estimator!r} instead."
        )
    if is_sparse and not get_tags(estimator).input_tags.sparse:
        raise DatakinError(
            f"The 'estimator' parameter must take sparse rows, as these datasets have. "
            f"{type(estimator).__name__} does not."
        )
    return estimator


def _named(name: str, is_class: bool, is_sparse: bool) -> Any:
    # Imported here, so that importing datakin.transfer stays fast.
    if name == "forest":
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        return RandomForestClassifier() if is_class else RandomForestRegressor()
    if name == "xgboost":
        from xgboost import XGBClassifier, XGBRegressor

        return (XGBClassifier if is_class else XGBRegressor)(n_estimators=100, n_jobs=1)
    whole = default_estimator(is_class)
    # Centring would make sparse rows dense; they are already scaled.
    return whole[-1] if is_sparse and is_class else whole


@dataclass(frozen=True, eq=False)
class FittedLearner:
    """A fitted base estimator that predicts over all classes, also those it was not trained on.

    Attributes
    ----------
    estimator : scikit-learn estimator or None
        None if the training rows had only one class, which is then always predicted.
    present : ndarray of int
        Codes of the classes it was trained on; empty for regression.
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
        """Return a column per class: 0 for classes not trained on; 0 or 1 without predict_proba."""
        found = np.zeros((X.shape[0], self.n_classes))
        if self.estimator is None or not hasattr(self.estimator, "predict_proba"):
            found[np.arange(len(found)), self.codes(X)] = 1.0
        else:
            found[:, self.present] = self.estimator.predict_proba(X)
        return found


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


def fit_weighted(
    estimator: Any,
    X: Any,
    y: Array,
    sample_weight: Array | None = None,
    *,
    n_classes: int = 0,
    seed: int = 0,
) -> FittedLearner:
    """Fit a clone of an estimator with row weights.

    Rows of weight 0 are left out. If only one class is left, the learner always predicts it.

    Parameters
    ----------
    estimator : scikit-learn estimator or Prototype
        In a pipeline, the last step receives the weights.
    X : array or sparse array of shape (n, p)
    y : ndarray
        Class codes 0, 1, ...; numbers for regression.
    sample_weight : ndarray of shape (n,), optional
        Passed on unscaled: with a penalised learner, larger weights make the penalty matter less.
        None fits without weights, which works with any estimator.
    n_classes : int
        Number of classes of the task, including any that y does not have; 0 for regression.
    seed : int
        Used where the estimator's own random_state is None.

    Returns
    -------
    FittedLearner

    Examples
    --------
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
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DatakinError(
            f"{type(model).__name__} could not be fitted on {len(labels)} rows: {text}"
        ) from error
    return FittedLearner(model, present, n_classes)


def weight_argument(estimator: Any) -> str | None:
    """Return the name of the argument of `fit` for row weights, None if there is none.

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
    """Return the name of the argument of `fit` for row weights; refuse an estimator without one."""
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
