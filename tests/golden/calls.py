"""The recorded calls: small fixed data, and what is asked of it. Public names of datakin only.

A call returns a result, or a mapping of name to result. `STORED` calls are in the record. `LOCAL` ones
follow the path of an iteration that stops early (networks, probabilities from a support vector machine),
so that their digits differ between processors: they are compared on one machine only.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import datakin
from datakin import CrossLearningScore, Dataset, read_table
from tests.golden.data import (
    classes,
    family,
    four,
    grouped,
    mixed,
    numbers,
    overlapping,
    several,
    spoilt,
    table,
    thin,
    unlike,
)
from tests.golden.learned import LEARNED

Call = Callable[[], Any]

HAS_TORCH = find_spec("torch") is not None
DISTANCES = ("kl", "js", "wasserstein", "mmd", "energy", "otdd", "proxy_a")
ONE = {"models": ["logistic"]}
TWO = {"models": ["logistic", "rbf_svm"]}
FOUR = {"models": ["logistic", "linear_svm", "rbf_svm", "xgboost"]}
FOUR_REGRESSORS = {"models": ["linear", "linear_svm", "rbf_svm", "xgboost"]}


# Losses of one's own.


def miss_costs_three(true: Any, predicted: Any) -> np.ndarray:
    wrong = np.asarray(true != predicted, dtype=float)
    return wrong * np.where(np.asarray(true) == 1, 3.0, 1.0)


def bounded(true: Any, predicted: Any) -> np.ndarray:
    return np.minimum(np.abs(true - predicted), 5.0)


# How things are asked for, in the old way and in the new.


def distance(kind: str, name: str, *data: Any, **options: Any) -> Any:
    """`kind` is "score", "rank" or "matrix"; rivals moved to a room of their own."""
    from datakin import distances

    new = getattr(distances, "compare" if kind == "score" else kind, None)
    return (new or getattr(datakin, kind))(*data, method=name, **options)


def all_distances(kind: str, *data: Any, names: tuple[str, ...] = DISTANCES) -> dict[str, Any]:
    return {name: distance(kind, name, *data) for name in names}


def sampled_when_read() -> Any:
    """Two csv files, of which the first has more rows than shall be read."""
    limit = next(name for name in inspect.signature(read_table).parameters if "rows" in name)
    with tempfile.TemporaryDirectory() as folder:
        for seed, n in ((1, 400), (2, 90)):
            table(n, seed, 0.4 * seed).to_csv(Path(folder, f"d{seed}.csv"), index=False)
        read = [read_table(Path(folder, f"d{i}.csv"), label="y", **{limit: 120}) for i in (1, 2)]
    return datakin.score(*read, **ONE)


def resumed() -> Any:
    """The second of two rankings that share a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            found = datakin.rank(*several(), checkpoint=Path(folder, "kept"), **ONE)
    return found


def _score(make: Callable[..., Dataset], turn: float = 0.5, **options: Any) -> Call:
    return lambda: datakin.score(make(80, 1), make(100, 2, turn), **options)


def _own_models() -> dict[str, Any]:
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    return {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}


def _own_regressors() -> dict[str, Any]:
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsRegressor

    return {"ridge": Ridge(), "near": KNeighborsRegressor(5)}


def _gain(make: Callable[..., Dataset], *methods: str, **options: Any) -> Call:
    return lambda: datakin.transfer_gain(
        make(40, 1), make(60, 2, 0.2), methods=list(methods), repeats=2, **options
    )


SCORES: dict[str, Call] = {
    "binary": _score(classes),
    "binary_far": _score(classes, 3.0, random_state=7, **TWO),
    "binary_extended": _score(classes, models="extended"),
    "binary_own_models": lambda: datakin.score(
        classes(80, 1), classes(100, 2, 0.5), models=_own_models()
    ),
    "four": _score(four),
    "regression": _score(numbers),
    "regression_extended": _score(numbers, models="extended", estimate="cubic"),
    "regression_own_models": lambda: datakin.score(
        numbers(80, 1), numbers(100, 2, 0.5), models=_own_regressors()
    ),
    "regression_weighting_paper": _score(numbers, weighting="paper", sharpness=2.0),
    # the paper's models, by name and to the letter
    "paper_models": _score(classes, **FOUR),
    "paper_models_four": _score(four, **FOUR),
    "paper_models_regression": _score(numbers, **FOUR_REGRESSORS),
    "paper_models_mixed": _score(mixed, size="limit", **FOUR),
    "as_in_paper": lambda: CrossLearningScore.as_in_paper().compare(
        classes(80, 1), classes(100, 2, 0.5)
    ),
    "as_in_paper_four": lambda: CrossLearningScore.as_in_paper(cv=3).compare(
        four(80, 1), four(100, 2, 0.5)
    ),
    "as_in_paper_regression": lambda: CrossLearningScore.as_in_paper(cv=3).compare(
        numbers(80, 1), numbers(100, 2, 0.5)
    ),
    # estimates
    "estimate_weighted": _score(classes, estimate="weighted", **TWO),
    "estimate_unweighted": _score(classes, estimate="unweighted", **TWO),
    "estimate_logistic": _score(classes, estimate="logistic", **TWO),
    "estimate_linear_svm": _score(four, estimate="linear_svm", models=["linear_svm"]),
    "estimate_rbf_svm": _score(classes, estimate="rbf_svm", **TWO),
    "estimate_xgboost": _score(four, estimate="xgboost", models=["xgboost"]),
    "estimate_qda": _score(classes, estimate="qda"),
    "estimate_linear": _score(numbers, estimate="linear", models=["linear", "linear_svm"]),
    # sizes
    "size_paper": _score(classes, size="paper", **TWO),
    "size_limit": _score(classes, size="limit", **TWO),
    "size_paper_four": _score(four, size="paper", zones="paper", **ONE),
    "size_limit_regression": _score(numbers, size="limit", models=["linear", "rbf_svm"]),
    # losses
    "loss_auto_rare": lambda: datakin.score(
        classes(110, 1, rare=0.12), classes(130, 2, 0.5, rare=0.3), **TWO
    ),
    "loss_zero_one": _score(four, loss="zero_one", **TWO),
    "loss_balanced": lambda: datakin.score(
        classes(90, 1, rare=0.3), classes(120, 2, 0.5), loss="balanced", **TWO
    ),
    "loss_brier": _score(classes, loss="brier", models=["logistic", "xgboost"]),
    "loss_brier_four": _score(four, loss="brier", **ONE),
    "loss_log": _score(four, loss="log", **ONE),
    "loss_squared": _score(numbers, loss="squared", models=["linear", "xgboost"]),
    "loss_absolute": _score(numbers, loss="absolute", models=["linear", "xgboost"]),
    "loss_callable": _score(classes, loss=miss_costs_three, **TWO),
    "loss_callable_regression": _score(numbers, loss=bounded, models=["linear"]),
    # zones
    "zones_paper_rows": _score(classes, 1.2, zones="paper", zone_error="rows", **TWO),
    "zones_paper_folds": _score(four, 1.2, zones="paper", zone_error="folds", **ONE),
    "zones_gain_folds": _score(numbers, 0.1, zone_error="folds", models=["linear"]),
    # folds and ensembles
    "voting_hard": _score(four, voting="hard", **TWO),
    "voting_hard_binary": _score(classes, voting="hard"),
    "inner_fresh": _score(classes, inner="fresh", **TWO),
    "inner_fresh_regression": _score(numbers, inner="fresh", models=["linear"]),
    "stratify_false": _score(classes, stratify=False, **TWO),
    "repeats_2": _score(classes, repeats=2, **TWO),
    "repeats_2_regression": _score(numbers, repeats=2, size="limit", models=["linear"]),
    "cv_3": _score(four, cv=3, **ONE),
    "cv_3_limit": _score(classes, cv=3, size="limit", **TWO),
    "sharpness_0": _score(classes, sharpness=0, **TWO),
    "sharpness_20": _score(numbers, sharpness=20.0, models=["linear", "rbf_svm"]),
    "sharpness_5000": _score(four, sharpness=5000, **TWO),
    "direction_0": _score(classes, direction=0, **TWO),
    "direction_03": _score(numbers, direction=0.3, zones="paper", models=["linear"]),
    "direction_1": _score(four, direction=1, **ONE),
}

TABLES: dict[str, Call] = {
    "mixed": _score(mixed, **TWO),
    "mixed_trees": _score(mixed, models=["logistic", "xgboost"], loss="brier"),
    "mixed_regression": lambda: datakin.score(
        mixed(80, 1, is_class=False), mixed(100, 2, 0.5, is_class=False), models=["linear"]
    ),
    "columns_differ": lambda: datakin.score(
        mixed(80, 1, drop=("spare",)), mixed(100, 2, 0.5, drop=("dose",)), **TWO
    ),
    "sparse": _score(thin, **TWO),
    "sparse_regression": lambda: datakin.score(
        thin(80, 1, is_class=False), thin(100, 2, 0.5, is_class=False), models=["linear"]
    ),
    "groups": _score(grouped(classes), **TWO),
    "groups_regression": _score(grouped(numbers), repeats=2, models=["linear"]),
    "rows_in_common": lambda: datakin.score(*overlapping(), **TWO),
    "class_missing": lambda: datakin.score(four(80, 1), classes(90, 2, 0.5, k=3), **TWO),
    "itself": lambda: datakin.score(classes(80, 1), classes(80, 1), **ONE),
    "read_from_files": sampled_when_read,
    # above max_rows
    "sampled": lambda: datakin.score(classes(700, 1), classes(650, 2, 0.5), max_rows=200, **ONE),
    "sampled_ensemble": lambda: datakin.score(
        four(600, 1), four(700, 2, 0.5), max_rows=200, precision=0.1, size="limit", **TWO
    ),
    "sampled_regression": lambda: datakin.score(
        numbers(700, 1), numbers(700, 2, 0.5), max_rows=200, repeats=2, models=["linear"]
    ),
    "sampled_large_source": lambda: datakin.score(
        classes(80, 1), classes(700, 2, 0.5), max_rows=200, zones="paper", **TWO
    ),
    "sampled_large_target": lambda: datakin.score(
        grouped(classes)(700, 1), grouped(classes)(100, 2, 0.2), max_rows=200, **ONE
    ),
}

SEVERAL: dict[str, Call] = {
    "rank": lambda: datakin.rank(*several()),
    "rank_paper_models": lambda: datakin.rank(*several(), **FOUR),
    "matrix_paper_models": lambda: datakin.matrix(family(), **FOUR),
    "matrix_as_in_paper": lambda: CrossLearningScore.as_in_paper(cv=3).matrix(family()),
    "rank_regression": lambda: CrossLearningScore(
        models=["linear"], zones="paper", direction=0.7
    ).rank(*several(numbers)),
    "rank_columns_differ": lambda: datakin.rank(*unlike(), **ONE),
    "rank_sampled": lambda: datakin.rank(
        classes(70, 1),
        {"large": classes(600, 2, 0.3), "small": classes(90, 3)},
        max_rows=200,
        **ONE,
    ),
    "rank_two_threads": lambda: datakin.rank(*several(four), n_jobs=2, size="paper", **ONE),
    "rank_resumed": resumed,
    "matrix": lambda: datakin.matrix(family()),
    "matrix_columns_differ": lambda: datakin.matrix(
        [unlike()[0], *unlike()[1]], zones="paper", **ONE
    ),
    "matrix_regression": lambda: CrossLearningScore(models=["linear"], size="limit").matrix(
        family(numbers)
    ),
    "matrix_paper": lambda: datakin.matrix(family(four), size="paper", repeats=2, **ONE),
    "matrix_sampled": lambda: datakin.matrix(
        [classes(500, 1), classes(90, 2, 0.3), classes(450, 3, 1.0)], max_rows=200, **ONE
    ),
    "matrix_skips_one": lambda: datakin.matrix(spoilt(), skip_unusable=True, **ONE),
    "transfer": _gain(classes, "concatenate", "tradaboost", "dynamic_tradaboost", "art"),
    "transfer_four": _gain(four, "concatenate", "kin_weighted", test_size=0.4),
    "transfer_regression": _gain(
        numbers, "concatenate", "tradaboost_r2", "art", "kin_weighted", random_state=5
    ),
    "distances": lambda: all_distances("score", classes(60, 1), classes(80, 2, 0.5)),
    "distances_mixed": lambda: all_distances("score", mixed(60, 1), mixed(70, 2, 0.5)),
    "distances_regression": lambda: all_distances(
        "score", numbers(60, 1), numbers(70, 2, 0.5), names=tuple(set(DISTANCES) - {"otdd"})
    ),
    "distances_rank": lambda: all_distances("rank", *several()),
    "distances_matrix": lambda: all_distances("matrix", family()),
}


# Encoder and head. Torch is imported here, so that all other calls work without it.


def _deep(
    kind: str, data: Callable[[], tuple[Any, ...]], encoder: Any = "identity", **options: Any
) -> Call:
    def call() -> Any:
        from datakin.deep import EncoderHeadScore

        made = encoder() if callable(encoder) else encoder
        return getattr(EncoderHeadScore(made, repeats=2, **options), kind)(*data())

    return call


def _pair(make: Callable[..., Dataset]) -> Callable[[], tuple[Dataset, Dataset]]:
    return lambda: (make(80, 1), make(100, 2, 0.5))


def _net() -> Any:
    import torch

    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU())


def deep_resumed() -> Any:
    """The second of two rankings of encoder and head that share a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            found = _deep("rank", several, checkpoint=Path(folder, "kept"))()
    return found


DEEP: dict[str, Call] = {
    "deep": _deep("compare", _pair(classes)),
    "deep_four": _deep("compare", _pair(four), loss="log", zones="gain", random_state=3),
    "deep_regression": _deep("compare", _pair(numbers), zones="gain"),
    "deep_regression_paper": _deep("compare", _pair(numbers), loss="absolute", test_size=0.4),
    "deep_itself": _deep("compare", lambda: (classes(80, 1), classes(80, 1))),
    "deep_balanced": _deep("compare", _pair(four), loss="balanced", random_state=5),
    "deep_brier": _deep("compare", _pair(classes), loss="brier", test_size=0.2),
    "deep_function": _deep("compare", _pair(classes), lambda: lambda X: np.asarray(X)[:, :2] ** 2),
    "deep_grouped": _deep("compare", _pair(grouped(classes))),
    "deep_resumed": deep_resumed,
    "deep_rank": _deep("rank", several),
    "deep_matrix": _deep("matrix", lambda: (family(),), zones="gain"),
    "deep_matrix_regression": _deep("matrix", lambda: (family(numbers),)),
}

TRAINED: dict[str, Call] = {
    "trained": _deep("compare", _pair(classes), _net, epochs=2),
    "trained_rank": _deep("rank", several, _net, epochs=2, zones="gain"),
    "trained_matrix": _deep("matrix", lambda: (family(numbers),), _net, epochs=2, zones="gain"),
    "frozen_mlp": _deep("compare", _pair(classes), _net, freeze=True, head="mlp"),
}

STORED: dict[str, Call] = {**SCORES, **TABLES, **SEVERAL, **LEARNED, **DEEP}
LOCAL: dict[str, Call] = {
    "loss_brier_svm": _score(classes, loss="brier", **TWO),
    "loss_log_svm": _score(four, loss="log", models=["linear_svm", "rbf_svm"]),
    **TRAINED,
}
NEED_TORCH = frozenset({*DEEP, *TRAINED})
