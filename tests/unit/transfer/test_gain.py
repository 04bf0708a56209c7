"""Realised gain: splits that are fair, the RER by hand, and input that makes no sense."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import datakin
from datakin import (
    DatakinError,
    DatakinWarning,
    Gain,
    Interrupted,
    as_dataset,
    from_json,
    transfer,
    transfer_gain,
)
from datakin._core.seeds import derive_seed
from datakin.data import pair
from datakin.transfer.gain import relative_reduction
from datakin.transfer.methods import METHODS, choose_estimator, choose_methods, default_methods
from datakin.transfer.splits import Splits

QUICK = {"methods": ["concatenate"], "repeats": 3}
TWO = {"concatenate": transfer.Concatenate(), "kin": transfer.KinWeighted(cv=2, grid=(0.0, 0.5))}


class Memory(ClassifierMixin, BaseEstimator):
    """Says the first class; keeps the first column of all rows it was taught and asked about."""

    taught: list = []  # noqa: RUF012
    asked: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        Memory.taught.append(X[:, 0].copy())
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        Memory.asked.append(X[:, 0].copy())
        return np.zeros(len(X), dtype=int)


@pytest.fixture(scope="module")
def duo(make_lda):
    return make_lda(40, 1, name="home"), make_lda(60, 2, name="away", angle=0.3)


# The relative error reduction.


def test_rer_by_hand():
    base, errors = np.array([0.2, 0.4, 0.3]), np.array([0.1, 0.4, 0.1])
    value, error = relative_reduction(base, errors, 0.5)
    assert value == pytest.approx(1 - 0.6 / 0.9)
    residuals = errors - base * 2 / 3
    spread = np.sum((residuals - residuals.mean()) ** 2) / 2
    assert error == pytest.approx(np.sqrt(spread * (1 / 3 + 0.5)) / 0.3)
    assert relative_reduction(base, base, 0.5) == (0.0, 0.0)
    assert relative_reduction(base, 2 * base, 0.5)[0] == pytest.approx(-1.0)
    assert np.isnan(relative_reduction(np.zeros(3), errors, 0.5)).all()
    value, error = relative_reduction(base[:1], errors[:1], 0.5)
    assert value == pytest.approx(0.5)
    assert np.isnan(error)


def test_the_result_is_made_of_the_errors_of_the_splits(duo):
    base = choose_estimator("logistic", True)
    methods = choose_methods(TWO, "binary", base)
    splits = Splits(list(duo), pair(*duo), base, methods, 0.3, 0)
    errors = np.array([splits.run(repeat) for repeat in range(3)])
    gain = transfer_gain(*duo, methods=TWO, repeats=3)
    assert gain.target_error == errors[:, 0, 0].mean()
    assert gain.source_error == errors[:, 1, 0].mean()
    for m, name in enumerate(methods, start=1):
        found = gain.methods[name]
        to, back = (relative_reduction(errors[:, i, 0], errors[:, i, m], 0.3 / 0.7) for i in (0, 1))
        assert (found.target_rer, found.target_se) == to
        assert (found.source_rer, found.source_se) == back
        assert found.average_rer == pytest.approx((to[0] + back[0]) / 2)
        assert found.average_se == pytest.approx(np.hypot(to[1], back[1]) / 2)
        assert found.target_error == errors[:, 0, m].mean()


def test_errors_by_hand_on_one_split(duo):
    """Concatenation of one split, without any of our machinery but the split itself."""
    home, away = duo
    splits = Splits([home, away], pair(home, away), LogisticRegression(C=1e3), {}, 0.3, 0)
    (train, test), (theirs, _) = (splits.split(i, derive_seed(0, "split", 0)) for i in (0, 1))
    gain = transfer_gain(home, away, methods=["concatenate"], estimator=LogisticRegression(C=1e3),
                         repeats=1)  # fmt: skip
    X, Xs = home.features.numeric, away.features.numeric
    center, scale = X[train].mean(axis=0), X[train].std(axis=0)
    X, Xs = (X - center) / scale, (Xs - center) / scale
    alone = LogisticRegression(C=1e3).fit(X[train], home.y[train])
    pooled = LogisticRegression(C=1e3).fit(
        np.vstack([X[train], Xs[theirs]]), np.concatenate([home.y[train], away.y[theirs]])
    )
    assert gain.target_error == np.mean(alone.predict(X[test]) != home.y[test])
    expected = np.mean(pooled.predict(X[test]) != home.y[test])
    assert gain.methods["concatenate"].target_error == expected


def test_a_kin_source_helps_a_small_target_and_a_stranger_harms(make_lda):
    home = make_lda(40, 1, name="home", p=8)
    kin, stranger = make_lda(300, 2, p=8), make_lda(300, 3, p=8, angle=3.1)
    helped, harmed = (
        transfer_gain(home, s, methods=["concatenate"], repeats=10) for s in (kin, stranger)
    )
    assert helped.methods["concatenate"].target_rer > 0.1
    assert harmed.methods["concatenate"].target_rer < -1


# Splits.


def test_the_same_seed_gives_the_same_numbers_in_any_number_of_processes(duo):
    first = transfer_gain(*duo, methods=TWO, repeats=3)
    again = transfer_gain(*duo, methods=TWO, repeats=3, n_jobs=2)
    assert again == first
    other = transfer_gain(*duo, **QUICK, random_state=1)
    assert other.target_error != first.target_error
    # Methods see the same splits, and one more method changes no other number.
    alone = transfer_gain(*duo, **QUICK)
    assert alone.methods["concatenate"] == first.methods["concatenate"]
    # The first splits stay when there are more of them.
    base = choose_estimator(None, True)
    splits = Splits(list(duo), pair(*duo), base, {}, 0.3, 0)
    assert np.mean([splits.run(r)[0, 0] for r in range(3)]) == first.target_error


def test_splits_keep_the_class_shares(duo):
    splits = Splits(list(duo), pair(*duo), None, {}, 0.3, 0)
    for seed in range(5):
        train, test = splits.split(0, seed)
        assert sorted([*train, *test]) == list(range(40))
        assert len(test) == 12
        assert np.mean(duo[0].y[test]) == 0.5


def remembered(target, source, **options):
    Memory.taught, Memory.asked = [], []
    transfer_gain(target, source, methods=["concatenate"], estimator=Memory(), **options)
    return Memory.taught, Memory.asked


def rows_of(n, seed, *, group=None):
    """A dataset whose rows are told apart by their first column."""
    X = np.random.default_rng(seed).standard_normal((n, 3))
    dataset = as_dataset(X, np.arange(n) // 2 % 2, name=f"n{seed}")
    return dataset if group is None else replace(dataset, groups=np.arange(n) // group)


def test_rows_of_a_group_stay_on_one_side():
    home, away = rows_of(60, 1, group=4), rows_of(80, 2, group=4)
    splits = Splits([home, away], pair(home, away), None, {}, 0.3, 0)
    for i, dataset in enumerate((home, away)):
        seen = set()
        for seed in range(10):
            train, test = splits.split(i, seed)
            groups = [set(dataset.groups[rows]) for rows in (train, test)]
            assert not groups[0] & groups[1]
            assert len(train) + len(test) == dataset.n_rows
            seen.add(tuple(test))
        assert len(seen) == 10


def test_no_row_is_taught_and_asked():
    """A spy in the place of the learner: what it is asked was in none of the fits before."""
    home, away = rows_of(60, 1, group=4), rows_of(80, 2, group=4)
    taught, asked = remembered(home, away, repeats=4)
    assert len(taught) == len(asked) == 4 * 2 * 2
    for fit, test in zip(taught, asked, strict=True):
        assert not np.isin(test, fit).any()
    alone, pooled = taught[0], taught[1]
    assert np.isin(alone, pooled).all()
    assert len(pooled) == len(alone) + 56  # 14 of the other's 20 groups


def test_rows_that_stand_in_both_are_used_nowhere():
    home, away = rows_of(60, 1), rows_of(60, 2)
    X = away.features.numeric.copy()
    X[:20] = home.features.numeric[:20]
    mixed = as_dataset(X, np.r_[home.y[:20], away.y[20:]], name="mixed")
    with pytest.warns(DatakinWarning, match=r"20 row\(s\) of the target also stand in the source"):
        taught, asked = remembered(home, mixed, repeats=2)
    # The columns are standardised; rows can still be counted: 40 are left on either side.
    assert {len(fit) for fit in taught} == {28, 56}
    assert {len(test) for test in asked} == {12}
    part = as_dataset(home.features.numeric[:55], home.y[:55], name="part")
    with pytest.raises(DatakinError, match=r"at least 10 rows that do not stand in the other"):
        transfer_gain(home, part, **QUICK)


# Tasks and data.


def test_default_methods_follow_the_task(make_linear, make_lda):
    assert default_methods("binary") == (
        "concatenate", "tradaboost", "dynamic_tradaboost", "art", "kin_weighted",
    )  # fmt: skip
    assert default_methods("multiclass") == ("concatenate", "art", "kin_weighted")
    assert default_methods("regression") == ("concatenate", "tradaboost_r2", "art", "kin_weighted")
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
    with pytest.warns(DatakinWarning, match=r"class\(es\) missing from the source: 'a'"):
        gain = transfer_gain(with_two, other_two, methods=TWO, repeats=2)
    assert any("class(es) missing from the target: 'c'" in note for note in gain.notes)
    # Pooled, "c" can be predicted where only "a" and "b" occur; weighed, it is kept out.
    errors = gain.frame.set_index("method").target_error
    assert errors["kin"] < errors["concatenate"] < 1


def test_mixed_and_missing_columns(make_mixed, read):
    tables = make_mixed(50, 1), make_mixed(60, 2).drop(columns="rate")
    datasets = [read(t, n) for t, n in zip(tables, "ab", strict=True)]
    with pytest.warns(DatakinWarning, match="absent or constant in the source: 'rate'"):
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


def test_sparse_rows():
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


# Results.


def test_gain_comes_back_from_json(duo):
    gain = transfer_gain(*duo, **QUICK)
    again = Gain.from_json(gain.to_json())
    assert again == gain
    assert str(again) == str(gain)
    assert from_json(gain.to_json(indent=1)) == gain
    assert again.frame.equals(gain.frame)
    assert repr(gain).startswith("Gain('away' -> 'home': best 'concatenate', target RER")
    assert "3 random split(s)" in str(gain)
    assert gain.provenance.fingerprints == {d.name: d.fingerprint for d in duo}
    assert gain._repr_html_().count("<tr") == 2


def test_no_error_alone_is_nan_and_a_warning():
    X = np.r_[np.zeros(30), np.ones(30)][:, None] + np.linspace(0, 0.1, 60)[:, None]
    home = as_dataset(X, np.arange(60) // 30, name="easy")
    away = as_dataset(X + 0.05, np.arange(60) // 30, name="easy too")
    with pytest.warns(DatakinWarning, match="'easy.*' learned alone makes no error"):
        gain = transfer_gain(home, away, **QUICK)
    found = gain.methods["concatenate"]
    assert np.isnan([found.target_rer, found.source_rer, found.average_rer, found.target_se]).all()
    assert found.target_error == 0
    assert len(gain.notes) == 2
    assert Gain.from_json(gain.to_json()) == gain
    assert gain.best == "concatenate"


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


# Ctrl-C.


class Interruptible(LogisticRegression):
    """Stands in for a user who presses Ctrl-C in the n-th fit."""

    fits_left = 0

    def fit(self, X, y, sample_weight=None):
        Interruptible.fits_left -= 1
        if Interruptible.fits_left < 0:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("splits", "partial"), [(3, True), (1, False)])
def test_ctrl_c_keeps_the_finished_splits(duo, monkeypatch, splits, partial):
    monkeypatch.setattr(Interruptible, "fits_left", 4 * splits + 2)
    with pytest.raises(Interrupted) as stopped:
        transfer_gain(*duo, methods=["concatenate"], estimator=Interruptible(), repeats=9)
    found = stopped.value.partial
    assert (found is not None) == partial
    if partial:
        assert "3 of 9 splits finished" in str(stopped.value)
        monkeypatch.setattr(Interruptible, "fits_left", 10**6)
        whole = transfer_gain(*duo, methods=["concatenate"], estimator=Interruptible(), repeats=3)
        assert found == whole
        assert found.repeats == 3
    else:
        assert "before two splits were finished" in str(stopped.value)


def test_the_public_name():
    assert datakin.transfer_gain is transfer.transfer_gain


@pytest.mark.parametrize("sources", [None, [], ["a"]])
def test_one_source_is_asked_for(duo, sources):
    with pytest.raises(DatakinError, match="takes one source"):
        transfer_gain(duo[0], sources, **QUICK)
