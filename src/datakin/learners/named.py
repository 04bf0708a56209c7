"""The learners of a stack, by name or as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.utils import get_tags

from datakin._core.exceptions import DatakinError, listed, repeated, suggest
from datakin.learners.foreign import ForeignLearner, Raw, RawLearner
from datakin.learners.kernel import KernelLearner
from datakin.learners.learner import Learner
from datakin.learners.linear import LinearLearner
from datakin.learners.trees import TreeLearner

LEARNERS: dict[str, Learner] = {
    "linear": LinearLearner(),
    "trees": TreeLearner(),
    "kernel": KernelLearner(),
}
SAME = {"logistic": "linear"}  # other names of a learner


def make_learners(given: Any, is_class: bool, seed: int = 0) -> tuple[Learner, ...]:
    """Return the learners that a user asks for, all of ours by default.

    Names, estimators, a list of both, or a mapping of name to name or estimator. The seed is for estimators
    whose own random_state is None.
    """
    if given is None:
        return tuple(LEARNERS.values())
    is_estimator = hasattr(given, "fit") and not isinstance(given, type)
    if isinstance(given, (str, Raw)) or is_estimator:
        given = [given]
    if isinstance(given, (list, tuple)):
        given = _by_name(given)
    if not isinstance(given, Mapping) or not given:
        raise DatakinError(
            f"The 'learners' parameter must be some of {listed(LEARNERS)}, or a mapping of name to "
            f"scikit-learn estimator. Got {given!r}."
        )
    made = tuple(_one(str(name), each, is_class, seed) for name, each in given.items())
    if twice := repeated(each.name for each in made):
        raise DatakinError(f"Learners must have different names. Got {listed(twice)} twice.")
    return made


def _by_name(given: Sequence[Any]) -> dict[str, Any]:
    """Return learners by their names; refuse two estimators of one name, of which one would be lost."""
    found: dict[str, Any] = {}
    for each in given:
        name = each if isinstance(each, str) else type(_estimator(each)).__name__
        if name in found and not isinstance(each, str):
            raise DatakinError(
                f"Learners must have different names. Got two estimators {name!r}; give a mapping of name "
                f"to estimator, such as {{'first': {name}(...), 'second': {name}(...)}}."
            )
        found[name] = each
    return found


def _estimator(given: Any) -> Any:
    return given.estimator if isinstance(given, Raw) else given


def _one(name: str, given: Any, is_class: bool, seed: int) -> Learner:
    if isinstance(given, str):
        found = LEARNERS.get(SAME.get(given, given))
        if found is None:
            raise DatakinError(
                f"A learner must be one of {listed(LEARNERS)}, or a scikit-learn estimator. "
                f"Got {given!r}.{suggest(given, LEARNERS)}"
            )
        return found
    learner = RawLearner if isinstance(given, Raw) else ForeignLearner
    given = _estimator(given)
    if not hasattr(given, "fit") or isinstance(given, type):
        raise DatakinError(
            f"The learner {name!r} must be a scikit-learn estimator, such as RandomForestClassifier(), or "
            f"one of {listed(LEARNERS)}. Got {given!r}."
        )
    wanted = "classifier" if is_class else "regressor"
    if get_tags(given).estimator_type != wanted:
        raise DatakinError(
            f"The learner {name!r} must be a {wanted} for this task. Got {type(given).__name__}."
        )
    return learner(name, given, seed)
