"""The learners: which there are, how they are seeded, and one matrix of scores for all of them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, SVR

from datakin import DatakinError
from datakin.learners.models import Model, fit_model
from datakin.paper.models import choose_named


def draw(n=60, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, 3))
    X[:, 0] += y
    return X, y


def test_sets_of_models():
    def names(models, is_class):
        return [m.name for m in choose_named(models, is_class)]

    assert names(None, True) == ["logistic", "rbf_svm", "trees"]
    assert names(None, False) == ["linear", "rbf_svm", "trees"]
    assert names("paper", True) == ["logistic", "linear_svm", "rbf_svm", "xgboost"]
    assert names("paper", False) == ["linear", "linear_svm", "rbf_svm", "xgboost"]
    assert names("extended", True) == [*names(None, True), "quadratic", "cubic", "qda"]
    assert names("extended", False) == [*names(None, False), "quadratic", "cubic"]
    assert names("trees", True) == ["trees"]


def test_default_parameters():
    """The settings that reproduce the paper's tables."""
    logistic, linear, radial, boosting = (
        m.estimator.get_params() for m in choose_named("paper", True)
    )
    assert logistic["C"] == 1e3
    assert (linear["kernel"], linear["C"]) == ("linear", 1.0)
    assert (radial["kernel"], radial["C"], radial["gamma"]) == ("rbf", 1.0, "auto")
    for name, value in {"n_estimators": 100, "max_depth": 6, "learning_rate": 0.3}.items():
        assert boosting[name] == value
    regressors = {m.name: m for m in choose_named("paper", False)}
    assert isinstance(regressors["rbf_svm"].estimator, SVR)
    assert regressors["rbf_svm"].scale_target
    assert regressors["linear_svm"].scale_target


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (["logistik"], "Did you mean 'logistic'?"),
        ([], "must name at least one model"),
        (["logistic", "logistic"], "must have different names"),
        ({"ensemble": LogisticRegression()}, "none of 'ensemble'"),
        ({"mine": LogisticRegression}, "must be a scikit-learn estimator instance"),
        ({"mine": LinearRegression()}, "must be a classifier for this task. Got the regressor"),
        ([3], "Got 3 instead"),
        ({"tree": {"max_depth": 3}}, "Did you mean 'trees'?"),
        ({"trees": {"depth": 3}}, "no option 'depth'"),
        ({"trees": {"max_dept": 3}}, "Did you mean 'max_depth'"),
    ],
)
def test_bad_models_are_refused(models, message):
    with pytest.raises(DatakinError, match=message.replace("?", r"\?")):
        choose_named(models, True)


class LabelsOnly(ClassifierMixin, BaseEstimator):
    """A classifier that gives neither probabilities nor decision values."""

    def fit(self, X, y):
        self.inner_ = KNeighborsClassifier().fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), SVC(break_ties=True), RidgeClassifier(), LabelsOnly()]
)
def test_largest_score_is_the_prediction(estimator, n_classes):
    """Probabilities, decision values or labels alone: the scores rank the classes alike."""
    X, y = draw(n_classes=n_classes)
    Z, _ = draw(40, 1, n_classes)
    fitted = fit_model(Model("m", estimator), X, y, n_classes, seed=0)
    scores = fitted.scores(Z)
    assert scores.shape == (40, n_classes)
    np.testing.assert_array_equal(scores.argmax(axis=1), estimator.fit(X, y).predict(Z))
    has_probabilities = hasattr(estimator, "predict_proba")
    assert fitted.is_decision == (not has_probabilities and hasattr(estimator, "decision_function"))


@pytest.mark.parametrize("name", ["logistic", "linear_svm", "rbf_svm", "trees", "xgboost"])
def test_a_class_absent_from_the_training_rows_is_never_predicted(name):
    (model,) = choose_named([name], True)
    X, y = draw(90, n_classes=3)
    keep = y != 1
    scores = fit_model(model, X[keep], y[keep], 3, seed=0).scores(X)
    assert scores.shape == (90, 3)
    assert np.isfinite(scores).all()
    assert set(scores.argmax(axis=1)) == {0, 2}


def test_one_class_alone_cannot_be_fitted():
    X, y = draw()
    with pytest.raises(ValueError, match="only one class"):
        fit_model(choose_named(["logistic"], True)[0], X, np.zeros_like(y), 2, seed=0)


def test_seed_reaches_estimators_that_have_one():
    X, y = draw()
    forest = Model("forest", RandomForestClassifier(5))
    one, two, other = (fit_model(forest, X, y, 2, seed).scores(X) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    own_seed = Model("forest", RandomForestClassifier(5, random_state=0))
    one, other = (fit_model(own_seed, X, y, 2, seed).scores(X) for seed in (1, 2))
    np.testing.assert_array_equal(one, other)


def test_the_user_s_estimator_is_not_touched():
    X, y = draw()
    mine = RandomForestClassifier(5)
    fit_model(Model("mine", mine), X, y, 2, seed=0)
    assert mine.random_state is None
    assert not hasattr(mine, "estimators_")


@pytest.mark.parametrize("name", ["linear", "linear_svm", "rbf_svm", "trees", "xgboost"])
def test_regressors_follow_the_unit_of_the_response(name):
    """y in grams or kilograms must give the same predictions in grams or kilograms."""
    (model,) = choose_named([name], False)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    y = X[:, 0] + np.sin(X[:, 1]) + 0.3 * rng.standard_normal(120)
    Z = rng.standard_normal((80, 3))
    small, large = (
        fit_model(model, X, unit * y, 0, seed=0).scores(Z) / unit for unit in (1.0, 1024.0)
    )
    np.testing.assert_allclose(large, small, rtol=0, atol=1e-5)
