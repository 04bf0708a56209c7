"""Estimators of the user as learners: what they are given, and what they predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.utils.validation import has_fit_parameter

from datakin._core.exceptions import DatakinError, counted, listed
from datakin._core.progress import fitted
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array, Features
from datakin.learners.encoding import laid_out
from datakin.learners.estimators import FittedLearner, Prototype, fitted_clone, reason_of
from datakin.learners.learner import Predictor, Rows, held_out_by_refits
from datakin.learners.predictors import ConstantPredictor
from datakin.learners.scaling import filled, medians

OF_MATRICES = ("sklearn", "xgboost", "lightgbm", "catboost", "imblearn")  # libraries


@dataclass(frozen=True)
class Raw:
    """An estimator that takes tables as they are; see `raw`."""

    estimator: Any


def raw(estimator: Any) -> Raw:
    """Mark an estimator of your own as one that takes tables as they are, not encoded.

    Where it is a learner of `choose` or `KinStack`, it gets a pandas data frame with the target's columns
    under their names, to fit and to predict: numbers as floats and categories as texts (dtype object), NaN
    where a value is missing or a source lacks the column. Without `raw` it gets the encoded numbers.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Such as a pipeline that begins with a ColumnTransformer.

    Returns
    -------
    Raw
        What the `learners` parameter takes, in a list or as a value of a mapping.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OrdinalEncoder
    >>> learners = {"mine": raw(make_pipeline(OrdinalEncoder(), HistGradientBoostingClassifier()))}
    """
    return Raw(estimator)


def frame_of(table: Features) -> pd.DataFrame:
    """Return a table as a data frame: floats, and texts with NaN where there is none."""
    table = laid_out(table)
    columns = {}
    for name, values in table.columns():
        levels = table.column(name)[1]
        # The code of a missing category, -1, picks the last.
        shown = values if levels is None else np.array([*levels, np.nan], dtype=object)[values]
        columns[name] = pd.Series(shown, dtype=float if levels is None else object)
    return pd.DataFrame(columns, index=range(table.n_rows))


def asks_for_names(estimator: Any, names: Sequence[str]) -> bool:
    """Return whether an estimator, or one within it, may look at the names of columns.

    Those of libraries that take matrices do not, unless they select columns by name.
    """
    return any(_looks_at(part, set(names)) for part in _within(estimator))


def _within(estimator: Any) -> Iterator[Any]:
    """Yield an estimator and the values of its options, those of estimators within it too."""
    yield estimator
    if hasattr(estimator, "get_params"):
        yield from estimator.get_params(deep=True).values()


def _looks_at(part: Any, names: set[str]) -> bool:
    if isinstance(part, (list, tuple, dict)):
        return any(isinstance(item, str) and item in names for item in part)
    if isinstance(part, type) or not (hasattr(part, "fit") or hasattr(part, "transform")):
        return False
    library = type(part).__module__.partition(".")[0]
    return isinstance(part, ColumnTransformer) or library not in OF_MATRICES


@dataclass(frozen=True, eq=False)
class ForeignPredictor:
    """A fitted scikit-learn estimator, the classes it was trained on, and medians for missing numbers.

    The name is the learner's; that of the estimator's class if empty. The estimator gets a data frame if
    there are names of columns, else a matrix. One that takes tables gets them as they are; medians are of no
    use to it.
    """

    estimator: Any
    present: Array
    n_outputs: int
    kind: str
    medians: Array
    name: str = ""
    columns: tuple[str, ...] = ()
    takes_table: bool = False

    def given(self, X: Any) -> Any:
        """Return what the estimator gets."""
        if self.takes_table:
            return frame_of(X)
        X = filled(X, self.medians)
        return pd.DataFrame(X, columns=list(self.columns)) if self.columns else X

    @property
    def what(self) -> str:
        """A sentence on what the estimator gets."""
        if self.takes_table:
            return (
                f" (It was given a data frame as it is, with the columns {listed(self.columns)}; what is "
                f"missing is NaN.)"
            )
        kind = "data frame" if self.columns else "matrix"
        n = counted(len(self.medians), "column")
        return f" (It was given a {kind} of {n}, all numbers finite: missing ones are medians.)"

    def predict(self, X: Any) -> Array:
        """Return one column per response."""
        n_classes = {"binary": 2, "multiclass": self.n_outputs}.get(self.kind, 0)
        by = FittedLearner(self.estimator, self.present, n_classes)
        X = self.given(X)
        try:
            if n_classes:
                found = by.probabilities(X)[:, 1 if self.kind == "binary" else 0 :]
            else:
                found = by.values(X).reshape(len(X), -1)
            if not np.isfinite(found).all():
                raise ValueError("its predictions are NaN or infinite.")
            return found
        except Exception as error:  # whatever a user's estimator raises
            name = self.name or type(self.estimator).__name__
            raise DatakinError(
                f"The learner {name!r} could not predict {counted(len(X), 'row')}: "
                f"{reason_of(error)}{self.what}"
            ) from error


@dataclass(frozen=True)
class ForeignLearner:
    """A scikit-learn classifier or regressor; missing numbers become medians.

    The seed is used where the estimator's own random_state is None.
    """

    name: str
    estimator: Any
    seed: int = 0
    refits: ClassVar[bool] = True  # each fold is a fit
    takes_table: ClassVar[bool] = False

    def fit(self, rows: Rows, parts: Sequence[Array] = ()) -> tuple[Predictor, Array]:
        """Return the predictor of all rows; there is no penalty to tell about."""
        arguments = {}
        if (rows.weights != rows.weights[0]).any():
            if not has_fit_parameter(self.estimator, "sample_weight"):
                raise DatakinError(
                    f"Rows have weights, and the learner {self.name!r} takes none: its fit has no "
                    f"sample_weight. Leave the weights out, or use another learner."
                )
            arguments = {"sample_weight": rows.weights}
        n_outputs, is_class = rows.Y.shape[1], rows.kind != "regression"
        y, n_classes = (rows.codes, max(n_outputs, 2)) if is_class else (rows.Y[:, 0], 0)
        seed, who = derive_seed(self.seed, self.name), f"The learner {self.name!r}"
        made = self._unfitted(rows)
        given = made.given(rows.table if self.takes_table else rows.X)
        start = perf_counter()
        found = fitted_clone(
            Prototype(self.estimator), given, y, arguments, n_classes, seed, who, made.what
        )
        fitted(self.name, perf_counter() - start, len(rows))
        if found.estimator is None:
            return ConstantPredictor(rows.Y[0].copy()), np.zeros(1)
        return replace(made, estimator=found.estimator, present=found.present), np.zeros(1)

    def _unfitted(self, rows: Rows) -> ForeignPredictor:
        """Return a predictor that knows what to give an estimator, and has none."""
        if self.takes_table:
            columns = () if rows.table is None else rows.table.names
            middles = np.zeros(0)
        else:
            columns = rows.names if asks_for_names(self.estimator, rows.names) else ()
            middles = medians(rows.X)
        made = (rows.Y.shape[1], rows.kind, middles, self.name, columns, self.takes_table)
        return ForeignPredictor(None, np.zeros(0, dtype=int), *made)

    def held_out(
        self, rows: Rows, folds: Array, parts: Sequence[Array] = ()
    ) -> tuple[Array, Array]:
        """Return predictions of the folds, and nothing about penalties."""
        return held_out_by_refits(self, rows, folds)


@dataclass(frozen=True)
class RawLearner(ForeignLearner):
    """An estimator that takes tables as they are."""

    takes_table: ClassVar[bool] = True
