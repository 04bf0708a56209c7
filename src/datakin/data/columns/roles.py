"""Columns with a part to play: the label, groups and domains, with every digit they came with, weights."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed
from datakin.data.columns.column import number_of, read_column
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.numerals import EXACT, LEADING_ZERO, LONG, in_ascii
from datakin.data.columns.placeholders import doubt_of_labels, with_doubt_of_blanks
from datakin.data.columns.series import (
    content_of,
    dtype_of,
    floats_of,
    is_none,
    listed_values,
    long_numbers,
    object_array,
    readable,
)
from datakin.data.columns.tables import read_beside
from datakin.data.columns.text_columns import CASES, KEPT, ODD_SIGNS, Column, read_text
from datakin.data.columns.texts import Texts, clean, matches
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array, Features, is_known

ONE_LABEL = (
    "datakin learns one label at a time. Got the labels {}; name one of them, and leave the others out "
    "with ignore= (--ignore)."
)
CENSORED = (
    "datakin does not handle censoring: a time until an event is learnt as if every event had been "
    "seen"
)
IS_TIME = re.compile(r"(^|[^a-z])(time|survival|days|duration|tte|os|pfs)([^a-z]|$)|time$", re.I)
IS_EVENT = re.compile(r"event|status|censor|dead|died|death", re.I)
WHOLE = re.compile(r"([+-]?\d+)(\.0*)?")


def check_label(label: Any, columns: Sequence[str] | None = None) -> None:
    """Refuse several labels: a list of names, or names with commas that are no column."""
    if isinstance(label, (list, tuple, set, frozenset, np.ndarray, pd.Index)):
        raise DatakinError(ONE_LABEL.format(listed(label)))
    if columns is None or label in columns:
        return
    parts = [clean(part) for part in str(label).split(",")]
    if len(parts) > 1 and all(part in columns for part in parts):
        raise DatakinError(ONE_LABEL.format(listed(parts)))


def censoring_note(label: str, labels: Array, features: Features) -> str:
    """Say that a label looks like a time until an event that may be censored; empty if not."""
    if labels.dtype.kind != "f" or not IS_TIME.search(label):
        return ""
    for name, values in features.columns():
        if IS_EVENT.search(name) and len(np.unique(values[is_known(values)])) == 2:
            return Note(f"{CENSORED} ({label!r} beside {name!r})", SERIOUS)
    return ""


def series_of(values: Any, what: str) -> nw.Series[Any]:
    """Return labels or groups held in memory as a series; messages call them by the second name."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    elif isinstance(values, (pd.Index, pd.api.extensions.ExtensionArray)):
        values = pd.Series(values)
    try:
        if hasattr(values, "columns"):
            frame = nw.from_native(values, eager_only=True)
            if len(frame.columns) != 1:
                raise _not_one(what, frame.shape)
            found: nw.Series[Any] = frame[frame.columns[0]]
        else:
            found = nw.from_native(values, series_only=True)
    except TypeError:
        found = nw.from_native(pd.Series(_vector(values, what)), series_only=True)
    return found


def _not_one(what: str, shape: tuple[int, ...]) -> DatakinError:
    more = "; datakin learns one label at a time" if what == "y" and len(shape) > 1 else ""
    return DatakinError(f"{what} must be one column. Got an array of shape {shape}{more}.")


def _vector(values: Any, what: str) -> Array:
    """Return values of one dimension; masked ones are None."""
    if hasattr(values, "to_list"):
        values = values.to_list()
    hidden = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    # A list as objects: numpy would turn None, NaN and numbers beside words into words.
    array = np.asarray(values, dtype=object if isinstance(values, (list, tuple)) else None)
    if array.dtype.names is not None:
        kinds = [array.dtype[name].kind for name in array.dtype.names]
        if len(kinds) == 2 and "b" in kinds:
            raise DatakinError(
                f"{what} must be one column. Got an event and a time: {CENSORED}. Give one of them."
            )
        raise DatakinError(ONE_LABEL.format(listed(array.dtype.names)))
    if hidden is not None and hidden.any():
        array = array.astype(object)
        array[hidden] = None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise _not_one(what, array.shape)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def read_labelled(
    source: Any, names: Sequence[str] | None, y: nw.Series[Any], label: str
) -> tuple[Features, Array, dict[str, ColumnFacts]]:
    """Return features, labels and facts of both, which tell of each other's decimal sign."""
    labels, about = read_labels(y, label)
    features, facts, decimal = read_beside(source, names, {label: (y, about)})
    if decimal:
        labels, about = read_labels(y, label, decimal=decimal)
    return features, labels, {**facts, label: about}


def read_labels(
    series: nw.Series[Any], name: str, *, decimal: str = ""
) -> tuple[Array, ColumnFacts]:
    """Return labels as floats, or as objects: text, truth values, whole numbers of many digits.

    Text is read as every column is, so that labels from a text file are numbers where they are
    numbers elsewhere. Missing labels are NaN or None. `decimal` is the decimal sign of the table, if
    it is known.
    """
    with readable(name):
        labels, facts = _labels(series, name, decimal)
    if not facts.doubt:
        facts = replace(facts, doubt=doubt_of_labels(labels, name))
    return labels, facts


def _labels(series: nw.Series[Any], name: str, decimal: str) -> tuple[Array, ColumnFacts]:
    dtype = dtype_of(series)
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        raise _refused(name, "dates" if dtype != nw.Duration else "durations")
    if dtype.is_numeric() and dtype != nw.Decimal:
        whole = long_numbers(series)
        labels = floats_of(series) if whole is None else object_array(whole)
        return labels, ColumnFacts("number")
    try:
        found = content_of(series, name)
    except DatakinError as error:
        raise _refused(name, str(error).partition("Got ")[2].partition(";")[0]) from None
    if isinstance(found, Column):
        return _labels_of(found, name)
    return _labels_of_text(found, name, decimal)


def _refused(name: str, got: str) -> DatakinError:
    return DatakinError(
        f"The label {name!r} must hold numbers, booleans or text. Got {got}; convert it first, for "
        f"example to a number of days or to classes."
    )


def _labels_of(column: Column, name: str) -> tuple[Array, ColumnFacts]:
    """Return a column that is no text as labels."""
    if column.facts.kind in ("date", "duration"):
        raise _refused(name, f"{column.facts.kind}s")
    if column.facts.kind == "truth value":
        truths = [None if np.isnan(v) else bool(v) for v in column.values]
        return object_array(truths), column.facts
    return column.values, column.facts


def _labels_of_text(column: pa.Array, name: str, decimal: str) -> tuple[Array, ColumnFacts]:
    read = read_text(column, name, decimal)
    facts = read.facts
    is_long = facts.converted == KEPT + LONG
    if read.levels is not None and not is_long:
        facts = with_doubt_of_blanks(facts, read.levels, len(column), name)
        return np.array([*read.levels, None], dtype=object)[read.values], facts
    if not is_long and (
        facts.kind != "number" or facts.converted or not np.any(np.abs(read.values) >= EXACT)
    ):
        return _labels_of(read, name)
    # Some may have too many digits for a float.
    texts = Texts.of(column)
    soft = zip(texts.words, texts.is_soft_blank, strict=True)
    exact = [None if is_soft else _number(word) for word, is_soft in soft]
    return object_array([*exact, None])[texts.codes], ColumnFacts("number", facts.blanks)


def _number(word: str) -> int | float:
    whole = WHOLE.fullmatch(word)
    return int(whole[1]) if whole else float(word)


def read_keys(series: nw.Series[Any], name: str) -> tuple[Array, ColumnFacts]:
    """Return groups or domains as text, with None where there is none.

    The numbers 7 and 7.0 are "7"; the texts "007" and "7" are two keys. Dates stay as they are
    written.
    """
    dtype = dtype_of(series)
    with readable(name):
        if dtype in (nw.Date, nw.Datetime, nw.Duration):
            return object_array(_spelled_stamps(listed_values(series))), ColumnFacts("date")
        is_number = dtype.is_numeric() and dtype != nw.Decimal
        found = None if is_number or dtype == nw.Boolean else content_of(series, name)
        if found is not None and not isinstance(found, Column):
            return _keys_of_text(found, name)
        spelled = [None if is_none(v) else canonical_label(v) for v in series.to_list()]
        kind = "truth value" if dtype == nw.Boolean else "number"
        return object_array(spelled), ColumnFacts(kind)


def _spelled_stamps(values: Sequence[Any]) -> list[str | None]:
    """Return dates as text; without the time if it is midnight in all rows."""
    texts = [None if is_none(v) else str(v) for v in values]
    if all(text is None or text.endswith(" 00:00:00") for text in texts):
        return [None if text is None else text.partition(" ")[0] for text in texts]
    return texts


def _keys_of_text(column: pa.Array, name: str) -> tuple[Array, ColumnFacts]:
    read = read_text(column, name)
    kind, texts = read.facts.kind, Texts.of(column)
    blank, words = texts.is_blank, texts.words
    plain = in_ascii(texts.known)
    is_plain = read.facts.converted in ("", ODD_SIGNS) and not matches(plain, LEADING_ZERO).any()
    if kind == "truth value":
        words = [canonical_label(w.lower() == "true") for w in words]
    elif kind == "number" and is_plain:
        blank, numbers = texts.is_soft_blank, iter(plain.to_pylist())
        words = ["" if gone else canonical_label(_number(next(numbers))) for gone in blank]
    spelled = [None if b else w for w, b in zip(words, blank, strict=True)]
    # What else is odd about text does no harm to keys.
    doubt = read.facts.doubt if read.facts.doubt.startswith(CASES) else ""
    facts = ColumnFacts("category", texts.counted(blank), doubt=doubt)
    if read.levels is not None:
        facts = with_doubt_of_blanks(facts, read.levels, len(column), name)
    return object_array([*spelled, None])[texts.codes], facts


def read_weights(
    series: nw.Series[Any],
    name: str | None,
    used: Array,
    where: str = "",
    beside: Mapping[str, ColumnFacts] | None = None,
) -> tuple[Array, ColumnFacts]:
    """Return row weights as they are given; refuse what is no finite number, or negative.

    Weights held in memory have no name. Only `used` rows need a weight: the others will be dropped. The
    facts of other columns may show the decimal sign of the table; `where` stands in messages.
    """
    called = name or "weights"
    column = read_column(series, called)
    signs = {facts.decimal for facts in (beside or {}).values()} & {",", "."}
    if column.facts.decimal == "?" and len(signs) == 1:
        column = read_column(series, called, decimal=signs.pop())
    weights = _weights(column)
    bad = np.flatnonzero(used & ~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        value = listed_values(series)[bad[0]]
        plain = value if isinstance(value, (str, int, float)) else str(value)
        got = "no value" if is_none(value) or value == "" else repr(plain)
        more = f" ({len(bad)} such rows)" if len(bad) > 1 else ""
        what = "weights" if name is None else f"The weight column {name!r}{where}"
        raise DatakinError(
            f"{what} must hold a finite number, 0 or above, for every labelled row. Got {got} in row "
            f"{bad[0]} counted from 0{more}; correct it, or leave the row out."
        )
    facts = column.facts
    doubt = facts.doubt if facts.decimal == "?" else ""  # what else is odd about it is no value
    return weights, ColumnFacts("number", facts.blanks, facts.converted, doubt, facts.decimal)


def _weights(column: Column) -> Array:
    """Return a column as numbers of its own; not finite ones for what is none."""
    if column.levels is not None:
        # Numbers may be kept as categories, such as 007, or since one of them is a word.
        return column.of_levels(np.array([number_of(level) for level in column.levels]))
    if column.facts.kind in ("date", "duration"):
        return np.full(len(column.values), np.nan)
    return np.array(column.values, dtype=float)
