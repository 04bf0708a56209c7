"""The arrays of boosted trees: from XGBoost's JSON, and checked before a row is sent through them.

Nothing of a file reaches XGBoost, which trusts what it reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.json_text import PlainFields, parse_json
from datakin.data.features import Array

OBJECTIVES = {
    "binary": "binary:logistic",
    "multiclass": "multi:softprob",
    "regression": "reg:squarederror",
}
# What XGBoost calls the arrays of nodes; a leaf's value is where other nodes have what they compare with.
NODES = {"left": "left_children", "right": "right_children", "column": "split_indices"}
NODES |= {"default_left": "default_left", "value": "split_conditions"}
# How all arrays are written, the lowest byte first.
AS = ("<i4", "<i4", "<i4", "|u1", "<f4", "<i4", "<f4")
FORMS = dict(zip((*NODES, "ends", "base"), AS, strict=True))
LARGEST = 1 << 15  # nodes of one tree: predicting keeps a truth value of each row for half of them
BIGGEST = float(np.finfo(np.float32).max)


def trees_of(
    content: bytes | bytearray, kind: str, n_columns: int, n_outputs: int
) -> dict[str, Array]:
    """Return the arrays of `PlainTrees` from XGBoost's JSON; what predictions do not need is left out.

    Parameters
    ----------
    content : bytes or bytearray
        As ``booster.save_raw("json")`` writes them, and files of format 1 hold them.
    kind : {"binary", "multiclass", "regression"}
    n_columns, n_outputs : int
        Of the matrix, and of the prediction.
    """
    learner = PlainFields(parse_json(content), "its trees").object("learner")
    learner.object("objective").choice("name", [OBJECTIVES[kind]])
    booster, about = learner.object("gradient_booster"), learner.object("learner_model_param")
    booster.choice("name", ["gbtree"])
    n_classes = n_outputs if kind == "multiclass" else 0
    for name, number in (("num_feature", n_columns), ("num_class", n_classes)):
        about.choice(name, [str(number)])
    model = booster.object("model")
    given = model.objects("trees")
    if not given or model.take("tree_info") != [i % n_outputs for i in range(len(given))]:
        raise DatakinError("its trees do not belong to the classes in turn")
    trees = [_tree(tree) for tree in given]
    sizes = [len(tree["left"]) for tree in trees]
    made = {name: np.concatenate([tree[name] for tree in trees]) for name in NODES}
    made["ends"] = np.cumsum(sizes)
    for name in ("left", "right"):  # which XGBoost counts within a tree
        made[name] += np.where(made[name] < 0, 0, np.repeat(made["ends"] - sizes, sizes))
    made["base"] = _base(about.text("base_score"), kind, n_outputs)
    return checked_trees(made, n_columns, n_outputs, "its trees")


def checked_trees(
    trees: dict[str, Array], n_columns: int, n_outputs: int, where: str
) -> dict[str, Array]:
    """Return arrays of trees as they are written; refuse those that are none."""
    left, right, column, default_left, value, ends, base = (trees[name] for name in FORMS)
    fits = (
        len({len(trees[name]) for name in NODES}) == 1
        and len(base) == n_outputs
        and len(ends) % n_outputs == 0
        and are_trees(left, right, column, n_columns, ends)
        and _are(default_left, 0, 1)
        and bool((np.abs(np.append(value, base)) <= BIGGEST).all())
    )
    if not fits:
        raise DatakinError(f"{where} have a node that points to no node, column or number")
    if np.diff(ends, prepend=0).max() > LARGEST:
        raise DatakinError(f"{where} have a tree of more than {LARGEST:,} nodes")
    return {name: trees[name].astype(form) for name, form in FORMS.items()}


def are_trees(left: Array, right: Array, column: Array, n_columns: int, ends: Array) -> bool:
    """Return whether each node, roots apart, is the child of one that comes earlier in its tree."""
    sizes: Array = np.diff(ends.astype(np.int64), prepend=0)
    if not len(left) or sizes.min() < 1 or ends[-1] != len(left):
        return False
    is_inner = left >= 0
    children = np.concatenate([left[is_inner], right[is_inner]])
    parents = np.tile(np.flatnonzero(is_inner), 2)
    found = np.sort(np.concatenate([ends - sizes, children]))  # a root is the first of its tree
    return (
        _are(left[~is_inner], -1, -1)
        and _are(right[~is_inner], -1, -1)
        and _are(children, parents + 1, np.repeat(ends, sizes)[parents] - 1)
        and np.array_equal(found, np.arange(len(left)))
        and _are(column, 0, n_columns - 1)
    )


def _are(values: Array, low: Any, high: Any) -> bool:
    """Return whether values are whole numbers between two ends."""
    return bool(((values >= low) & (values <= high) & (values % 1 == 0)).all())


def _tree(given: PlainFields) -> dict[str, Array]:
    size, made = None, {}
    for name, theirs in NODES.items():
        made[name] = np.array(given.numbers(theirs, size))
        size = len(made[name])
    return made


def _base(text: str, kind: str, n_outputs: int) -> Array:
    """Return what the sums begin with; of two classes XGBoost keeps a probability."""
    found = parse_json(text) if len(text) < 50 * (n_outputs + 1) else None
    held = PlainFields({"base_score": found if isinstance(found, list) else [found]}, "its trees")
    values = held.numbers("base_score")
    if len(values) not in (1, n_outputs):
        raise DatakinError("its trees have an odd base_score")
    with np.errstate(all="ignore"):  # NaN and infinity are refused with the other arrays
        base = np.resize(values, n_outputs).astype(np.float32)
        if kind == "binary":  # as XGBoost does: all but the logarithm in 32 bits
            base = -np.log((1 / base - 1).astype(float))
    return base
