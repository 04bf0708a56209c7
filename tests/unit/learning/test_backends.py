"""The fast fitters against scikit-learn's and XGBoost's own fits, and against closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC, SVR
from xgboost import XGBClassifier, XGBRegressor

from datakin import as_dataset, matrix, score
from datakin.learning.backends import start_fitter
from datakin.learning.backends.choice import BACKENDS
from datakin.learning.backends.hinge import minimise_hinge
from datakin.learning.backends.logistic import newton
from datakin.learning.models import choose_models, fit_model

N_PROBLEMS = 20


def problem(n_classes, seed, n_test=500):
    """Training X and y and rows to predict; half of the problems are above the SVMs' threshold."""
    rng = np.random.default_rng([seed, n_classes])
    n, p = int(rng.integers(120, 500)), int(rng.integers(2, 12))
    X = rng.standard_normal((n + n_test, p))
    signal = 2 * X @ rng.standard_normal((p, 4)) / np.sqrt(p) + 0.5 * X[:, [0]] * X[:, [1]]
    if n_classes:
        noise = rng.gumbel(size=(n + n_test, n_classes))
        y = np.argmax(signal[:, :n_classes] + noise, axis=1)
    else:
        y = signal[:, 0] + rng.standard_normal(n + n_test)
    X = (X - X[:n].mean(axis=0)) / X[:n].std(axis=0)
    return X[:n], y[:n], X[n:]


def both(model, X, y, Z, n_classes):
    """Scores of scikit-learn's fit and of ours, and what ours is called."""
    fitter = start_fitter(model.estimator, model.backend, is_sparse=False)
    generic = fit_model(model, X, y, n_classes, 0).scores(Z)
    return generic, fit_model(model, X, y, n_classes, 0, fitter).scores(Z), fitter.name


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", ["logistic", "linear_svm", "rbf_svm"])
def test_labels_are_scikit_learn_s(name, n_classes):
    (model,) = choose_models([name], True)
    different, rows, used = 0, 0, set()
    for seed in range(N_PROBLEMS):
        X, y, Z = problem(n_classes, seed)
        one, two, backend = both(model, X, y, Z, n_classes)
        different += int(np.sum(one.argmax(axis=1) != two.argmax(axis=1)))
        rows += len(Z)
        used.add(backend)
    assert different <= 0.001 * rows
    expected = {
        "logistic": {"newton"},
        "linear_svm": {"interior point", "libsvm"},
        "rbf_svm": {"libsvm on a Gram matrix", "libsvm"},
    }
    assert used == expected[name]


def test_linear_regression_is_scikit_learn_s():
    (model,) = choose_models(["linear"], False)
    for seed in range(N_PROBLEMS):
        X, y, Z = problem(0, seed)
        one, two, _ = both(model, X, y, Z, 0)
        np.testing.assert_allclose(two, one, rtol=0, atol=1e-10 * y.std())


@pytest.mark.parametrize("n_rows", [150, 400])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_support_vector_regression_is_scikit_learn_s(kernel, n_rows):
    """The same below the threshold; above as close as libsvm gets to the optimum."""
    (model,) = choose_models([f"{kernel}_svm"], False)
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((n_rows, 5)), rng.standard_normal((200, 5))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * rng.standard_normal(n_rows)
    one, two, _ = both(model, X, y, Z, 0)
    np.testing.assert_allclose(two, one, atol=1e-10 if n_rows < 300 else 0.01 * y.std())


@pytest.mark.parametrize("task", ["two classes", "three classes", "regression"])
@pytest.mark.parametrize("p", [3, 24])  # few and many columns: caches kept, and dropped
def test_trees_are_xgboost_s_to_the_last_bit(task, p):
    rng = np.random.default_rng(p)
    X, Z = rng.standard_normal((150, p)), rng.standard_normal((80, p))
    X[rng.random(X.shape) < 0.1] = np.nan
    Z[rng.random(Z.shape) < 0.1] = np.nan
    value = np.nan_to_num(X[:, 0]) + 0.5 * rng.standard_normal(150)
    options = {"n_estimators": 20, "max_depth": 4, "n_jobs": 1}
    if task == "regression":
        ours = start_fitter(XGBRegressor(**options), "xgboost", False).fit(X, value, 0)
        np.testing.assert_array_equal(
            ours.predict(Z), XGBRegressor(**options).fit(X, value).predict(Z)
        )
        return
    y = (value > 0).astype(int) + (value > 1) * (task == "three classes")
    ours = start_fitter(XGBClassifier(**options), "xgboost", False).fit(X, y, 0)
    expected = XGBClassifier(**options).fit(X, y).predict_proba(Z)
    np.testing.assert_array_equal(ours.predict_proba(Z), expected)


def test_hinge_by_hand():
    """Points at -1 and 1: w = 1 where the cost allows, else w is what two full multipliers give."""
    X, signs, levels = np.array([[-1.0], [1.0]]), np.array([[-1.0, 1.0]]), np.ones((1, 2))
    np.testing.assert_allclose(minimise_hinge(X, signs, levels, 1.0), [1.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(minimise_hinge(X, signs, levels, 0.25), [0.5, 0.0], atol=1e-8)


@pytest.mark.parametrize("task", ["classes", "regression"])
def test_hinge_reaches_the_optimum(task):
    """Lower than libsvm at any tolerance, and no step along any direction helps."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 6))
    value = X @ [1, 0.5, 0, 0, -1, 0] + 0.7 * rng.standard_normal(400)
    if task == "classes":
        signs, levels = np.sign(value)[None], np.ones((1, 400))
        machine = SVC(kernel="linear", tol=1e-8).fit(X, value > 0)
    else:
        signs = np.array([[1.0], [-1.0]]) * np.ones(400)
        levels = signs * value - 0.1
        machine = SVR(kernel="linear", tol=1e-8).fit(X, value)
    ours = minimise_hinge(X, signs, levels)
    theirs = np.append(machine.coef_, machine.intercept_)

    def objective(beta):
        margins = levels - signs * (X @ beta[:-1] + beta[-1])
        return 0.5 * beta[:-1] @ beta[:-1] + np.maximum(margins, 0).sum()

    least = objective(ours)
    assert least <= objective(theirs) + 1e-9
    assert objective(theirs) == pytest.approx(least, rel=1e-6)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    for step in rng.standard_normal((50, 7)):
        assert objective(ours + 1e-4 * step) >= least - 1e-9


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("separable", [False, True])
def test_newton_ends_where_the_gradient_is_zero(n_classes, separable):
    rng = np.random.default_rng(n_classes)
    X = rng.standard_normal((90, 4))
    noise = 0.0 if separable else 1.0
    y = np.digitize(X[:, 0] + noise * rng.standard_normal(90), [0.0, 0.8][: n_classes - 1])
    shape = (5, 1 if n_classes == 2 else n_classes)
    beta = newton(X, y, n_classes, 1e-3, np.zeros(shape))
    eta = X @ beta[:-1] + beta[-1]
    if n_classes == 2:
        residual = expit(eta) - y[:, None]
    else:
        residual = softmax(eta, axis=1) - (y[:, None] == np.arange(n_classes))
    np.testing.assert_allclose(X.T @ residual + 1e-3 * beta[:-1], 0, atol=1e-8)
    np.testing.assert_allclose(residual.sum(axis=0), 0, atol=1e-8)
    warm = newton(X, y, n_classes, 1e-3, beta + 0.1 * rng.standard_normal(shape))
    np.testing.assert_allclose(warm[:-1], beta[:-1], rtol=1e-6, atol=1e-8)


def test_least_squares_with_equal_columns_is_the_shortest_solution():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]])
    y, Z = rng.standard_normal(60), rng.standard_normal((30, 5))
    fitted = start_fitter(LinearRegression(), "linear", False).fit(X, y, 0)
    centred = X - X.mean(axis=0)
    beta = np.linalg.pinv(centred) @ (y - y.mean())
    expected = y.mean() + (Z - X.mean(axis=0)) @ beta
    np.testing.assert_allclose(fitted.predict(Z), expected, atol=1e-10)


def test_least_squares_leaves_nearly_equal_columns_to_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    X = np.column_stack([X, X[:, 0] + 1e-6 * rng.standard_normal(60)])
    y = rng.standard_normal(60)
    fitted = start_fitter(LinearRegression(), "linear", False).fit(X, y, 0)
    assert isinstance(fitted, LinearRegression)


@pytest.mark.parametrize("n_rows", [120, 400])
@pytest.mark.parametrize("name", ["linear_svm", "rbf_svm"])
def test_decision_values_of_four_classes(name, n_rows):
    """Votes and confidences of six machines, as scikit-learn adds them up."""
    (model,) = choose_models([name], True)
    rng = np.random.default_rng(3)
    X, Z = rng.standard_normal((n_rows, 4)), rng.standard_normal((100, 4))
    y = np.argmax(X + 0.7 * rng.standard_normal(X.shape), axis=1)
    one, two, _ = both(model, X, y, Z, 4)
    np.testing.assert_allclose(two, one, atol=1e-10 if n_rows < 300 else 5e-3)


def test_what_a_fitter_cannot_serve_takes_the_other_path():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 320)), np.arange(60) % 2
    wide = start_fitter(LogisticRegression(max_iter=1000), "logistic", False)
    assert isinstance(wide.fit(X, y, 0), LogisticRegression)
    assert wide.name == "scikit-learn"
    assert start_fitter(SVC(), "rbf_svm", is_sparse=True).name == "scikit-learn"
    assert start_fitter(SVC(), None, is_sparse=False).name == "scikit-learn"


@pytest.mark.parametrize("n_classes", [0, 2])
def test_no_columns_left_fails_as_with_scikit_learn(n_classes):
    X, y = np.zeros((30, 0)), np.arange(30) % 2
    for model in choose_models(None, bool(n_classes))[:3]:
        fitter = start_fitter(model.estimator, model.backend, False)
        with pytest.raises(ValueError, match="0 feature"):
            fit_model(model, X, y.astype(float) if n_classes == 0 else y, n_classes, 0, fitter)


def test_every_backend_is_used_by_a_model():
    used = {m.backend for is_class in (True, False) for m in choose_models(None, is_class)}
    assert used == set(BACKENDS)


def test_the_result_says_what_fitted_each_model(make_lda):
    pair = make_lda(60, 1, name="t"), make_lda(310, 2, angle=0.5, name="s")
    found = score(*pair, models=["logistic", "linear_svm"], cv=3).provenance.backends
    assert found == {"logistic": "newton", "linear_svm": "interior point, libsvm"}
    mine = {"mine": RandomForestClassifier(3)}
    assert score(*pair, models=mine, cv=3).provenance.backends == {"mine": "scikit-learn"}
    square = matrix(pair, models=["logistic"], cv=3)
    assert square.provenance.backends == {"logistic": "newton"}


def test_a_sparse_table_takes_scikit_learn_s_path():
    rng = np.random.default_rng(0)
    pair = []
    for name in ("t", "s"):
        X = rng.standard_normal((80, 6)) * (rng.random((80, 6)) < 0.6)
        y = (X[:, 0] + X[:, 1] + 0.5 * rng.standard_normal(80) > 0).astype(int)
        pair.append(as_dataset(sparse.csr_array(X), y, name=name))
    found = score(*pair, models=["logistic", "rbf_svm"], cv=3).provenance.backends
    assert set(found.values()) == {"scikit-learn"}


@pytest.mark.parametrize("is_class", [True, False])
def test_fast_and_plain_fits_give_one_score(is_class):
    """Above the thresholds of all fitters; the labels' few differences hardly move a score."""
    rng = np.random.default_rng(5)
    pair = []
    for turn in (0.0, 0.6):
        X = rng.standard_normal((420, 5))
        value = X[:, 0] * np.cos(turn) + X[:, 1] * np.sin(turn) + 0.5 * rng.standard_normal(420)
        pair.append((X, (value > 0).astype(int) if is_class else value))
    names = ["logistic" if is_class else "linear", "linear_svm", "rbf_svm"]
    fast = score(*pair, models=names, cv=3)
    models = [replace(m, backend=None) for m in choose_models(names, is_class)]
    plain = score(*pair, models=models, cv=3)
    assert set(plain.provenance.backends.values()) == {"scikit-learn"}
    assert fast.score == pytest.approx(plain.score, abs=0.002)
    assert fast.model_scores == pytest.approx(plain.model_scores, abs=0.003)
