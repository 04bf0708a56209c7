"""What all transfer estimators share: validation, the choice of task, prediction; and the simplest one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from datakin._core.checks import check_seed
from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learners.estimators import FittedLearner, Prototype, fitted_clone
from datakin.transfer.pool import Pool, SourcesEstimator


def default_estimator(is_class: bool) -> Any:
    """Return the default base learner: logistic or linear regression."""
    if not is_class:
        return LinearRegression()
    # C = 1000: an unpenalised fit diverges on separable data.
    return make_pipeline(StandardScaler(), LogisticRegression(C=1e3, max_iter=1000))


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


def _tags_of(estimator: Any) -> Any:
    """Return the tags of an estimator; default tags for anything else, which `fit` then refuses."""
    try:
        return get_tags(estimator)
    except (AttributeError, TypeError):
        return get_tags(BaseEstimator())


def _gives_probabilities(self: TransferEstimator) -> bool:
    return self._is_class() and self._has_probabilities()


@dataclass(eq=False, repr=False)
class TransferEstimator(SourcesEstimator):
    """Base of the transfer methods: ``fit(X, y, *, sources=())``.

    The base `estimator` decides whether a method is a classifier or a regressor, as with
    scikit-learn's Pipeline and GridSearchCV. So there is one class per method, and integer labels
    are never taken for the wrong task. Without an estimator it is a classifier (TrAdaBoostR2: a
    regressor). Without sources it is the base estimator fitted on the target.

    A subclass defines ``_fit_pool``, which returns learners and their weights. It also defines
    ``_combine`` if its prediction is not the weighted mean of the learners.
    """

    _task: ClassVar[str | None] = None  # None: the task of the base estimator
    _for_numbers = "give it a regressor, such as LinearRegression()"

    estimator: Any = None
    _: KW_ONLY
    random_state: int = 0

    # What a subclass defines.

    def _fit_pool(self, pool: Pool) -> tuple[list[FittedLearner], Array]:
        """Learn from target and sources (at least one)."""
        raise NotImplementedError

    def _combine(self, X: Any) -> Array:
        """Return class probabilities (n, C) or values (n,): the weighted mean of the learners."""
        shares = self.estimator_weights_ / self.estimator_weights_.sum()
        parts = [
            share * (learner.probabilities(X) if learner.n_classes else learner.values(X))
            for share, learner in zip(shares, self.estimators_, strict=True)
            if share
        ]
        return np.asarray(sum(parts))

    def _check_options(self) -> None:
        """Refuse invalid options of the method."""

    def _has_probabilities(self) -> bool:
        return hasattr(self._base(), "predict_proba")

    # What scikit-learn expects.

    def fit(self, X: Any, y: Any, *, sources: Any = ()) -> Any:
        """Learn from the target and any number of sources.

        Parameters
        ----------
        X, y : arrays
            The target's features (numbers) and labels.
        sources : sequence of (X, y), or mapping of name to (X, y)
            With the columns and classes of the target. Without any, the base estimator is fitted
            on the target alone.

        Returns
        -------
        self
        """
        self._check_task()
        check_seed(self.random_state)
        self._check_options()
        pool = self._make_pool(X, y, sources)
        if pool.classes is not None:
            self.classes_ = pool.classes
        self.n_sources_ = pool.n_sources
        self._prototype = Prototype(self._base())
        try:
            if pool.n_sources:
                self.estimators_, self.estimator_weights_ = self._fit_pool(pool)
            else:
                self.estimators_, self.estimator_weights_ = [self._learn(pool)], np.ones(1)
        finally:
            del self._prototype
        return self

    def predict(self, X: Any) -> Array:
        """Return class labels, or numbers. Ties go to the first class."""
        found = self._combine(self._new_rows(X))
        if not self._is_class():
            return found
        return np.asarray(self.classes_[np.argmax(found, axis=1)])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return one column of probabilities per class of ``classes_``."""
        return self._combine(self._new_rows(X))

    def _inner_tags(self) -> Any:
        return _tags_of(self._base())

    # For subclasses.

    def _base(self) -> Any:
        if self.estimator is None:
            return default_estimator(self._task != "regression")
        return self.estimator

    def _is_class(self) -> bool:
        if self._task is not None:
            return self._task == "classification"
        return self.estimator is None or _tags_of(self.estimator).estimator_type != "regressor"

    def _learn(
        self,
        pool: Pool,
        rows: Array | None = None,
        weights: Array | None = None,
        *purpose: str | int,
    ) -> FittedLearner:
        """Fit the base estimator on some rows of the pool, with a seed derived from the purpose.

        Weights are passed on unscaled: with a penalised learner, larger ones make the penalty matter less.
        Rows of weight 0 are left out.
        """
        X, y = (pool.X, pool.y) if rows is None else (pool.X[rows], pool.y[rows])
        base, arguments = self._prototype.estimator, {}
        if weights is not None:
            counts = weights != 0
            if not counts.all():
                X, y, weights = X[counts], y[counts], weights[counts]
            arguments = {check_takes_weights(base): weights}
        seed, who = derive_seed(self.random_state, *purpose), type(base).__name__
        return fitted_clone(self._prototype, X, y, arguments, pool.n_classes, seed, who)

    def _check_task(self) -> None:
        name = type(self).__name__
        if self.estimator is None:
            return
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise DatakinError(
                f"The 'estimator' parameter of {name} must be a scikit-learn classifier or regressor. "
                f"Got {self.estimator!r} instead."
            )
        kind = _tags_of(self.estimator).estimator_type
        wanted = {"classification": ("classifier",), "regression": ("regressor",)}
        allowed = wanted.get(self._task or "", ("classifier", "regressor"))
        if kind not in allowed:
            raise DatakinError(
                f"The 'estimator' parameter of {name} must be a {' or '.join(allowed)}. "
                f"Got {type(self.estimator).__name__}, a {kind or 'class without an estimator type'}."
            )


class Concatenate(TransferEstimator):
    """One fit on the rows of the target and of all sources, every row counting the same.

    Parameters
    ----------
    estimator : scikit-learn estimator, optional
        A classifier or a regressor; logistic regression by default. For regression give a
        regressor, such as LinearRegression().
    random_state : int
        Seed for an estimator whose own random_state is None.

    Attributes
    ----------
    classes_ : ndarray
        All classes of target and sources (classification).
    estimators_ : list of FittedLearner
        The one fit.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    >>> source = (np.array([[2.0], [3.0]]), np.array([4.0, 5.0]))
    >>> Concatenate(LinearRegression()).fit(X, y, sources=[source]).predict([[1.5]])
    array([2.5])
    """

    def _fit_pool(self, pool: Pool) -> tuple[list[FittedLearner], Array]:
        return [self._learn(pool)], np.ones(1)
