"""A choice held against later rows: those that it was learned from tell nothing, and are left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.addresses import told
from datakin._core.exceptions import DatakinError, warn
from datakin.choosing.labels import codes_of_labels
from datakin.choosing.model_file import load_model
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.data.new_rows import read_new_rows
from datakin.data.pairing import shared_rows
from datakin.data.schema import TableSchema
from datakin.results.choice import Choice


def check_test(table: Any, target: Dataset, add_to: Any = None) -> None:
    """Refuse a table on which a choice could not be tested, before the choice is made.

    Parameters
    ----------
    table : path
    target : Dataset
        What the choice is made for.
    add_to : path, optional
        A saved model, whose columns are used then.
    """
    columns = None if add_to is None else load_model(add_to).schema.names
    later = _read(table, TableSchema.of(target, columns), target.classes)[0]
    _fresh(table, later, [target])


def tell_test(choice: Choice, table: Any, learned: Sequence[Dataset]) -> str:
    """Say whether the error on later rows is the one that was expected.

    Parameters
    ----------
    choice : Choice
    table : path
        Rows with their labels.
    learned : sequence of Dataset
        What the choice was made from. Rows that stand there too are left out, and counted.
    """
    later, notes = _read(table, choice.model.schema, choice.model.stack.classes)
    for note in notes:
        warn(note)
    used = [dataset for dataset in learned if dataset.name in (choice.target, *choice.used)]
    is_fresh = _fresh(table, later, used)
    n_known = int((~is_fresh).sum())
    verdict = choice.tested_on(later.take(np.flatnonzero(is_fresh)))
    if not n_known:
        return verdict
    were, they = ("was", "it is") if n_known == 1 else ("were", "they are")
    return (
        f"{n_known:,} of {later.n_rows:,} rows of {_called(table)} {were} also learned from; {they} left "
        f"out.\n{verdict}"
    )


def _read(
    table: Any, schema: TableSchema, classes: tuple[str, ...]
) -> tuple[Dataset, tuple[str, ...]]:
    """Return the labelled rows of a table, and what is said of reading it."""
    read = read_new_rows(table, schema, classes=bool(classes))
    if read.labels is None:
        why = [note for note in read.notes if note.startswith("the label was not read")]
        reason = f"It cannot be used: {why[0]}" if why else "It has no such column."
        raise DatakinError(f"The table to test on must have the label {schema.label!r}. {reason}")
    there = pd.notna(read.labels)
    if not there.any():
        raise DatakinError(
            f"The table to test on must have a label in some rows. Got none in {schema.label!r}."
        )
    labels = read.labels[there]
    if classes:
        classes = (*classes, *sorted({str(label) for label in labels} - {*classes}))
    features = read.features.take(np.flatnonzero(there))
    y = codes_of_labels(labels, classes)
    return Dataset("later", features, y, classes, label=schema.label), read.notes


def _fresh(table: Any, later: Dataset, learned: Sequence[Dataset]) -> Array:
    """Return which rows stand in none of the datasets; refuse a table in which there are none."""
    known = np.zeros(later.n_rows, dtype=bool)
    for dataset in learned:
        columns = tuple(sorted({*later.columns} & {*dataset.columns}))
        (shared, _), by_chance = shared_rows(later, dataset, columns)
        if not by_chance:
            known |= shared
    if known.all():
        raise DatakinError(
            f"The table to test on must have rows that were not learned from. All {later.n_rows:,} rows "
            f"of {_called(table)} were; give later ones."
        )
    return ~known


def _called(table: Any) -> str:
    return told(os.fspath(table)) if isinstance(table, (str, os.PathLike)) else "the table"
