"""Boosted trees as XGBoost's own JSON, of which only what predicts is kept and every number is checked.

XGBoost trusts the files it reads: a child that points back hangs it, one that points out of the tree
reads foreign memory. So nothing of a file reaches it but what is rebuilt here from checked numbers.
"""

from __future__ import annotations

import json
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
TREES = 100_000
NODES = 1 << 19  # Of all trees together.
ROOT = 2**31 - 1  # The parent of a root, for XGBoost.
BIGGEST = float(np.finfo(np.float32).max)
# What every node has besides: nothing that predictions depend on.
IDLE = ("base_weights", "loss_changes", "sum_hessian")
EMPTY = ("categories", "categories_nodes", "categories_segments", "categories_sizes")


def booster_of(content: bytes, kind: str, n_columns: int, n_outputs: int) -> Any:
    """Return the booster of a JSON text of `tree_text`; refuse any other."""
    text = tree_text(content, kind, n_columns, n_outputs)
    from xgboost import Booster
    from xgboost.core import XGBoostError

    try:
        booster = Booster({"nthread": 1})
        booster.load_model(bytearray(text))
    except (XGBoostError, ValueError, TypeError) as error:
        reason = (str(error).splitlines() or [""])[0][:120]
        raise DatakinError(f"XGBoost does not read its trees ({reason})") from None
    return booster


def tree_text(content: bytes, kind: str, n_columns: int, n_outputs: int) -> bytes:
    """Return trees as XGBoost's JSON, with nothing but checked numbers of the one that is given.

    The same trees give the same text.

    Parameters
    ----------
    content : bytes
        As ``booster.save_raw("json")`` writes them.
    kind : {"binary", "multiclass", "regression"}
    n_columns, n_outputs : int
        Of the matrix, and of the prediction.
    """
    learner = PlainFields(parse_json(content), "its trees").object("learner")
    booster = learner.object("gradient_booster")
    booster.choice("name", ["gbtree"])
    model = booster.object("model")
    learner.object("objective").choice("name", [OBJECTIVES[kind]])
    about = learner.object("learner_model_param")
    n_classes = n_outputs if kind == "multiclass" else 0
    for name, number in (("num_feature", n_columns), ("num_class", n_classes)):
        about.choice(name, [str(number)])
    given, per_round = model.objects("trees", TREES), n_classes or 1
    if (
        model.take("tree_info") != [i % per_round for i in range(len(given))]
        or len(given) % per_round
    ):
        raise DatakinError("its trees do not belong to the classes in turn")
    trees: list[dict[str, Any]] = []
    n_left = NODES
    for number, tree in enumerate(given):
        trees.append(_tree(tree, number, n_columns, n_left))
        n_left -= len(trees[-1]["parents"])
    bases = _bases(about.text("base_score"), kind, per_round)
    return _text(trees, bases, kind, n_columns, n_classes)


def _text(
    trees: list[dict[str, Any]], bases: list[float], kind: str, n_columns: int, n_classes: int
) -> bytes:
    """Return trees as XGBoost writes them."""
    import xgboost

    n_trees, per_round = len(trees), n_classes or 1
    version = [int(number) for number in xgboost.__version__.split(".")[:2]]
    model: dict[str, Any] = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(n_trees)},
        "iteration_indptr": list(range(0, n_trees + 1, per_round)),
        "tree_info": [i % per_round for i in range(n_trees)],
        "trees": trees,
    }
    if version >= [3, 1]:
        model["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
        base = f"[{','.join(map(repr, bases))}]"
    elif len(set(bases)) == 1:
        base = repr(bases[0])
    else:
        raise DatakinError("These trees need XGBoost 3.1 or newer: pip install -U xgboost-cpu.")
    objective: dict[str, Any] = {"name": OBJECTIVES[kind]}
    if n_classes:
        objective["softmax_multiclass_param"] = {"num_class": str(n_classes)}
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
            "num_class": str(n_classes),
            "num_feature": str(n_columns),
            "num_target": "1",
        },
        "objective": objective,
    }
    text = json.dumps({"learner": learner, "version": [*version, 0]}, separators=(",", ":"))
    return text.encode()


def _bases(text: str, kind: str, size: int) -> list[float]:
    found = parse_json(text) if len(text) < 50 * (size + 1) else None
    bases = PlainFields({"base_score": found if isinstance(found, list) else [found]}, "its trees")
    values = bases.numbers("base_score")
    if len(values) not in (1, size) or any(abs(v) > BIGGEST for v in values):
        raise DatakinError("its trees have an odd base_score")
    if kind == "binary" and not 0 < values[0] < 1:
        raise DatakinError("its trees have a base_score that is no probability")
    return values


def _tree(given: PlainFields, number: int, n_columns: int, most: int) -> dict[str, Any]:
    """Return one tree: every node but the root is the child of one node that comes before it."""
    names = ("left_children", "right_children", "default_left", "split_indices")
    lists = {name: given.items(name, most) for name in names}
    size = len(lists["left_children"])
    values = given.numbers("split_conditions", size)
    if not size or any(len(items) != size for items in lists.values()):
        raise DatakinError(f"{given.where} has lists of different lengths")
    if any(type(item) is not int for items in lists.values() for item in items):
        raise DatakinError(f"{given.where} must hold whole numbers")
    left, right, default_left, column = (
        np.array(items, dtype=np.int64) for items in lists.values()
    )
    is_inner = left >= 0
    children = np.concatenate([left[is_inner], right[is_inner]])
    parents_of = np.tile(np.flatnonzero(is_inner), 2)
    fits = (
        _are(left[~is_inner], -1, -1)
        and _are(right[~is_inner], -1, -1)
        and bool((children > parents_of).all())
        and np.array_equal(np.sort(children), np.arange(1, size))
        and _are(column, 0, n_columns - 1)
        and _are(default_left, 0, 1)
        and all(abs(v) <= BIGGEST for v in values)
    )
    if not fits:
        raise DatakinError(f"{given.where} has a node that points to no node, column or number")
    parents = np.full(size, ROOT)
    parents[children] = parents_of
    return {
        "id": number,
        **lists,
        "parents": parents.tolist(),
        "split_conditions": values,
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(n_columns),
            "num_nodes": str(size),
            "size_leaf_vector": "1",
        },
        **{name: [0.0] * size for name in IDLE},
        "split_type": [0] * size,
        **{name: [] for name in EMPTY},
    }


def _are(values: Array, low: int, high: int) -> bool:
    return bool(((values >= low) & (values <= high)).all())
