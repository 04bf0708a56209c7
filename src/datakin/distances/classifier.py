"""Proxy A-distance: how well a classifier tells the rows of two datasets apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from datakin._core.checks import check_count, check_positive, check_seed
from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.distances.features import clouds, scrambled
from datakin.distances.protocol import Rival


@dataclass(frozen=True)
class ProxyADistance(Rival):
    """Proxy A-distance ``2 (1 - 2 error)`` of Ben-David et al. (2007), from 0 to 2.

    The error is that of a logistic regression that tells target rows from source rows, on held-out
    rows and with both datasets weighing the same. Worse than guessing counts as 0. A linear
    classifier sees shifts of the means; datasets that differ in spread alone look the same to it.

    Parameters
    ----------
    cv : int
        Number of folds.
    C : float
        Inverse strength of the penalty, on standardised columns.
    random_state : int
        Assigns the rows to the folds.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    >>> ProxyADistance().between((X, y), (X + 20.0, y))
    2.0
    >>> ProxyADistance().between((X, y), (X, y))
    0.0
    """

    cv: int = 5
    C: float = 1.0
    random_state: int = 0

    def between(self, target: Any, source: Any) -> float:
        """Return the distance between two datasets."""
        check_count("cv", self.cv, 2)
        check_positive("C", self.C)
        check_seed(self.random_state)
        both = clouds(target, source, scaling="free")
        for cloud in (both.target, both.source):
            if len(cloud) < self.cv:
                raise DatakinError(
                    f"Each dataset must have a row for each of the {self.cv} folds. "
                    f"Got {len(cloud)} in {cloud.name!r}; use a smaller cv, or more rows."
                )
        X = np.vstack([both.target.points, both.source.points])
        domain = np.repeat([0, 1], [len(both.target), len(both.source)])
        folds = self._folds(np.concatenate([both.target.keys, both.source.keys]))
        return max(0.0, 2 * (1 - 2 * self._error(X, domain, folds)))

    def _folds(self, keys: Array) -> Array:
        """Assign rows to folds by content: copies of a row, in either dataset, share a fold.

        Otherwise its copy among the training rows could carry the other label.
        """
        seed = derive_seed(self.random_state, "folds")
        distinct, place = np.unique(scrambled(keys, seed), return_inverse=True)
        folds: Array = place * self.cv // len(distinct)
        return folds

    def _error(self, X: Array, domain: Array, folds: Array) -> float:
        wrong = np.full(len(domain), 0.5)  # a guess, where the other folds hold one dataset alone
        for fold in np.unique(folds):
            held = folds == fold
            if len(np.unique(domain[~held])) < 2:
                continue
            model = make_pipeline(
                StandardScaler(),
                LogisticRegression(C=self.C, class_weight="balanced", max_iter=1000),
            )
            model.fit(X[~held], domain[~held])
            wrong[held] = model.predict(X[held]) != domain[held]
        return float((wrong[domain == 0].mean() + wrong[domain == 1].mean()) / 2)
