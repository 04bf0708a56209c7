"""The paper's score, with all its choices: Algorithm 1 (one model) and Algorithm 2 (the ensemble)."""

from __future__ import annotations

from typing import Any

from datakin.cross_learning import CrossLearningScore
from datakin.results import Comparison

__all__ = ["MODELS", "OPTIONS", "as_in_paper", "score"]

# The four models of algorithm 2. For numbers "linear" takes the place of "logistic", and the support
# vector machines are regressions.
MODELS = ("logistic", "linear_svm", "rbf_svm", "xgboost")

# What differs from the default of `CrossLearningScore`: the four models, losses weighted as they are,
# inner folds drawn anew, and the paper's score and zones with standard errors from folds.
OPTIONS = {
    "models": "paper",
    "size": "paper",
    "inner": "fresh",
    "weighting": "paper",
    "zones": "paper",
    "zone_error": "folds",
}


as_in_paper = CrossLearningScore.as_in_paper


def score(target: Any, source: Any, *, model: str | None = None, **changes: Any) -> Comparison:
    """Score a pair by Algorithm 2 of the paper, or with one model by Algorithm 1.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    model : str, optional
        One of `MODELS`, or another model that `CrossLearningScore` knows: Algorithm 1. By default
        the ensemble of the four: Algorithm 2.
    **changes
        Other options of `CrossLearningScore`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from datakin.paper import settings
    >>> pair = settings()["lda"](0.5).sample(200, 200)
    >>> round(score(pair.target, pair.source, model="logistic").score, 2)
    0.2
    """
    if model is not None:
        changes = {"models": [model], "estimate": model, **changes}
    return as_in_paper(**changes).compare(target, source)
