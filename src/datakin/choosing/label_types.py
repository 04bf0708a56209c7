"""As what a model gives classes back: as the labels of its user were."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data.dataset import Dataset
from datakin.data.features import Array

__all__ = ["LABEL_TYPES", "label_type_of", "typed_classes"]

LABEL_TYPES = ("text", "int", "float", "bool")
WHOLE = re.compile(r"-?[0-9]{1,18}")
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")


def label_type_of(labels: Any, classes: Sequence[str] | None = None) -> str:
    """Return what the labels of a user are: "text", "int", "float" or "bool".

    Parameters
    ----------
    labels : array, series, list or Dataset
        Of a dataset that was read from memory, what it was read from; "text" for a file.
    classes : sequence of str, optional
        All classes of the model, if its sources have more of them than a dataset.

    Examples
    --------
    >>> label_type_of(np.array([True, False]))
    'bool'
    """
    if isinstance(labels, Dataset):
        return _type_of_dataset(labels, labels.classes if classes is None else classes)
    kind = np.asarray(labels).dtype.kind
    return {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(kind, "text")


def _type_of_dataset(dataset: Dataset, classes: Sequence[str]) -> str:
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
        match label_type:
            case "bool":
                if set(classes) <= {"0", "1"}:
                    return np.array([name == "1" for name in classes])
            case "int":
                return np.array([int(name) for name in classes])
            case "float":
                return np.array([float(name) for name in classes])
            case "text":
                return np.array(classes)
    except (ValueError, OverflowError):
        pass
    raise DatakinError(f"The classes {listed(classes)} cannot be of the type {label_type!r}.")
