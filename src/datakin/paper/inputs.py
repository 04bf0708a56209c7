"""What a gain is measured of: a target and its sources, what they share, and methods by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from datakin._core.exceptions import LINES, DatakinError, listed, shown, suggest, together, warn
from datakin.data import Dataset, check_names, coerce, pair
from datakin.data.columns.labels import sort_classes
from datakin.data.features import Array
from datakin.data.inputs import for_ranking, unweighted
from datakin.paper.boosting import DynamicTrAdaBoost, TrAdaBoost
from datakin.paper.boosting_r2 import TrAdaBoostR2
from datakin.paper.estimators import Concatenate, default_estimator
from datakin.paper.weighting import ART, KinWeighted
from datakin.results.gain import refuse_identical
from datakin.transfer.stacking import KinStack

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


@dataclass(frozen=True, eq=False)
class Common:
    """What a target and its sources share: columns, sorted by name, and classes.

    Usable rows of each dataset, the target first, do not stand in a dataset of the other side. What is
    told to users comes with the source that it is about (empty if there is one).
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    usable: tuple[Array, ...]
    told: tuple[tuple[str, str], ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes; with several sources each begins with the source's name."""
        return tuple(f"{name}: {note}" if name else note for name, note in self.told)

    def announce(self) -> None:
        """Give one warning with all notes; with several sources each kind of note has one line."""
        if any(name for name, _ in self.told):
            warn("\n".join(shown(together(self.told), LINES, "see .notes")))
        elif self.told:
            warn("\n".join(self.notes))


def are_several(source: Any) -> bool:
    """Return whether a list or mapping of datasets was given, and not one of them.

    Examples
    --------
    >>> are_several([("X1", "y1")]), are_several(("X", "y"))
    (True, False)
    """
    if isinstance(source, tuple):
        return bool(source) and all(isinstance(each, Dataset) for each in source)
    return isinstance(source, (list, Mapping))


def gather(target: Any, source: Any) -> list[Dataset]:
    """Return the target, then its sources, for what users pass."""
    several = are_several(source)
    if source is None or (several and not len(source)):
        got = "None" if source is None else f"an empty {type(source).__name__}"
        raise DatakinError(
            f"transfer_gain needs a source, a Dataset or a pair (X, y), or a list or mapping of several. "
            f"Got {got}."
        )
    if several:
        return for_ranking(target, source)
    datasets = [coerce(target, "target"), coerce(source, "source")]
    check_names(datasets)
    return unweighted(datasets)


def find_common(datasets: Sequence[Dataset], *, several: bool = False) -> Common:
    """Find what all datasets share, the target first; refuse sources that are it, or share no column.

    With several sources notes name the source that they are about.
    """
    target, *sources = datasets
    pairings = [pair(target, source) for source in sources]
    for pairing, source in zip(pairings, sources, strict=True):
        refuse_identical(pairing, (target, source))
    columns = tuple(
        name for name in pairings[0].columns if all(name in each.columns for each in pairings)
    )
    if not columns:
        raise DatakinError(
            f"The target and all sources must share at least one column. Each source shares some with "
            f"{target.name!r}, but none is in all of {listed(s.name for s in sources)}; leave out the "
            f"source with the fewest columns."
        )
    in_any_source = np.any([pairing.shared_target for pairing in pairings], axis=0)
    told = [
        (source.name if several else "", note)
        for pairing, source in zip(pairings, sources, strict=True)
        for note in pairing.notes
    ]
    return Common(
        columns,
        sort_classes({name for pairing in pairings for name in pairing.classes}),
        (~in_any_source, *(~pairing.shared_source for pairing in pairings)),
        tuple(told),
    )


def default_methods(task: str) -> tuple[str, ...]:
    """Return the methods tried by default: those of the paper for the task, and our own."""
    return tuple(name for name in METHODS if ONLY_FOR.get(name, task) == task)


def choose_methods(methods: Any, task: str, base: Any, loss: Any = "auto") -> dict[str, Any]:
    """Return transfer methods by name, each ready for the task: "binary", "multiclass" or "regression".

    A method is anything with ``fit(X, y, sources=...)`` and ``predict``, by name or in a mapping; None
    means all that fit the task. Its parameters `estimator`, `task` and `loss`, if it has them and they
    were left open, are set to those of the measurement.
    """
    allowed = default_methods(task)
    if methods is None:
        methods = allowed
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
    wanted = {
        "estimator": (None, base),
        "task": (
            "classification" if isinstance(method, KinStack) else "auto",
            "regression" if task == "regression" else "classification",
        ),
        "loss": ("auto", loss),
    }
    found = {
        key: clone(value, safe=False) if key == "estimator" else value
        for key, (default, value) in wanted.items()
        if key in given and isinstance(given[key], (str, NoneType)) and given[key] == default
    }
    return method.set_params(**found) if found else method


def choose_estimator(estimator: Any, is_class: bool, is_sparse: bool = False) -> Any:
    """Return the base learner of a given name, or check an estimator of the user.

    The names are "logistic" (for numbers "linear"; the default), "forest" and "xgboost". Where rows are
    sparse, the learner must accept that.
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
