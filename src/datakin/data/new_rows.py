"""New rows for a fitted model: read as the target's table was, with or without the label."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import narwhals as nw
import numpy as np
from scipy import sparse

from datakin._core.exceptions import MINOR, DatakinError, Note, listed, suggest
from datakin._core.typed_options import typed
from datakin.data.columns.column import as_known, read_column
from datakin.data.columns.labels import as_numbers, canonical_label, is_missing
from datakin.data.columns.roles import read_keys, read_labels, series_of
from datakin.data.columns.series import check_finite, is_text_series, object_array
from datakin.data.columns.tables import frame_of, numbered, read_beside, side_by_side
from datakin.data.columns.text_columns import Column
from datakin.data.corrections import on_line
from datakin.data.dataset import Dataset
from datakin.data.features import Array, Features
from datakin.data.files.opening import open_table
from datakin.data.origin import Origin
from datakin.data.recoding import Recoding, iso_dates
from datakin.data.schema import TableSchema

OF_FILE = ("delimiter", "encoding", "header", "table", "query")  # options, beside rename
EVERY = "all"  # keeps every column, unless one has this name
NUMERAL = re.compile(
    r"(?!-0$)-?(0|[1-9]\d{0,14})(\.\d{0,14}[1-9])?"
)  # its number is written the same way


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows to predict.

    Labels are class names, or numbers; None or NaN where there is none. There are none if nobody asked for
    them, or there is no label column.
    """

    features: Features  # the columns of the schema, as they were when the model was learned
    labels: Array | None = None
    kept: Mapping[str, Array] | None = None  # columns to carry along, as text
    notes: tuple[str, ...] = ()  # what their user should know


def read_new_rows(
    source: Any,
    schema: TableSchema,
    *,
    classes: bool | None = None,
    keep: Sequence[str] = (),
    **options: Any,
) -> NewRows:
    """Read rows for a model from a path, database URL, data frame, array, sparse array or Dataset.

    A Dataset is taken as it was read. The target's corrections (rename, recode, convert) are made on
    everything else. Labels are read if they are there and `classes` says as what. `keep` are columns to
    carry along; "all" is every column, those of plain numbers as numbers. The options are those of
    `read_table`: delimiter, encoding, header, table, query, rename.
    """
    if keep and (isinstance(source, Dataset) or sparse.issparse(source)):
        raise DatakinError(
            "Columns are kept of a path or data frame. Got a Dataset or sparse array."
        )
    if isinstance(source, Dataset):
        return _of_dataset(source, schema, classes)
    if sparse.issparse(source):
        matrix = sparse.csr_array(cast(Any, source), dtype=float)
        return NewRows(_of_matrix(matrix, schema))
    frame, notes = _opened(source, schema, options)
    frame = _corrected(frame, {**schema.rename, **(options.get("rename") or {})}, schema)
    is_every = tuple(keep) == (EVERY,) and EVERY not in frame.columns
    keep = frame.columns if is_every else keep
    _need(schema.names, frame.columns)
    _need(keep, frame.columns, "to keep")
    features = _features(frame, schema)
    used = {*schema.names, schema.label, *schema.beside, *keep}
    if extra := [name for name in frame.columns if name not in used]:
        notes = (*notes, Note(f"not used: {listed(extra, limit=8)}", MINOR))
    labels = None
    if classes is not None and schema.label in frame.columns:
        try:
            labels = new_labels(frame[schema.label], schema, classes=classes)
        except DatakinError as error:  # predictions do not need it
            notes = (*notes, f"the label was not read: {error}")
    kept = {name: read_keys(frame[name], name)[0] for name in keep}
    if is_every:
        kept = {name: _numbers_back(held) for name, held in kept.items()}
    return NewRows(features, labels, kept, notes)


def _corrected(
    frame: nw.DataFrame[Any], rename: Mapping[str, str], schema: TableSchema
) -> nw.DataFrame[Any]:
    """Rename, recode and rewrite dates of new rows as the target's user did, where there is something."""
    there = frame.columns
    names = {old: new for old, new in rename.items() if old in there and new not in there}
    frame = frame.rename(names) if names else frame
    every = np.ones(len(frame), bool)
    for name, codes in schema.recode.items():
        if name in frame.columns:
            recoding = Recoding(frame[name])
            if recoding.replace(codes, every):
                frame = frame.with_columns(recoding.recoded())
    for name, form in schema.convert.items():
        if name in frame.columns and isinstance(form, str) and is_text_series(frame[name]):
            frame = frame.with_columns(iso_dates(frame[name], form, every))
    return frame


def _numbers_back(held: Array) -> Array:
    """Return a column of texts as numbers if every text is one; an id such as 007 stays a text."""
    there = [text for text in held if text is not None]
    if not there or not all(NUMERAL.fullmatch(text) for text in there):
        return held
    return object_array([None if t is None else float(t) if "." in t else int(t) for t in held])


def _opened(
    source: Any, schema: TableSchema, options: Mapping[str, Any]
) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    """Return the table, and what is said of it; an array has the names of the schema's columns."""
    if isinstance(source, (str, os.PathLike)):
        how = {name: getattr(schema, name) for name in ("delimiter", "encoding", "header")}
        how |= {name: options[name] for name in OF_FILE if options.get(name) is not None}
        opened = open_table(source, Origin(label=schema.label, **how))
        return opened.frame, opened.notes
    frame = frame_of(source)
    if isinstance(source, (np.ndarray, list, tuple)):
        frame = frame.rename(_named(frame.columns, schema))
    return frame, ()


def _named(columns: Sequence[str], schema: TableSchema) -> dict[str, str]:
    """Return new names for the columns of an array: those of the schema if it has as many."""
    if all(re.fullmatch(r"x\d+", name) for name in schema.names):
        return {}  # those of an array already
    if len(columns) != len(schema.names):
        raise DatakinError(
            f"An array must have the {len(schema.names)} columns of the model, in this order: "
            f"{listed(schema.names, limit=12)}. Got {len(columns)} columns; a data frame may have them in "
            f"any order."
        )
    return dict(zip(columns, schema.names, strict=True))


def _need(names: Sequence[str], columns: Sequence[str], what: str = "of the model") -> None:
    """Refuse a table that lacks columns, naming all of them."""
    missing = [name for name in names if name not in columns]
    if not missing:
        return
    hints = "".join(suggest(name, [c for c in columns if c not in names]) for name in missing[:3])
    noun = "column" if len(missing) == 1 else f"{len(missing)} columns"
    advice = (
        f" Rename a column that has another name there ({typed('rename', 'OLD', '=', missing[0])}), or "
        f"add it; it may be empty."
        if what == "of the model"
        else ""
    )
    raise DatakinError(
        f"The table must have every column {what}. Missing {noun}: {listed(missing, limit=50)}; it has "
        f"{listed(columns, limit=12) or 'none'}.{hints}{advice}"
    )


def _features(frame: nw.DataFrame[Any], schema: TableSchema) -> Features:
    """Read the columns of the schema, each as what it was."""
    read, facts, sign = read_beside(frame, list(schema.names), {})
    columns: dict[str, Column] = {}
    for each in schema.columns:
        column = Column(*read.column(each.name), facts[each.name])
        if not sign and schema.decimal and column.facts.decimal == "?":
            column = read_column(frame[each.name], each.name, decimal=schema.decimal)
        column = as_known(column, frame[each.name], each.name, each.kind, form=each.form)
        if column.levels is None:
            values = on_line(column.values, schema.convert.get(each.name))
            check_finite(each.name, values)
            column = replace(column, values=values)
        columns[each.name] = column
    return side_by_side(columns, len(frame))


def new_labels(values: Any, schema: TableSchema, *, classes: bool) -> Array:
    """Return labels as class names (None where missing) or as numbers, spelled as the target's are."""
    series = values if isinstance(values, nw.Series) else series_of(values, "y")
    labels, facts = read_labels(series, schema.label)
    if facts.decimal == "?" and schema.decimal:
        labels, facts = read_labels(series, schema.label, decimal=schema.decimal)
    missing = is_missing(labels)
    if classes:
        spelled = np.full(len(labels), None, dtype=object)
        for i in np.flatnonzero(~missing):
            name = canonical_label(labels[i])
            name = schema.label_map.get(name, name)
            spelled[i] = str(int(name in schema.positive)) if schema.positive else name
        return spelled
    numbers = as_numbers(np.where(missing, np.nan, labels))
    if numbers is None:
        raise DatakinError(
            f"The label {schema.label!r} must hold numbers, as it did when the model was learned. Got "
            f"{listed(sorted({str(v) for v in labels[~missing]}), limit=3)}."
        )
    return on_line(numbers, schema.convert.get(schema.label))


def _of_dataset(dataset: Dataset, schema: TableSchema, classes: bool | None) -> NewRows:
    """Return the rows of a dataset, which has been corrected and checked before."""
    missing = [name for name in schema.names if name not in dataset.columns]
    gone = {name: dataset.left_out[name] for name in missing if name in dataset.left_out}
    if gone:
        reasons = ", ".join(f"{name!r} ({why})" for name, why in list(gone.items())[:5])
        raise DatakinError(
            f"The dataset must have every column of the model. Got one that was read without {reasons}; "
            f"pass the table itself instead, which is read as the model needs it."
        )
    _need(schema.names, dataset.columns)
    features = dataset.features.select(schema.names)
    for each in schema.columns:
        if (features.kind(each.name) == "category") != (each.kind == "category"):
            kinds = ("text", "numbers")
            was, now = kinds if each.kind == "category" else kinds[::-1]
            raise DatakinError(
                f"Column {each.name!r} must hold {was}, as it did when the model was learned. Got {now}."
            )
    labels = None
    if classes is not None and bool(dataset.classes) == classes:
        names = object_array(dataset.classes)
        labels = names[dataset.y] if classes else np.asarray(dataset.y, dtype=float)
    extra = [name for name in dataset.columns if name not in schema.names]
    notes = (Note(f"not used: {listed(extra, limit=8)}", MINOR),) if extra else ()
    return NewRows(features, labels, {}, notes)


def _of_matrix(matrix: Any, schema: TableSchema) -> Features:
    """Return the columns of a sparse matrix, which hold numbers."""
    given = numbered(matrix)
    names = tuple(_named(given, schema).values()) or given
    _need(schema.names, names)
    wrong = [each.name for each in schema.columns if each.kind == "category"]
    if wrong:
        raise DatakinError(
            f"A sparse array holds numbers. The model needs text in {listed(wrong)}."
        )
    check_finite("X (sparse)", matrix.data)
    return Features.of_numbers(matrix, names).select(schema.names)
