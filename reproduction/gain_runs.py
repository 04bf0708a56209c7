"""What transfer really brings: every method on every level of a setting, beside the score."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from threadpoolctl import threadpool_limits

from datakin import CrossLearningScore, Dataset
from datakin.paper import (
    ART,
    Concatenate,
    DynamicTrAdaBoost,
    KinWeighted,
    Sample,
    TrAdaBoost,
    TrAdaBoostR2,
    settings,
)
from reproduction.harness import Array, Row

# Few rounds and capped repeats keep seven settings within two hours on two cores.
ROUNDS = 10
SPLITS = 10
N_TEST = 5000
METHODS = (
    "concatenate",
    "tradaboost",
    "dynamic_tradaboost",
    "tradaboost_r2",
    "art",
    "kin_weighted",
)


def gain_cell(setting: str) -> Row:
    """Return the cell of a setting's realised gains."""
    return {"run": f"gains-{setting}", "setting": setting}


def gain_levels(setting: str) -> tuple[float, ...]:
    """Return seven levels of a setting, from the farthest to equal tasks and closer together there."""
    levels = settings()[setting].levels
    if setting == "mixture":  # its levels start at equality
        levels = levels[::-1]
    last = len(levels) - 1
    return tuple(levels[round(last * share)] for share in (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.0))


def paper_methods(task: str) -> tuple[str, ...]:
    """Return the methods the paper tries on a task: no boosting for several classes."""
    boosting = {
        "binary": ("tradaboost", "dynamic_tradaboost"),
        "multiclass": (),
        "regression": ("tradaboost_r2",),
    }
    return ("concatenate", *boosting[task], "art")


def methods_of(task: str, base: Any = None) -> dict[str, Any]:
    """Return the transfer estimators for a task."""
    made = {
        "concatenate": Concatenate(base),
        "tradaboost": TrAdaBoost(base, rounds=ROUNDS),
        "dynamic_tradaboost": DynamicTrAdaBoost(base, rounds=ROUNDS),
        "tradaboost_r2": TrAdaBoostR2(base, rounds=ROUNDS),
        "art": ART(base, repeats=SPLITS),
        "kin_weighted": KinWeighted(base),
    }
    return {name: made[name] for name in (*paper_methods(task), "kin_weighted")}


def gain_replicate(cell: Row, seed: int) -> list[Row]:
    """Run one replicate: one target, a source at each level, all methods both ways."""
    setting = str(cell["setting"])
    make = settings()[setting]
    n = make.n_rows
    rows = []
    with threadpool_limits(limits=1):
        for level in gain_levels(setting):
            made = make(level)
            sample = made.sample(n, n, random_state=seed, n_test=N_TEST)
            scored = _scored(sample, seed, _model(setting))
            known = {"level": level, "oracle": made.oracle(), **scored}
            rows += [{**known, **errors} for errors in _realised(sample, made.task, _base(setting))]
    return rows


def _model(setting: str) -> str:
    """Return the model of the score: that of the transfer methods."""
    return {"linear": "linear", "nonlinear": "quadratic"}.get(setting, "logistic")


def _base(setting: str) -> Any:
    """Return the base learner.

    Linear regression on squares and products for the nonlinear setting: on the columns alone it is so
    wrong there that the source's own error, and with it the source's RER, says more about the misfit
    than about transfer.
    """
    if setting == "linear":
        return LinearRegression()
    if setting == "nonlinear":
        terms = FunctionTransformer(_squares_and_products)
        return make_pipeline(terms, StandardScaler(), Ridge(1.0))
    return logistic()


def logistic() -> LogisticRegression:
    """Return logistic regression by Newton's method, as near its optimum as makes no difference."""
    return LogisticRegression(C=1e3, solver="newton-cholesky", tol=1e-8)


def default_learner(is_class: bool) -> Any:
    """Return what the transfer methods learn with by default: logistic or linear regression."""
    if not is_class:
        return LinearRegression()
    return make_pipeline(StandardScaler(), LogisticRegression(C=1e3, max_iter=1000))


def _squares_and_products(X: Array) -> Array:
    first, second = np.triu_indices(X.shape[1])
    return np.hstack([X, X[:, first] * X[:, second]])


def _scored(sample: Sample, seed: int, model: str) -> Row:
    """Return score and zone with the one learner that the methods use."""
    method = CrossLearningScore([model], estimate=model, zones="paper", random_state=seed)
    found = method.compare(sample.target, sample.source)
    return {
        "cls": found.sizes["paper"].value,
        "threshold": found.decision.high,
        "zone": found.zone.value,
    }


def _realised(sample: Sample, task: str, base: Any) -> list[Row]:
    """Return the test errors of every method on the target and on the source."""
    pairs = (
        (sample.target, sample.source, sample.target_test),
        (sample.source, sample.target, sample.source_test),
    )
    alone = [_error(Concatenate(base), *pair, False) for pair in pairs]
    rows = [{"method": "alone", "target_error": alone[0], "source_error": alone[1]}]
    for name, method in methods_of(task, base).items():
        to, back = (_error(method, *pair, True) for pair in pairs)
        rows.append({"method": name, "target_error": to, "source_error": back})
    return rows


def _error(method: Any, own: Dataset, other: Dataset, test: Dataset | None, pool: bool) -> float:
    assert test is not None
    sources = [(other.features.numeric, _labels(other))] if pool else []
    fitted = method.fit(own.features.numeric, _labels(own), sources=sources)
    return mean_loss(fitted.predict(test.features.numeric), _labels(test), bool(own.classes))


def mean_loss(predicted: Array, truth: Array, is_class: bool) -> float:
    """Return the share of wrong classes, or the mean squared error."""
    return float(np.mean(predicted != truth if is_class else (predicted - truth) ** 2))


def _labels(dataset: Dataset) -> Any:
    return np.array(dataset.classes)[dataset.y] if dataset.classes else dataset.y
