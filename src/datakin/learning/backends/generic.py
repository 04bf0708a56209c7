"""Any scikit-learn estimator: cloned, seeded, fitted."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from datakin.data.features import Array

__all__ = ["GenericFitter", "partly"]


class GenericFitter:
    """Fits a fresh clone each time; parameters called random_state that are None get the seed."""

    name = "scikit-learn"

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return a fitted clone."""
        estimator = clone(self.estimator)
        free = {
            k: seed
            for k, v in estimator.get_params().items()
            if k.endswith("random_state") and v is None
        }
        if free:
            estimator.set_params(**free)
        return estimator.fit(X, y)


def partly(name: str, other: str) -> str:
    """Return a fitter's name once some of its fits were done by another."""
    return f"{name}, in part {other}"
