"""Columns with a part to play: the label, groups and domains, with every digit they came with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed
from datakin.data.columns.column import (
    arrow_of,
    decimals_of,
    floats_of,
    is_object_series,
    is_text_series,
    listed_values,
    long_numbers,
    readable,
)
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.numerals import EXACT, LEADING_ZERO, LONG, in_ascii
from datakin.data.columns.objects import is_none, known_objects, object_array
from datakin.data.columns.placeholders import doubt_of_labels, with_doubt_of_blanks
from datakin.data.columns.tables import read_beside
from datakin.data.columns.text_columns import ODD_SIGNS, read_text
from datakin.data.columns.text_doubts import CASES, KEPT
from datakin.data.columns.texts import Texts, clean, matches
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array, Features

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

__all__ = [
    "censoring_note",
    "check_label",
    "read_keys",
    "read_labelled",
    "read_labels",
    "series_of",
]


ONE_LABEL = (
    "datakin learns one label at a time. Got {got}; name one of them, and leave the others out with "
    "ignore= (--ignore)"
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
        raise DatakinError(f"{ONE_LABEL.format(got=f'the labels {listed(label)}')}.")
    if columns is None or label in columns:
        return
    parts = [clean(part) for part in str(label).split(",")]
    if len(parts) > 1 and all(part in columns for part in parts):
        raise DatakinError(f"{ONE_LABEL.format(got=f'the labels {listed(parts)}')}.")


def censoring_note(label: str, labels: Array, features: Features) -> str:
    """Say that a label looks like a time until an event that may be censored; empty if not."""
    if labels.dtype.kind != "f" or not IS_TIME.search(label):
        return ""
    events = [name for name in features.names if IS_EVENT.search(name)]
    for name in events:
        one = features.select([name])
        block: Any = one.codes if one.category_names else one.numeric
        values = block.toarray() if features.is_sparse else block
        known = values[values >= 0] if one.category_names else values[~np.isnan(values)]
        if len(np.unique(known)) == 2:
            return Note(f"{CENSORED} ({label!r} beside {name!r})", SERIOUS)
    return ""


def series_of(values: Any, what: str) -> nw.Series[Any]:
    """Return labels or groups held in memory as a series.

    Parameters
    ----------
    values : array, masked array, list or series
    what : str
        How messages call it, such as "y".
    """
    import narwhals as nw
    import pyarrow as pa

    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    elif isinstance(values, (pd.Index, pd.api.extensions.ExtensionArray)):
        values = pd.Series(values)
    try:
        if hasattr(values, "columns"):
            return _only_column(nw.from_native(values, eager_only=True), what)
        found: nw.Series[Any] = nw.from_native(values, series_only=True)
    except TypeError:
        found = nw.from_native(pd.Series(_vector(values, what)), series_only=True)
    return found


def _only_column(frame: nw.DataFrame[Any], what: str) -> nw.Series[Any]:
    if len(frame.columns) != 1:
        raise _not_one(what, frame.shape)
    return frame[frame.columns[0]]


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
        raise DatakinError(f"{ONE_LABEL.format(got=f'the labels {listed(array.dtype.names)}')}.")
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
    numbers elsewhere. Missing labels are NaN or None.

    Parameters
    ----------
    series : narwhals Series
    name : str
        For messages.
    decimal : str
        The decimal sign of the table, if it is known.
    """
    with readable(name):
        labels, facts = _labels(series, name, decimal)
    if not facts.doubt:
        facts = replace(facts, doubt=doubt_of_labels(labels, name))
    return labels, facts


def _labels(series: nw.Series[Any], name: str, decimal: str) -> tuple[Array, ColumnFacts]:
    import narwhals as nw

    dtype = nw.Object() if is_object_series(series) else series.dtype
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        raise _refused(name, "dates" if dtype != nw.Duration else "durations")
    if dtype == nw.Decimal:
        return _labels_of_text(decimals_of(series), name, decimal)
    if dtype.is_numeric():
        whole = long_numbers(series)
        labels = floats_of(series) if whole is None else object_array(whole)
        return labels, ColumnFacts("number")
    if is_text_series(series):
        return _labels_of_text(arrow_of(series), name, decimal)
    try:
        values = series.to_list()
        found = known_objects(values, name)
    except DatakinError as error:
        raise _refused(name, str(error).partition("Got ")[2].partition(";")[0]) from None
    if found.days is not None:
        raise _refused(name, "durations")
    if found.texts is not None:
        return _labels_of_text(found.texts, name, decimal)
    assert found.numbers is not None
    if found.are_truths or found.long is not None:
        kind = "truth value" if found.are_truths else "number"
        return object_array([None if is_none(v) else v for v in values]), ColumnFacts(kind)
    return found.numbers, ColumnFacts("number")


def _refused(name: str, got: str) -> DatakinError:
    return DatakinError(
        f"The label {name!r} must hold numbers, booleans or text. Got {got}; convert it first, for "
        f"example to a number of days or to classes."
    )


def _labels_of_text(column: pa.Array, name: str, decimal: str) -> tuple[Array, ColumnFacts]:
    read = read_text(column, name, decimal)
    facts = read.facts
    if facts.kind == "date":
        raise _refused(name, "dates")
    is_long = facts.converted == KEPT + LONG
    if read.levels is not None and not is_long:
        facts = with_doubt_of_blanks(facts, read.levels, len(column), name)
        return np.array([*read.levels, None], dtype=object)[read.values], facts
    if facts.kind == "truth value":
        truths = [None if np.isnan(v) else bool(v) for v in read.values]
        return object_array(truths), facts
    if not is_long and (facts.converted or not np.any(np.abs(read.values) >= EXACT)):
        return read.values, facts
    # Some may have too many digits for a float.
    texts = Texts.of(column)
    exact = [
        None if soft else _number(w)
        for w, soft in zip(texts.words, texts.is_soft_blank, strict=True)
    ]
    return object_array([*exact, None])[texts.codes], ColumnFacts("number", facts.blanks)


def _number(word: str) -> int | float:
    whole = WHOLE.fullmatch(word)
    return int(whole[1]) if whole else float(word)


def read_keys(series: nw.Series[Any], name: str) -> tuple[Array, ColumnFacts]:
    """Return groups or domains as text, with None where there is none.

    The numbers 7 and 7.0 are "7"; the texts "007" and "7" are two keys. Dates stay as they are
    written.
    """
    with readable(name):
        return _keys(series, name)


def _keys(series: nw.Series[Any], name: str) -> tuple[Array, ColumnFacts]:
    import narwhals as nw

    dtype = nw.Object() if is_object_series(series) else series.dtype
    if is_text_series(series):
        return _keys_of_text(arrow_of(series), name)
    if dtype == nw.Decimal:
        return _keys_of_text(decimals_of(series), name)
    if dtype.is_integer():
        values: Sequence[Any] = [None if is_none(v) else str(int(v)) for v in series.to_list()]
        return object_array(values), ColumnFacts("number")
    if dtype.is_numeric() or dtype == nw.Boolean:
        codes, distinct = pd.factorize(floats_of(series))
        kind = "truth value" if dtype == nw.Boolean else "number"
        return object_array([*map(canonical_label, distinct), None])[codes], ColumnFacts(kind)
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        return object_array(_spelled_stamps(listed_values(series))), ColumnFacts("date")
    values = series.to_list()
    found = known_objects(values, name)
    if found.texts is not None:
        return _keys_of_text(found.texts, name)
    spelled = [None if is_none(v) else canonical_label(v) for v in values]
    return object_array(spelled), ColumnFacts("number")


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
    plain = in_ascii(texts.distinct.filter(~texts.is_soft_blank))
    if kind == "truth value":
        words = [canonical_label(w.lower() == "true") for w in words]
    elif (
        kind == "number"
        and read.facts.converted in ("", ODD_SIGNS)
        and not matches(plain, LEADING_ZERO).any()
    ):
        blank, numbers = texts.is_soft_blank, iter(plain.to_pylist())
        words = ["" if gone else canonical_label(_number(next(numbers))) for gone in blank]
    spelled = [None if b else w for w, b in zip(words, blank, strict=True)]
    # What else is odd about text does no harm to keys.
    doubt = read.facts.doubt if read.facts.doubt.startswith(CASES) else ""
    facts = ColumnFacts("category", texts.counted(blank), doubt=doubt)
    if read.levels is not None:
        facts = with_doubt_of_blanks(facts, read.levels, len(column), name)
    return object_array([*spelled, None])[texts.codes], facts
