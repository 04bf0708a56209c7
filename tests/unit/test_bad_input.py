"""Every mistake a user can make has its sentence: what was expected, what came, what to do."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression

import datakin
from datakin import DatakinError, DatakinWarning, as_dataset, read_table, read_tables

N = 60
FAST = {"models": ["logistic"], "cv": 3}


def arrays(seed=0, n=N):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


def frame(seed=0, n=N, **columns):
    X, y = arrays(seed, n)
    return pd.DataFrame(X, columns=["age", "dose"]).assign(died=y).assign(**columns)


def table(seed=0, name="", label="died", **columns):
    return read_table(frame(seed, **columns), label=label, name=name)


A, B = arrays(0), arrays(1)


def score(target=A, source=B, **options):
    return datakin.score(target, source, **{**FAST, **options})


def refuse(act, *parts):
    """Assert that act raises one readable DatakinError that holds all the parts; return it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        with pytest.raises(Exception) as caught:  # noqa: PT011
            act()
    text = str(caught.value)
    assert type(caught.value) is DatakinError, repr(caught.value)
    assert [part for part in parts if part not in text] == [], text
    assert len(text) < 500
    assert "\n" not in text
    assert "Traceback" not in text
    return caught.value


TABLES = {
    "label missing, close name": (
        lambda: read_table(frame(), label="die"),
        ["label column 'die'", "'age', 'dose', 'died'", "Did you mean 'died'?"],
    ),
    "label missing, nothing close": (
        lambda: read_table(frame(), label="outcome"),
        ["label column 'outcome' must be one of the columns: 'age', 'dose', 'died'."],
    ),
    "label in the wrong case": (
        lambda: read_table(frame(), label="DIED"),
        ["Did you mean 'died'?"],
    ),
    "label that is no name": (lambda: read_table(frame(), label=3), ["label column", "3"]),
    "label None": (lambda: read_table(frame(), label=None), ["label", "None"]),
    "group missing": (
        lambda: read_table(frame(), label="died", group="pid"),
        ["group column 'pid'"],
    ),
    "ignored column missing": (
        lambda: read_table(frame(), label="died", ignore=["doze"]),
        ["ignored column 'doze'", "Did you mean 'dose'?"],
    ),
    "ignore that is no name": (lambda: read_table(frame(), label="died", ignore=[3]), ["'3'"]),
    "group is the label": (
        lambda: read_table(frame(), label="died", group="died"),
        ["must differ from the label"],
    ),
    "no labelled row": (
        lambda: table(name="icu", died=np.nan),
        ["'died' of dataset 'icu' must have a value", "Got none in 60 rows"],
    ),
    "no row": (lambda: read_table(frame().iloc[:0], label="died"), ["Got none in 0 rows"]),
    "no column": (lambda: read_table(pd.DataFrame(), label="died"), ["no column"]),
    "one class only": (
        lambda: table(name="icu", died=1),
        ["at least two classes", "only '1'", "'icu' (60 rows)"],
    ),
    "ten rows": (
        lambda: read_table(frame(n=10), label="died", name="icu"),
        ["at least 20 labelled rows", "Got 10 in dataset 'icu'"],
    ),
    "nineteen labelled rows": (
        lambda: table(died=[0.0, 1.0] * 9 + [0.0] + [None] * 41),
        ["at least 20 labelled rows", "Got 19"],
    ),
    "nothing but the label": (
        lambda: read_table(frame()[["died"]], label="died"),
        ["The dataset must have a column that varies beside the label"],
    ),
    "nothing that varies": (
        lambda: table(name="ICU North", age=1, dose=None),
        [
            "Dataset 'ICU North' must have a column that varies",
            "1 without any value and 1 constant",
        ],
    ),
    "sparse matrix without entries": (
        lambda: as_dataset(sparse.csr_array((N, 2)), A[1]),
        ["a column that varies"],
    ),
    "infinite value": (
        lambda: table(age=[np.inf, -np.inf, *range(58)]),
        [
            "'age' must hold finite numbers",
            "2 infinite",
            "row(s) 0, 1",
            "missing values",
            "recode={'age': {'-inf': ''}} (--recode age:-inf=) and",
            "(--recode age:inf=)",
        ],
    ),
    "infinite text": (lambda: table(age=["inf", "1", "2"] * 20), ["'age' must hold finite"]),
    "same column twice": (
        lambda: read_table(frame().set_axis(["a", "a", "died"], axis=1), label="died"),
        ["Every column must have its own name", "'a'"],
    ),
    "X and y of different length": (
        lambda: as_dataset(A[0], A[1][:-1]),
        ["same number of rows. Got 60 and 59"],
    ),
    "flat X": (lambda: as_dataset(A[0][:, 0], A[1]), ["two dimensions", "(60,)"]),
    "two columns of y": (lambda: as_dataset(A[0], A[0]), ["one column", "(60, 2)"]),
    "group of another length": (
        lambda: as_dataset(*A, group=[1, 2]),
        ["one value per row. Got 2 for 60 rows"],
    ),
    "not a table": (
        lambda: read_table({"a": 1}, label="died"),
        ["a path, or a pandas, polars or pyarrow table. Got dict"],
    ),
    "list of tables": (
        lambda: read_tables([frame(), frame(1)], label="died"),
        ["mapping of name to table"],
    ),
    "no table at all": (lambda: read_tables([], label="died"), ["at least one table"]),
    "domain with many tables": (
        lambda: read_tables({"a": frame(), "b": frame(1)}, label="died", domain="dose"),
        ["splits one table. Got 2 tables"],
    ),
}


@pytest.mark.parametrize(("act", "parts"), TABLES.values(), ids=TABLES)
def test_tables(act, parts):
    refuse(act, *parts)


PAIRS = {
    "no shared columns": (
        lambda: score(
            table(name="t"),
            read_table(frame(1).set_axis(["a", "b", "died"], axis=1), label="died", name="s"),
        ),
        ["share at least one column", "'t' has 'age', 'dose'", "'s' has 'a', 'b'"],
    ),
    "numbers here, text there": (
        lambda: score(table(name="t"), table(1, "s", age=["old", "young", "7"] * 20)),
        ["'age' must be of one kind", "numbers or dates in 't'", "'s' ('old', 'young')", "ignore"],
    ),
    "0/1 here, yes/no there": (
        lambda: score(table(name="t"), table(1, "s", died=np.where(B[1], "yes", "no"))),
        ["'t' has '0', '1'", "'s' has 'no', 'yes'", "label_map={'old': 'new', ...}", "(positive)"],
    ),
    "classes here, quantity there": (
        lambda: score(table(name="t"), table(1, "s", died=B[0][:, 1] * 2)),
        ["same task", "'s' looks like regression", "(task)"],
    ),
    "equal names": (
        lambda: score(table(name="x"), table(1, "x")),
        ["different names", "'x'", "name="],
    ),
    "equal names in a ranking": (
        lambda: datakin.rank(A, [table(name="x"), table(1, "x")], **FAST),
        ["different names", "'x'"],
    ),
    "the target among its sources": (
        lambda: datakin.rank(table(name="x"), {"x": B}, **FAST),
        ["different names", "'x'"],
    ),
    "equal names in a matrix": (
        lambda: datakin.matrix([table(name="x"), table(1, "x")], **FAST),
        ["different names", "'x'"],
    ),
    "target contained in source": (
        lambda: score((A[0][:30], A[1][:30]), A),
        ["differ in at least 10 rows", "Of 30 rows of 'target', 30 also stand in 'source'"],
    ),
    "a class with fewer rows than folds": (
        lambda: score((A[0], ["rare", "rare", *(str(v) for v in A[1][2:])])),
        ["at least 3 rows, one per fold", "'rare (2)'", "'target'", "label_map= / --label-map"],
    ),
    "a group over all folds": (
        lambda: score(as_dataset(*A, group=np.zeros(N), name="t")),
        ["at least as many groups as folds (3). Got 1 group(s) in 't'", "finer groups"],
    ),
    "a group that holds a whole class": (
        lambda: score(as_dataset(*A, group=np.where(A[1], 0, np.arange(N)), name="t")),
        ["Groups of 't' put all rows of class '1'", "fewer folds (cv / --cv) or finer groups"],
    ),
    "a frame instead of a dataset": (
        lambda: score(frame(), frame(1)),
        ["a Dataset or a pair (X, y). Got DataFrame", "read_table"],
    ),
    "a path instead of a dataset": (lambda: score("a.csv"), ["Got str", "read_table"]),
    "no sources": (lambda: datakin.rank(A, [], **FAST), ["at least one source"]),
    "one dataset": (lambda: datakin.matrix([A], **FAST), ["at least two datasets. Got 1"]),
    "not a collection": (lambda: datakin.matrix(None, **FAST), ["list, or as a mapping"]),
}


@pytest.mark.parametrize(("act", "parts"), PAIRS.values(), ids=PAIRS)
def test_pairs(act, parts):
    refuse(act, *parts)


OPTIONS = {
    "unknown model": ({"models": ["logistics"]}, ["'models'", "'logistics'", "mean 'logistic'?"]),
    "unknown word for models": ({"models": "extend"}, ["'extended'", "'extend'"]),
    "no model": ({"models": []}, ["at least one model"]),
    "a number for models": ({"models": 3}, ["'models'", "Got 3"]),
    "a bare estimator": (
        {"models": LogisticRegression()},
        ["mapping of name", "LogisticRegression"],
    ),
    "a class for an estimator": ({"models": {"m": LogisticRegression}}, ["instance", "'m'"]),
    "a regressor for classes": (
        {"models": {"m": LinearRegression()}},
        ["'m' must be a classifier for this task", "regressor LinearRegression"],
    ),
    "a reserved name": ({"models": {"ensemble": LogisticRegression()}}, ["'ensemble'"]),
    "unknown loss": ({"loss": "zero-one"}, ["'loss'", "'zero-one'", "mean 'zero_one'?"]),
    "a loss of the wrong type": ({"loss": ["brier"]}, ["'loss' parameter", "['brier']"]),
    "a loss for regression": ({"loss": "squared"}, ["'squared' does not fit", "'zero_one'"]),
    "unknown estimate": ({"estimate": "ensemle"}, ["'estimate'", "mean 'ensemble'?"]),
    "unknown option": ({"folds": 3}, ["Unknown option 'folds'", "'cv'"]),
    "unknown option, close name": ({"njobs": 3}, ["'njobs'", "mean 'n_jobs'?"]),
    "a method": (
        {"method": "mmd"},
        ["'method' option is gone", "datakin.distances", "method='mmd'"],
    ),
    "method None": ({"method": None}, ["'method'", "None"]),
    "unknown size": ({"size": "big"}, ["'size'", "'matched'", "'big'"]),
    "two folds": ({"cv": 2}, ["'cv'", "at least 3", "Got 2"]),
    "folds as text": ({"cv": "5"}, ["'cv'", "whole number", "Got '5'"]),
    "more folds than rows": ({"cv": 100}, ["at least 100 rows, one per fold", "'target'"]),
    "no repeats": ({"repeats": 0}, ["'repeats'", "at least 1"]),
    "no seed": ({"random_state": None}, ["'random_state'", "whole number"]),
    "no jobs": ({"n_jobs": 0}, ["'n_jobs'", "-1 for all cores", "Got 0"]),
    "direction 2": ({"direction": 2}, ["'direction'", "between 0 and 1", "Got 2"]),
    "sharpness below 0": ({"sharpness": -1}, ["'sharpness'", "at least 0"]),
    "a loss of NaN": (
        {"loss": lambda y, p: np.full(len(y), np.nan)},
        ["must return finite numbers", "NaN"],
    ),
    "a loss of one number": (
        {"loss": lambda y, p: np.mean(y != p)},
        ["one number per row", "Got shape ()"],
    ),
    "a loss of another shape": (
        {"loss": lambda y, p: np.zeros((len(y), 2))},
        ["one number per row", ", 2)"],
    ),
    "a loss of words": ({"loss": lambda y, p: ["x"] * len(y)}, ["must return", "number"]),
    "a loss that raises": ({"loss": lambda y, p: 1 / 0}, ["loss", "ZeroDivisionError"]),
    "a loss of one argument": ({"loss": lambda y: y}, ["loss", "TypeError"]),
}


@pytest.mark.parametrize(("options", "parts"), OPTIONS.values(), ids=OPTIONS)
def test_options(options, parts):
    refuse(lambda: score(**options), *parts)


NUMPY = [
    {"cv": np.int64(3)},
    {"random_state": np.int64(1)},
    {"direction": np.float32(0.5)},
    {"n_jobs": np.int64(1)},
]


@pytest.mark.parametrize("option", NUMPY, ids=lambda option: next(iter(option)))
def test_numpy_numbers_are_numbers(option):
    assert np.isfinite(score(**option).score)


WARNINGS = {
    "labels that look like six classes": (
        {"died": np.arange(N) % 6},
        r"6 distinct whole numbers .*taken as classes.*task=.regression.*task=.multiclass",
    ),
    "rows without a label": ({"died": [None, *A[1][1:]]}, "1 of 60 rows have no label"),
    "constant column": ({"unit": "mg"}, "constant column.s. dropped: 'unit'"),
    "column without a value": ({"unit": None}, "without any value dropped: 'unit'"),
    "row ids": ({"row": range(N)}, "left out, look like row ids: 'row'"),
    "a copy of the label": ({"dead": A[1]}, "left out, look like copies of the label: 'dead'"),
}


@pytest.mark.parametrize(("columns", "message"), WARNINGS.values(), ids=WARNINGS)
def test_oddities_are_said_once(columns, message):
    with pytest.warns(DatakinWarning, match=f"^icu: .*{message}") as caught:
        table(name="icu", **columns)
    assert len(caught) == 1


@pytest.mark.parametrize("rank", [partial(datakin.rank, **FAST), datakin.distances.rank])
def test_a_callback_that_cannot_be_called(rank):
    with pytest.raises(DatakinError, match=r"'on_result' .* function of one result.* Got int"):
        rank(A, {"b": B}, on_result=3)
