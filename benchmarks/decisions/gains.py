"""What each source really brings: errors of the target alone and with every transfer method."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmarks.decisions.draws import Draw
from sklearn.base import clone
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier, XGBRegressor

from datakin import Dataset
from datakin._core.exceptions import DatakinWarning
from datakin.learning.encoding import ColumnEncoder
from datakin.learning.losses import choose_loss
from datakin.transfer import ART, Concatenate, KinWeighted, TrAdaBoost, TrAdaBoostR2
from datakin.transfer.learner import choose_estimator

# Few rounds and splits: eight sources, four methods and two learners make up a draw.
ROUNDS, SPLITS = 10, 5
METHODS = ("concatenate", "art", "tradaboost", "kin_weighted")
LEARNERS = ("glm", "trees")
TREES = {"n_estimators": 40, "max_depth": 3, "learning_rate": 0.2, "n_jobs": 1}


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of several datasets as numbers, encoded as the first of them is."""

    own: tuple[Any, Any]
    others: list[tuple[Any, Any]]

    @classmethod
    def make(cls, own: Dataset, others: list[Dataset]) -> Table:
        encoder = ColumnEncoder.learn(own.features, np.arange(own.n_rows))
        there = [(encoder.dense(d.features.matched_to(own.features)), _labels(d)) for d in others]
        return cls((encoder.dense(own.features), _labels(own)), there)


def learners(task: str) -> dict[str, Any]:
    """Return the two base learners: the house's linear one, and boosted trees."""
    is_class = task != "regression"
    trees = (XGBClassifier if is_class else XGBRegressor)(**TREES)
    return dict(zip(LEARNERS, (choose_estimator(None, is_class), trees), strict=True))


def methods(task: str, base: Any) -> dict[str, Any]:
    """Return the transfer methods for a task; boosting by class is for two classes."""
    made = {
        "concatenate": Concatenate(base),
        "art": ART(base, repeats=SPLITS),
        "kin_weighted": KinWeighted(base),
    }
    if task == "binary":
        made["tradaboost"] = TrAdaBoost(base, rounds=ROUNDS)
    if task == "regression":
        made["tradaboost"] = TrAdaBoostR2(base, rounds=ROUNDS)
    return made


def realise(draw: Draw, task: str) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the error alone by learner, and by source that of "learner:method"."""
    names = list(draw.sources)
    table = Table.make(draw.target, [draw.test, *draw.sources.values()])
    test, sources = table.others[0], dict(zip(names, table.others[1:], strict=True))
    alone: dict[str, float] = {}
    errors: dict[str, dict[str, float]] = {name: {} for name in names}
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)  # a class that a source lacks
        for learner, base in learners(task).items():
            alone[learner] = error_on(Concatenate(base).fit(*table.own), *test, draw.target)
            for method, estimator in methods(task, base).items():
                for name, source in sources.items():
                    fitted = clone(estimator).fit(*table.own, sources=[source])
                    errors[name][f"{learner}:{method}"] = error_on(fitted, *test, draw.target)
    return alone, errors


def error_on(fitted: Any, X: Any, y: Any, target: Dataset) -> float:
    """Return the error in the target's loss, classes counting as they do in the target.

    Tested are all rows that the domain has left, whose shares of the classes are others where the
    target was balanced. Where a class of the target is rare, every class counts the same.
    """
    predicted = fitted.predict(X)
    if not target.classes:
        return float(np.mean((predicted - y) ** 2))
    wrong = predicted != y
    is_balanced = choose_loss(None, target).balanced
    total = weight = 0.0
    for name, share in zip(target.classes, target.class_shares, strict=True):
        rows = y == name
        if rows.any() and share > 0:
            counts = 1.0 if is_balanced else float(share)
            total, weight = total + counts * float(wrong[rows].mean()), weight + counts
    return total / weight


def _labels(dataset: Dataset) -> Any:
    return np.array(dataset.classes)[dataset.y] if dataset.classes else dataset.y
