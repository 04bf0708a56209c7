"""Fast fits for the built-in models, equal to those of scikit-learn and XGBoost.

A plan fits each model 16 times on nearly the same rows. On small data most of the time then goes
into copying estimators, checking input and starting from zero; on large data most of it goes into
libsvm's linear kernel. A *fitter* serves one model throughout one plan and may keep what helps the
next fit. A user's own models, and anything a fitter cannot handle, are fitted by scikit-learn. The
result names the fitter of each model.

Tried and left out: sums of Gram matrices over folds and warm starts of the interior point method
(least squares take less than 1% of a pair as it is), quantile matrices shared by fits (other bins
give another model), the active set method for classes (no faster than libsvm), compiled solvers or
trees of our own (they need a compiler at install), LinearSVC, and fewer bins or the exact tree
method in XGBoost (other models). benchmarks/results/RESULTS.md has the speed-up of each fitter.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Protocol

from sklearn.base import clone

from datakin.data.features import Array

__all__ = ["BACKENDS", "Fitter", "GenericFitter", "partly", "start_fitter"]

# Module and class by name: each is imported only when a model asks for it.
BACKENDS = {
    "logistic": "linear:NewtonFitter",
    "linear": "linear:LeastSquaresFitter",
    "linear_svm": "svm:LinearSVMFitter",
    "rbf_svm": "svm:RadialSVMFitter",
    "xgboost": "boosting:BoostingFitter",
}


class Fitter(Protocol):
    """Fits one model on the training sets of one plan, one after the other.

    Attributes
    ----------
    name : str
        Which method did the fits, for the result's provenance.
    """

    name: str

    def fit(self, X: Any, y: Array, seed: int, rows: Array | None = None) -> Any:
        """Return something with predict_proba, decision_function or predict.

        Classes are coded 0, 1, ... without gaps. `rows` are the positions of the rows in the
        dataset; with them a fitter can start from the solution of an earlier fit of the plan.
        """


class GenericFitter:
    """Fits a fresh clone of any scikit-learn estimator.

    Every parameter called random_state that is None gets the seed.
    """

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


def start_fitter(estimator: Any, backend: str | None, is_sparse: bool) -> Fitter:
    """Return a fitter for one plan.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Its parameters count for every fitter. Parameters that the fast fitter does not know must
        have their default values; otherwise scikit-learn does the fits.
    backend : str or None
        A key of `BACKENDS`; None for a user's own estimator.
    is_sparse : bool
        Sparse matrices are left to scikit-learn.
    """
    if backend is None or is_sparse:
        return GenericFitter(estimator)
    module, _, name = BACKENDS[backend].partition(":")
    fast = getattr(import_module(f"datakin.learning.backends.{module}"), name)
    if not _knows(fast, estimator):
        return GenericFitter(estimator)
    fitter: Fitter = fast(estimator)
    return fitter


def partly(name: str, other: str) -> str:
    """Return the name of a fitter that left some of its fits to another one."""
    return f"{name}, in part {other}"


def _knows(fast: Any, estimator: Any) -> bool:
    """Return whether a fitter knows every parameter that is not at its default."""
    kind: Any = type(estimator)
    defaults, options = _defaults(kind), estimator.get_params()
    if any(
        repr(value) != defaults.get(name) and name not in fast.honoured
        for name, value in options.items()
    ):
        return False
    return not hasattr(fast, "serves") or bool(fast.serves(estimator))


@cache
def _defaults(kind: type) -> dict[str, str]:
    return {name: repr(value) for name, value in kind().get_params().items()}
