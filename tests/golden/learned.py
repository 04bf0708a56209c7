"""Recorded calls of choose, explain and KinStack: what the stack of learners finds on small fixed data.

As in `calls`, a call returns a result, or a mapping of name to result; here also to numbers and arrays.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import datakin
from datakin import CrossErrors, Dataset, as_dataset
from datakin.transfer import KinStack
from tests.golden.data import (
    classes,
    family,
    four,
    grouped,
    mixed,
    numbers,
    overlapping,
    planted,
    several,
    table,
    thin,
    unlike,
)

Call = Callable[[], Any]

FILES = Path(__file__).parent / "files"
QUICK = {"repeats": 2}
LINES = {"repeats": 1, "learners": ["linear"]}


def own_classifiers() -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    return {"bayes": GaussianNB(), "logit": LogisticRegression(C=0.5)}


def own_regressors() -> dict[str, Any]:
    from sklearn.linear_model import Ridge
    from sklearn.tree import DecisionTreeRegressor

    return {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=3, random_state=0)}


def miss_costs_three(true: Any, predicted: Any) -> np.ndarray:
    wrong = np.asarray(true != predicted, dtype=float)
    return wrong * np.where(np.asarray(true) == 1, 3.0, 1.0)


def weighed(make: Callable[..., Dataset]) -> Callable[..., Dataset]:
    """The same data with weights of rows, some of them 0."""
    return lambda n, seed, turn=0.0: make(n, seed, turn, weights=np.arange(n) % 4 / 2)


def choose(data: Callable[[], Any], **options: Any) -> Call:
    return lambda: datakin.choose(*data(), **{**QUICK, **options})


def of(make: Callable[..., Dataset]) -> Callable[[], Any]:
    return lambda: several(make)


# What comes after the choice: errors on fresh rows, a saved model, further sources.


def judged(make: Callable[..., Dataset], **options: Any) -> Call:
    """Errors and predictions on fresh rows, of a choice and of its model."""

    def call() -> dict[str, Any]:
        choice = datakin.choose(*several(make), **{**QUICK, **options})
        fresh = make(50, 9)
        return {
            "error": choice.error_on(fresh),
            "error of the model": choice.model.error_on(fresh),
            **outputs(choice.model, fresh.features.numeric),
        }

    return call


def outputs(model: Any, X: Any) -> dict[str, Any]:
    found = {"predicted": model.predict(X)}
    return found | ({"probabilities": model.predict_proba(X)} if hasattr(model, "classes_") else {})


def predicted(**options: Any) -> Call:
    """A model of tables with text and dates, saved, loaded, and asked about a table of new rows."""

    def call() -> dict[str, Any]:
        target, sources = mixed(70, 1, **options), [mixed(90, 2, 0.2, **options)]
        choice = datakin.choose(target, sources, **QUICK)
        rows = table(40, 9, **options)
        with tempfile.TemporaryDirectory() as folder:
            choice.model.save(Path(folder, "kin.datakin"))
            model = datakin.load_model(Path(folder, "kin.datakin"))
        found = outputs(model, rows.drop(columns="y"))
        card = {k: v for k, v in asdict(model.card).items() if k != "created"}  # today
        return {"card": card, "error": model.error_on(rows), **found}

    return call


def added() -> Any:
    """A source added to a choice whose other sources are not read again."""
    target, sources = several()
    with tempfile.TemporaryDirectory() as folder:
        first = datakin.choose(target, sources[:2], **QUICK)
        first.save(Path(folder, "kin.datakin"))
        return datakin.choose(target, sources[2:], add_to=Path(folder, "kin.datakin"), **QUICK)


def resumed() -> Any:
    """The second of two choices that share a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            found = datakin.choose(*several(), checkpoint=Path(folder, "kept"), **QUICK)
    return found


def with_a_tiny_source() -> tuple[Dataset, dict[str, Dataset]]:
    """Of its sources one has too few rows, and one has only classes that the target lacks."""
    small = classes(80, 5).take(np.arange(8))
    X = classes(60, 6).features.numeric
    other = as_dataset(X, np.arange(60) % 2 + 5, name="others")
    return classes(60, 1), {"near": classes(90, 2, 0.2), "tiny": small, "others": other}


CHOICES: dict[str, Call] = {
    "choose": lambda: datakin.choose(*several()),
    "choose_four": choose(of(four)),
    "choose_regression": choose(of(numbers)),
    "choose_mixed": choose(unlike),
    "choose_mixed_regression": choose(
        lambda: (
            mixed(70, 1, is_class=False),
            [mixed(80, 2, 0.3, is_class=False), mixed(60, 3, 2.0, is_class=False)],
        )
    ),
    "choose_sparse": choose(lambda: (thin(60, 1), [thin(80, 2, 0.3)])),
    "choose_alone": choose(lambda: (classes(60, 1), [])),
    "choose_one": choose(lambda: (classes(60, 1), [classes(90, 2, 0.1)])),
    "choose_unused": choose(lambda: (classes(120, 1), {"far": classes(90, 2, 3.0)})),
    "choose_unusable": choose(with_a_tiny_source),
    "choose_classes_missing": choose(lambda: (four(80, 1), {"three": classes(90, 2, 0.2, k=3)})),
    "choose_classes_more": choose(lambda: (classes(80, 1, k=3), {"four": four(90, 2, 0.2)})),
    "choose_rows_in_common": choose(lambda: (overlapping()[0], [overlapping()[1]])),
    "choose_rare": choose(
        lambda: (classes(110, 1, rare=0.12), [classes(130, 2, 0.3, rare=0.2)]), loss="auto"
    ),
    "choose_groups": choose(of(grouped(classes))),
    "choose_groups_regression": choose(of(grouped(numbers))),
    "choose_weights": choose(of(weighed(classes))),
    "choose_weights_regression": choose(of(weighed(numbers))),
    "choose_weights_given": choose(
        of(classes), weights={"d1": np.arange(60) % 3 + 0.5, "d3": np.arange(70) % 2 + 0.5}
    ),
    "choose_linear": choose(of(classes), learners=["linear"]),
    "choose_kernel": choose(of(four), learners=["kernel"]),
    "choose_trees": choose(of(numbers), learners=["trees"]),
    "choose_own": choose(of(classes), learners=own_classifiers(), repeats=1),
    "choose_own_four": choose(of(four), learners=own_classifiers(), repeats=1),
    "choose_own_regressors": choose(of(numbers), learners=own_regressors(), repeats=1),
    "choose_loss_zero_one": choose(of(four), loss="zero_one", learners=["linear"]),
    "choose_loss_balanced": choose(of(classes), loss="balanced", **LINES),
    "choose_loss_brier": choose(of(four), loss="brier", **LINES),
    "choose_loss_log": choose(of(classes), loss="log", **LINES),
    "choose_loss_absolute": choose(of(numbers), loss="absolute", **LINES),
    "choose_loss_callable": choose(of(classes), loss=miss_costs_three, **LINES),
    "choose_without_pools": choose(of(classes), pools=False),
    "choose_sampled": choose(
        lambda: (classes(400, 1), [classes(500, 2, 0.3), classes(80, 3)]), max_rows=150, **LINES
    ),
    "choose_seed": choose(of(classes), random_state=5),
    "choose_repeats": choose(of(numbers), repeats=(1, 4), learners=["linear"]),
    "choose_two_threads": choose(of(four), n_jobs=2, **LINES),
    "choose_resumed": resumed,
    "choose_added": added,
    "choose_error_on": judged(classes),
    "choose_error_on_four": judged(four, **LINES),
    "choose_error_on_numbers": judged(numbers),
    "choose_predicts": predicted(),
    "choose_predicts_numbers": predicted(is_class=False),
}


def explain(cause: str, kind: str = "binary", n: int = 90, **options: Any) -> Call:
    return lambda: datakin.explain(*planted(cause, kind, n), **{"learner": "linear", **options})


def explain_pair(data: Callable[[], Any], **options: Any) -> Call:
    return lambda: datakin.explain(*data(), **{"learner": "linear", **options})


def apart(make: Callable[..., Dataset], turn: float = 1.2) -> Callable[[], Any]:
    return lambda: (make(80, 1), make(150, 2, turn))


def own_learner() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def explained(kind: str) -> Call:
    """Explanations of the sources of a comparison, a ranking or a choice."""

    def call() -> Any:
        target, sources = several()
        result = {
            "comparison": lambda: datakin.score(target, sources[2], models=["logistic"]),
            "ranking": lambda: datakin.rank(target, sources, models=["logistic"]),
            "choice": lambda: datakin.choose(target, sources, **LINES),
        }[kind]()
        return datakin.explain_sources(result, target, sources, learner="linear")

    return call


EXPLANATIONS: dict[str, Call] = {
    "explain": lambda: datakin.explain(*planted("rule")),
    "explain_nothing": explain("nothing"),
    "explain_nothing_numbers": explain("nothing", "regression"),
    "explain_base_rate": explain("base rate"),
    "explain_units": explain("units"),
    "explain_codes": explain("codes"),
    "explain_cycle": explain("cycle"),
    "explain_blanks": explain("blanks"),
    "explain_missing": explain("missing"),
    "explain_lacking": explain("lacking"),
    "explain_names": explain("names"),
    "explain_classes": explain("classes"),
    "explain_leak": explain("leak"),
    "explain_copies": explain("copies"),
    "explain_four": explain_pair(apart(four)),
    "explain_several": explain("units", "several", 60),
    "explain_several_classes": explain("classes", "several", 60),
    "explain_regression": explain_pair(apart(numbers)),
    "explain_units_numbers": explain("units", "regression"),
    "explain_level_numbers": explain("base rate", "regression"),
    "explain_trees": explain("rule", learner="trees"),
    "explain_kernel": explain("rule", n=60, learner="kernel"),
    "explain_own": explain_pair(apart(classes), learner=own_learner()),
    "explain_auto": explain("units", learner="auto"),
    "explain_brier": explain("rule", loss="brier"),
    "explain_mixed": explain_pair(lambda: (mixed(80, 1), mixed(120, 2, 0.9))),
    "explain_groups": explain_pair(apart(grouped(classes))),
    "explain_weights": explain_pair(apart(weighed(classes))),
    "explain_sparse": explain_pair(lambda: (thin(80, 1), thin(150, 2, 1.2))),
    "explain_sampled": explain_pair(
        lambda: (classes(300, 1), classes(400, 2, 0.9)), max_rows=100, random_state=3
    ),
    "explain_itself": explain_pair(lambda: (classes(80, 1), classes(80, 1))),
    "explain_sources_comparison": explained("comparison"),
    "explain_sources_ranking": explained("ranking"),
    "explain_sources_choice": explained("choice"),
}


def stack(make: Callable[..., Dataset], n_sources: int = 3, **options: Any) -> Call:
    """A KinStack fitted on arrays, and what it says of fresh rows."""

    def call() -> dict[str, Any]:
        target, sources = several(make)
        is_class = bool(target.classes)
        fit = options.get("fit", {})
        model = KinStack(
            **{
                "repeats": 2,
                "task": "classification" if is_class else "regression",
                **{k: v for k, v in options.items() if k != "fit"},
            }
        ).fit(
            target.features.numeric,
            target.y,
            sources={s.name: (s.features.numeric, s.y) for s in sources[:n_sources]},
            **fit,
        )
        fresh = make(40, 9)
        X = fresh.features.numeric
        return {
            "error": model.error_,
            "error alone": model.error_alone_,
            "used": list(model.used_),
            "shares": dict(model.shares_),
            "score": model.score(X, fresh.y),
            "predicted": model.predict(X),
            **({"probabilities": model.predict_proba(X)} if is_class else {}),
        }

    return call


STACKS: dict[str, Call] = {
    "kin_stack": stack(classes),
    "kin_stack_four": stack(four),
    "kin_stack_regression": stack(numbers),
    "kin_stack_alone": stack(classes, 0),
    "kin_stack_groups": stack(classes, fit={"groups": np.arange(60) // 4}),
    "kin_stack_weights": stack(numbers, fit={"weights": np.arange(60) % 3}),
    "kin_stack_own": stack(classes, learners=own_classifiers(), repeats=1),
    "kin_stack_without_pools": stack(four, pools=False, learners=["linear", "trees"]),
    "kin_stack_brier": stack(classes, loss="brier", random_state=3, learners=["kernel"]),
    "kin_stack_gain": lambda: datakin.transfer_gain(
        classes(40, 1), [classes(60, 2, 0.2), classes(50, 3)], methods=["kin_stack"], repeats=2
    ),
}


# The table of cross errors, with trials: looked at, saved, loaded, joined.


def measured(**options: Any) -> CrossErrors:
    return CrossErrors.measure(family(), **{"models": ["logistic"], **options})


def kept(keep: str) -> Call:
    """Looks at a table that keeps predictions, losses or sums, after it was saved and loaded."""

    def call() -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            measured(keep=keep, trials="d1").save(Path(folder, "table"))
            errors = CrossErrors.load(Path(folder, "table"))
        return {
            "rank": errors.rank("d1"),
            "score": errors.score("d1", "d3"),
            "matrix": errors.subset(["d1", "d2", "d3"]).matrix(),
        }

    return call


def from_file() -> dict[str, Any]:
    """A model that an earlier version saved."""
    model = datakin.load_model(FILES / "kin.datakin")
    return {"card": model.card, **outputs(model, table(20, 9).drop(columns="y"))}


def table_from_file() -> dict[str, Any]:
    """A table of cross errors that an earlier version saved."""
    errors = CrossErrors.load(FILES / "table")
    return {"score": errors.score("d1", "d3"), "matrix": errors.matrix()}


def results_from_files() -> dict[str, Any]:
    """Results that an earlier version wrote as JSON."""
    return {file.stem: datakin.from_json(file.read_text()) for file in sorted(FILES.glob("*.json"))}


EVIDENCE: dict[str, Call] = {
    "table_predictions": kept("predictions"),
    "table_losses": kept("losses"),
    "table_sums": kept("sums"),
    "rank_screened": lambda: datakin.rank(*several(), models=["logistic"], screen=True),
    "matrix_calls": lambda: datakin.matrix(family()[:3], models=["logistic"], calls=True),
    "file_of_a_model": from_file,
    "file_of_a_table": table_from_file,
    "files_of_results": results_from_files,
}

LEARNED: dict[str, Call] = {**CHOICES, **EXPLANATIONS, **STACKS, **EVIDENCE}
