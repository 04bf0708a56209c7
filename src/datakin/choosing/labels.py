"""Labels of rows: as codes of classes, and as what a model gives classes back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data import Dataset
from datakin.data.features import Array

LABEL_TYPES: dict[str, Callable[[str], Any]] = {
    "text": str,
    "int": int,
    "float": float,
    "bool": {"0": False, "1": True}.__getitem__,
}
WHOLE = re.compile(r"-?[0-9]{1,18}")
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")


def codes_of_labels(labels: Array, classes: Sequence[str]) -> Array:
    """Return labels as numbers, or as codes; that of a class that is not known comes last."""
    if not classes:
        return labels.astype(float)
    codes = {name: code for code, name in enumerate(classes)}
    return np.array([codes.get(label, len(classes)) for label in labels])


def label_type_of(dataset: Dataset) -> str:
    """Return what a user's labels were in memory: "text", "int", "float" or "bool"; "text" for a file."""
    classes = dataset.classes
    facts, how = dataset.facts.get(dataset.label), dataset.how
    is_plain = how is not None and how.path is None and how.positive is None and not how.label_map
    if facts is None or not is_plain or not classes:
        return "text"
    if facts.kind == "truth value":
        return "bool" if set(classes) <= {"0", "1"} else "text"
    if facts.kind != "number":
        return "text"
    if all(WHOLE.fullmatch(name) for name in classes):
        return "int"
    return "float" if all(NUMBER.fullmatch(name) for name in classes) else "text"


def typed_classes(classes: tuple[str, ...], label_type: str) -> Array:
    """Return class names as what the labels of the user were."""
    try:
        return np.array([LABEL_TYPES[label_type](name) for name in classes])
    except (KeyError, ValueError, OverflowError):
        raise DatakinError(
            f"The classes {listed(classes)} cannot be of the type {label_type!r}."
        ) from None
