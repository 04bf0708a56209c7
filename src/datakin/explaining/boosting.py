"""Boosted trees that start from another predictor: what they learn are differences from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from datakin.data.features import Array
from datakin.learning.backends.boosting import plain_booster

__all__ = ["ROUNDS", "boosted"]

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
