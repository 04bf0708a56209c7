"""XGBoost without the work that its scikit-learn interface does around every fit and every round.

The trees are XGBoost's own, to the last bit. On 200 rows its Python layers take a third of the
time: they read parameters by inspection, evaluate the model and compare feature names in every
round, pass data through an iterator, and copy the model to drop the training caches. The rest is
the search for splits in compiled code, nearly all of the time above 500 rows.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from datakin.data.features import Array

__all__ = ["BoostingFitter", "plain_booster"]

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
