"""Boosted trees by XGBoost: those of the stack, of the engine, and those that start from a predictor.

XGBoost is called without the work that its scikit-learn interface does around every fit and every round;
the trees are its own, to the last bit. On 200 rows its Python layers take a third of the time: they read
parameters by inspection, evaluate the model and compare feature names in every round, pass data through an
iterator, and copy the model to drop the training caches. The rest is the search for splits in compiled
code, nearly all of the time above 500 rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from datakin.data.features import Array
from datakin.learners.learner import Rows, held_out_by_refits
from datakin.learners.predictors import TreePredictor

SMALL = 160  # rows for which the number of rounds is meant
MOST_ROUNDS = 300
SMALL_TREES: dict[str, Any] = {"max_bin": 64, "nthread": 1, "tree_method": "hist", "seed": 0}

MOST_CACHED_COLUMNS = 20  # beyond, the training caches of a model take too much memory
WIDE = 20  # columns; with more, rules of three columns are found too, on coarser bins

ROUNDS = 50  # of trees that start from a predictor
FROM_START: dict[str, Any] = {
    **SMALL_TREES,
    "max_depth": 2,
    "learning_rate": 0.1,
    "reg_lambda": 5.0,
    "min_child_weight": 2.0,
    "base_score": 0.5,  # given by hand: what all rows start from is their margin
}


def train_trees(
    options: Mapping[str, Any], rounds: int, X: Any, y: Array, **rows: Array | None
) -> Any:
    """Return a booster for options as XGBoost names them.

    The bins are those of the QuantileDMatrix that XGBoost's own interface makes. `rows` is what its DMatrix
    may know of the rows: weight, base_margin.
    """
    from xgboost import Booster, DMatrix

    data = DMatrix(X, y, nthread=options.get("nthread", options.get("n_jobs")), **rows)
    booster = Booster(dict(options), [data])
    # Columns have no names here; without this they would be compared in every round.
    vars(booster)["_assign_dmatrix_features"] = lambda data: None
    for i in range(rounds):
        booster.update(data, i)
    del vars(booster)["_assign_dmatrix_features"]
    return booster


@dataclass(frozen=True)
class TreeLearner:
    """Boosted trees, shallow and few, as suits small data.

    Depth, rounds, rate and penalty are XGBoost's max_depth, rounds of boosting, learning_rate and reg_lambda.
    From 160 rows on, rounds grow with the number of rows to the power `growth`. Trees are one split deeper on
    more rows than `deeper`; None for never.
    """

    depth: int = 2
    rounds: int = 60
    growth: float = 0.4
    deeper: int | None = 600
    rate: float = 0.1
    penalty: float = 2.0
    name: str = "trees"
    refits: ClassVar[bool] = True  # each fold is a fit

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[TreePredictor, Array]:
        """Return the predictor of all rows; there is no penalty to tell about."""
        return self._fitted(rows, len(rows)), np.zeros(1)

    def fit_plan(self, rows: Rows, trains: Sequence[Array]) -> TreeFits:
        """Return the fits of several sets of the rows, of the size that all rows would have.

        Each has bins of its own rows, as a fit of these rows alone would have.
        """
        return TreeFits([self._fitted(rows.take(train), len(rows)) for train in trains])

    def _fitted(self, rows: Rows, n_rows: int) -> TreePredictor:
        """Return the predictor of some rows, of the size that suits a number of them."""
        rounds = min(round(self.rounds * max(1.0, n_rows / SMALL) ** self.growth), MOST_ROUNDS)
        depth = self.depth + (self.deeper is not None and n_rows > self.deeper)
        options: dict[str, Any] = {
            "max_depth": depth,
            "learning_rate": self.rate,
            "reg_lambda": self.penalty,
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
            y = rows.codes
            options |= {"objective": "multi:softprob", "num_class": rows.Y.shape[1]}
        X = np.ascontiguousarray(rows.X, dtype=np.float32)
        booster = train_trees(SMALL_TREES | options, rounds, X, y, weight=rows.weights)
        return TreePredictor(booster, rows.kind, shift, scale)

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and nothing about penalties."""
        return held_out_by_refits(self, rows, folds)


@dataclass(frozen=True, eq=False)
class TreeFits:
    """Trees of several fits."""

    predictors: list[TreePredictor]

    def outputs(self, X: Array, n_fits: int) -> Array:
        """Return what the first fits say of rows."""
        return np.array([each.predict(X) for each in self.predictors[:n_fits]])


def boosted(
    X: Array, start: Array, y: Array, eta: Array, weights: Array, outside: Array, kind: str
) -> Array:
    """Return linear predictors of all rows, boosted from where they start: differences are learned.

    X has shape (n, p), `start` holds the linear predictors to start from. All else is as in
    `datakin.explaining.ladder.crossed`: learned from the rows outside a fold.
    """
    from xgboost import DMatrix

    is_number = kind == "regression"
    scale = (float(np.std(y[outside])) or 1.0) if is_number else 1.0
    options = FROM_START | {"objective": "reg:squarederror" if is_number else "binary:logistic"}
    # The start is a column, too: where it points the wrong way on the whole, one split says so.
    margin = start / scale
    X = np.ascontiguousarray(np.column_stack([X, margin]), dtype=np.float32)
    rows = {"weight": weights[outside], "base_margin": margin[outside]}
    booster = train_trees(options, ROUNDS, X[outside], y[outside] / scale, **rows)
    every = DMatrix(X, base_margin=margin, nthread=1)
    return np.asarray(booster.predict(every, output_margin=True), dtype=float) * scale


class BoostingFitter:
    """XGBClassifier or XGBRegressor, for the fits of a plan."""

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
        params = {"random_state": seed, **self.params}
        n_classes = int(y.max()) + 1 if self.is_class else 0
        if n_classes > 2:
            params |= {"objective": "multi:softprob", "num_class": n_classes}
        booster = train_trees(params, self.n_rounds, X, y)
        if X.shape[1] > MOST_CACHED_COLUMNS:
            booster.reset()
        predict = partial(booster.inplace_predict, validate_features=False)
        if not self.is_class:
            return SimpleNamespace(predict=predict)
        return SimpleNamespace(predict_proba=lambda X: _both(predict(X)))


def _both(p: Array) -> Array:
    return np.column_stack([1.0 - p, p]) if p.ndim == 1 else p


def tree_options(n_rows: int, n_columns: int) -> dict[str, Any]:
    """Return options of XGBoost that suit a whole dataset of some size: all fits of a plan have the same.

    The paper's trees, 100 rounds of depth 6, learn a few hundred rows by heart and cost more than all other
    models together. benchmarks/results/models.md compares both: their time, and what each brings to scores
    and decisions.
    """
    is_wide = n_columns > WIDE
    rounds = round(40 * (n_rows / 200) ** 0.5)
    return {
        "n_estimators": min(max(rounds, 30), 150),
        "max_depth": 3 if is_wide else 2,
        "learning_rate": 0.3,
        "max_bin": 64 if is_wide else 128,
    }
