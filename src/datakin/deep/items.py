"""Rows that are not columns: arrays of any shape, images and texts, loaded a batch at a time.

`Items` stands where a table's `Features` stand, so that alignment, fingerprints and results work
as for tables. Only an encoder can read it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from datakin._core.checks import check_choice
from datakin._core.exceptions import DatakinError, listed
from datakin.data import Dataset
from datakin.data.arguments import Kind
from datakin.data.checks import make_datasets
from datakin.data.draft import Draft
from datakin.data.features import Array, Features
from datakin.data.files import open_table, stem
from datakin.data.labels import TASKS, Labelling, canonical_label
from datakin.deep.contents import ArrayContents, Contents, Part, TextContents

__all__ = ["ITEMS", "Items", "as_items", "check_task", "contents_of", "make_items", "read_texts"]

EMPTY = np.zeros((0, 0), np.int32)


@dataclass(frozen=True, eq=False)
class Items(Features):
    """Rows for an encoder in the place of columns."""

    contents: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.contents)

    @property
    def names(self) -> tuple[str, ...]:
        """One name, that of the kind of row: images share a column with images only."""
        return (str(self.contents.kind),)

    @property
    def is_sparse(self) -> bool:
        """True, as for a sparse block: there is no dense column to look at."""
        return True

    def kind(self, name: str) -> str:
        """Return "array", "image" or "text"."""
        return str(self.contents.kind)

    def how_to_recode(self, own: Sequence[str], other: Sequence[str]) -> str:
        """Say how readers of such rows pair classes, in the datasets' own words."""
        pairs = ", ".join(f"{name!r}: ..." for name in own[:3]) + (", ..." if len(own) > 3 else "")
        return (
            f"pair the classes when reading the latter (read_images, read_texts, as_items), with "
            f"classes={{{pairs}}} and one of {listed(other)} for each"
        )

    def row_hashes(self, names: Sequence[str]) -> Array:
        """Return one hash per row."""
        return np.asarray(self.contents.hashes())

    def take(self, rows: Array) -> Features:
        """Return some of the rows; nothing is loaded."""
        some = Part(self.contents, np.arange(self.n_rows)[rows])
        return Items(np.zeros((len(some), 0)), (), EMPTY, (), (), some)

    def select(self, names: Sequence[str]) -> Features:
        """Refuse, saying which score reads such rows."""
        self._refuse()

    def canonical(self) -> Features:
        """Refuse, saying which score reads such rows."""
        self._refuse()

    def matched_to(self, other: Features) -> Features:
        """Refuse, saying which score reads such rows."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise DatakinError(
            f"Rows must be columns of a table here. Got {self.contents.kind}s, which need an encoder: "
            f"datakin.deep.EncoderHeadScore(encoder).compare(target, source)."
        )


def contents_of(dataset: Dataset) -> Contents:
    """Return what stands in the columns' place, or say that there is nothing of the kind."""
    if not isinstance(dataset.features, Items):
        raise DatakinError(f"{dataset.name!r} is a table: it has columns, not images or texts.")
    return dataset.features.contents  # type: ignore[no-any-return]


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
    """Check labels and groups as for a table, and put the contents in the columns' place."""
    y = np.asarray(labels, dtype=object if isinstance(labels, (list, tuple)) else None)
    if y.ndim != 1 or len(y) != len(contents):
        raise DatakinError(
            f"There must be one label per row. Got {len(contents)} rows and labels of shape {y.shape}."
        )
    if y.dtype.kind in "iufb":
        y = y.astype(float)
    groups = None
    if group is not None:
        groups = np.asarray(group, dtype=object)
        if groups.shape != y.shape:
            raise DatakinError(
                f"group must have one value per row. Got {len(groups)} for {len(y)} rows."
            )
    if classes is not None:
        check_task(task, classes)
        y, task = _paired(y, classes, name), "multiclass" if task == "auto" else task
    # The table's own checks of labels and groups; the column stands for the contents.
    stand_in: dict[str, tuple[Array, tuple[str, ...] | None]] = {
        "row": (np.arange(len(y), dtype=float), None)
    }
    made = make_datasets([Draft(name, label, y, stand_in, groups=groups)], Labelling(task))[0]
    if made.n_rows != len(contents):
        raise DatakinError(
            f"Every row must have a label. {len(contents) - made.n_rows} of {len(contents)} rows of "
            f"{name!r} have none; leave them out."
        )
    features = Items(np.zeros((len(y), 0)), (), EMPTY, (), (), contents)
    return Dataset(name, features, made.y, made.classes, made.groups, label)


def check_task(task: str, classes: Any) -> None:
    """Refuse a task that is none, and classes where they have no place."""
    check_choice("task", task, ("auto", *TASKS))
    if classes is None:
        return
    if not isinstance(classes, Mapping):
        raise DatakinError(
            f"The 'classes' parameter must be a mapping of label to class. Got {classes!r} instead."
        )
    if task == "regression":
        raise DatakinError("The 'classes' parameter is for classes. Got task='regression' with it.")


def _paired(y: Array, classes: Mapping[Any, Any], name: str) -> Array:
    """Return the labels under the names that the user gives them."""
    names = {canonical_label(old): canonical_label(new) for old, new in classes.items()}
    spelled = [canonical_label(value) for value in y]
    unknown = sorted(set(spelled) - set(names))
    if unknown:
        raise DatakinError(
            f"The 'classes' parameter must name every class of {name!r}. "
            f"It lacks {listed(unknown)}; it has {listed(names)}."
        )
    return np.array([names[value] for value in spelled], dtype=object)


def as_items(
    X: Any,
    y: Any,
    *,
    name: str | None = None,
    task: str = "auto",
    group: Any = None,
    classes: Mapping[Any, Any] | None = None,
) -> Dataset:
    """Make a dataset for encoders of an array of any shape, or of texts.

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
        Label -> class, for datasets that call the same classes differently.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import numpy as np
    >>> as_items(np.zeros((30, 1, 8, 8)), np.arange(30) % 2, name="blank")
    Dataset('blank': 30 rows x 1 columns, binary (0, 1))
    """
    try:
        values = np.asarray(X.to_list() if hasattr(X, "to_list") else X)
    except ValueError:  # numpy's word for rows of different shapes
        shapes = sorted({np.shape(row) for row in X})
        raise DatakinError(
            f"All rows must have the same shape. Got {listed(shapes)}; bring them to one size and "
            f"one number of channels."
        ) from None
    contents: Contents
    if values.dtype.kind in "OUST" and all(isinstance(v, str) for v in values.ravel()):
        if values.ndim != 1:
            raise DatakinError(f"Texts must be one column. Got an array of shape {values.shape}.")
        contents = TextContents(values.astype(object))
    elif values.dtype.kind in "iufb":
        if values.ndim < 2:
            raise DatakinError(
                f"X must have rows of numbers. Got an array of shape {values.shape}."
            )
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise DatakinError(
                f"X must hold finite numbers. Got {int((~np.isfinite(values)).sum())} NaN or infinite."
            )
        contents = ArrayContents(values)
    else:
        raise DatakinError(
            f"X must be an array of numbers or a list of texts. Got values of type {values.dtype}."
        )
    return make_items(contents, y, name=name or "", task=task, group=group, classes=classes)


ITEMS = Kind(
    as_items,
    "read images with datakin.deep.read_images(folder), texts with read_texts, tables with "
    "datakin.read_table",
)


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
        "auto": numbers with more than ten values, or with fractions and more than two, are a
        quantity; all else are classes.
    classes : mapping, optional
        Label -> class, for datasets that call the same classes differently.

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
