"""Any scikit-learn estimator as a learner of the stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.learning.scaling import medians
from datakin.learning.stack.predictors import ConstantPredictor, ForeignPredictor, Predictor
from datakin.learning.stack.rows import Rows

__all__ = ["ForeignLearner"]


@dataclass(frozen=True)
class ForeignLearner:
    """A scikit-learn classifier or regressor; missing numbers become medians.

    Attributes
    ----------
    name : str
    estimator : scikit-learn estimator
    seed : int
        Where the estimator's own random_state is None.
    """

    name: str
    estimator: Any
    seed: int = 0
    refits: ClassVar[bool] = True  # each fold is a fit

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[Predictor, Array]:
        """Return the predictor of all rows; there is no penalty to tell about."""
        middles = medians(rows.X)
        X = np.where(np.isnan(rows.X), middles, rows.X)
        present, labels = np.arange(0), rows.Y[:, 0]
        if rows.kind != "regression":
            codes = rows.codes
            present, labels = np.unique(codes, return_inverse=True)
            if len(present) == 1:
                return ConstantPredictor(rows.Y[0].copy()), np.zeros(1)
        estimator = self._seeded()
        arguments = {}
        if (rows.weights != rows.weights[0]).any():
            if not has_fit_parameter(estimator, "sample_weight"):
                raise DatakinError(
                    f"Rows have weights, and the learner {self.name!r} takes none: its fit has no "
                    f"sample_weight. Leave the weights out, or use another learner."
                )
            arguments = {"sample_weight": rows.weights}
        try:
            estimator.fit(X, labels, **arguments)
        except Exception as error:  # whatever a user's estimator raises
            text = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise DatakinError(
                f"The learner {self.name!r} could not be fitted on {len(X)} rows: {text}"
            ) from error
        made = ForeignPredictor(estimator, present, rows.Y.shape[1], rows.kind, middles, self.name)
        return made, np.zeros(1)

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and nothing about penalties."""
        inside = np.flatnonzero(folds >= 0)
        found = np.empty((len(inside), rows.Y.shape[1]))
        for k in range(int(folds.max()) + 1):
            here = folds[inside] == k
            found[here] = self.fit(rows.take(folds != k))[0].predict(rows.X[inside[here]])
        return found, np.zeros((2 + int(folds.max()), 1))

    def _seeded(self) -> Any:
        made = clone(self.estimator)
        free = {
            name: derive_seed(self.seed, self.name)
            for name, value in made.get_params().items()
            if name.endswith("random_state") and value is None
        }
        return made.set_params(**free) if free else made
