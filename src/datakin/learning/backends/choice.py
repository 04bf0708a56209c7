"""Which fitter serves a model."""

from __future__ import annotations

from functools import cache
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

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return something with predict_proba, decision_function or predict.

        Classes are coded 0, 1, ... without gaps. `rows` are the positions of the rows in the
        dataset: a fitter may start from what it found for them in the plan's first fit.
        """


def start_fitter(estimator: Any, backend: str | None, is_sparse: bool) -> Fitter:
    """Return a fitter for one plan.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Says what is fitted; its parameters count on every path. Those that the fast fitter does
        not know must have their default values, or scikit-learn's path is taken.
    backend : str or None
        A key of `BACKENDS`; None for a user's own estimator.
    is_sparse : bool
        Sparse matrices take scikit-learn's path.
    """
    if backend is None or is_sparse:
        return GenericFitter(estimator)
    module, _, name = BACKENDS[backend].partition(":")
    home = getattr(import_module(f"datakin.learning.backends.{module}"), name)
    if not _knows(home, estimator):
        return GenericFitter(estimator)
    fitter: Fitter = home(estimator)
    return fitter


def _knows(home: Any, estimator: Any) -> bool:
    """Tell whether a fitter honours all options of an estimator that are not the default."""
    kind: Any = type(estimator)
    defaults, options = _defaults(kind), estimator.get_params()
    if any(
        repr(value) != defaults.get(name) and name not in home.honoured
        for name, value in options.items()
    ):
        return False
    return not hasattr(home, "serves") or bool(home.serves(estimator))


@cache
def _defaults(kind: type) -> dict[str, str]:
    return {name: repr(value) for name, value in kind().get_params().items()}
