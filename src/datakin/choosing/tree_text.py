"""Boosted trees as XGBoost's own JSON, of which only what predicts is kept and every number is checked.

XGBoost trusts the files it reads: a child that points back hangs it, one that points out of the tree
reads foreign memory. So nothing of a file reaches it but what is rebuilt here from checked numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.json_text import PlainFields, parse_json
from datakin.data.features import Array

__all__ = ["booster_of", "tree_text"]

OBJECTIVES = {
    "binary": "binary:logistic",
    "multiclass": "multi:softprob",
    "regression": "reg:squarederror",
}
TREES = 100_000
NODES = 1 << 19  # of all trees together
ROOT = 2**31 - 1  # the parent of a root, for XGBoost
BIGGEST = float(np.finfo(np.float32).max)
# What every node has besides: nothing that predictions depend on.
IDLE = ("base_weights", "loss_changes", "sum_hessian")
EMPTY = ("categories", "categories_nodes", "categories_segments", "categories_sizes")

Tree = dict[str, list[Any]]  # left, right, default_left, feature, value: one item for each node


def tree_text(booster: Any, kind: str, n_columns: int, n_outputs: int) -> bytes:
    """Return a fitted booster as JSON; the same trees give the same text.

    Parameters
    ----------
    booster : xgboost.Booster
    kind : {"binary", "multiclass", "regression"}
    n_columns, n_outputs : int
        Of the matrix, and of the prediction.
    """
    raw = json.loads(bytes(booster.save_raw("json")))
    model = raw["learner"]["gradient_booster"]["model"]
    trees = [_compact(tree) for tree in model["trees"]]
    bases = _bases(raw["learner"]["learner_model_param"]["base_score"])
    found = raw["learner"]["objective"]["name"]
    if found != OBJECTIVES[kind] or any(
        sum(len(t[name]) for name in EMPTY) for t in model["trees"]
    ):
        raise DatakinError(
            f"Trees of the objective {found!r}, or with categories of XGBoost, cannot be saved. A model "
            f"of a {kind} task has trees of {OBJECTIVES[kind]!r} on numbers."
        )
    text = _text(trees, bases, kind, n_columns, n_outputs)
    _checked(parse_json(text), kind, n_columns, n_outputs)
    return text.encode()


def booster_of(content: bytes, kind: str, n_columns: int, n_outputs: int) -> Any:
    """Return the booster of a JSON text of `tree_text`; refuse any other."""
    trees, bases = _checked(parse_json(content), kind, n_columns, n_outputs)
    from xgboost import Booster
    from xgboost.core import XGBoostError

    text = _text(trees, bases, kind, n_columns, n_outputs)
    try:
        booster = Booster({"nthread": 1})
        booster.load_model(bytearray(text.encode()))
    except (XGBoostError, ValueError, TypeError) as error:
        reason = (str(error).splitlines() or [""])[0][:120]
        raise DatakinError(f"XGBoost does not read its trees ({reason})") from None
    return booster


def _bases(text: Any) -> list[float]:
    found = json.loads(text)
    return [float(v) for v in (found if isinstance(found, list) else [found])]


def _compact(tree: dict[str, Any]) -> Tree:
    """Return the nodes that can be reached, from the root downwards, so that no child precedes its parent."""
    left, right = tree["left_children"], tree["right_children"]
    order = [0]
    for node in order:
        if left[node] >= 0:
            order += [left[node], right[node]]
    place = {node: i for i, node in enumerate(order)} | {-1: -1}
    return {
        "left": [place[left[node]] for node in order],
        "right": [place[right[node]] for node in order],
        "default_left": [int(tree["default_left"][node]) for node in order],
        "feature": [int(tree["split_indices"][node]) for node in order],
        "value": [float(tree["split_conditions"][node]) for node in order],
    }


def _text(
    trees: Sequence[Tree], bases: Sequence[float], kind: str, n_columns: int, n_outputs: int
) -> str:
    """Return trees as XGBoost writes them."""
    per_round = n_outputs if kind == "multiclass" else 1
    version = _version()
    model: dict[str, Any] = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
        "iteration_indptr": list(range(0, len(trees) + 1, per_round)),
        "tree_info": [i % per_round for i in range(len(trees))],
        "trees": [_tree(tree, i, n_columns) for i, tree in enumerate(trees)],
    }
    if version >= (3, 1):
        model["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
        base = f"[{','.join(map(repr, bases))}]"
    elif len(set(bases)) == 1:
        base = repr(bases[0])
    else:
        raise DatakinError("These trees need XGBoost 3.1 or newer: pip install -U xgboost-cpu.")
    objective: dict[str, Any] = {"name": OBJECTIVES[kind]}
    if kind == "multiclass":
        objective["softmax_multiclass_param"] = {"num_class": str(n_outputs)}
    else:
        objective["reg_loss_param"] = {"scale_pos_weight": "1"}
    learner = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": base,
            "boost_from_average": "0",
            "num_class": str(n_outputs if kind == "multiclass" else 0),
            "num_feature": str(n_columns),
            "num_target": "1",
        },
        "objective": objective,
    }
    return json.dumps({"learner": learner, "version": [*version, 0]}, separators=(",", ":"))


def _tree(tree: Tree, number: int, n_columns: int) -> dict[str, Any]:
    size = len(tree["left"])
    parents = [ROOT] * size
    for node, children in enumerate(zip(tree["left"], tree["right"], strict=True)):
        for child in children:
            if child >= 0:
                parents[child] = node
    made: dict[str, Any] = {
        "id": number,
        "left_children": tree["left"],
        "right_children": tree["right"],
        "parents": parents,
        "default_left": tree["default_left"],
        "split_indices": tree["feature"],
        "split_conditions": tree["value"],
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(n_columns),
            "num_nodes": str(size),
            "size_leaf_vector": "1",
        },
    }
    idle: dict[str, Any] = {name: [0.0] * size for name in IDLE}
    return {**made, **idle, "split_type": [0] * size, **{name: [] for name in EMPTY}}


def _version() -> tuple[int, int]:
    import xgboost

    major, minor = xgboost.__version__.split(".")[:2]
    return int(major), int(minor)


def _checked(raw: Any, kind: str, n_columns: int, n_outputs: int) -> tuple[list[Tree], list[float]]:
    """Return the trees and their base scores, every number of them checked."""
    learner = PlainFields(raw, "its trees").object("learner")
    booster = learner.object("gradient_booster")
    booster.choice("name", ["gbtree"])
    model = booster.object("model")
    learner.object("objective").choice("name", [OBJECTIVES[kind]])
    about = learner.object("learner_model_param")
    wanted = {"num_feature": n_columns, "num_class": n_outputs if kind == "multiclass" else 0}
    for name, number in wanted.items():
        about.choice(name, [str(number)])
    given = model.objects("trees", TREES)
    per_round = n_outputs if kind == "multiclass" else 1
    if (
        model.take("tree_info") != [i % per_round for i in range(len(given))]
        or len(given) % per_round
    ):
        raise DatakinError("its trees do not belong to the classes in turn")
    left = NODES
    trees = []
    for each in given:
        trees.append(_checked_tree(each, n_columns, left))
        left -= len(trees[-1]["left"])
    return trees, _checked_bases(about.text("base_score"), kind, per_round)


def _checked_bases(text: str, kind: str, size: int) -> list[float]:
    found = parse_json(text) if len(text) < 50 * (size + 1) else None
    bases = PlainFields({"base_score": found if isinstance(found, list) else [found]}, "its trees")
    values = bases.numbers("base_score")
    if len(values) not in (1, size) or any(abs(v) > BIGGEST for v in values):
        raise DatakinError("its trees have an odd base_score")
    if kind == "binary" and not 0 < values[0] < 1:
        raise DatakinError("its trees have a base_score that is no probability")
    return values


def _checked_tree(each: PlainFields, n_columns: int, most: int) -> Tree:
    """Return one tree: every node but the root is the child of one node that comes before it."""
    left = each.items("left_children", most)
    size = len(left)
    lists = {
        "left": left,
        "right": each.items("right_children", most),
        "default_left": each.items("default_left", most),
        "feature": each.items("split_indices", most),
    }
    values = each.numbers("split_conditions", size)
    if not size or any(len(items) != size for items in lists.values()):
        raise DatakinError(f"{each.where} has lists of different lengths")
    if any(type(item) is not int for items in lists.values() for item in items):
        raise DatakinError(f"{each.where} must hold whole numbers")
    found = {name: np.array(items, dtype=np.int64) for name, items in lists.items()}
    inner = found["left"] >= 0
    parent = np.flatnonzero(inner)
    children = np.concatenate([found["left"][inner], found["right"][inner]])
    fits = (
        _are(found["left"][~inner], -1, -1)
        and _are(found["right"][~inner], -1, -1)
        and bool((children > np.tile(parent, 2)).all())
        and np.array_equal(np.sort(children), np.arange(1, size))
        and _are(found["feature"], 0, n_columns - 1)
        and _are(found["default_left"], 0, 1)
        and all(abs(v) <= BIGGEST for v in values)
    )
    if not fits:
        raise DatakinError(f"{each.where} has a node that points to no node, column or number")
    return {**{name: array.tolist() for name, array in found.items()}, "value": values}


def _are(values: Array, low: int, high: int) -> bool:
    return bool(((values >= low) & (values <= high)).all())
