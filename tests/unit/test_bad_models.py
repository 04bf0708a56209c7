"""A user's estimator that fails: left out with one warning, or an error when all fail."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import datakin
from datakin import DatakinError, DatakinWarning


def arrays(seed, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


A, B = arrays(0), arrays(1)


class Faulty(ClassifierMixin, BaseEstimator):
    """Fails in the way its name says."""

    def __init__(self, fault):
        self.fault = fault

    def fit(self, X, y):
        if self.fault == "fit" or (self.fault == "some fits" and len(y) < 30):
            raise RuntimeError("out of luck\nand a second line")
        if self.fault == "warn":
            warnings.warn("not converged", RuntimeWarning, stacklevel=1)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        if self.fault == "predict":
            raise RuntimeError("out of luck")
        rows = 3 if self.fault == "too few rows" else len(X)
        columns = 3 if self.fault == "too many classes" else 2
        value = np.nan if self.fault == "NaN" else 1 / columns
        flat = self.fault == "flat"
        return np.full(rows, value) if flat else np.full((rows, columns), value)

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def score(models, **options):
    return datakin.score(A, B, models=models, cv=3, **options)


def test_a_model_that_always_fails_is_an_error():
    with pytest.raises(
        DatakinError, match=r"Every model failed on 'target'. mine: 7 fit"
    ) as caught:
        score({"mine": Faulty("fit")})
    assert "RuntimeError: out of luck)" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fault", ["fit", "some fits"])
def test_a_failing_model_is_left_out_with_one_warning(fault):
    alone = score({"good": LogisticRegression()})
    with pytest.warns(DatakinWarning, match=r"^mine: \d+ fit.s. failed on 2 datas.*left") as caught:
        result = score({"mine": Faulty(fault), "good": LogisticRegression()})
    assert len(caught) == 1
    assert result.score == alone.score
    assert result.own_errors == alone.own_errors
    assert set(result.model_scores) == {"good"}


FAULTS = ["predict", "too few rows", "too many classes", "NaN", "flat"]


@pytest.mark.parametrize("fault", FAULTS)
def test_predictions_of_the_wrong_kind_count_as_failures(fault):
    alone = score({"good": LogisticRegression()})
    with pytest.warns(DatakinWarning, match="mine: .* failed on 2 dataset"):
        result = score({"mine": Faulty(fault), "good": LogisticRegression()})
    assert result.score == alone.score


@pytest.mark.parametrize("fault", FAULTS)
def test_predictions_of_the_wrong_kind_of_every_model_are_an_error(fault):
    with pytest.raises(DatakinError, match="Every model failed on 'target'"):
        score({"mine": Faulty(fault)})


def test_the_estimate_of_a_failed_model_is_an_error():
    models = {"mine": Faulty("fit"), "good": LogisticRegression()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        with pytest.raises(DatakinError, match="'mine' failed"):
            score(models, estimate="mine")


def test_warnings_of_a_learner_are_gathered_into_one():
    with pytest.warns(DatakinWarning, match="14 time.s.: RuntimeWarning: not converged") as caught:
        score({"mine": Faulty("warn")})
    assert [w for w in caught if "zone has no width" not in str(w.message)] == caught[:1]


def test_an_estimator_that_cannot_be_cloned_is_named():
    class Odd(Faulty):
        def __init__(self, fault):
            self.other = fault

    with pytest.raises(DatakinError, match=r"mine"):
        score({"mine": Odd("none")})
