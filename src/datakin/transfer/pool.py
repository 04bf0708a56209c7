"""What estimators that learn from sources share: one checked pool of rows, and scikit-learn's ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags, get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from datakin._core.exceptions import DatakinError, listed, warn
from datakin.data import Dataset
from datakin.data.features import Array

EXPECTED = "The 'sources' parameter must be a list of pairs (X, y), or a mapping of name to pair."
HINT = "for one source write sources=[(X, y)]"


@dataclass(frozen=True, eq=False)
class Pool:
    """The rows of the target, then those of every source.

    y holds codes of `classes` (all labels, sorted) or, where these are None, numbers. The origin of a
    row is 0 for the target and j for the j-th source; messages call the sources by `names`.
    """

    X: Any
    y: Array
    origin: Array
    classes: Array | None
    names: tuple[str, ...] = ()

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 for regression."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def n_target(self) -> int:
        """Number of target rows: they come first."""
        return int(np.count_nonzero(self.origin == 0))

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return len(self.names)

    def rows(self, *origins: int) -> Array:
        """Return the positions of the rows of some of the datasets (0 is the target)."""
        return np.flatnonzero(np.isin(self.origin, origins))


def make_pool(
    X: Any, y: Array, sources: Any, *, is_class: bool, columns: Array | None = None, **options: Any
) -> Pool:
    """Check the sources, as users pass them, against the validated target, and stack all rows.

    Columns are the target's column names, if it has any; options are those of scikit-learn's ``check_X_y``.
    """
    pairs = _pairs(sources)
    Xs, ys = [X], [y]
    for name, pair in pairs.items():
        Xj, yj = _check_source(name, pair, X.shape[1], columns, y_numeric=not is_class, **options)
        Xs.append(Xj)
        ys.append(yj)
    classes = None
    if is_class:
        classes = _all_classes(ys, list(pairs))
        stacked = np.searchsorted(classes, np.concatenate(ys))
    else:
        try:
            stacked = np.concatenate([np.asarray(part, dtype=float) for part in ys])
        except ValueError:
            raise DatakinError(
                "Regression needs numbers as labels, of the target and of every source. Got text; for "
                "classes use a classifier."
            ) from None
    any_sparse = any(sparse.issparse(part) for part in Xs)
    whole = sparse.vstack(Xs, format="csr") if any_sparse else np.vstack(Xs)
    origin = np.repeat(np.arange(len(ys)), [len(part) for part in ys])
    return Pool(whole, stacked, origin, classes, tuple(pairs))


def _pairs(sources: Any) -> dict[str, Any]:
    if sources is None:
        return {}
    if isinstance(sources, Mapping):
        return {str(name): pair for name, pair in sources.items()}
    if not isinstance(sources, (list, tuple)):
        raise DatakinError(f"{EXPECTED} Got {_kind(sources)}; {HINT}.")
    return {f"source {j}": pair for j, pair in enumerate(sources, start=1)}


def _kind(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None and isinstance(value, (list, tuple)):
        shape = (len(value),)
    return type(value).__name__ + (f" of shape {tuple(shape)}" if shape is not None else "")


def _check_source(
    name: str, pair: Any, n_columns: int, columns: Array | None, **options: Any
) -> tuple[Any, Array]:
    if isinstance(pair, Dataset):
        raise DatakinError(
            f"A source must be a pair (X, y) of numbers and labels, as the target is. {name} is "
            f"{pair!r}, whose columns are not encoded yet; datakin.transfer_gain takes Datasets."
        )
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise DatakinError(f"{EXPECTED} Got {_kind(pair)} as {name}; {HINT}.")
    X, y = pair
    own = getattr(X, "columns", None)
    if columns is not None and own is not None:
        missing = [c for c in columns if c not in set(own)]
        further = [c for c in own if c not in set(columns)]
        if missing or further:
            parts = [f"lacks {listed(missing)}"] if missing else []
            parts += [f"has {listed(further)} besides"] if further else []
            raise DatakinError(
                f"All sources must have the columns of the target. {name} {' and '.join(parts)}."
            )
        X = X[list(columns)]  # columns are matched by name, in any order
    try:
        X, y = check_X_y(X, y, **options)
    except ValueError as error:
        raise DatakinError(f"{name}: {error}") from None
    if X.shape[1] != n_columns:
        raise DatakinError(
            f"All sources must have the columns of the target. "
            f"{name} has {X.shape[1]}, the target {n_columns}."
        )
    return X, y


def _all_classes(labels: list[Array], names: list[str]) -> Array:
    """Return all labels; refuse labels coded differently, warn of classes that some dataset lacks."""
    ours = set(np.unique(labels[0]).tolist())
    if len(ours) < 2:
        raise DatakinError(
            f"The target must have rows of at least two classes. Got 1 class, {labels[0][0]!r}, in "
            f"{len(labels[0])} row(s)."
        )
    notes = []
    for name, part in zip(names, labels[1:], strict=True):
        theirs = set(np.unique(part).tolist())
        if not ours & theirs or _coded_otherwise(ours, theirs):
            raise DatakinError(
                f"Target and sources must use the same class labels. The target has "
                f"{listed(sorted(ours))}, {name} has {listed(sorted(theirs))}; recode one of them."
            )
        if ours - theirs:
            notes.append(f"{name} lacks {listed(sorted(ours - theirs))}")
        if theirs - ours:
            notes.append(f"the target lacks {listed(sorted(theirs - ours))} of {name}")
    if notes:
        warn(
            f"Classes differ between target and sources: {'; '.join(notes)}. "
            f"All classes can be predicted."
        )
    return np.unique(np.concatenate(labels))


def _coded_otherwise(ours: set[Any], theirs: set[Any]) -> bool:
    """Whether two pairs of numbers share one by accident: 0 and 1 here, 1 and 2 (or -1 and 1) there."""
    both = ours | theirs
    numbers = all(isinstance(label, (int, float)) for label in both)
    return numbers and len(ours) == len(theirs) == 2 and len(both) == 3


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
