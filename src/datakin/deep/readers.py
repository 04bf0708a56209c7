"""Readers of rows for encoders: arrays and texts in memory, and tables with a column of texts.

Folders of images have a file of their own, `images`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from datakin._core.checks import check_choice
from datakin._core.exceptions import DatakinError, listed
from datakin.data import Dataset
from datakin.data.columns.labels import canonical_label
from datakin.data.dataset import TASKS
from datakin.data.drafts import Draft, make_datasets
from datakin.data.features import Array, Features
from datakin.data.files.opening import open_table, stem
from datakin.data.inputs import Kind
from datakin.data.origin import Origin
from datakin.deep.items import ArrayContents, Contents, Items, TextContents

__all__ = ["ITEMS", "as_items", "check_task", "make_items", "read_texts"]


def as_items(
    X: Any,
    y: Any,
    *,
    name: str | None = None,
    task: str = "auto",
    group: Any = None,
    classes: Mapping[Any, Any] | None = None,
) -> Dataset:
    """Make a dataset for encoders from an array of any shape, or from texts.

    Unlike `datakin.as_dataset`, nothing is dropped or reordered: an encoder may need every pixel.

    Parameters
    ----------
    X : array of shape (n, ...), or list of str
    y : array of length n
    name : str, optional
    task : {"auto", "binary", "multiclass", "regression"}
    group : array of length n, optional
        Rows with equal values stay on one side of a split.
    classes : mapping, optional
        Label -> class, for datasets that use different names for the same classes.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import numpy as np
    >>> as_items(np.zeros((30, 1, 8, 8)), np.arange(30) % 2, name="blank")
    Dataset('blank': 30 rows x 1 columns, binary (0, 1))
    """
    return make_items(_contents(X), y, name=name or "", task=task, group=group, classes=classes)


ITEMS = Kind(
    as_items,
    "read images with datakin.deep.read_images(folder), texts with read_texts, tables with "
    "datakin.read_table",
)


def _contents(X: Any) -> Contents:
    try:
        values = np.asarray(X.to_list() if hasattr(X, "to_list") else X)
    except ValueError:  # numpy raises it for rows of different shapes
        shapes = sorted({np.shape(row) for row in X})
        raise DatakinError(
            f"All rows must have the same shape. Got {listed(shapes)}; bring them to one size and "
            f"one number of channels."
        ) from None
    if values.dtype.kind in "OUST" and all(isinstance(v, str) for v in values.ravel()):
        if values.ndim != 1:
            raise DatakinError(f"Texts must be one column. Got an array of shape {values.shape}.")
        return TextContents(values.astype(object))
    if values.dtype.kind not in "iufb":
        raise DatakinError(
            f"X must be an array of numbers or a list of texts. Got values of type {values.dtype}."
        )
    if values.ndim < 2:
        raise DatakinError(f"X must have rows of numbers. Got an array of shape {values.shape}.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise DatakinError(
            f"X must hold finite numbers. Got {int((~np.isfinite(values)).sum())} NaN or infinite."
        )
    return ArrayContents(values)


def read_texts(
    source: Any,
    *,
    text: str,
    label: str,
    group: str | None = None,
    name: str | None = None,
    task: str = "auto",
    classes: Mapping[Any, Any] | None = None,
) -> Dataset:
    """Read a table with a column of texts, for an encoder of texts.

    Parameters
    ----------
    source : path or data frame
        As in `datakin.read_table`.
    text, label : str
        The column of texts, and the column to predict.
    group : str, optional
        Column whose equal values stay on one side of a split.
    name : str, optional
        The file's name by default.
    task : {"auto", "binary", "multiclass", "regression"}
        "auto": numbers with more than ten values, or with fractions and more than two values, are
        a quantity; everything else is a class.
    classes : mapping, optional
        As in `as_items`.

    Returns
    -------
    Dataset
    """
    check_task(task, classes)
    if name is None and isinstance(source, (str, os.PathLike)):
        name = stem(source)
    frame = open_table(source).frame
    for column in (text, label, *([group] if group else [])):
        if column not in frame.columns:
            raise DatakinError(
                f"The column {column!r} must be one of the columns: {listed(frame.columns, limit=12)}."
            )
    texts = frame[text].to_list()
    missing = sum(not isinstance(value, str) for value in texts)
    if missing:
        raise DatakinError(
            f"The column {text!r} must hold texts. {missing} of {len(texts)} rows hold none."
        )
    return make_items(
        TextContents(np.array(texts, dtype=object)),
        frame[label].to_list(),
        name=name or "",
        task=task,
        group=None if group is None else frame[group].to_list(),
        label=label,
        classes=classes,
    )


def make_items(
    contents: Contents,
    labels: Any,
    *,
    name: str,
    task: str = "auto",
    group: Any = None,
    label: str = "label",
    classes: Mapping[Any, Any] | None = None,
) -> Dataset:
    """Check labels and groups as for a table, and return a dataset that holds the contents."""
    y = np.asarray(labels, dtype=object if isinstance(labels, (list, tuple)) else None)
    if y.ndim != 1 or len(y) != len(contents):
        raise DatakinError(
            f"There must be one label per row. Got {len(contents)} rows and labels of shape {y.shape}."
        )
    if y.dtype.kind in "iufb":
        y = y.astype(float)
    groups = None if group is None else np.asarray(group, dtype=object)
    if groups is not None and groups.shape != y.shape:
        raise DatakinError(
            f"group must have one value per row. Got {len(groups)} for {len(y)} rows."
        )
    if classes is not None:
        check_task(task, classes)
        y, task = _rename(y, classes, name), "multiclass" if task == "auto" else task
    # A table with one made-up column goes through the usual checks of labels and groups.
    column = Features.of_numbers(np.arange(len(y), dtype=float)[:, None], ["row"])
    how = Origin(label, task=task, keep=("row",))
    made = make_datasets([Draft(name, how, y, column, groups)])[0]
    if made.n_rows != len(contents):
        raise DatakinError(
            f"Every row must have a label. {len(contents) - made.n_rows} of {len(contents)} rows of "
            f"{name!r} have none; leave them out."
        )
    items = Items.holding(contents)
    return replace(made, name=name, features=items, label=label, notes=(), keep=frozenset())


def check_task(task: str, classes: Any) -> None:
    """Check the options `task` and `classes`, and that they go together."""
    check_choice("task", task, ("auto", *TASKS))
    if classes is None:
        return
    if not isinstance(classes, Mapping):
        raise DatakinError(
            f"The 'classes' parameter must be a mapping of label to class. Got {classes!r} instead."
        )
    if task == "regression":
        raise DatakinError("The 'classes' parameter is for classes. Got task='regression' with it.")


def _rename(y: Array, classes: Mapping[Any, Any], name: str) -> Array:
    """Return the labels under the names that the user gives them."""
    names = {canonical_label(old): canonical_label(new) for old, new in classes.items()}
    given = [canonical_label(value) for value in y]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise DatakinError(
            f"The 'classes' parameter must name every class of {name!r}. "
            f"It lacks {listed(unknown)}; it has {listed(names)}."
        )
    return np.array([names[value] for value in given], dtype=object)
