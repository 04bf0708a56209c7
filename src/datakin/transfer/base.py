"""What estimators that learn from sources share: inputs, tags and the score of scikit-learn."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags, get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from datakin._core.exceptions import DatakinError
from datakin.transfer.pool import Pool, make_pool

__all__ = ["SourcesEstimator"]


class SourcesEstimator(BaseEstimator):
    """Base of the estimators with ``fit(X, y, *, sources=())``.

    A subclass defines `fit` and `predict`, whether it is a classifier now (``_is_class``) and the
    tags of what it fits (``_inner_tags``), which decide the inputs that it takes.
    """

    _for_numbers: ClassVar[str]  # how a classifier is told to predict numbers

    def _is_class(self) -> bool:
        raise NotImplementedError

    def _inner_tags(self) -> Any:
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        """Return class labels, or numbers."""
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R squared for regression."""
        measure = accuracy_score if self._is_class() else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self._inner_tags()
        tags.target_tags.required = True
        tags.classifier_tags = tags.regressor_tags = None
        if self._is_class():
            tags.estimator_type = "classifier"
            like = inner.classifier_tags or ClassifierTags()
            tags.classifier_tags = ClassifierTags(like.poor_score, like.multi_class)
        else:
            tags.estimator_type = "regressor"
            poor = (inner.regressor_tags or RegressorTags()).poor_score
            tags.regressor_tags = RegressorTags(poor)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _make_pool(self, X: Any, y: Any, sources: Any) -> Pool:
        """Check target and sources, and stack their rows."""
        is_class = self._is_class()
        X, y = self._validated(X, y, y_numeric=not is_class)
        kind = type_of_target(y)
        if is_class and kind not in ("binary", "multiclass"):
            raise DatakinError(
                f"Unknown label type: {kind}. {type(self).__name__} is a classifier here and needs "
                f"class labels; for numbers {self._for_numbers}."
            )
        columns = getattr(self, "feature_names_in_", None)
        options = self._input_options()
        return make_pool(X, y, sources, is_class=is_class, columns=columns, **options)

    def _new_rows(self, X: Any) -> Any:
        """Check rows to predict: they must have the columns of `fit`."""
        check_is_fitted(self)
        return self._validated(X, reset=False)

    def _validated(self, *arrays: Any, **options: Any) -> Any:
        try:
            return validate_data(self, *arrays, **options, **self._input_options())
        except ValueError as error:
            raise DatakinError(str(error)) from None

    def _input_options(self) -> dict[str, Any]:
        tags = get_tags(self).input_tags
        return {
            "accept_sparse": "csr" if tags.sparse else False,
            "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        }
