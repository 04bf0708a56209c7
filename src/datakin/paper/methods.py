"""The transfer methods by name: which fit a task, and how one is made ready for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.paper.boosting import DynamicTrAdaBoost, TrAdaBoost
from datakin.paper.boosting_r2 import TrAdaBoostR2
from datakin.paper.estimators import Concatenate
from datakin.paper.weighting import ART, KinWeighted
from datakin.transfer.stacking import KinStack

__all__ = ["METHODS", "choose_methods", "default_methods"]

# A new method needs an entry here, and one in ONLY_FOR if it does not suit every task.
METHODS: dict[str, Any] = {
    "concatenate": Concatenate,
    "tradaboost": TrAdaBoost,
    "dynamic_tradaboost": DynamicTrAdaBoost,
    "tradaboost_r2": TrAdaBoostR2,
    "art": ART,
    "kin_weighted": KinWeighted,
    "kin_stack": KinStack,
}
ONLY_FOR = {"tradaboost": "binary", "dynamic_tradaboost": "binary", "tradaboost_r2": "regression"}


def default_methods(task: str) -> tuple[str, ...]:
    """Return the methods tried by default: those of the paper for the task, and our own."""
    return tuple(name for name in METHODS if ONLY_FOR.get(name, task) == task)


def choose_methods(methods: Any, task: str, base: Any, loss: Any = "auto") -> dict[str, Any]:
    """Return transfer methods by name, each ready for the task.

    A method is anything with ``fit(X, y, sources=...)`` and ``predict``. Its parameters `estimator`,
    `task` and `loss`, if it has them and they were left open, are set to those of the measurement.

    Parameters
    ----------
    methods : None, name, list of names, or mapping of name to method
        None means all that fit the task.
    task : {"binary", "multiclass", "regression"}
    base : scikit-learn estimator
    loss : str or callable
    """
    allowed = default_methods(task)
    if methods is None:
        methods = allowed
    if isinstance(methods, str):
        methods = [methods]
    if isinstance(methods, Mapping):
        found = {str(name): _own_method(name, method) for name, method in methods.items()}
    else:
        found = {name: METHODS[name]() for name in _names(methods, task, allowed)}
    if not found:
        raise DatakinError("The 'methods' parameter must name at least one method. Got none.")
    return {name: _made_ready(method, task, base, loss) for name, method in found.items()}


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


def _own_method(name: Any, method: Any) -> Any:
    is_method = (
        not isinstance(method, type)
        and all(callable(getattr(method, verb, None)) for verb in ("fit", "predict"))
        and has_fit_parameter(method, "sources")
    )
    if not is_method:
        raise DatakinError(
            f"The method {str(name)!r} must be a transfer estimator such as datakin.transfer.ART(): an "
            f"object with fit(X, y, sources=...) and predict(X). Got {method!r}."
        )
    return clone(method, safe=False)


def _made_ready(method: Any, task: str, base: Any, loss: Any) -> Any:
    """Set what a method leaves open: its base learner, the task, the loss."""
    if not hasattr(method, "get_params"):
        return method
    given = method.get_params(deep=False)
    kind = "regression" if task == "regression" else "classification"
    task_left_open = "classification" if isinstance(method, KinStack) else "auto"
    openly = {"estimator": (None, base), "task": (task_left_open, kind), "loss": ("auto", loss)}
    found = {
        key: clone(value, safe=False) if key == "estimator" else value
        for key, (default, value) in openly.items()
        if key in given and _is(given[key], default)
    }
    return method.set_params(**found) if found else method


def _is(value: Any, default: Any) -> bool:
    """Whether an option has its default, a word or None; arrays and functions have not."""
    return value is None if default is None else isinstance(value, str) and value == default
