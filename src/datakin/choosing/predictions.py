"""Predictions of a table, with the error on it if its labels are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.choosing.labels import codes_of_labels
from datakin.choosing.model import KinModel
from datakin.data.dataset import Dataset
from datakin.data.features import Array, Features
from datakin.data.new_rows import NewRows, read_new_rows
from datakin.learners.metrics import Metrics
from datakin.results.metrics_table import metrics_line
from datakin.results.record import Record, plain, table
from datakin.results.words import amount, error_word, interval_amount, short

SHOWN = 20  # Rows of the text.
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})")


@dataclass(frozen=True, eq=False)
class Predictions(Record):
    """What a model predicts for the rows of a table, in their order.

    Parameters
    ----------
    label : str
    classes : tuple of str
        Empty for numbers.
    values : tuple
        A class or a number for each row.
    probabilities : ndarray
        A column for each class; no column for numbers.
    kept : dict of str to tuple
        Columns of the table that were carried along.
    closing : str
        The error to expect, and that on these rows if the table has labels; how classes are decided.
    metrics : Metrics or None
        On these rows, if the table has labels.
    likely : tuple
        The most likely class of each row, where another rule decides what is predicted.
    """

    label: str
    classes: tuple[str, ...]
    values: tuple[Any, ...]
    probabilities: Array
    kept: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    closing: str = ""
    metrics: Metrics | None = None
    likely: tuple[Any, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row per row of the table: what was kept, the prediction, probabilities."""
        columns: dict[str, Any] = {name: list(held) for name, held in self.kept.items()}
        if not columns:  # rows are told apart all the same
            columns["row"] = range(1, len(self.values) + 1)
        columns["prediction"] = list(self.values)
        if self.likely:
            columns["most_likely"] = list(self.likely)
        for j, name in enumerate(self.classes):
            columns[f"p_{name}"] = self.probabilities[:, j]
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"Predictions({len(self.values)} rows of {self.label!r})"

    is_text = True

    def __str__(self) -> str:
        lines = [table(self.frame.head(SHOWN))]
        more = len(self.values) - SHOWN
        lines += [f"... and {more:,} more rows (all of them: --out)"] if more > 0 else []
        said = [self.closing] if self.closing else []
        said += [metrics_line(self.metrics)] if self.metrics is not None else []
        return "\n".join(lines + (["", *said] if said else []))


def predict_table(
    model: KinModel, source: Any, *, keep: Sequence[str] = (), **options: Any
) -> Predictions:
    """Predict the rows of a table.

    Parameters
    ----------
    model : KinModel
    source : path, data frame or Dataset
    keep : sequence of str
        Columns to carry along, such as ids; "all" for every column.
    **options
        Of `read_new_rows`.
    """
    classes, shares = model.stack.classes, model.stack.shares
    read = read_new_rows(source, model.schema, classes=bool(classes), keep=keep, **options)
    made = ["prediction", *(f"p_{name}" for name in classes)]
    made += ["most_likely"] if len(shares) else []
    kept = read.kept or {}
    if both := [name for name in kept if name in made]:
        raise DatakinError(
            f"A kept column must not have the name of a new one. Got {listed(both)}; rename it in the "
            f"table."
        )
    model.announce(read)
    outputs = model.outputs_of(read.features)
    labels = read.labels
    there = np.zeros(len(outputs), dtype=bool) if labels is None else pd.notna(labels)
    names = _numbered(classes)
    return Predictions(
        label=model.schema.label,
        classes=classes,
        values=tuple(
            [names[k] for k in model.codes_of(outputs)] if classes else outputs[:, 0].tolist()
        ),
        probabilities=outputs if classes else np.zeros((len(outputs), 0)),
        kept={name: tuple(values.tolist()) for name, values in kept.items()},
        closing="\n".join([_errors(model, outputs, read, there), *_rule(model)]),
        metrics=None if labels is None or not there.any() else model.metrics_of(outputs, labels),
        likely=tuple(names[k] for k in np.argmax(outputs, axis=1)) if len(shares) else (),
    )


def _numbered(classes: Sequence[str]) -> list[Any]:
    """Return class names; as whole numbers if all of them are such."""
    is_whole = all(WHOLE.fullmatch(name) for name in classes)
    return [int(name) if is_whole else name for name in classes]


def _errors(model: KinModel, outputs: Array, read: NewRows, there: Array) -> str:
    """Say what error to expect; with labels, beside the error on these rows."""
    card, labels, n_rows = model.card, read.labels, int(there.sum())
    expected = (
        f"{error_word(card.loss)}: {amount(card.loss, card.error)} "
        f"({card.level:.0%} interval {interval_amount(card.loss, *card.interval)})"
    )
    if labels is None or not n_rows:
        return f"Expected {expected} on rows like those of {short(card.target)}."
    try:
        error = amount(card.loss, model.error_of(outputs, labels))
    except DatakinError as problem:
        return str(problem)
    which = "" if n_rows == len(labels) else f" of {len(labels):,} that have a label"
    lines = [f"Error on these {n_rows:,} rows{which}: {error}. Expected {expected}."]
    lines += _unknown(model, labels[there])
    if n_rows == card.n_rows and _are_learned(model, read.features, labels, there):
        lines.append(
            f"The model was learned from these very rows ({plain(card.target)}): the error on them "
            f"is too low."
        )
    return "\n".join(lines)


def _rule(model: KinModel) -> list[str]:
    """Say from which probability on a class is predicted, where that is not the most likely one."""
    shares, classes = model.stack.shares, model.stack.classes
    if not len(shares):
        return ["Predicted is the most likely class."] if classes else []
    if len(classes) == 2:
        return [
            f"Predicted is {plain(classes[1])} from a probability of {shares[1]:.1%} on, its share in the "
            f"target: both classes count the same."
        ]
    return [
        "Predicted is the class that is most likely for its share in the target: every class counts the "
        "same. The most likely class may be another; see the probabilities."
    ]


def _unknown(model: KinModel, labels: Array) -> list[str]:
    """Say how many rows are of classes that the model does not know: it is wrong on all of them."""
    classes = model.stack.classes
    unknown = [label for label in labels if label not in classes] if classes else []
    if not unknown:
        return []
    are = "is of a class" if len(unknown) == 1 else "are of classes"
    names = listed(map(plain, dict.fromkeys(unknown)))
    return [
        f"{len(unknown):,} of them {are} that the model does not know ({names}; it knows "
        f"{listed(map(plain, classes))}): they count as wrong."
    ]


def _are_learned(model: KinModel, features: Features, labels: Array, there: Array) -> bool:
    """Return whether the rows with a label are the target that the model was learned from."""
    classes = model.stack.classes
    y = codes_of_labels(labels[there], classes)
    if classes and y.max() == len(classes):  # There is a class that the model does not know.
        return False
    rows = features.take(np.flatnonzero(there))
    return Dataset("", rows, y, classes).fingerprint == model.card.fingerprint
