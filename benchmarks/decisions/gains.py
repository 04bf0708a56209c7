"""What each source really brings: errors of the target alone and with every transfer method."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier, XGBRegressor

from benchmarks.decisions.draws import Draw
from datakin import DatakinWarning, Dataset
from datakin.transfer import ART, Concatenate, KinWeighted, TrAdaBoost, TrAdaBoostR2
from reproduction.gain_runs import default_learner

# Few rounds and splits: eight sources, four methods and two learners make up a draw.
ROUNDS, SPLITS = 10, 5
METHODS = ("concatenate", "art", "tradaboost", "kin_weighted")
LEARNERS = ("glm", "trees")
# Divided by the number of classes: the share of the rows below which one is rare, as in datakin's loss.
RARE = 0.3
MAX_LEVELS, MIN_COUNT = 50, 2  # one-hot columns of a category, and rows that a level must have
TREES = {"n_estimators": 40, "max_depth": 3, "learning_rate": 0.2, "n_jobs": 1}


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of several datasets as numbers, encoded as the first of them is."""

    own: tuple[Any, Any]
    others: list[tuple[Any, Any]]

    @classmethod
    def make(cls, own: Dataset, others: list[Dataset]) -> Table:
        encode = _encoder(own.features)
        there = [(encode(d.features.matched_to(own.features)), _labels(d)) for d in others]
        return cls((encode(own.features), _labels(own)), there)


def _encoder(features: Any) -> Callable[[Any], Any]:
    """Learn how to make numbers of a table, as datakin does for its own learners.

    Medians for missing numbers, standardised; one-hot columns of the frequent levels, missing being one
    of them; no column that is constant here.
    """
    if features.is_sparse:
        scaler = StandardScaler(with_mean=False).fit(features.numeric)
        return lambda others: sparse.csr_matrix(others.numeric.multiply(1 / scaler.scale_))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without any number
        medians = np.nan_to_num(np.nanmedian(features.numeric, axis=0))
    varies = np.ptp(_filled(features.numeric, medians), axis=0) > 0
    levels = [_frequent(codes) for codes in features.codes.T]
    scaler = StandardScaler()
    if varies.any():
        scaler.fit(_filled(features.numeric, medians)[:, varies])

    def encode(others: Any) -> Any:
        numeric = _filled(others.numeric, medians)[:, varies]
        blocks = [
            codes[:, None] == kept for codes, kept in zip(others.codes.T, levels, strict=True)
        ]
        return np.hstack([scaler.transform(numeric) if varies.any() else numeric, *blocks])

    return encode


def _filled(numeric: Any, medians: Any) -> Any:
    return np.where(np.isnan(numeric), medians, numeric)


def _frequent(codes: Any) -> Any:
    """Return the codes of the levels that get a column; none where all rows have one level."""
    found, counts = np.unique(codes, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MAX_LEVELS]
    kept = np.sort(found[order[counts[order] >= MIN_COUNT]])
    return kept if len(found) > 1 else kept[:0]


def learners(task: str) -> dict[str, Any]:
    """Return the two base learners: the house's linear one, and boosted trees."""
    is_class = task != "regression"
    trees = (XGBClassifier if is_class else XGBRegressor)(**TREES)
    return dict(zip(LEARNERS, (default_learner(is_class), trees), strict=True))


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
    is_balanced = target.class_shares.min() < RARE / len(target.classes)
    total = weight = 0.0
    for name, share in zip(target.classes, target.class_shares, strict=True):
        rows = y == name
        if rows.any() and share > 0:
            counts = 1.0 if is_balanced else float(share)
            total, weight = total + counts * float(wrong[rows].mean()), weight + counts
    return total / weight


def _labels(dataset: Dataset) -> Any:
    return np.array(dataset.classes)[dataset.y] if dataset.classes else dataset.y
