"""Fitted scikit-learn estimators in a file: by skops, which runs nothing and builds known types only."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, require
from datakin.choosing.archive import Archive, packed
from datakin.choosing.trees import are_trees

SCHEMA = "schema.json"  # The member of skops that says what the others are.
LARGEST = 1 << 28  # Bytes of one estimator.
TEXT = 1 << 25  # Bytes of its description.
# Beside the types that skops trusts: those of estimators, numpy and scipy. Trees are checked here; what
# imputers and column transformers keep is a type of numbers and a list of columns.
TRUSTED = (
    "sklearn.tree._tree.Tree",
    "numpy.dtype",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
)
DEEPEST = 20  # Objects within objects that are searched for trees.


def dump_estimator(estimator: Any, name: str) -> bytes:
    """Return a fitted estimator as bytes; refuse one that could not be read again.

    Parameters
    ----------
    estimator : scikit-learn estimator
    name : str
        Of the learner, for messages.
    """
    skops = _skops("Saving")
    try:
        content: bytes = skops.dumps(estimator)
    except Exception as error:  # whatever an estimator of somebody else raises
        raise DatakinError(
            f"The learner {name!r} cannot be saved ({type(error).__name__}: {str(error)[:120]})."
        ) from None
    _refuse_untrusted(skops, content, f"The learner {name!r} cannot be saved: ")
    # In a file of our own: skops writes the time of day, and names members by where objects lie in memory.
    return packed(_numbered(_members(content)))


def load_estimator(content: bytes) -> Any:
    """Return the estimator of `dump_estimator`; refuse any other."""
    skops = _skops("Loading")
    safe = packed(_members(content))
    try:
        _refuse_untrusted(skops, safe, "it holds a scikit-learn estimator that cannot be loaded: ")
        estimator = skops.loads(safe, trusted=list(TRUSTED))
        _check_trees(estimator, set(), 0)
    except DatakinError:
        raise
    except Exception as error:  # whatever damaged parts make of it
        raise DatakinError(
            f"its scikit-learn estimator is damaged ({type(error).__name__}: {str(error)[:100]})"
        ) from None
    if not hasattr(estimator, "predict"):
        raise DatakinError(f"it holds {type(estimator).__name__} where an estimator is expected")
    return estimator


def _skops(what: str) -> Any:
    return require("skops.io", "models", f"{what} a model with a scikit-learn estimator")


def _members(content: bytes) -> dict[str, bytes]:
    """Return the members of an inner zip file, all of which fit the limits.

    JSON takes many times its length in memory.
    """
    with io.BytesIO(content) as stream:
        inner = Archive(stream, LARGEST)
        return {
            name: inner.read(name, TEXT if name.endswith(".json") else LARGEST)
            for name in sorted(inner.names)
        }


def _numbered(members: dict[str, bytes]) -> dict[str, bytes]:
    """Return the members of skops with objects counted in order, so that equal ones give equal bytes."""
    places: dict[int, int] = {}
    names: dict[str, str] = {}

    def numbered(part: dict[str, Any]) -> dict[str, Any]:
        if isinstance(part.get("__id__"), int):
            part["__id__"] = places.setdefault(part["__id__"], len(places))
        if isinstance(file := part.get("file"), str) and file in members:
            ending = file.rpartition(".")[2]
            part["file"] = names.setdefault(file, f"{len(names)}.{ending}")
        return part

    schema = json.dumps(json.loads(members[SCHEMA], object_hook=numbered)).encode()
    others = {new: members[old] for old, new in names.items()}
    return {SCHEMA: schema, **others}


def _refuse_untrusted(skops: Any, content: bytes, begins: str) -> None:
    unknown = [name for name in skops.get_untrusted_types(data=content) if name not in TRUSTED]
    if unknown:
        raise DatakinError(
            f"{begins}it needs {listed(unknown)}, and only types of scikit-learn and numpy that are known "
            f"to be safe are read from files."
        )


def _check_trees(value: Any, seen: set[int], depth: int) -> None:
    """Refuse a decision tree whose nodes point to no node or column: predicting would hang or crash."""
    if id(value) in seen or isinstance(value, (str, bytes, int, float, type(None))):
        return
    if depth > DEEPEST:
        raise DatakinError("its scikit-learn estimator has parts within parts without end")
    seen.add(id(value))
    inner: Any = ()
    if type(value).__module__ == "sklearn.tree._tree":
        left, right, ends = value.children_left, value.children_right, np.array([value.node_count])
        column = np.where(left < 0, 0, value.feature)  # leaves have none
        if not are_trees(left, right, column, value.n_features, ends):
            raise DatakinError(
                "its scikit-learn estimator has a tree that points to no node or column"
            )
    elif isinstance(value, np.ndarray):
        inner = value.ravel() if value.dtype == object else ()
    elif isinstance(value, (list, tuple, set)):
        inner = value
    elif isinstance(value, dict) or hasattr(value, "__dict__"):
        inner = (value if isinstance(value, dict) else vars(value)).values()
    for part in inner:
        _check_trees(part, seen, depth + 1)
