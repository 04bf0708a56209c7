"""What transfer really brings: every method on every level of a setting, beside score and forecast."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.linear_model import LinearRegression
from threadpoolctl import threadpool_limits

from datakin.compare import CrossLearningScore
from datakin.data import Dataset
from datakin.experiments.newton import NewtonLogistic
from datakin.experiments.study import Row
from datakin.learning.models import choose_models
from datakin.results import Comparison, ExpectedGain
from datakin.scoring.forecast import plain_gain
from datakin.synthetic import Sample, settings
from datakin.transfer import (
    ART,
    Concatenate,
    DynamicTrAdaBoost,
    KinWeighted,
    TrAdaBoost,
    TrAdaBoostR2,
)

__all__ = [
    "METHODS",
    "formula_gain",
    "gain_cell",
    "gain_levels",
    "gain_replicate",
    "methods_of",
    "paper_methods",
]

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
        return choose_models(["quadratic"], is_class=False)[0].estimator
    return NewtonLogistic()


def _scored(sample: Sample, seed: int, model: str) -> Row:
    """Return score, zones and forecast with the one learner that the methods use."""
    method = CrossLearningScore([model], estimate=model, zones="paper", random_state=seed)
    found = method.compare(sample.target, sample.source)
    gain, zone = formula_gain(found)
    return {
        "cls": found.sizes["paper"].value,
        "threshold": found.decision.high,
        "zone": found.zone.value,
        "gain_zone": zone,
        "forecast": gain.value,
        "forecast_low": gain.low,
        "forecast_high": gain.high,
    }


def formula_gain(found: Comparison) -> tuple[ExpectedGain, str]:
    """Return the gain that the formula gives, without pools that were tried, and its 80% zone."""
    assert found.outlook is not None
    gain = plain_gain(replace(found.outlook, trial=None))
    reach = float(stdtrit(found.outlook.freedom, 0.9)) * gain.standard_error
    is_clear = abs(gain.value) > reach
    return gain, ("positive" if gain.value > 0 else "negative") if is_clear else "ambiguous"


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
    predicted, truth = fitted.predict(test.features.numeric), _labels(test)
    if own.classes:
        return float(np.mean(predicted != truth))
    return float(np.mean((predicted - truth) ** 2))


def _labels(dataset: Dataset) -> Any:
    return np.array(dataset.classes)[dataset.y] if dataset.classes else dataset.y
