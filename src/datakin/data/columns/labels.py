"""Labels: the task they set, one spelling for each class, and codes or numbers for `y`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data.columns.series import check_finite
from datakin.data.columns.texts import clean
from datakin.data.features import Array

if TYPE_CHECKING:
    from datakin.data.origin import Origin

FEW = 10  # a whole-number label with at most this many values may be a class or a quantity


def is_missing(labels: Array) -> Array:
    """Return a mask of the labels that are missing (None, NaN or blank text)."""
    missing = np.asarray(pd.isna(labels), dtype=bool)
    if labels.dtype == object:
        missing |= np.array([isinstance(v, str) and not v.strip() for v in labels], dtype=bool)
    return missing


def check_labels(labels: Array, missing: Array, label: str, title: str) -> None:
    """Refuse labels that are not finite numbers, booleans or text; `title` names the dataset."""
    if labels.dtype.kind == "f":
        check_finite(label, labels, f" in {title}")
    if labels.dtype != object:
        return
    for value in labels[~missing]:
        if value is not None and not isinstance(value, (str, bool, np.bool_, Real, Decimal)):
            raise DatakinError(
                f"The label {label!r} of {title} must hold numbers, booleans or text. "
                f"Got {type(value).__name__} ({str(value)[:40]}); convert it first."
            )


def canonical_label(value: Any) -> str:
    """Return the one spelling of a class: 1, 1.0, True, "1" and " 1" are the same class.

    All digits of a whole number count, and so do the zeros that a text begins with.
    """
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return str(int(value))
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        return str(int(value))
    if isinstance(value, (float, np.floating, Decimal)):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    text = clean(str(value))
    whole = re.fullmatch(r"[+-]?(0|[1-9]\d*)\.0+", text)
    return str(int(text.partition(".")[0])) if whole else text


def canonical_labels(labels: Array, mapping: Mapping[Any, Any] | None, positive: Any) -> Array:
    """Spell the labels canonically, after the user's mapping and choice of positive class."""
    inverse, uniques = pd.factorize(np.asarray(labels, dtype=object))
    spelled = [canonical_label(value) for value in uniques]
    if mapping is not None:
        table = {canonical_label(k): canonical_label(v) for k, v in mapping.items()}
        # Datasets read together may be coded in the new way already.
        lacking = sorted(set(spelled) - set(table) - set(table.values()))
        if lacking:
            raise DatakinError(
                f"The label mapping must name every label. Got none for {listed(lacking)}; "
                f"it maps {listed(table)}."
            )
        spelled = [table.get(value, value) for value in spelled]
    if positive is not None:
        several = isinstance(positive, (list, tuple, set))
        wanted = {canonical_label(value) for value in (positive if several else [positive])}
        if not wanted & set(spelled):
            raise DatakinError(
                f"The positive class must be one of the labels. Got {listed(sorted(wanted))}; "
                f"the labels are {listed(sorted(set(spelled)))}."
            )
        spelled = [str(int(value in wanted)) for value in spelled]
    return np.array(spelled, dtype=object)[inverse]


def sort_classes(classes: Iterable[str]) -> tuple[str, ...]:
    """Sort class names, numbers by value and before words."""

    def key(name: str) -> tuple[int, float, str]:
        try:
            return 0, float(name), name
        except ValueError:
            return 1, 0.0, name

    return tuple(sorted(set(classes), key=key))


def encode_classes(labels: Array) -> tuple[Array, tuple[str, ...]]:
    """Return codes 0..C-1 and the sorted class names."""
    classes = sort_classes(labels)
    position = {name: code for code, name in enumerate(classes)}
    return np.array([position[v] for v in labels], dtype=np.int64), classes


def group_codes(groups: Array) -> tuple[Array, tuple[str, ...]]:
    """Return a code for each group and the names of codes; a row without one is a group of its own."""
    spelled = [
        None if missing else canonical_label(value)
        for value, missing in zip(groups, is_missing(groups), strict=True)
    ]
    codes = pd.factorize(np.array(spelled, dtype=object))[0].astype(np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    first = np.unique(codes, return_index=True)[1]
    return codes, tuple(spelled[i] or "" for i in first)


def class_codes(labels: Array, how: Origin, title: str) -> tuple[Array, tuple[str, ...]]:
    """Return codes and class names, or say why the label cannot be one of classes."""
    spelled = canonical_labels(labels, how.label_map, how.positive)
    codes, classes = encode_classes(spelled)
    if len(classes) < 2:
        is_number = how.task == "auto" and as_numbers(spelled) is not None
        # 0 and 1 are names of classes wherever they stand; another number may be a quantity.
        what = "different values" if is_number and classes[0] not in ("0", "1") else "classes"
        raise DatakinError(
            f"The label {how.label!r} must have at least two {what}. "
            f"Got only {classes[0]!r} in {title} ({len(codes)} rows)."
        )
    if how.task == "binary" and len(classes) > 2:
        raise DatakinError(
            f"A binary label must have two classes. Got {len(classes)} in {title}: "
            f"{listed(classes)}; name the positive one with positive=, or say task='multiclass'."
        )
    if len(classes) > 50 and len(classes) > len(codes) / 10:
        raise DatakinError(
            f"The label {how.label!r} of {title} has {len(classes)} classes in {len(codes)} rows "
            f"({listed(classes, limit=3)}); is it the right column?"
        )
    return codes, classes


def response(labels: Array, label: str, title: str) -> Array:
    """Return the labels as numbers that vary, or say why they are not."""
    numbers = as_numbers(labels)
    if numbers is None:
        raise DatakinError(
            f"A regression label must hold numbers. Got {listed(pd.unique(labels))} in the label "
            f"{label!r} of {title}; for classes say task='multiclass'."
        )
    check_finite(label, numbers, f" in {title}")
    if numbers.min() == numbers.max():
        raise DatakinError(
            f"The label {label!r} of {title} must vary. Got {numbers[0]:g} in every row."
        )
    return numbers


def as_numbers(labels: Array) -> Array | None:
    """Return the labels as floats, or None when some of them are not numbers."""
    if labels.dtype.kind in "iuf":
        return labels.astype(float)
    try:
        return np.array([float(v) for v in labels], dtype=float)
    except (TypeError, ValueError):
        return None


def infer_task(columns: Sequence[Array], label: str) -> tuple[str, str | None]:
    """Infer the task from the labels of all datasets read together.

    It is "classification" or "regression"; a sentence for the user goes with it when the labels could
    be read either way.
    """
    each = [set(pd.factorize(np.asarray(column, dtype=object))[1]) for column in columns]
    distinct = set().union(*each)
    numbers = as_numbers(np.array(list(distinct), dtype=object))
    if numbers is None or any(isinstance(v, (bool, np.bool_)) for v in distinct):
        return "classification", None
    if max(map(len, each)) <= 2:  # two classes each, which may have other codes in another dataset
        return "classification", None
    whole = np.all(np.isfinite(numbers)) and np.all(numbers == np.round(numbers))
    if whole and len(distinct) <= FEW:
        return "classification", (
            f"the label {label!r} has {len(distinct)} distinct whole numbers "
            f"({listed(sort_classes(canonical_label(v) for v in distinct), limit=10)}) and was taken "
            f"as classes; say task='regression' / --task regression if it is a quantity or a grade, "
            f"task='multiclass' / --task multiclass if not"
        )
    return "regression", None
