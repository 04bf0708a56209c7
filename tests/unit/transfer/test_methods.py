"""Methods of any make: what one must have, and which of its options are set."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression

from datakin import DatakinError, transfer, transfer_gain
from datakin.paper import inputs as room
from datakin.paper.inputs import METHODS, choose_methods, default_methods


class Stack(BaseEstimator):
    """A method without a base learner, which is told the task and the loss."""

    seen: list = []  # noqa: RUF012

    def __init__(self, learners=None, *, loss="auto", task="auto", random_state=0):
        self.learners = learners
        self.loss = loss
        self.task = task
        self.random_state = random_state

    def fit(self, X, y, *, sources=(), groups=None):
        Stack.seen.append((self.task, self.loss, groups))
        X, y = (
            np.vstack([X, *(Xs for Xs, _ in sources)]),
            np.concatenate([y, *(ys for _, ys in sources)]),
        )
        is_class = self.task == "classification"
        self.model_ = (LogisticRegression() if is_class else LinearRegression()).fit(X, y)
        if is_class:
            self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class Bare:
    """Not even a scikit-learn estimator."""

    def fit(self, X, y, sources=()):
        self.most = sorted(y.tolist())[len(y) // 2]
        return self

    def predict(self, X):
        return np.full(len(X), self.most)


class Broken(Bare):
    def fit(self, X, y, sources=()):
        raise RuntimeError("out of luck\nat line 3")


@pytest.fixture
def stack(monkeypatch):
    """The table of methods with one more entry."""
    monkeypatch.setattr(Stack, "seen", [])
    monkeypatch.setitem(METHODS, "stack", Stack)


@pytest.mark.usefixtures("stack")
def test_one_entry_in_the_table_is_enough(duo, make_linear):
    for task in ("binary", "multiclass", "regression"):
        assert default_methods(task)[-1] == "stack"
    gain = transfer_gain(*duo, methods=["concatenate", "stack"], repeats=2)
    assert list(gain.methods) == ["concatenate", "stack"]
    assert gain.methods["stack"].target_error < 0.5
    assert {seen[:2] for seen in Stack.seen} == {("classification", "auto")}
    assert "task='classification'" in gain.provenance.options["methods"]["stack"]
    Stack.seen.clear()
    numbers = make_linear(40, 1, name="home"), make_linear(60, 2, name="away")
    found = transfer_gain(*numbers, methods="stack", repeats=2, loss="absolute")
    assert found.methods["stack"].target_error < 1
    assert {seen[:2] for seen in Stack.seen} == {("regression", "absolute")}


@pytest.mark.usefixtures("stack")
def test_a_method_can_be_for_one_task(monkeypatch, duo):
    monkeypatch.setitem(room.ONLY_FOR, "stack", "regression")
    assert "stack" not in default_methods("binary")
    with pytest.raises(DatakinError, match="'stack' is not for binary tasks"):
        transfer_gain(*duo, methods=["stack"])


def test_what_was_chosen_is_kept():
    base = LogisticRegression()
    own = {
        "open": Stack(),
        "set": Stack(task="regression", loss="brier"),
        "based": transfer.ART(LogisticRegression(C=7)),
        "unbased": transfer.ART(),
    }
    made = choose_methods(own, "binary", base, "log")
    assert (made["open"].task, made["open"].loss) == ("classification", "log")
    assert (made["set"].task, made["set"].loss) == ("regression", "brier")
    assert made["based"].estimator.C == 7
    assert made["unbased"].estimator.C == 1.0
    assert made["unbased"].estimator is not base
    assert (own["open"].task, own["unbased"].estimator) == ("auto", None)


def test_groups_reach_a_method_that_takes_them(duo, monkeypatch):
    monkeypatch.setattr(Stack, "seen", [])
    home = replace(duo[0], groups=np.arange(40) // 2)
    transfer_gain(
        home, duo[1], methods={"stack": Stack(), "pool": transfer.Concatenate()}, repeats=1
    )
    (_, _, groups), (_, _, none) = Stack.seen
    assert len(groups) == 28
    assert none is None


def test_any_object_with_fit_and_predict(duo):
    assert (
        transfer_gain(*duo, methods={"bare": Bare()}, repeats=2).methods["bare"].target_error == 0.5
    )
    with pytest.raises(
        DatakinError,
        match=r"The method 'bad' could not be fitted on 28 rows of 'home': out of luck$",
    ):
        transfer_gain(*duo, methods={"bad": Broken()}, repeats=2)


@pytest.mark.parametrize("method", [LogisticRegression(), transfer.ART, Bare, "art", None])
def test_what_is_no_method(method):
    with pytest.raises(DatakinError, match=r"fit\(X, y, sources=\.\.\.\) and predict\(X\)\. Got "):
        choose_methods({"mine": method}, "binary", LogisticRegression())
