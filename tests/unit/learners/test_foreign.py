"""Estimators of the user: what they are given, how often they are fitted, and what is said of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import datakin
from datakin import DatakinError
from datakin.data.features import Features
from datakin.learners.foreign import ForeignLearner, asks_for_names, frame_of
from datakin.learners.learner import Rows
from datakin.learners.named import make_learners
from datakin.learners.stack import ahead
from datakin.learners.stack.ahead import own_fits


class Shown(ClassifierMixin, BaseEstimator):
    """An estimator of nobody's library that keeps what it was shown, and may predict nothing."""

    def __init__(self, answer: float = 0.5) -> None:
        self.answer = answer

    def fit(self, X: Any, y: Any) -> Shown:
        self.shown_, self.classes_ = X, np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        self.asked_ = X
        return np.full((len(X), len(self.classes_)), self.answer)

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


def rows(**options: Any) -> Rows:
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan], [5.0, np.nan]])
    y = np.array([[0.0], [1.0], [0.0], [1.0]])
    return Rows(X, y, np.ones(4), "binary", ("age", "w"), **options)


def table() -> Features:
    codes = np.array([[0], [1], [-1], [0]], dtype=np.int32)
    return Features(
        np.array([[1.0], [np.nan], [3.0], [4.0]]), ("age",), codes, ("sex",), (("f", "m"),)
    )


def test_an_estimator_that_may_ask_for_names_gets_them_and_no_missing_number() -> None:
    predictor: Any = ForeignLearner("mine", Shown()).fit(rows())[0]
    predictor.predict(rows().X)
    for given in (predictor.estimator.shown_, predictor.estimator.asked_):
        assert list(given.columns) == ["age", "w"]
        assert given["age"].tolist() == [1, 3, 3, 5]
        assert given["w"].tolist() == [0, 0, 0, 0]  # of which nothing is known


@pytest.mark.parametrize(
    ("estimator", "asks"),
    [
        (LogisticRegression(), False),
        (make_pipeline(StandardScaler(), LogisticRegression()), False),
        (
            make_pipeline(
                ColumnTransformer([("a", StandardScaler(), ["age"])]), LogisticRegression()
            ),
            True,
        ),
        (VotingClassifier([("a", LogisticRegression()), ("b", Shown())]), True),
        (HistGradientBoostingClassifier(monotonic_cst={"age": 1}), True),
        (HistGradientBoostingClassifier(monotonic_cst=[1, 0]), False),
        (Shown(), True),
    ],
)
def test_who_asks_for_names(estimator: Any, asks: bool) -> None:
    assert asks_for_names(estimator, ("age", "w")) is asks


def test_raw_learners_get_the_table() -> None:
    (learner,) = make_learners(datakin.raw(Shown()), True)
    assert learner.name == "Shown"
    predictor: Any = learner.fit(rows(table=table()))[0]
    expected = pd.DataFrame(
        {
            "age": [1.0, np.nan, 3.0, 4.0],
            "sex": pd.Series(["f", "m", np.nan, "f"], dtype=object),
        }
    )
    pd.testing.assert_frame_equal(predictor.estimator.shown_, expected)
    predictor.predict(table().take(np.array([2, 1])))
    asked = expected.iloc[[2, 1]].reset_index(drop=True)
    pd.testing.assert_frame_equal(predictor.estimator.asked_, asked, check_index_type=False)
    pd.testing.assert_frame_equal(frame_of(table()), expected, check_index_type=False)


def test_folds_of_a_raw_learner_are_folds_of_its_table() -> None:
    (learner,) = make_learners({"mine": datakin.raw(Shown())}, True)
    both = rows(table=table()).below(rows(table=table()))
    found, _ = learner.held_out(both, np.arange(8) // 4)
    assert_allclose(found, 0.5)


def test_a_failure_says_what_the_estimator_was_given() -> None:
    words = r"could not be fitted on 4 rows: .* \(It was given a matrix of 2 columns, all numbers finite"
    with pytest.raises(DatakinError, match=words):
        ForeignLearner("mine", LogisticRegression(C=-1)).fit(rows())
    (learner,) = make_learners({"mine": datakin.raw(LogisticRegression())}, True)
    with pytest.raises(DatakinError, match="data frame as it is, with the columns 'age', 'sex'"):
        learner.fit(rows(table=table()))
    predictor = ForeignLearner("mine", Shown(np.nan)).fit(rows())[0]
    with pytest.raises(DatakinError, match="could not predict 4 rows: its predictions are NaN"):
        predictor.predict(rows().X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_sources", [0, 1, 2])
def test_fits_are_counted_before_they_are_done(
    n_sources: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    moved: list[int] = []

    class Bar:
        def __init__(self, of: str, total: int) -> None:
            self.of, self.total = of, total

        def __enter__(self) -> Any:
            said.append(self.of)
            return lambda: moved.append(1)

        def __exit__(self, *error: Any) -> None:
            assert len(moved) == self.total

    monkeypatch.setattr(ahead, "progress", Bar)
    monkeypatch.setattr(ahead, "foretell", lambda seconds, what: said.append(what))

    def data(n: int, seed: int) -> Any:
        X = np.random.default_rng(seed).standard_normal((n, 3))
        return X, (X.sum(axis=1) > 0).astype(int)

    sources = [data(40, k) for k in range(1, 1 + n_sources)]
    datakin.choose(data(30, 0), sources, learners={"mine": LogisticRegression()}, repeats=1)
    assert said == ["choose: fits of mine", f"{len(moved)} fits of 'mine'"]


def test_labels_in_place_of_probabilities_are_said() -> None:
    given: Any = (
        make_learners({"svc": LinearSVC()}, True),
        rows(),
        {},
        np.array([0, 1, 0, 1]),
        (1, 1),
    )
    with (
        pytest.warns(datakin.DatakinWarning, match="svc has no probabilities"),
        own_fits(*given, pools=True, of="choose"),
    ):
        pass
