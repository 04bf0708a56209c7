"""Which fitter serves a model."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from datakin.data.features import Array
from datakin.learning.backends.generic import GenericFitter

__all__ = ["BACKENDS", "Fitter", "start_fitter"]

BACKENDS = {
    "logistic": "logistic:NewtonFitter",
    "linear": "least_squares:LeastSquaresFitter",
    "linear_svm": "svm:LinearSVMFitter",
    "rbf_svm": "svm:RadialSVMFitter",
    "xgboost": "boosting:BoostingFitter",
}


class Fitter(Protocol):
    """Fits one model on the training sets of one plan, one after the other.

    Attributes
    ----------
    name : str
        What did the work, for the record.
    """

    name: str

    def fit(self, X: Any, y: Array, seed: int) -> Any:
        """Return something with predict_proba, decision_function or predict.

        Classes are coded 0, 1, ... without gaps.
        """


def start_fitter(estimator: Any, backend: str | None, is_sparse: bool) -> Fitter:
    """Return a fitter for one plan.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Says what is fitted; its parameters count on every path.
    backend : str or None
        A key of `BACKENDS`; None for a user's own estimator.
    is_sparse : bool
        Sparse matrices take scikit-learn's path.
    """
    if backend is None or is_sparse:
        return GenericFitter(estimator)
    module, _, name = BACKENDS[backend].partition(":")
    home = import_module(f"datakin.learning.backends.{module}")
    fitter: Fitter = getattr(home, name)(estimator)
    return fitter
