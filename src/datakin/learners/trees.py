"""Boosted trees sized for small data: XGBoost with shallow trees and few rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from datakin.data.features import Array
from datakin.learners.learner import Rows
from datakin.learners.predictors import TreePredictor

__all__ = ["ROUNDS", "BoostingFitter", "TreeLearner", "boosted", "plain_booster", "tree_options"]

SMALL = 160  # rows for which the number of rounds is meant
MOST_ROUNDS = 300


@dataclass(frozen=True)
class TreeLearner:
    """Boosted trees.

    Attributes
    ----------
    depth, rounds, rate, penalty : numbers
        As in XGBoost: max_depth, rounds of boosting, learning_rate, reg_lambda.
    growth : float
        Rounds grow with the number of rows to this power, from 160 rows on.
    deeper : int
        Trees are one split deeper on more rows than this.
    """

    depth: int = 2
    rounds: int = 60
    growth: float = 0.4
    deeper: int = 600
    rate: float = 0.1
    penalty: float = 2.0
    name: str = "trees"
    refits: ClassVar[bool] = True  # each fold is a fit

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[TreePredictor, Array]:
        """Return the predictor of all rows; there is no penalty to tell about."""
        from xgboost import DMatrix

        rounds = min(round(self.rounds * max(1.0, len(rows) / SMALL) ** self.growth), MOST_ROUNDS)
        options: dict[str, Any] = {
            "max_depth": self.depth + (len(rows) > self.deeper),
            "learning_rate": self.rate,
            "reg_lambda": self.penalty,
            "max_bin": 64,
            "nthread": 1,
            "tree_method": "hist",
            "seed": 0,
        }
        y, shift, scale = rows.Y[:, 0], 0.0, 1.0
        if rows.kind == "regression":
            shift, scale = float(np.mean(y)), float(np.std(y)) or 1.0
            y = (y - shift) / scale
            options |= {"objective": "reg:squarederror", "base_score": 0.0}
        elif rows.kind == "binary":
            share = float(np.average(y, weights=rows.weights))
            share = min(max(share, 0.5 / len(y)), 1 - 0.5 / len(y))
            options |= {"objective": "binary:logistic", "base_score": share}
        else:
            y = np.argmax(rows.Y, axis=1)
            options |= {"objective": "multi:softprob", "num_class": rows.Y.shape[1]}
        data = DMatrix(
            np.ascontiguousarray(rows.X, dtype=np.float32), y, weight=rows.weights, nthread=1
        )
        booster = plain_booster()(options, [data])
        for i in range(rounds):
            booster.update(data, i)
        return TreePredictor(booster, rows.kind, shift, scale), np.zeros(1)

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and nothing about penalties."""
        inside = np.flatnonzero(folds >= 0)
        found = np.empty((len(inside), rows.Y.shape[1]))
        for k in range(int(folds.max()) + 1):
            fit, _ = self.fit(rows.take(folds != k))
            here = folds[inside] == k
            found[here] = fit.predict(rows.X[inside[here]])
        return found, np.zeros((2 + int(folds.max()), 1))


MOST_CACHED_COLUMNS = 20  # beyond, the training caches of a model take too much memory


class BoostingFitter:
    """XGBClassifier or XGBRegressor."""

    name = "xgboost"
    honoured = (
        *("n_estimators", "max_depth", "max_leaves", "max_bin", "grow_policy", "learning_rate"),
        *("tree_method", "gamma", "min_child_weight", "max_delta_step", "subsample"),
        *("colsample_bytree", "colsample_bylevel", "colsample_bynode", "reg_alpha", "reg_lambda"),
        *("scale_pos_weight", "base_score", "random_state", "n_jobs", "importance_type"),
    )

    def __init__(self, estimator: Any) -> None:
        self.n_rounds = estimator.get_num_boosting_rounds()
        found = estimator.get_xgb_params()
        self.params = {k: v for k, v in found.items() if v is not None and k != "missing"}
        self.is_class = self.params["objective"] == "binary:logistic"

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return an object with predict_proba (classes) or predict."""
        from xgboost import DMatrix

        params = {"random_state": seed, **self.params}
        n_classes = int(y.max()) + 1 if self.is_class else 0
        if n_classes > 2:
            params |= {"objective": "multi:softprob", "num_class": n_classes}
        # The bins are those of the QuantileDMatrix that XGBoost's own interface makes.
        data = DMatrix(X, y, nthread=self.params.get("n_jobs"))
        booster = plain_booster()(params, [data])
        for i in range(self.n_rounds):
            booster.update(data, i)
        if X.shape[1] > MOST_CACHED_COLUMNS:
            booster.reset()
        return _Probabilities(booster) if self.is_class else _Values(booster)


@cache
def plain_booster() -> Any:
    """Return the class of boosters without names of columns; made when it is first needed."""
    from xgboost import Booster

    class PlainBooster(Booster):
        """A booster whose columns have no names, so that none are compared in every round."""

        def _assign_dmatrix_features(self, data: Any) -> None:
            pass

    return PlainBooster


class _Values:
    def __init__(self, booster: Any) -> None:
        self.booster = booster

    def predict(self, X: Any) -> Array:
        return np.asarray(self.booster.inplace_predict(X, validate_features=False))


class _Probabilities(_Values):
    def predict_proba(self, X: Any) -> Array:
        p = self.predict(X)
        return np.column_stack([1.0 - p, p]) if p.ndim == 1 else p


ROUNDS = 50
OPTIONS: dict[str, Any] = {
    "max_depth": 2,
    "learning_rate": 0.1,
    "reg_lambda": 5.0,
    "min_child_weight": 2.0,
    "max_bin": 64,
    "nthread": 1,
    "tree_method": "hist",
    "seed": 0,
    "base_score": 0.5,  # given by hand: what all rows start from is their margin
}


def boosted(
    X: Array, start: Array, y: Array, eta: Array, weights: Array, outside: Array, kind: str
) -> Array:
    """Return linear predictors of all rows, boosted from where they start.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    start : ndarray of shape (n,)
        Linear predictors to start from.
    y, eta, weights, outside, kind
        As in `datakin.explaining.ladder.crossed`: learned from the rows outside a fold.
    """
    from xgboost import DMatrix

    is_number = kind == "regression"
    scale = (float(np.std(y[outside])) or 1.0) if is_number else 1.0
    options = OPTIONS | {"objective": "reg:squarederror" if is_number else "binary:logistic"}
    # The start is a column, too: where it points the wrong way on the whole, one split says so.
    X = np.ascontiguousarray(np.column_stack([X, start / scale]), dtype=np.float32)
    data = DMatrix(
        X[outside],
        y[outside] / scale,
        weight=weights[outside],
        base_margin=start[outside] / scale,
        nthread=1,
    )
    booster = plain_booster()(options, [data])
    for i in range(ROUNDS):
        booster.update(data, i)
    every = DMatrix(X, base_margin=start / scale, nthread=1)
    return np.asarray(booster.predict(every, output_margin=True), dtype=float) * scale


WIDE = 20  # columns; with more, rules of three columns are found too, on coarser bins


def tree_options(n_rows: int, n_columns: int) -> dict[str, Any]:
    """Return options of XGBoost that suit a dataset of some size.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the whole dataset: all fits of a plan have the same options.
    """
    is_wide = n_columns > WIDE
    rounds = round(40 * (n_rows / 200) ** 0.5)
    return {
        "n_estimators": min(max(rounds, 30), 150),
        "max_depth": 3 if is_wide else 2,
        "learning_rate": 0.3,
        "max_bin": 64 if is_wide else 128,
    }
