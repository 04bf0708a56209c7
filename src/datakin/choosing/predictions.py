"""Predictions of a table, with the error on it if its labels are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.choosing.model import KinModel
from datakin.data.dataset import fingerprint_of, hash_labels
from datakin.data.features import Array, Features
from datakin.data.new_rows import NewRows, read_new_rows
from datakin.learners.metrics import Metrics
from datakin.results.metrics_table import metrics_line
from datakin.results.record import Record, plain, table
from datakin.results.words import amount, error_word, interval_amount, short

__all__ = ["Predictions", "predict_table"]

SHOWN = 20  # rows of the text
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
        shown = self.frame.head(SHOWN + 1)
        lines = [table(shown.head(SHOWN))]
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
    classes = model.stack.classes
    read = read_new_rows(source, model.schema, classes=bool(classes), keep=keep, **options)
    made = ["prediction", *(f"p_{name}" for name in classes)]
    made += ["most_likely"] if len(model.stack.shares) else []
    if both := [name for name in read.kept or {} if name in made]:
        raise DatakinError(
            f"A kept column must not have the name of a new one. Got {listed(both)}; rename it in the "
            f"table."
        )
    model.announce(read)
    outputs = model.outputs_of(read.features)
    names = numbered(classes)
    values = [names[k] for k in model.codes_of(outputs)] if classes else outputs[:, 0].tolist()
    return Predictions(
        model.schema.label,
        classes,
        tuple(values),
        outputs if classes else np.zeros((len(outputs), 0)),
        {name: tuple(held.tolist()) for name, held in (read.kept or {}).items()},
        "\n".join([_error_line(model, outputs, read), *_rule(model)]),
        _metrics(model, outputs, read.labels),
        _likely(model, outputs) if len(model.stack.shares) else (),
    )


def _likely(model: KinModel, outputs: Array) -> tuple[Any, ...]:
    """Return the most likely class of each row, which need not be the one that is predicted."""
    names = numbered(model.stack.classes)
    return tuple(names[code] for code in np.argmax(outputs, axis=1))


def numbered(classes: Sequence[str]) -> list[Any]:
    """Return class names; as whole numbers if all of them are such."""
    if all(WHOLE.fullmatch(name) for name in classes):
        return [int(name) for name in classes]
    return list(classes)


def _error_line(model: KinModel, outputs: Array, read: NewRows) -> str:
    """Say what error to expect; with labels, beside the error on these rows."""
    found = "" if read.labels is None else _closing(model, outputs, read)
    if found:
        return found
    return f"Expected {_expected(model)} on rows like those of {short(model.card.target)}."


def _expected(model: KinModel) -> str:
    card = model.card
    reach = f"{card.level:.0%} interval {interval_amount(card.loss, *card.interval)}"
    return f"{error_word(card.loss)}: {amount(card.loss, card.error)} ({reach})"


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


def _metrics(model: KinModel, outputs: Array, labels: Array | None) -> Metrics | None:
    """Return the metrics on rows with a label; None if no row has one."""
    if labels is None or not any(label is not None and label == label for label in labels):
        return None
    return model.metrics_of(outputs, labels)


def _closing(model: KinModel, outputs: Array, read: NewRows) -> str:
    """Say the error on these rows beside that of the card; nothing where no row has a label."""
    labels = read.labels
    assert labels is not None
    there = np.array([label is not None and label == label for label in labels], dtype=bool)
    n_rows = int(there.sum())
    if not n_rows:
        return ""
    try:
        error = model.error_of(outputs, labels)
    except DatakinError as problem:
        return str(problem)
    unit = "" if n_rows == len(labels) else f" of {len(labels):,} that have a label"
    said = [
        f"Error on these {n_rows:,} rows{unit}: {amount(model.card.loss, error)}. Expected "
        f"{_expected(model)}.",
        *_unknown(model, labels[there]),
    ]
    if n_rows == model.card.n_rows and _are_learned(model, read.features, labels, there):
        said.append(
            f"The model was learned from these very rows ({plain(model.card.target)}): the error on them "
            f"is too low."
        )
    return "\n".join(said)


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
    rows, classes = np.flatnonzero(there), model.stack.classes
    place = {name: code for code, name in enumerate(classes)}
    if classes and not place.keys() >= set(labels[rows]):
        return False
    y = np.array([place[v] for v in labels[rows]]) if classes else labels[rows].astype(float)
    found = fingerprint_of(features.take(rows), hash_labels(y, classes))
    return found == model.card.fingerprint
