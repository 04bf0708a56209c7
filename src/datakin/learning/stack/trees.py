"""Boosted trees sized for small data: XGBoost with shallow trees and few rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from datakin.data.features import Array
from datakin.learning.backends.boosting import plain_booster
from datakin.learning.stack.predictors import TreePredictor
from datakin.learning.stack.rows import Rows

__all__ = ["TreeLearner"]

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
