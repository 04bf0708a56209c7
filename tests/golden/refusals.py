"""The recorded refusals: what is said at every public door to input that makes no sense.

Each room has a table of name and call; all sentences of a room are one recorded text.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import datakin
from datakin import (
    CrossErrors,
    CrossLearningScore,
    as_dataset,
    distances,
    read_table,
    read_tables,
    transfer,
)
from tests.golden.commands import folder, typed
from tests.golden.data import classes, draw, four, numbers, planted, several
from tests.golden.words import rounded

Acts = dict[str, Callable[[], Any]]

N = 60
FAST = {"models": ["logistic"], "cv": 3}


def arrays(seed: int = 0, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(3)
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


def frame(seed: int = 0, n: int = N, **columns: Any) -> pd.DataFrame:
    X, y = arrays(seed, n)
    return pd.DataFrame(X, columns=["age", "dose"]).assign(died=y).assign(**columns)


A, B = arrays(0), arrays(1)
ROWS = np.arange(N)


def icu(seed: int = 0, name: str = "icu", **columns: Any) -> Any:
    return read_table(frame(seed, **columns), label="died", name=name)


def read(data: Any = None, **options: Any) -> Callable[[], Any]:
    return lambda: read_table(frame() if data is None else data, **{"label": "died", **options})


def reads(data: Any, **options: Any) -> Callable[[], Any]:
    return lambda: read_tables(data, **{"label": "died", **options})


TABLES: Acts = {
    "label missing, close name": read(label="die"),
    "label missing, nothing close": read(label="outcome"),
    "label that is no name": read(label=3),
    "label None": read(label=None),
    "group missing": read(group="pid"),
    "weight missing": read(weight="doze"),
    "ignored column missing": read(ignore=["doze"]),
    "kept column missing": read(keep=["doze"]),
    "group is the label": read(group="died"),
    "weight is the group": read(weight="age", group="age"),
    "no labelled row": lambda: icu(died=np.nan),
    "no row": read(frame().iloc[:0]),
    "no column": read(pd.DataFrame()),
    "one class only": lambda: icu(died=1),
    "ten rows": read(frame(n=10), name="icu"),
    "nothing but the label": read(frame()[["died"]]),
    "nothing that varies": lambda: icu(age=1, dose=None),
    "infinite value": lambda: icu(age=[np.inf, -np.inf, *range(58)]),
    "lists in cells": lambda: icu(age=[[1, 2]] * N),
    "same column twice": read(frame().set_axis(["a", "a", "died"], axis=1)),
    "not a table": read({"a": 1}),
    "a path that is not there": read("nowhere.csv"),
    "unknown task": read(task="cls"),
    "regression of words": lambda: read_table(
        frame(died=["a", "b"] * 30), label="died", task="regression"
    ),
    "binary of three": lambda: read_table(frame(died=ROWS % 3), label="died", task="binary"),
    "a positive class that is not there": read(positive="yes"),
    "a label map that is none": read(label_map=["a"]),
    "a label map of nothing": read(label_map={"yes": "1"}),
    "weights below 0": lambda: read_table(frame(w=-1.0), label="died", weight="w"),
    "weights of words": lambda: read_table(frame(w="many"), label="died", weight="w"),
    "weights of 0": lambda: read_table(frame(w=0), label="died", weight="w", name="icu"),
    "max_rows": read(max_rows=10),
    "read_rows": read(read_rows=0),
    "rename that is none": read(rename=["age"]),
    "rename to nothing": read(rename={"age": ""}),
    "rename of nothing": read(rename={"agee": "x"}),
    "rename to a name that is there": read(rename={"age": "dose"}),
    "recode that is none": read(recode={"age": 3}),
    "recode of another value": read(recode={"died": {"7": "1"}}),
    "recode to dots": read(recode={"died": {"1": "..."}}),
    "convert to a word": read(convert={"age": "kg"}),
    "convert by 0": read(convert={"age": (0, 1)}),
    "convert of nothing": read(convert={"agee": (2, 0)}),
    "convert to dates": read(convert={"age": "%d/%m/%Y"}),
    "delimiter": read("mine.csv", delimiter=";;"),
    "list of tables": reads([frame(), frame(1)]),
    "no table at all": reads([]),
    "domain with many tables": reads({"a": frame(), "b": frame(1)}, domain="dose"),
    "domain missing": reads(frame(), domain="site"),
    "domain of one value": reads(frame(site="north"), domain="site"),
    "a correction of no table": reads(
        {"a": frame(), "b": frame(1)}, convert={"c": {"age": (2, 0)}}
    ),
    "one of two is unusable": reads({"a": frame(), "b": frame(1, n=9)}),
    "describe: max_rows": lambda: datakin.describe(frame(), label="died", max_rows=3),
    "describe: no table": lambda: datakin.describe(3, label="died"),
    "match_classes: no dataset": lambda: datakin.match_classes(icu(), 3),
    "match_classes: numbers": lambda: datakin.match_classes(numbers(60, 1), numbers(60, 2)),
}

ARRAYS: Acts = {
    "different length": lambda: as_dataset(A[0], A[1][:-1]),
    "flat X": lambda: as_dataset(A[0][:, 0], A[1]),
    "two columns of y": lambda: as_dataset(A[0], A[0]),
    "group of another length": lambda: as_dataset(*A, group=[1, 2]),
    "weights of another length": lambda: as_dataset(*A, weights=[1, 2]),
    "weights of nothing": lambda: as_dataset(*A, weights=np.full(N, np.nan)),
    "weights of 0": lambda: as_dataset(*A, weights=np.zeros(N)),
    "few rows": lambda: as_dataset(A[0][:9], A[1][:9]),
    "one class": lambda: as_dataset(A[0], np.ones(N)),
    "infinite": lambda: as_dataset(np.full((N, 2), np.inf), A[1]),
    "sparse without entries": lambda: as_dataset(sparse.csr_array((N, 2)), A[1]),
    "unknown task": lambda: as_dataset(*A, task="both"),
}


def score(target: Any = A, source: Any = B, **options: Any) -> Callable[[], Any]:
    return lambda: datakin.score(target, source, **{**FAST, **options})


def estimator(name: str) -> Any:
    """Return a scikit-learn estimator that does not fit where it is given."""
    from sklearn import linear_model, svm

    return getattr(linear_model, name, None) or getattr(svm, name)


SCORES: Acts = {
    "no shared columns": lambda: score(
        icu(), read_table(frame(1).set_axis(["a", "b", "died"], axis=1), label="died", name="s")
    )(),
    "numbers here, text there": lambda: score(icu(), icu(1, "s", age=["old", "young"] * 30))(),
    "0/1 here, yes/no there": lambda: score(icu(), icu(1, "s", died=np.where(B[1], "y", "n")))(),
    "classes here, quantity there": lambda: score(icu(), icu(1, "s", died=B[0][:, 1] * 2))(),
    "equal names": lambda: score(icu(), icu(1))(),
    "target contained in source": score((A[0][:30], A[1][:30]), A),
    "a rare class": score((A[0], ["rare", "rare", *map(str, A[1][2:])])),
    "one group": lambda: score(as_dataset(*A, group=np.zeros(N), name="t"))(),
    "a group that holds a class": lambda: score(
        as_dataset(*A, group=np.where(A[1], 0, ROWS), name="t")
    )(),
    "a frame": score(frame(), frame(1)),
    "a path": score("a.csv"),
    "None": score(None),
    "unknown model": score(models=["logistics"]),
    "unknown word for models": score(models="extend"),
    "no model": score(models=[]),
    "a number for models": score(models=3),
    "a bare estimator": lambda: score(models=estimator("LogisticRegression")())(),
    "a class for an estimator": lambda: score(models={"m": estimator("LogisticRegression")})(),
    "a regressor for classes": lambda: score(models={"m": estimator("LinearRegression")()})(),
    "a reserved name": lambda: score(models={"ensemble": estimator("LogisticRegression")()})(),
    "a model that fails": lambda: score(models={"m": estimator("LogisticRegression")(C=-1)})(),
    "unknown loss": score(loss="zero-one"),
    "a loss of the wrong type": score(loss=["brier"]),
    "a loss for regression": score(loss="squared"),
    "a loss for classes": lambda: score(numbers(60, 1), numbers(60, 2), models=["linear"], loss="log")(),
    "a loss of NaN": score(loss=lambda y, p: np.full(len(y), np.nan)),
    "a loss of one number": score(loss=lambda y, p: np.mean(y != p)),
    "a loss that raises": score(loss=lambda y, p: 1 / 0),
    "unknown estimate": score(estimate="ensemle"),
    "unknown option": score(folds=3),
    "unknown option, close name": score(njobs=3),
    "an option of reading": score(label="y"),
    "a method": score(method="mmd"),
    "unknown size": score(size="big"),
    "unknown zones": score(zones="x"),
    "unknown voting": score(voting="x"),
    "unknown weighting": score(weighting="x"),
    "unknown inner": score(inner="x"),
    "unknown zone error": score(zone_error="x"),
    "two folds": score(cv=2),
    "folds as text": score(cv="5"),
    "more folds than rows": score(cv=100),
    "no repeats": score(repeats=0),
    "few max_rows": score(max_rows=3),
    "no precision": score(precision=0),
    "no seed": score(random_state=None),
    "no jobs": score(n_jobs=0),
    "direction 2": score(direction=2),
    "sharpness below 0": score(sharpness=-1),
    "screen": score(screen=True),
    "as in the paper": lambda: CrossLearningScore.as_in_paper(method="mmd"),
    "of the class": lambda: CrossLearningScore(folds=3),
}  # fmt: skip

SEVERAL: Acts = {
    "no sources": lambda: datakin.rank(A, [], **FAST),
    "sources that are none": lambda: datakin.rank(A, 3, **FAST),
    "equal names in a ranking": lambda: datakin.rank(A, [icu(), icu(1)], **FAST),
    "the target among its sources": lambda: datakin.rank(icu(), {"icu": B}, **FAST),
    "screen is a word": lambda: datakin.rank(A, [B], screen="yes", **FAST),
    "a checkpoint that is a file": lambda: datakin.rank(A, [B], checkpoint=__file__, **FAST),
    "on_result is none": lambda: datakin.rank(A, [B], on_result=3, **FAST),
    "one dataset": lambda: datakin.matrix([A], **FAST),
    "not a collection": lambda: datakin.matrix(None, **FAST),
    "equal names in a matrix": lambda: datakin.matrix([icu(), icu(1)], **FAST),
    "calls is a word": lambda: datakin.matrix([A, B], calls="yes", **FAST),
    "calls by the paper": lambda: datakin.matrix([A, B], calls=True, zones="paper", **FAST),
    "a direction": lambda: datakin.matrix([A, B], direction=1.0, **FAST),
    "one is unusable": lambda: datakin.matrix([A, B, classes(80, 5, rare=0.02)], cv=3),
}


@cache
def table() -> CrossErrors:
    return CrossErrors.measure([classes(60, k) for k in (1, 2, 3)], models=["logistic"])


def measure(**options: Any) -> Callable[[], Any]:
    return lambda: CrossErrors.measure([classes(60, k) for k in (1, 2, 3)], **options)


ERRORS: Acts = {
    "keep": measure(keep="all"),
    "pairs": measure(pairs=3),
    "pairs of one": measure(pairs=[("d1",)]),
    "pairs of others": measure(pairs=[("d1", "dd2")]),
    "pairs twice": measure(pairs=[("d1", "d2"), ("d2", "d1")]),
    "no pairs": measure(pairs=[]),
    "trials": measure(trials="dd1"),
    "one dataset": lambda: CrossErrors.measure([classes(60, 1)]),
    "a later option": lambda: table().score("d1", "d2", cv=4),
    "a later size": lambda: table().rank("d1", size="x"),
    "a later estimate": lambda: table().rank("d1", estimate="xgboost"),
    "unknown dataset": lambda: table().score("d1", "dd2"),
    "itself": lambda: table().score("d1", "d1"),
    "unknown subset": lambda: table().subset(["x"]),
    "a matrix of one": lambda: table().subset(["d1"]).matrix(),
    "joined with what is no table": lambda: table().join(3),
    "load: no folder": lambda: CrossErrors.load("nowhere"),
}

DISTANCES: Acts = {
    "unknown method": lambda: distances.compare(A, B, method="mmmd"),
    "no dataset": lambda: distances.compare(A[0], B, method="energy"),
    "otdd on numbers": lambda: distances.OTDD().between(numbers(60, 1), numbers(60, 2)),
    "otdd with a lone row": lambda: distances.OTDD().between(A, (B[0], ["x", *map(str, B[1][1:])])),
    "few rows for folds": lambda: distances.ProxyADistance(cv=100).between(A, B),
    "wide, by Gaussians": lambda: distances.KLDivergence(density="gaussian").between(
        (np.random.default_rng(0).normal(size=(20, 30)), ROWS[:20] % 2),
        (np.random.default_rng(1).normal(size=(20, 30)), ROWS[:20] % 2),
    ),
    "Wasserstein: method": lambda: distances.Wasserstein(method="slice").between(A, B),
    "Wasserstein: n_projections": lambda: distances.Wasserstein(n_projections=0).between(A, B),
    "OTDD: scaling": lambda: distances.OTDD(scaling="unit").between(A, B),
    "OTDD: splits": lambda: distances.OTDD(splits=2.5).between(A, B),
    "KL: density": lambda: distances.KLDivergence(density="normal").between(A, B),
    "KL: floor": lambda: distances.KLDivergence(floor=0.0).between(A, B),
    "MMD: bandwidth": lambda: distances.MMD(bandwidth=-1.0).between(A, B),
    "MMD: seed": lambda: distances.MMD(random_state=None).between(A, B),
    "proxy A: cv": lambda: distances.ProxyADistance(cv=1).between(A, B),
    "proxy A: C": lambda: distances.ProxyADistance(C=float("nan")).between(A, B),
    "rank: no sources": lambda: distances.rank(A, [], method="energy"),
    "matrix: one": lambda: distances.matrix([A], method="energy"),
}


def choose(*data: Any, **options: Any) -> Callable[[], Any]:
    quick = {"repeats": 1, "learners": ["linear"]}
    return lambda: datakin.choose(*(data or several()), **{**quick, **options})


@cache
def choice() -> Any:
    return choose()()


def saved() -> Path:
    """Return the folder of the command line's files, with models among them, of which some are damaged."""
    return Path(folder().name)


CHOICES: Acts = {
    "no target": choose(None),
    "a frame": choose(frame(), [frame(1)]),
    "a path for sources": choose(A, "folder"),
    "equal names": lambda: choose(icu(), [icu(1)])(),
    "repeats 0": choose(repeats=0),
    "repeats in the wrong order": choose(repeats=(5, 2)),
    "repeats of three": choose(repeats=(1, 2, 3)),
    "random_state": choose(random_state="x"),
    "n_jobs": choose(n_jobs=0),
    "unknown learner": choose(learners=["tree"]),
    "no learner": choose(learners=[]),
    "a learner that is none": choose(learners={"mine": 3}),
    "a class for a learner": lambda: choose(learners={"m": estimator("LogisticRegression")})(),
    "a regressor for classes": lambda: choose(learners={"m": estimator("LinearRegression")()})(),
    "a learner that fails": lambda: choose(learners={"m": estimator("LogisticRegression")(C=-1)})(),
    "a loss for numbers": choose(loss="squared"),
    "unknown loss": choose(loss="briar"),
    "add_to of nothing": choose(add_to=3),
    "add_to that is not there": choose(add_to="nowhere.datakin"),
    "add_to knows the source": lambda: choose(add_to=choice())(),
    "add_to has other classes": lambda: choose(four(60, 5), [], add_to=choice())(),
    "weights of another length": choose(weights={"d1": np.ones(3)}),
    "weights of nobody": choose(weights={"nobody": np.ones(3)}),
    "weights below 0": choose(weights={"d1": -np.ones(60)}),
    "weights of one row": choose(weights={"d1": np.eye(60)[0]}),
    "checkpoint is a file": choose(checkpoint=__file__),
    "a target of one group": lambda: choose(as_dataset(*A, group=np.zeros(N)), [B])(),
    "an unknown source": lambda: choice()["nobody"],
    "no model": lambda: datakin.from_json(choice().to_json()).model,
    "save to no folder": lambda: choice().save("nowhere/kin.datakin"),
    "save over a file": lambda: choice().save(saved() / "kin.datakin"),
    "error_on other columns": lambda: choice().error_on(A),
    "error_on a word": lambda: choice().error_on("fresh"),
}  # fmt: skip


def predict(make: Callable[[pd.DataFrame], Any]) -> Callable[[], Any]:
    new = draw(12, 8).drop(columns="y")
    return lambda: datakin.load_model(saved() / "kin.datakin").predict(make(new))


MODELS: Acts = {
    "load: not there": lambda: datakin.load_model("nowhere.datakin"),
    "load: a folder": lambda: datakin.load_model(saved()),
    "load: no model": lambda: datakin.load_model(saved() / "no.datakin"),
    "load: a table": lambda: datakin.load_model(saved() / "mine.csv"),
    "load: cut": lambda: datakin.load_model(saved() / "cut.datakin"),
    "load: a number": lambda: datakin.load_model(3),
    "predict: a column is missing": predict(lambda new: new.drop(columns="b")),
    "predict: none is there": predict(lambda new: new[[]].assign(z=1)),
    "predict: text among numbers": predict(lambda new: new.assign(a="old")),
    "predict: dates for numbers": predict(lambda new: new.assign(a=pd.Timestamp("2024-01-01"))),
    "predict: infinite": predict(lambda new: new.assign(a=np.inf)),
    "predict: dates for text": predict(lambda new: new.assign(c=pd.Timestamp("2024-01-01"))),
    "predict: an array": predict(lambda new: np.zeros((3, 2))),
    "predict: nothing": predict(lambda new: None),
    "error_on: no label": lambda: datakin.load_model(saved() / "kin.datakin").error_on(
        draw(12, 8).drop(columns="y")
    ),
    "fit": lambda: choice().model.fit(None, None),
    "from_json: no JSON": lambda: datakin.from_json("{"),
    "from_json: no result": lambda: datakin.from_json("{}"),
    "from_json: another format": lambda: datakin.from_json(
        json.dumps({**json.loads(choice().to_json()), "format": 0})
    ),
    "from_json: another type": lambda: datakin.from_json('{"format": 1, "type": "Secret"}'),
    "from_json: a field too many": lambda: datakin.from_json(
        json.dumps({**json.loads(choice().to_json()), "colour": "red"})
    ),
    "from_json: a field too few": lambda: datakin.from_json(
        json.dumps({k: v for k, v in json.loads(choice().to_json()).items() if k != "error"})
    ),
    "from_json: another result": lambda: datakin.Matrix.from_json(choice().to_json()),
    "write_report: no result": lambda: datakin.write_report({}, "r.html"),
    "write_report: no page": lambda: datakin.write_report(choice(), "r.pdf"),
    "write_report: no folder": lambda: datakin.write_report(choice(), "nowhere/r.html"),
    "write_report: already there": lambda: datakin.write_report(choice(), saved() / "there.html"),
}


def explain(*data: Any, **options: Any) -> Callable[[], Any]:
    quick = {"learner": "linear", **options}
    return lambda: datakin.explain(*(data or planted("rule")), **quick)


EXPLANATIONS: Acts = {
    "no target": explain(None, B),
    "a path": explain("a.csv", "b.csv"),
    "equal names": lambda: explain(icu(), icu(1))(),
    "no shared columns": lambda: explain(
        icu(), read_table(frame(1).set_axis(["a", "b", "died"], axis=1), label="died", name="s")
    )(),
    "other classes": lambda: explain(icu(), icu(1, "s", died=np.where(B[1], "yes", "no")))(),
    "another task": lambda: explain(icu(), icu(1, "s", died=B[0][:, 1] * 2))(),
    "too many learners": explain(learner=["linear", "trees"]),
    "no learner": explain(learner=None),
    "unknown learner": explain(learner="magic"),
    "a learner without probabilities": lambda: explain(learner=estimator("LinearSVC")())(),
    "a loss for numbers": explain(loss="squared"),
    "a loss for classes": lambda: explain(*planted("rule", "regression"), loss="log")(),
    "unknown loss": explain(loss="hinge"),
    "few max_rows": explain(max_rows=0),
    "random_state": explain(random_state=None),
    "few rows of its own": explain(
        A, (np.vstack([A[0][:55], B[0][:5]]), np.append(A[1][:55], B[1][:5]))
    ),
    "one group": lambda: explain(
        as_dataset(*A, group=ROWS, name="t"), as_dataset(*B, group=np.zeros(N), name="s")
    )(),
    "levels that do not meet": lambda: explain(
        icu(age="x", dose=["u", "v"] * 30), icu(1, "s", age="x", dose=["p", "q"] * 30))(),
    "sources: unknown name": lambda: datakin.explain_sources(choice(), *several(), names=["nowhere"]),
    "sources: one is not there": lambda: datakin.explain_sources(
        choice(), several()[0], several()[1][:1], names=["d4"]
    ),
    "sources: of an explanation": lambda: datakin.explain_sources(explain()(), *planted("rule")),
    "sources: unknown learner": lambda: datakin.explain_sources(choice(), *several(), learner="magic"),
}  # fmt: skip


def gain(*data: Any, **options: Any) -> Callable[[], Any]:
    quick = {"methods": ["concatenate"], "repeats": 2, **options}
    return lambda: datakin.transfer_gain(*(data or (A, B)), **quick)


GAINS: Acts = {
    "no methods": gain(methods=[]),
    "unknown method": gain(methods=["boost"]),
    "unknown method, close name": gain(methods="concatnate"),
    "a number for methods": gain(methods=3),
    "a method for numbers": gain(methods=["tradaboost_r2"]),
    "a method that is none": lambda: gain(methods={"mine": estimator("LogisticRegression")()})(),
    "a class for a method": gain(methods={"mine": transfer.ART}),
    "no repeats": gain(repeats=0),
    "test_size": gain(test_size=1.0),
    "a tiny test_size": gain(test_size=0.001),
    "random_state": gain(random_state=None),
    "n_jobs": gain(n_jobs="all"),
    "unknown estimator": gain(estimator="forrest"),
    "an estimator for numbers": gain(estimator="linear"),
    "a regressor for classes": lambda: gain(estimator=estimator("LinearRegression")())(),
    "unknown loss": gain(loss="briar"),
    "the same rows": gain(A, A),
    "no source": gain(A, None),
    "no sources": gain(A, []),
    "sources of words": gain(A, ["a"]),
    "a rare class": gain(A, (B[0], ["rare", "rare", *map(str, B[1][2:])])),
    "one group": lambda: gain(as_dataset(*A, group=np.zeros(N), name="t"), B)(),
}


def fit(method: Any, *data: Any, **options: Any) -> Callable[[], Any]:
    X, y = data or A
    return lambda: method.fit(X, y, **{"sources": [B], **options})


METHODS: Acts = {
    "KinStack: task": fit(transfer.KinStack(task="both")),
    "KinStack: repeats": fit(transfer.KinStack(repeats=0)),
    "KinStack: random_state": fit(transfer.KinStack(random_state=None)),
    "KinStack: learners": fit(transfer.KinStack(["tree"])),
    "KinStack: loss": fit(transfer.KinStack(loss="squared")),
    "KinStack: numbers for classes": fit(transfer.KinStack(), A[0], A[0][:, 0]),
    "KinStack: other columns": fit(transfer.KinStack(), sources=[(B[0][:, :1], B[1])]),
    "KinStack: weights": fit(transfer.KinStack(), weights=[1, 2]),
    "KinStack: weights of 0": fit(transfer.KinStack(), weights=np.zeros(N)),
    "KinStack: one class": fit(transfer.KinStack(), A[0], np.zeros(N)),
    "KinStack: not fitted": lambda: transfer.KinStack().predict(A[0]),
    "other columns": fit(transfer.Concatenate(), sources=[(B[0][:, :1], B[1])]),
    "other classes": fit(transfer.Concatenate(), sources=[(B[0], B[1] + 5)]),
    "no pair": fit(transfer.Concatenate(), sources=B),
    "a dataset": lambda: transfer.ART().fit(*A, sources=[icu()]),
    "TrAdaBoost: a regressor": lambda: fit(transfer.TrAdaBoost(estimator("LinearRegression")()))(),
    "TrAdaBoost: rounds": fit(transfer.TrAdaBoost(rounds=0)),
    "TrAdaBoost: voting": fit(transfer.TrAdaBoost(voting="sofft")),
    "TrAdaBoostR2: stages": fit(transfer.TrAdaBoostR2(stages=1)),
    "ART: repeats": fit(transfer.ART(repeats=0)),
    "ART: sharpness": fit(transfer.ART(sharpness=-1)),
    "ART: weighting": fit(transfer.ART(weighting="plain")),
    "ART: a word": fit(transfer.ART("logistic")),
    "KinWeighted: cv": fit(transfer.KinWeighted(cv=1)),
    "numbers for a classifier": fit(transfer.Concatenate(), A[0], A[0][:, 0]),
}


def encoded(*data: Any, encoder: Any = "identity", **options: Any) -> Callable[[], Any]:
    def call() -> Any:
        from datakin.deep import EncoderHeadScore

        return EncoderHeadScore(encoder, **options).compare(*(data or (A, B)))

    return call


def deep(reader: str, *values: Any, **options: Any) -> Callable[[], Any]:
    def call() -> Any:
        from datakin import deep as room

        return getattr(room, reader)(*values, **options)

    return call


DEEP: Acts = {
    "head": encoded(head="tree"),
    "epochs": encoded(epochs=0),
    "repeats": encoded(repeats=1.5),
    "batch_size": encoded(batch_size=1),
    "lr": encoded(lr=-1),
    "test_size": encoded(test_size=2.0),
    "random_state": encoded(random_state=None),
    "loss": encoded(loss="absurd"),
    "zones": encoded(zones="twilight"),
    "an encoder that is a number": encoded(encoder=3),
    "an encoder that gives one column": encoded(encoder=lambda X: np.zeros(len(X))),
    "an encoder that gives NaN": encoded(encoder=lambda X: np.full((len(X), 2), np.nan)),
    "an encoder that gives words": encoded(encoder=lambda X: "features"),
    "other classes": lambda: encoded(icu(), icu(1, "s", died=np.where(B[1], "yes", "no")))(),
    "a rare class": encoded((A[0], ["rare", *map(str, A[1][1:])]), B),
    "missing values": encoded((np.where(A[0] > 1, np.nan, A[0]), A[1]), B),
    "text columns": lambda: encoded(*planted("rule"))(),
    "a path": encoded("folder", B),
    "as_items: labels": deep("as_items", A[0], A[1][:20]),
    "as_items: one class": deep("as_items", A[0], np.zeros(N), task="multiclass"),
    "as_items: NaN": deep("as_items", np.full((N, 2), np.nan), A[1]),
    "as_items: classes": deep("as_items", *A, name="odd", classes={0: "a"}),
    "as_items: group": deep("as_items", *A, group=[1, 2]),
    "read_images: no folder": deep("read_images", "nowhere"),
    "read_texts: no column": deep(
        "read_texts", pd.DataFrame({"text": ["a", "b"] * 15, "y": [0, 1] * 15}), text="words", label="y"
    ),
}  # fmt: skip

ROOMS: dict[str, Acts] = {
    "reading": TABLES,
    "arrays": ARRAYS,
    "score": SCORES,
    "several": SEVERAL,
    "errors": ERRORS,
    "distances": DISTANCES,
    "choose": CHOICES,
    "models": MODELS,
    "explain": EXPLANATIONS,
    "gain": GAINS,
    "transfer": METHODS,
    "deep": DEEP,
}

PAIR = "mine.csv near.csv"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "score": (
        "score mine.csv near.csv",
        "score mine.csv --label y",
        "score mine.csv near.csv --label z",
        "score mine.csv near.csv --label y --label a",
        "score mine.csv neer.csv --label y",
        "score mine.csv *.csv --label y",
        "score mine.csv tiny.csv --label y",
        "score mine.csv single.csv --label y",
        "score mine.csv strange.csv --label y",
        "score mine.csv yesno.csv --label y",
        "score mine.csv infinite.csv --label y",
        "score mine.csv empty.csv --label y",
        "score mine.csv semicolons.csv --label y --delimiter ,",
        "score mine.csv mine.csv --label y",
        *(
            f"score {PAIR} --label y {words}"
            for words in (
                "--models logit",
                "--models ,",
                "--loss zero",
                "--estimate mean",
                "--size big",
                "--task cls",
                "--cv 2",
                "--cv five",
                "--folds 3",
                "--n-jobs 0",
                "--group pid",
                "--weight doze",
                "--ignore doze",
                "--positive perhaps",
                "--label-map yes:1",
                "--recode near::y:yes",
                "--convert near::a=x",
                "--rename a",
                "--out r.txt",
                "--out no/r.csv",
                "--report r.pdf",
                "--plot r.xyz",
                "--report there.html",
                "--fail-on bad",
                "--config nowhere.toml",
                "--config bad.toml",
                "--config wrong.toml",
                "--method mmd",
            )
        ),
        "scor mine.csv near.csv --label y",
    ),
    "rank": (
        "rank mine.csv --label y",
        "rank mine.csv near.csv --label y --target mine",
        "rank sites.csv --domain site --label y",
        "rank sites.csv --domain site --target z --label y",
        "rank sites.csv --domain sit --target a --label y",
        "rank mine.csv near.csv tiny.csv --label y",
        "rank mine.csv near.csv --label y --explain-learner x",
        "matrix mine.csv --label y",
        "matrix mine.csv near.csv --label y --fail-on hurts",
    ),
    "choose": (
        "choose --label y",
        "choose mine.csv near.csv",
        "choose mine.csv near.csv --label y --learners tree",
        "choose mine.csv near.csv --label y --repeats 0",
        "choose mine.csv near.csv --label y --loss briar",
        "choose mine.csv near.csv --label y --model no/kin.datakin",
        "choose mine.csv near.csv --label y --model kin.datakin",
        "choose mine.csv near.csv --label y --add-to no.datakin",
        "choose mine.csv near.csv --label y --add-to kin.datakin",
        "choose mine.csv near.csv --label y --test nowhere.csv",
        "choose mine.csv near.csv --label y --test new.csv",
        "choose tiny.csv near.csv --label y",
        "choose sites.csv --domain site --label y",
        "predict nowhere.datakin new.csv",
        "predict no.datakin new.csv",
        "predict kin.datakin",
        "predict kin.datakin nowhere.csv",
        "predict kin.datakin strange.csv",
        "predict kin.datakin infinite.csv",
        "predict kin.datakin new.csv --keep patient",
        "predict kin.datakin new.csv --out p.txt",
        "predict",
    ),
    "explain": (
        "explain mine.csv --label y",
        "explain mine.csv near.csv far.csv --label y",
        "explain mine.csv near.csv --label y --source near",
        "explain mine.csv near.csv --label y --learner magic",
        "explain mine.csv near.csv --label y --loss squared",
        "explain sites.csv --domain site --target a --label y",
        "explain sites.csv --domain site --target a --source z --label y",
        "explain mine.csv strange.csv --label y",
        "explain mine.csv numbers.csv --label y",
    ),
    "gain": (
        "gain mine.csv --label y",
        "gain mine.csv near.csv --label y --methods boost",
        "gain mine.csv near.csv --label y --estimator forrest",
        "gain mine.csv near.csv --label y --repeats 0",
        "gain mine.csv near.csv --label y --test-size 2",
        "gain mine.csv near.csv --label y --loss briar",
        "distance mmmd mine.csv near.csv --label y",
        "distance energy mine.csv --label y",
        "distance otdd numbers.csv others.csv --label y",
        "distance mmd mine.csv near.csv --label y --bandwidth x",
        "distance energy mine.csv near.csv --label y --matrix --target mine",
    ),
    "check": (
        "check",
        "check nowhere.csv",
        "check empty.csv",
        "check mine.csv near.csv --label z",
        "check mine.csv --out d.txt",
        "check mine.csv near.csv --label y --convert near::z=2,0",
        "check mine.csv near.csv --label y --recode other::c:red=x",
    ),
}


def refused(acts: Acts) -> Callable[[], str]:
    """Return the call that gives what each act says when it is refused."""

    def call() -> str:
        said = [f"{name}\n    {_sentence(act)}" for name, act in acts.items()]
        for path in (folder().name, str(Path(__file__).parents[2])):
            said = [text.replace(path, "PLACE") for text in said]
        return rounded("\n\n".join(said))

    return call


def _sentence(act: Callable[[], Any]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f"(not refused: {type(act()).__name__})"
        except Exception as error:
            return f"{type(error).__name__}: {error}".replace("\n", "\n    ")


def refused_commands(commands: tuple[str, ...]) -> Callable[[], str]:
    return lambda: "\n\n".join(typed(words)() for words in commands)


REFUSALS: dict[str, Callable[[], str]] = {
    **{f"refused_{room}": refused(acts) for room, acts in ROOMS.items()},
    **{f"refused_by_{name}": refused_commands(words) for name, words in COMMANDS.items()},
}
REFUSED = sum(map(len, ROOMS.values())) + sum(map(len, COMMANDS.values()))
