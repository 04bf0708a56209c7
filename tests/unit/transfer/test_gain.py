"""Realised gain: splits that are fair, the RER by hand, what is kept after Ctrl-C."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

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
from datakin._core.repeatability import derive_seed
from datakin.paper import gain as room
from datakin.paper.inputs import choose_estimator, choose_methods, find_common
from datakin.paper.splits import Splits
from datakin.results.gain import relative_reduction

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
    splits = Splits(list(duo), find_common(duo), base, methods, 0.3, 0)
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
    splits = Splits([home, away], find_common([home, away]), LogisticRegression(C=1e3), {}, 0.3, 0)
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
    splits = Splits(list(duo), find_common(duo), base, {}, 0.3, 0)
    assert np.mean([splits.run(r)[0, 0] for r in range(3)]) == first.target_error


def test_splits_keep_the_class_shares(duo):
    splits = Splits(list(duo), find_common(duo), None, {}, 0.3, 0)
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
    splits = Splits([home, away], find_common([home, away]), None, {}, 0.3, 0)
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
    with pytest.warns(DatakinWarning, match=r"20 rows of the target also stand in the source"):
        taught, asked = remembered(home, mixed, repeats=2)
    # The columns are standardised; rows can still be counted: 40 are left on either side.
    assert {len(fit) for fit in taught} == {28, 56}
    assert {len(test) for test in asked} == {12}
    part = as_dataset(home.features.numeric[:55], home.y[:55], name="part")
    with pytest.raises(DatakinError, match=r"at least 10 rows that do not stand in the other"):
        transfer_gain(home, part, **QUICK)


# Results.


def test_gain_comes_back_from_json(duo):
    gain = transfer_gain(*duo, **QUICK)
    again = Gain.from_json(gain.to_json())
    assert again == gain
    assert str(again) == str(gain)
    assert from_json(gain.to_json(indent=1)) == gain
    assert again.frame.equals(gain.frame)
    assert repr(gain).startswith("Gain('away' -> 'home': best 'concatenate', target RER")
    assert "3 random splits" in str(gain)
    assert gain.provenance.fingerprints == {d.name: d.fingerprint for d in duo}
    assert gain._repr_html_().count("<tr") == 2


def test_no_error_alone_is_nan_and_a_warning():
    X = np.r_[np.zeros(30), np.ones(30)][:, None] + np.linspace(0, 0.1, 60)[:, None]
    home = as_dataset(X, np.arange(60) // 30, name="easy", keep=["x0"])
    away = as_dataset(X + 0.05, np.arange(60) // 30, name="easy too", keep=["x0"])
    with pytest.warns(DatakinWarning, match="'easy.*' learned alone makes no error") as noted:
        gain = transfer_gain(home, away, **QUICK)
    assert {note.filename for note in noted} == {__file__}
    found = gain.methods["concatenate"]
    assert np.isnan([found.target_rer, found.source_rer, found.average_rer, found.target_se]).all()
    assert found.target_error == 0
    assert len(gain.notes) == 2
    assert Gain.from_json(gain.to_json()) == gain
    assert gain.best == "concatenate"


def test_one_split_is_no_plural(duo):
    gain = transfer_gain(*duo, **{**QUICK, "repeats": 1})
    assert "Means over 1 random split." in gain.answer.caveats


# How long it takes.


@pytest.mark.parametrize(("n_jobs", "rounds"), [(None, 9), (2, 5)])
def test_the_time_is_foretold_after_the_first_split(duo, monkeypatch, n_jobs, rounds):
    said = []
    monkeypatch.setattr(room, "foretell", lambda seconds, what: said.append((seconds, what)))
    monkeypatch.setattr(room, "_timed", slow)
    gain = transfer_gain(*duo, methods=["concatenate"], repeats=9, n_jobs=n_jobs)
    assert said == [(4.0 * rounds, "9 splits")]
    monkeypatch.undo()
    assert transfer_gain(*duo, methods=["concatenate"], repeats=9) == gain


def slow(splits, repeat):
    return splits.run(repeat), 4.0


def test_options_of_learners_are_checked(duo):
    with pytest.raises(DatakinError, match="The 'C' parameter of LogisticRegression must be"):
        transfer_gain(*duo, **QUICK, estimator=LogisticRegression(C=-1.0))
    own = {"mine": transfer.Concatenate(LogisticRegression(C=-1.0))}
    with pytest.raises(DatakinError, match="The 'C' parameter of LogisticRegression must be"):
        transfer_gain(*duo, methods=own, repeats=2)


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
