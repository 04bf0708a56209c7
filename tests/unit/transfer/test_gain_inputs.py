"""Realised gain on all kinds of data, and input that makes no sense."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from datakin import (
    DatakinError,
    DatakinWarning,
    as_dataset,
    transfer,
    transfer_gain,
)
from datakin.learners import encoding
from datakin.paper.inputs import METHODS, choose_estimator, default_methods

QUICK = {"methods": ["concatenate"], "repeats": 3}
TWO = {"concatenate": transfer.Concatenate(), "kin": transfer.KinWeighted(cv=2, grid=(0.0, 0.5))}


# Tasks and data.


def test_default_methods_follow_the_task(make_linear, make_lda):
    assert default_methods("binary") == (
        "concatenate", "tradaboost", "dynamic_tradaboost", "art", "kin_weighted", "kin_stack",
    )  # fmt: skip
    ours = ("art", "kin_weighted", "kin_stack")
    assert default_methods("multiclass") == ("concatenate", *ours)
    assert default_methods("regression") == ("concatenate", "tradaboost_r2", *ours)
    assert set(METHODS) == {m for t in ("binary", "regression") for m in default_methods(t)}
    public = {name for name in transfer.__all__ if isinstance(getattr(transfer, name), type)}
    assert {kind.__name__ for kind in METHODS.values()} == public


def test_regression(make_linear):
    home, away = make_linear(40, 1, name="home"), make_linear(60, 2, name="away")
    methods = {**TWO, "art": transfer.ART(repeats=3), "r2": transfer.TrAdaBoostR2(rounds=3)}
    gain = transfer_gain(home, away, methods=methods, repeats=2)
    assert list(gain.methods) == ["concatenate", "kin", "art", "r2"]
    assert gain.loss == "squared"
    assert 0 < gain.target_error < 1  # noise of variance 1/4
    assert np.isfinite(gain.frame.drop(columns=["target", "source", "method"])).all(axis=None)


def classes(n, seed, labels, apart=2.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % len(labels)
    X = rng.standard_normal((n, 3)) + apart * np.eye(3)[y]
    return as_dataset(X, np.array(list(labels))[y], name=f"c{seed}")


def test_several_classes():
    methods = {**TWO, "art": transfer.ART(repeats=3)}
    gain = transfer_gain(classes(45, 1, "abc"), classes(60, 2, "abc"), methods=methods, repeats=2)
    assert list(gain.methods) == ["concatenate", "kin", "art"]
    assert (gain.frame.target_error < 0.5).all()


def test_classes_that_one_dataset_lacks():
    with_two, other_two = classes(40, 1, "ab", apart=1.0), classes(40, 2, "bc", apart=1.0)
    with pytest.warns(DatakinWarning, match="class missing from the source: 'a'"):
        gain = transfer_gain(with_two, other_two, methods=TWO, repeats=2)
    assert any("class missing from the target: 'c'" in note for note in gain.notes)
    # Pooled, "c" can be predicted where only "a" and "b" occur; weighed, it is kept out.
    errors = gain.frame.set_index("method").target_error
    assert errors["kin"] < errors["concatenate"] < 1


def test_mixed_and_missing_columns(make_mixed, read):
    tables = make_mixed(50, 1), make_mixed(60, 2).drop(columns="rate")
    datasets = [read(t, n) for t, n in zip(tables, "ab", strict=True)]
    with pytest.warns(DatakinWarning, match="absent from the source: 'rate'"):
        gain = transfer_gain(*datasets, **QUICK)
    assert any("not used" in note and "rate" in note for note in gain.notes)
    assert 0 < gain.target_error < 0.5


@pytest.mark.parametrize("estimator", ["logistic", "forest", "xgboost"])
def test_named_learners(duo, estimator):
    gain = transfer_gain(*duo, methods=["concatenate"], repeats=1, estimator=estimator)
    assert 0 < gain.target_error < 0.5
    assert estimator[:3] in gain.provenance.options["estimator"].lower().replace("xgb", "xgboost")
    # Forests draw at random, from a seed of ours.
    assert gain == transfer_gain(*duo, methods=["concatenate"], repeats=1, estimator=estimator)


def test_named_learners_of_numbers(make_linear):
    duo = make_linear(40, 1), make_linear(40, 2)
    kinds = {
        choose_estimator(name, False).__class__.__name__ for name in ("linear", "forest", "xgboost")
    }
    assert kinds == {"LinearRegression", "RandomForestRegressor", "XGBRegressor"}
    assert transfer_gain(*duo, **QUICK) == transfer_gain(*duo, **QUICK, estimator="linear")


def test_sparse_rows(monkeypatch):
    rng = np.random.default_rng(0)
    parts = []
    for name in "ab":
        X = rng.binomial(1, 0.6, (60, 9)) * rng.standard_normal((60, 9))
        y = ((X[:, 0] + 0.3 * rng.standard_normal(60)) > 0).astype(int)
        parts.append(as_dataset(sparse.csr_matrix(X), y, name=name))
    gain = transfer_gain(*parts, repeats=2, methods=["concatenate", "kin_weighted"])
    assert 0 < gain.target_error < 0.5

    class Dense(LogisticRegression):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = False
            return tags

    # Rows that can be laid out in full suit every estimator; those that are too many do not.
    assert transfer_gain(*parts, **QUICK, estimator=Dense()).repeats == QUICK["repeats"]
    monkeypatch.setattr(encoding, "MOST_CELLS", 100)
    with pytest.raises(DatakinError, match=r"must take sparse rows.*Dense does not"):
        transfer_gain(*parts, **QUICK, estimator=Dense())


def test_methods_of_ones_own(duo):
    own = {
        "few": transfer.TrAdaBoost(rounds=3),
        "art": transfer.ART(LogisticRegression(), repeats=2),
    }
    gain = transfer_gain(*duo, methods=own, estimator="forest", repeats=2)
    assert list(gain.methods) == ["few", "art"]
    recorded = gain.provenance.options["methods"]
    assert "RandomForest" in recorded["few"]  # had no base learner
    assert "RandomForest" not in recorded["art"]
    assert own["few"].estimator is None


# Input that makes no sense.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": []}, "must name at least one method. Got none"),
        ({"methods": {}}, "must name at least one method. Got none"),
        ({"methods": ["boost"]}, r"must name some of 'concatenate'.* Got 'boost'"),
        ({"methods": "concatnate"}, "Did you mean 'concatenate'"),
        ({"methods": [3]}, "Got 3"),
        ({"methods": 3}, "Got 3"),
        ({"methods": ["tradaboost_r2"]}, "'tradaboost_r2' is not for binary tasks"),
        (
            {"methods": {"mine": LogisticRegression()}},
            "'mine' must be a transfer estimator such as",
        ),
        ({"methods": {"mine": transfer.ART}}, "'mine' must be a transfer estimator such as"),
        ({"repeats": 0}, "'repeats' parameter must be a whole number of at least 1"),
        ({"repeats": 2.5}, "'repeats' parameter must be a whole number"),
        ({"test_size": 0.0}, "'test_size' parameter must be a share between 0 and 1"),
        ({"test_size": 1.0}, "'test_size' parameter must be a share between 0 and 1"),
        ({"test_size": 10}, "'test_size' parameter must be a share between 0 and 1"),
        ({"test_size": 0.001}, r"'home' cannot be split with test_size 0.001: "),
        ({"random_state": None}, "'random_state' parameter must be a whole number"),
        ({"n_jobs": 0}, "'n_jobs' parameter must be a number of jobs, -1 for all cores"),
        ({"n_jobs": "all"}, "'n_jobs' parameter must be a number of jobs"),
        ({"estimator": "linear"}, "must be one of 'logistic', 'forest', 'xgboost' for classes"),
        ({"estimator": "forrest"}, "Did you mean 'forest'"),
        ({"estimator": LinearRegression()}, "must be a classifier for this task"),
        ({"estimator": LogisticRegression}, "must be a classifier for this task"),
        ({"estimator": 3}, "must be a classifier for this task"),
    ],
)
def test_options(duo, options, message):
    with pytest.raises(DatakinError, match=message):
        transfer_gain(*duo, **{**QUICK, **options})


@pytest.mark.parametrize("method", ["kin_weighted", "tradaboost", "dynamic_tradaboost"])
def test_a_learner_without_row_weights(duo, method):
    with pytest.raises(
        DatakinError, match=r"must take row weights: .*KNeighborsClassifier does not"
    ):
        transfer_gain(*duo, methods=[method], estimator=KNeighborsClassifier(), repeats=2)
    transfer_gain(*duo, **QUICK, estimator=KNeighborsClassifier())  # which needs none


def test_methods_for_another_task(make_linear):
    duo = make_linear(40, 1), make_linear(40, 2)
    with pytest.raises(DatakinError, match="'tradaboost' is not for regression tasks"):
        transfer_gain(*duo, methods=["tradaboost"])
    with pytest.raises(DatakinError, match="one of 'linear', 'forest', 'xgboost' for numbers"):
        transfer_gain(*duo, estimator="logistic")
    with pytest.raises(DatakinError, match="'tradaboost' is not for multiclass tasks"):
        transfer_gain(classes(45, 1, "abc"), classes(60, 2, "abc"), methods=["tradaboost"])


def test_datasets_that_do_not_fit(duo):
    home, away = duo
    with pytest.raises(
        DatakinError, match=r"'home' and 'copy' hold the same rows: there is nothing"
    ):
        transfer_gain(home, home.renamed("copy"))
    with pytest.raises(DatakinError, match="must have different names"):
        transfer_gain(home, away.renamed("home"))
    named = pd.DataFrame(away.features.numeric, columns=["u", "v", "w"])
    other = as_dataset(named, away.y, name="other")
    with pytest.raises(DatakinError, match="must share at least one column"):
        transfer_gain(home, other)
    words = as_dataset(away.features.numeric, np.array(["no", "yes"])[away.y], name="words")
    with pytest.raises(DatakinError, match="must use the same codes"):
        transfer_gain(home, words)
    with pytest.raises(DatakinError, match=r"Dataset or a pair \(X, y\)"):
        transfer_gain(home, None)


def test_too_few_rows_of_a_class(duo, make_lda):
    home, _ = duo
    y = np.zeros(40, dtype=int)
    y[:3] = 1
    rare = as_dataset(make_lda(40, 5).features.numeric, y, name="rare")
    with pytest.raises(DatakinError, match=r"at least 4 rows, .*'rare' has 3 of '1'"):
        transfer_gain(home, rare, **QUICK)
    # One group holds a whole class: no split has both classes to learn from.
    lumped = replace(home, groups=home.y.astype(int))
    with pytest.raises(DatakinError, match="its groups hold too much of one class"):
        transfer_gain(lumped, duo[1], **QUICK)
    one = replace(home, groups=np.zeros(40, dtype=int))
    with pytest.raises(DatakinError, match="All rows of 'home' belong to one group"):
        transfer_gain(one, duo[1], **QUICK)


def test_arrays_work_as_datasets(duo):
    arrays = [(d.features.numeric, d.y) for d in duo]
    gain = transfer_gain(*arrays, **QUICK)
    assert (gain.target, gain.source) == ("target", "source")
    assert gain.target_error == transfer_gain(*duo, **QUICK).target_error


@pytest.mark.parametrize("sources", [None, [], {}])
def test_a_source_is_asked_for(duo, sources):
    with pytest.raises(
        DatakinError, match=r"needs a source, a Dataset or a pair .*Got (None|an empty)"
    ):
        transfer_gain(duo[0], sources, **QUICK)


def test_a_list_that_holds_no_datasets(duo):
    with pytest.raises(DatakinError, match=r"must be a Dataset or a pair \(X, y\). Got str"):
        transfer_gain(duo[0], ["a"], **QUICK)
