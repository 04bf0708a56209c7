"""Degenerate tables, and options of an estimator: honoured, or left to scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC, SVR
from xgboost import XGBClassifier, XGBRegressor

from datakin.learners.fitters import LeastSquaresFitter, NewtonFitter, start_fitter
from datakin.learners.models import Model, fit_model
from datakin.learners.svm import RadialSVMFitter
from datakin.learners.trees import BoostingFitter
from datakin.paper.models import LinearSVMFitter, choose_named

# Libraries run to the end: ours must not differ from where they are going.
TIGHT = {
    "logistic": LogisticRegression(C=1e3, solver="newton-cholesky", tol=1e-10, max_iter=1000),
    "linear_svm": SVC(kernel="linear", tol=1e-6),
    "rbf_svm": SVC(kernel="rbf", gamma="auto", tol=1e-6),
    "xgboost": XGBClassifier(n_estimators=100, max_depth=6, learning_rate=0.3, n_jobs=1),
}
TIGHT_VALUES = {
    "linear": LinearRegression(),
    "linear_svm": SVR(kernel="linear", tol=1e-6),
    "rbf_svm": SVR(kernel="rbf", gamma="auto", tol=1e-6),
    "xgboost": XGBRegressor(n_estimators=100, max_depth=6, learning_rate=0.3, n_jobs=1),
}


def corner(name, n=300):
    """A table of one degenerate kind, standardised, and a value to learn."""
    rng = np.random.default_rng(7)
    if name == "tiny":
        n = 20
    X = rng.standard_normal((40, 60) if name == "more columns than rows" else (n, 6))
    if name == "constant column":
        X[:, 2] = 0.0
    if name == "collinear columns":
        X[:, 3], X[:, 4] = X[:, 0], X[:, 1] - X[:, 2]
    if name == "equal rows":
        X[n // 2 :] = X[: n - n // 2]
    value = X[:, 0] + 0.5 * X[:, 1]
    if name != "separable":
        value = value + 0.5 * rng.standard_normal(len(X))
    return X, value


CORNERS = [
    *("constant column", "collinear columns", "separable", "more columns than rows"),
    *("equal rows", "tiny"),
]


@pytest.mark.parametrize("name", CORNERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_in_corners(name, n_classes):
    X, value = corner(name)
    y = np.digitize(value, np.quantile(value, [0.5] if n_classes == 2 else [0.3, 0.7]))
    Z = corner(name)[0] + 0.3 * np.random.default_rng(1).standard_normal(X.shape)
    for model in choose_named("paper", True):
        fitter = start_fitter(model.estimator, model.backend, False)
        ours = fit_model(model, X, y, n_classes, 0, fitter=fitter).scores(Z)
        tight = Model(model.name, TIGHT[model.name], model.features)
        theirs = fit_model(tight, X, y, n_classes, 0).scores(Z)
        assert np.mean(ours.argmax(axis=1) != theirs.argmax(axis=1)) <= 0.001, model.name
        assert fitter.name != "scikit-learn"


@pytest.mark.parametrize("name", CORNERS)
def test_regression_in_corners(name):
    X, y = corner(name)
    Z = X + 0.3 * np.random.default_rng(1).standard_normal(X.shape)
    for model in choose_named("paper", False):
        fitter = start_fitter(model.estimator, model.backend, False)
        ours = fit_model(model, X, y, 0, 0, fitter=fitter).scores(Z)
        tight = Model(model.name, TIGHT_VALUES[model.name], model.features, model.scale_target)
        theirs = fit_model(tight, X, y, 0, 0).scores(Z)
        atol = {"linear": 1e-9, "xgboost": 0}.get(model.name, 2e-3 * y.std())
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol, err_msg=model.name)


def test_a_class_of_two_rows():
    X, value = corner("none")
    y = np.digitize(value, [np.quantile(value, 0.5), np.sort(value)[-2]])
    assert np.bincount(y)[2] == 2
    for model in choose_named("paper", True):
        fitter = start_fitter(model.estimator, model.backend, False)
        ours = fit_model(model, X, y, 3, 0, fitter=fitter).scores(X)
        tight = Model(model.name, TIGHT[model.name], model.features)
        theirs = fit_model(tight, X, y, 3, 0).scores(X)
        assert np.mean(ours.argmax(axis=1) != theirs.argmax(axis=1)) <= 0.001, model.name


@pytest.mark.parametrize("n_classes", [0, 2])
def test_no_columns_left_fails_as_with_scikit_learn(n_classes):
    X, y = np.zeros((30, 0)), np.arange(30) % 2
    for model in choose_named("paper", bool(n_classes))[:3]:
        fitter = start_fitter(model.estimator, model.backend, False)
        labels = y if n_classes else y.astype(float)
        with pytest.raises(ValueError, match="0 feature"):
            fit_model(model, X, labels, n_classes, 0, fitter=fitter)


HONOURED = [
    (NewtonFitter, LogisticRegression(C=0.01, tol=1e-9), 1e-6),
    (LinearSVMFitter, SVC(kernel="linear", C=0.03), 5e-3),
    (RadialSVMFitter, SVC(C=5.0, gamma=0.05), 5e-3),
    (RadialSVMFitter, SVC(gamma="scale"), 5e-3),
    (RadialSVMFitter, SVC(gamma="auto", tol=1e-6), 1e-5),
    (LinearSVMFitter, SVR(kernel="linear", C=0.05, epsilon=0.4, tol=1e-6), 1e-4),
    (RadialSVMFitter, SVR(C=0.3, epsilon=0.4, gamma=0.3, tol=1e-6), 1e-5),
    (BoostingFitter, XGBClassifier(n_estimators=7, max_depth=2, reg_lambda=3.0, n_jobs=1), 0),
    (BoostingFitter, XGBClassifier(n_estimators=7, subsample=0.5, random_state=5, n_jobs=1), 0),
    (BoostingFitter, XGBRegressor(n_estimators=7, tree_method="exact", n_jobs=1), 0),
    (BoostingFitter, XGBRegressor(n_estimators=7, max_bin=16, subsample=0.7, n_jobs=1), 0),
]


@pytest.mark.parametrize(("backend", "estimator", "atol"), HONOURED)
def test_options_are_honoured(backend, estimator, atol):
    X, value = corner("none", n=500)
    n_classes = 0 if type(estimator).__name__ in ("SVR", "XGBRegressor") else 2
    y = (value > 0).astype(int) if n_classes else value
    fitter = start_fitter(estimator, backend, False)
    model = Model("m", estimator, backend=backend)
    ours = fit_model(model, X, y, n_classes, 0, fitter=fitter).scores(X)
    np.testing.assert_allclose(
        ours, fit_model(model, X, y, n_classes, 0).scores(X), rtol=0, atol=atol
    )
    assert fitter.name != "scikit-learn"


@pytest.mark.parametrize(
    ("backend", "estimator"),
    [
        (NewtonFitter, LogisticRegression(class_weight="balanced")),
        (NewtonFitter, LogisticRegression(max_iter=3)),
        (NewtonFitter, LogisticRegression(fit_intercept=False)),
        (NewtonFitter, LogisticRegression(C=np.inf)),
        (LeastSquaresFitter, LinearRegression(positive=True)),
        (LinearSVMFitter, SVC(kernel="poly")),
        (LinearSVMFitter, SVC(kernel="linear", max_iter=5)),
        (RadialSVMFitter, SVC(class_weight="balanced")),
        (RadialSVMFitter, SVC(kernel="sigmoid")),
        (RadialSVMFitter, SVC(gamma="large")),
        (RadialSVMFitter, SVC(C=-1.0)),
        (RadialSVMFitter, SVR(max_iter=5)),
        (BoostingFitter, XGBClassifier(early_stopping_rounds=3)),
        (BoostingFitter, XGBClassifier(missing=0.0)),
        (BoostingFitter, XGBRegressor(objective="reg:absoluteerror")),
        (BoostingFitter, XGBRegressor(booster="gblinear")),
    ],
)
def test_other_options_take_scikit_learn_s_path(backend, estimator):
    assert start_fitter(estimator, backend, False).name == "scikit-learn"


def test_what_a_fitter_cannot_serve_takes_the_other_path():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 320)), np.arange(60) % 2
    wide = start_fitter(LogisticRegression(max_iter=1000), NewtonFitter, False)
    assert isinstance(wide.fit(X, y, 0), LogisticRegression)
    assert wide.name == "scikit-learn"
    assert start_fitter(SVC(), RadialSVMFitter, is_sparse=True).name == "scikit-learn"
    assert start_fitter(SVC(), None, is_sparse=False).name == "scikit-learn"
