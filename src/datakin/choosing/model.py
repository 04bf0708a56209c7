"""The model that a choice ends with: fitted, ready to predict, and accepted by scikit-learn."""

from __future__ import annotations

from html import escape
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from datakin._core.exceptions import DatakinError, listed, warn
from datakin.choosing.card import ModelCard
from datakin.choosing.labels import codes_of_labels, typed_classes
from datakin.data import Dataset
from datakin.data.features import Array, Features
from datakin.data.new_rows import NewRows, new_labels, read_new_rows
from datakin.data.schema import TableSchema
from datakin.learners.encoding import TableEncoder
from datakin.learners.losses import LOSSES
from datakin.learners.metrics import Metrics, agreeing, class_metrics, number_metrics
from datakin.learners.predictors import KernelPredictor, StackPredictor

CELLS = 1 << 22  # Numbers of one block of rows: 32 MB.
ROWS = 4096  # Rows of a block, at most.


def _there(labels: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return which rows have a label, and how much these count."""
    there = pd.notna(labels)
    if not there.any():
        raise DatakinError("There must be a label in some rows. Got none.")
    return there, (np.ones(len(labels)) if weights is None else np.asarray(weights))[there]


def _wider(outputs: Array) -> Array:
    """Return probabilities with a class that is never predicted: those that a model does not know."""
    return np.hstack([outputs, np.zeros((len(outputs), 1))])


def _has_classes(self: KinModel) -> bool:
    return bool(self.stack.classes)


class KinModel(BaseEstimator):
    """A fitted model: a weighted mean of what was learned from the target and its sources.

    It takes tables as they are: a path, a data frame, an array or a Dataset, with text, dates and missing
    values. It is fitted already; to learn again, call `choose` again.

    Parameters
    ----------
    schema : TableSchema
        The columns it uses, and how the target's table was read.
    encoder : TableEncoder
        From columns to one matrix.
    stack : StackPredictor
    card : ModelCard
        What it was learned from, and the error that it should have.
    label_type : {"text", "int", "float", "bool"}
        As what `predict` returns classes.

    Attributes
    ----------
    classes_ : ndarray
        The classes, for classes only.
    feature_names_in_ : ndarray
        The columns it uses.
    n_features_in_ : int
    """

    def __init__(
        self,
        schema: TableSchema,
        encoder: TableEncoder,
        stack: StackPredictor,
        card: ModelCard,
        *,
        label_type: str = "text",
    ) -> None:
        self.schema = schema
        self.encoder = encoder
        self.stack = stack
        self.card = card
        self.label_type = label_type
        self._check()
        self.feature_names_in_ = np.array(schema.names, dtype=object)
        self.n_features_in_ = len(schema.names)
        if stack.classes:
            self.classes_ = typed_classes(stack.classes, label_type)

    def _check(self) -> None:
        """Refuse parts that do not fit each other."""
        kinds = {column.name: column.kind == "category" for column in self.schema.columns}
        used = dict.fromkeys(self.encoder.numeric_names, False)
        used |= dict.fromkeys(self.encoder.category_names, True)
        if used != kinds:
            raise DatakinError(
                "The schema of a model must have the columns of its encoder, no others."
            )
        weights = [weight for _, _, weight, _ in self.stack.parts]
        if not weights or min(weights) < 0 or abs(sum(weights) - 1) > 1e-6:
            raise DatakinError(
                f"The weights of a model must not be negative, and sum to 1. Got {sum(weights):g}."
            )
        card = self.card
        if card.classes != self.stack.classes or card.task != self.stack.kind:
            raise DatakinError("The card of a model must name its task and classes.")
        if card.label != self.schema.label:
            raise DatakinError("The card of a model must name its label.")

    # Predicting.

    def predict(self, X: Any) -> Array:
        """Return a class for each row, or a number.

        Parameters
        ----------
        X : path, data frame, array or Dataset
            With all columns of the model, in any order; others are ignored, and named in a warning. An
            array has the columns of the model in their order.
        """
        outputs = self.outputs_of(self._read(X).features)
        if not self.stack.classes:
            return outputs[:, 0]
        return np.asarray(self.classes_[self.codes_of(outputs)])

    @available_if(_has_classes)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return one column of probabilities per class of ``classes_``."""
        return self.outputs_of(self._read(X).features)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R squared for numbers, as scikit-learn's estimators do."""
        labels = new_labels(y, self.schema, classes=bool(self.stack.classes))
        outputs = self.outputs_of(self._read(X).features)
        if not self.stack.classes:
            return float(r2_score(labels, outputs[:, 0], sample_weight=sample_weight))
        names = np.array(self.stack.classes)[self.codes_of(outputs)]
        spelled = np.array([str(label) for label in labels])
        return float(accuracy_score(spelled, names, sample_weight=sample_weight))

    def error_on(self, rows: Any) -> float:
        """Return the mean loss on labelled rows, in the loss of the card.

        Parameters
        ----------
        rows : Dataset, path or data frame with the label column, or pair (X, y)
        """
        return self.error_of(*self._labelled(rows))

    def metrics_on(self, rows: Any) -> Metrics:
        """Return AUC, calibration, accuracy, or RMSE and R squared, on labelled rows.

        Their 90% intervals tell of the rows alone: the model is taken as it is. Rows of a class that the
        model does not know count as wrong, and leave AUC and calibration out.

        Parameters
        ----------
        rows : Dataset, path or data frame with the label column, or pair (X, y)
        """
        groups = rows.groups if isinstance(rows, Dataset) else None
        return self.metrics_of(*self._labelled(rows), groups)

    def _labelled(self, rows: Any) -> tuple[Array, Array, Array | None]:
        """Return outputs, labels and weights of labelled rows."""
        has_classes = bool(self.stack.classes)
        is_pair = isinstance(rows, tuple) and len(rows) == 2
        read = self._read(rows[0]) if is_pair else self._read(rows, classes=has_classes)
        labels = new_labels(rows[1], self.schema, classes=has_classes) if is_pair else read.labels
        if labels is None or len(labels) != read.features.n_rows:
            raise DatakinError(
                f"There must be a label for every row: a column {self.schema.label!r}, or a pair (X, y)."
            )
        weights = rows.weights if isinstance(rows, Dataset) else None
        return self.outputs_of(read.features), labels, weights

    # For those who have read the rows.

    def outputs_of(self, features: Features) -> Array:
        """Return probabilities of the classes, one column each, or a column of numbers."""
        stack = self.stack
        predict = stack.probabilities if stack.classes else stack.outputs
        outputs = np.empty((features.n_rows, len(stack.classes) or 1))
        # In blocks, so that a long table needs no more memory than a short one.
        kernels = [p for _, _, _, p in stack.parts if isinstance(p, KernelPredictor)]
        widest = max([len(self.encoder.names), 1, *(len(p.centers) for p in kernels)])
        size = max(1, min(ROWS, CELLS // widest))
        for start in range(0, features.n_rows, size):
            at = np.arange(start, min(start + size, features.n_rows))
            table = self.encoder.table(features.take(at))
            outputs[at] = predict(self.encoder.apply(table), table)
        return outputs

    def codes_of(self, outputs: Array) -> Array:
        """Return positions in the classes, by the rule of the card's loss."""
        return self.stack.decide(outputs)

    def error_of(self, outputs: Array, labels: Array, weights: Array | None = None) -> float:
        """Return the mean loss of `outputs_of` some rows; those without a label are left out."""
        loss = LOSSES.get(self.card.loss)
        if loss is None:
            raise DatakinError(
                f"The error is known for the losses {listed(LOSSES, limit=9)}. The model was judged by "
                f"{self.card.loss!r}."
            )
        there, counts = _there(labels, weights)
        outputs, y = outputs[there], codes_of_labels(labels[there], self.stack.classes)
        if not self.stack.classes:
            predicted = outputs[:, 0]
        else:
            predicted = self.codes_of(outputs) if loss.needs == "label" else _wider(outputs)
        rows = loss.rows(y, predicted)
        if not loss.balanced:
            return float(np.average(rows, weights=counts))
        parts = [y == code for code in np.unique(y) if counts[y == code].any()]
        return float(np.mean([np.average(rows[at], weights=counts[at]) for at in parts]))

    def metrics_of(
        self,
        outputs: Array,
        labels: Array,
        weights: Array | None = None,
        groups: Array | None = None,
    ) -> Metrics:
        """Return the metrics of `outputs_of` some rows; those without a label are left out."""
        there, counts = _there(labels, weights)
        classes, of = self.stack.classes, "the model"
        p, y = outputs[there], codes_of_labels(labels[there], classes)
        groups = None if groups is None else groups[there]
        if not classes:
            metrics = number_metrics(of, [p[:, 0]], y, counts, groups=groups)
        else:
            is_known = bool((y < len(classes)).all())
            metrics = class_metrics(
                of,
                [p if is_known else _wider(p)],
                [self.codes_of(p)],
                y,
                counts,
                classes=classes,
                groups=groups,
                is_known=is_known,
            )
        if self.card.loss not in LOSSES:
            return metrics
        return agreeing(metrics, self.card.loss, self.error_of(outputs, labels, weights))

    def announce(self, read: NewRows) -> None:
        """Warn of what was read otherwise than expected, and of values that the model does not know."""
        for note in (*read.notes, *self._unknown(read.features)):
            warn(note)

    def _read(self, X: Any, **options: Any) -> NewRows:
        read = read_new_rows(X, self.schema, **options)
        self.announce(read)
        return read

    def _unknown(self, features: Features) -> list[str]:
        said = []
        for name, kept in zip(self.encoder.category_names, self.encoder.levels, strict=True):
            j = features.category_names.index(name)
            new = [i for i, level in enumerate(features.levels[j]) if level not in kept]
            n_rows = int(np.isin(features.codes[:, j], new).sum()) if kept else 0
            if n_rows:
                words = listed([features.levels[j][i] for i in new], limit=3)
                said.append(f"{name!r} in {n_rows} of {features.n_rows} rows ({words})")
        if not said:
            return []
        more = f"; and {len(said) - 3} more columns" if len(said) > 3 else ""
        return [
            f"values that were rare or absent when the model was learned, which it treats alike: "
            f"{'; '.join(said[:3])}{more}"
        ]

    # What scikit-learn expects.

    def fit(self, X: Any, y: Any = None, **options: Any) -> NoReturn:
        """Refuse: the model is fitted, from more than one table."""
        raise DatakinError(
            "A KinModel is fitted already, from a target and its sources. To learn again call "
            "datakin.choose again; to keep it as it is inside scikit-learn, wrap it: "
            "sklearn.frozen.FrozenEstimator(model)."
        )

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> KinModel:
        return self  # there is nothing to fit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = self._estimator_type
        tags.target_tags.required = False
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        if self.stack.classes:
            tags.classifier_tags = ClassifierTags(multi_class=len(self.stack.classes) > 2)
        else:
            tags.regressor_tags = RegressorTags()
        return tags

    @property
    def _estimator_type(self) -> str:
        return "classifier" if self.stack.classes else "regressor"

    def save(self, path: Any, *, overwrite: bool = False) -> None:
        """Write the model to a file, which `datakin.load_model` reads."""
        from datakin.choosing.model_file import save_model  # which needs models first

        save_model(self, path, overwrite=overwrite)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return (
            f"KinModel({self.stack.kind}, {self.n_features_in_} columns, {len(self.stack.parts)} parts, "
            f"error {self.card.says})"
        )

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": f"<pre>{escape(str(self.card))}</pre>"}
