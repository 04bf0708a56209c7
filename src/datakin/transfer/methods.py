"""The transfer methods and base learners that can be asked for by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.utils import get_tags

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.transfer.art import ART
from datakin.transfer.base import TransferEstimator
from datakin.transfer.boosting import DynamicTrAdaBoost, TrAdaBoost
from datakin.transfer.boosting_r2 import TrAdaBoostR2
from datakin.transfer.kin import KinWeighted
from datakin.transfer.learner import default_estimator
from datakin.transfer.pooling import Concatenate

__all__ = ["METHODS", "choose_estimator", "choose_methods", "default_methods"]

METHODS = {
    "concatenate": Concatenate,
    "tradaboost": TrAdaBoost,
    "dynamic_tradaboost": DynamicTrAdaBoost,
    "tradaboost_r2": TrAdaBoostR2,
    "art": ART,
    "kin_weighted": KinWeighted,
}


def default_methods(task: str) -> tuple[str, ...]:
    """Return the methods tried by default: the paper's for the task, and ours."""
    boosting = {
        "binary": ("tradaboost", "dynamic_tradaboost"),
        "multiclass": (),
        "regression": ("tradaboost_r2",),
    }[task]
    return ("concatenate", *boosting, "art", "kin_weighted")


def choose_methods(methods: Any, task: str, base: Any) -> dict[str, Any]:
    """Return transfer estimators by name, each with a base learner.

    Parameters
    ----------
    methods : None, name, list of names, or mapping of name to transfer estimator
        None: all that fit the task. A transfer estimator without a base learner receives `base`.
    task : {"binary", "multiclass", "regression"}
    base : scikit-learn estimator
    """
    allowed = default_methods(task)
    if methods is None:
        methods = allowed
    if isinstance(methods, str):
        methods = [methods]
    if isinstance(methods, Mapping):
        chosen = {str(name): _own_method(name, method, base) for name, method in methods.items()}
    else:
        chosen = {name: METHODS[name](clone(base)) for name in _names(methods, task, allowed)}
    if not chosen:
        raise DatakinError("The 'methods' parameter must name at least one method. Got none.")
    return chosen


def _names(methods: Any, task: str, allowed: tuple[str, ...]) -> list[str]:
    names = methods if isinstance(methods, (list, tuple)) else [methods]
    for name in names:
        if name not in allowed:
            why = f"{name!r} is not for {task} tasks." if name in METHODS else f"Got {name!r}."
            raise DatakinError(
                f"The 'methods' parameter must name some of {listed(allowed, limit=9)}, or map names to "
                f"transfer estimators. {why}{suggest(name, allowed)}"
            )
    return list(names)


def _own_method(name: Any, method: Any, base: Any) -> Any:
    if not isinstance(method, TransferEstimator):
        raise DatakinError(
            f"The method {str(name)!r} must be a transfer estimator such as datakin.transfer.ART(). "
            f"Got {method!r}."
        )
    own = clone(method)
    return own.set_params(estimator=clone(base)) if own.estimator is None else own


def choose_estimator(estimator: Any, is_class: bool, is_sparse: bool = False) -> Any:
    """Return the base learner asked for by name, or check one's own.

    Parameters
    ----------
    estimator : None, "logistic" (for numbers "linear"), "forest", "xgboost", or an estimator
    is_class : bool
    is_sparse : bool
        Whether it must take sparse rows.
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
    # Imported where they are made, so that the room opens quickly.
    if name == "forest":
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        return RandomForestClassifier() if is_class else RandomForestRegressor()
    if name == "xgboost":
        from xgboost import XGBClassifier, XGBRegressor

        return (XGBClassifier if is_class else XGBRegressor)(n_estimators=100, n_jobs=1)
    whole = default_estimator(is_class)
    # The scaler would have to fill sparse rows; they come scaled.
    return whole[-1] if is_sparse and is_class else whole
