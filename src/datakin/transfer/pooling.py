"""Concatenation: train on target and sources as if they were one dataset."""

from __future__ import annotations

import numpy as np

from datakin.data.features import Array
from datakin.transfer.base import TransferEstimator
from datakin.transfer.learner import Learner
from datakin.transfer.pool import Pool

__all__ = ["Concatenate"]


class Concatenate(TransferEstimator):
    """One fit on the rows of the target and of all sources, every row counting the same.

    Parameters
    ----------
    estimator : scikit-learn estimator, optional
        A classifier or a regressor; logistic regression by default. For regression give a
        regressor, such as LinearRegression().
    random_state : int
        For a random_state that the estimator leaves open.

    Attributes
    ----------
    classes_ : ndarray
        All classes of target and sources (classification).
    estimators_ : list of Learner
        The one fit.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    >>> source = (np.array([[2.0], [3.0]]), np.array([4.0, 5.0]))
    >>> Concatenate(LinearRegression()).fit(X, y, sources=[source]).predict([[1.5]])
    array([2.5])
    """

    def _fit_pool(self, pool: Pool) -> tuple[list[Learner], Array]:
        return [self._learn(pool)], np.ones(1)
