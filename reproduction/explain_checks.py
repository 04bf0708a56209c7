"""What explanations say of two tables, worked out again from the tables with pandas and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV, RidgeCV
from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from datakin import Explanation
from reproduction.harness import Array, Row

PENALTIES = np.logspace(-4, 1, 12)
BOOSTED: dict[str, Any] = {"max_iter": 60, "max_leaf_nodes": 4, "random_state": 0}
GAP = 0.2  # difference of the shares of missing values that is worth a line


def check(target: pd.DataFrame, source: pd.DataFrame, label: str, found: Explanation) -> Row:
    """Return the figures of an explanation as the tables give them.

    Parameters
    ----------
    target, source : DataFrame
        Features and label, without groups.
    label : str
    found : Explanation
        Says which class is the second one, whether trees explain, and which column moved most.
    """
    here, there = target.drop(columns=label), source.drop(columns=label)
    varied = [c for c in here if min(each[c].nunique(dropna=False) for each in (here, there)) > 1]
    here, there = here[varied], there[varied]  # what is constant in a table is left out of it
    sides = [_numbers(each[label], found) for each in (target, source)]
    predictor = _predictor(found, here)
    said = _say(predictor.fit(there, sides[1]), here)
    folds: Any = StratifiedKFold if found.positive else KFold
    own = _own(predictor, here, sides[0], folds(10, shuffle=True, random_state=0), found)
    losses = [_loss(sides[0], each, found) for each in (said, own)]
    return {
        "share here": float(sides[0].mean()),
        "share there": float(sides[1].mean()),
        "expected again": float(said.mean()),
        "slope again": _slope(sides[0], said, found),
        "excess again": losses[0] / losses[1] - 1,
        "auc again": _told_apart(here, there),
        **_moved(here, there, found),
        "missing": _missing(here, there),
        "constant": ", ".join(c for c in target if c not in (*varied, label)),
    }


def _numbers(labels: pd.Series, found: Explanation) -> Array:
    if found.positive:
        return np.asarray(labels.astype(str) == found.positive, dtype=int)
    return np.asarray(labels, dtype=float)


def _matrix(frame: pd.DataFrame) -> Any:
    numbers = [c for c in frame if pd.api.types.is_numeric_dtype(frame[c])]
    levels = [c for c in frame if c not in numbers]
    return make_column_transformer(
        (
            make_pipeline(
                SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
            ),
            numbers,
        ),
        (OneHotEncoder(handle_unknown="ignore"), levels),
    )


def _predictor(found: Explanation, frame: pd.DataFrame) -> Any:
    learner: Any
    if found.learner == "trees":
        kind = HistGradientBoostingClassifier if found.positive else HistGradientBoostingRegressor
        learner = kind(**BOOSTED)
    elif found.positive:
        learner = LogisticRegressionCV(
            Cs=PENALTIES,
            cv=5,
            scoring="neg_log_loss",
            max_iter=3000,
            l1_ratios=(0,),
            use_legacy_attributes=False,
        )
    else:
        learner = RidgeCV(1 / PENALTIES)
    return make_pipeline(_matrix(frame), learner)


def _say(fitted: Any, frame: pd.DataFrame) -> Array:
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(frame)[:, 1])
    return np.asarray(fitted.predict(frame))


def _own(predictor: Any, frame: pd.DataFrame, y: Array, folds: Any, found: Explanation) -> Array:
    method = "predict_proba" if found.positive else "predict"
    said = np.asarray(cross_val_predict(predictor, frame, y, cv=folds, method=method))
    return said[:, 1] if found.positive else said


def _loss(y: Array, said: Array, found: Explanation) -> float:
    return float(log_loss(y, said) if found.positive else mean_squared_error(y, said))


def _slope(y: Array, said: Array, found: Explanation) -> float:
    """Return what logits or numbers must be multiplied by to fit the target."""
    if not found.positive:
        return float(LinearRegression().fit(said[:, None], y).coef_[0])
    p = np.clip(said, 1e-6, 1 - 1e-6)
    return float(LogisticRegression(C=1e6).fit(np.log(p / (1 - p))[:, None], y).coef_[0, 0])


def _told_apart(here: pd.DataFrame, there: pd.DataFrame) -> float:
    """Return how well a logistic regression tells rows of the two tables apart."""
    both = pd.concat([here, there], ignore_index=True)
    is_here = np.repeat([1, 0], [len(here), len(there)])
    learner = LogisticRegression(C=0.1, max_iter=3000, class_weight="balanced")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    said = cross_val_predict(
        make_pipeline(_matrix(both), learner), both, is_here, cv=folds, method="predict_proba"
    )
    return float(roc_auc_score(is_here, said[:, 1]))


def _moved(here: pd.DataFrame, there: pd.DataFrame, found: Explanation) -> Row:
    """Return the column that moved most by the explanation, and its means or shares in the tables."""
    first = found.shift.columns[0] if found.shift is not None and found.shift.columns else None
    if first is None:
        return {}
    sides = [each[first.column] for each in (here, there)]
    if first.kind == "number":
        means = [float(side.mean()) for side in sides]
    else:
        means = [float((side.astype(str) == first.level).mean()) for side in sides]
    known = [int(side.notna().sum()) for side in sides]
    return {
        "moved": first.column,
        "moved here": first.here,
        "moved there": first.there,
        "moved here again": means[0],
        "moved there again": means[1],
        "known here": known[0],
        "known there": known[1],
    }


def _missing(here: pd.DataFrame, there: pd.DataFrame) -> str:
    """Say which columns are missing far more often in one table."""
    shares = [each.isna().mean() for each in (here, there)]
    apart = (shares[0] - shares[1]).abs().sort_values(ascending=False, kind="stable")
    return ", ".join(
        f"{column} ({shares[0][column]:.0%} here, {shares[1][column]:.0%} there)"
        for column in apart.index[apart > GAP]
    )
