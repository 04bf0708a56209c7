"""libsvm, with nothing around it.

scikit-learn's SVC and SVR check and convert their input for longer than libsvm computes on 200 rows
(0.6 ms against 0.4). Their own entry to libsvm is used here directly. It is not a public name of
scikit-learn: where it is missing or called otherwise, SVC and SVR do the same fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR

from datakin.data.features import Array

__all__ = ["Machine", "train"]


@dataclass(frozen=True, eq=False)
class Machine:
    """What libsvm found.

    Attributes
    ----------
    support : ndarray of int
        Positions of the support vectors.
    weights : ndarray of shape (n_support, n_machines)
        One machine for every pair of classes, positive for the second of the two; one for
        regression.
    intercepts : ndarray of shape (n_machines,)
    """

    support: Array
    weights: Array
    intercepts: Array


def train(estimator: Any, kernel: str, X: Array, y: Array, gamma: float = 1.0) -> Machine:
    """Fit the machine that an SVC or SVR describes.

    Parameters
    ----------
    estimator : SVC or SVR
        Its C, epsilon, tol, shrinking and cache_size count.
    kernel : {"linear", "rbf", "precomputed"}
    X : ndarray
        Rows, or their Gram matrix.
    y : ndarray
        Class codes from 0 without gaps, or numbers.
    gamma : float
    """
    is_class = isinstance(estimator, SVC)
    options = {
        "C": float(estimator.C),
        "tol": float(estimator.tol),
        "shrinking": bool(estimator.shrinking),
        "cache_size": float(estimator.cache_size),
        "gamma": gamma,
    }
    if not is_class:
        options["epsilon"] = float(estimator.epsilon)
    X = np.ascontiguousarray(X, dtype=float)
    try:
        found = _directly(is_class, kernel, X, y, options)
    except (ImportError, AttributeError, TypeError):
        found = _by_class(is_class, kernel, X, y, options)
    support, n_support, dual, intercepts = found
    if is_class:
        return Machine(support, -_by_pair(dual, n_support), -intercepts)
    return Machine(support, dual.T, intercepts)


def _directly(is_class: bool, kernel: str, X: Array, y: Array, options: Any) -> tuple[Array, ...]:
    from sklearn.svm import _libsvm

    _libsvm.set_verbosity_wrap(0)
    kind = 0 if is_class else 3
    labels = np.ascontiguousarray(y, dtype=float)
    support, _, n_support, dual, intercepts, *_ = _libsvm.fit(
        X, labels, svm_type=kind, kernel=kernel, **options
    )
    return support, n_support, dual, intercepts


def _by_class(is_class: bool, kernel: str, X: Array, y: Array, options: Any) -> tuple[Array, ...]:
    machine = (SVC if is_class else SVR)(kernel=kernel, **options).fit(X, y)
    # scikit-learn turns libsvm's signs round for two classes only.
    turn = -1.0 if is_class and len(machine.n_support_) == 2 else 1.0
    return (
        machine.support_,
        machine.n_support_,
        turn * machine.dual_coef_,
        turn * machine.intercept_,
    )


def _by_pair(dual: Array, n_support: Array) -> Array:
    """Return the weight of every support vector in the machine of every pair of classes."""
    ends = np.cumsum([0, *n_support])
    pairs = list(combinations(range(len(n_support)), 2))
    weights = np.zeros((dual.shape[1], len(pairs)))
    for k, (i, j) in enumerate(pairs):
        of_i, of_j = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        weights[of_i, k] = dual[j - 1, of_i]
        weights[of_j, k] = dual[i, of_j]
    return weights
