"""The fast fitters against scikit-learn's and XGBoost's own fits, and what results say of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC, SVR
from xgboost import XGBClassifier, XGBRegressor

from datakin import as_dataset, matrix, score
from datakin.learners import encoding
from datakin.learners.fitters import LeastSquaresFitter, NewtonFitter, start_fitter
from datakin.learners.models import fit_model
from datakin.learners.svm import RadialSVMFitter
from datakin.learners.trees import BoostingFitter
from datakin.paper.models import LinearSVMFitter, choose_named

N_PROBLEMS = 20


def problem(n_classes, seed, n_test=500):
    """Training X and y and rows to predict, on both sides of the fitters' thresholds."""
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
    return generic, fit_model(model, X, y, n_classes, 0, fitter=fitter).scores(Z), fitter.name


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", ["logistic", "linear_svm", "rbf_svm"])
def test_labels_are_scikit_learn_s(name, n_classes):
    (model,) = choose_named([name], True)
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
        "rbf_svm": {"libsvm on a Gram matrix"},
    }
    assert used == expected[name]


def test_linear_regression_is_scikit_learn_s():
    (model,) = choose_named(["linear"], False)
    for seed in range(N_PROBLEMS):
        X, y, Z = problem(0, seed)
        one, two, backend = both(model, X, y, Z, 0)
        np.testing.assert_allclose(two, one, rtol=0, atol=1e-10 * y.std())
        assert backend == "normal equations"


@pytest.mark.parametrize(
    ("kernel", "backend"), [("linear", "interior point"), ("rbf", "libsvm and active set")]
)
def test_support_vector_regression_is_scikit_learn_s(kernel, backend):
    """As close as libsvm comes to the optimum, which its kernels in 32 bits keep it from.

    That ours are there is tested on the optimality conditions, in test_backend_solvers.py.
    """
    (model,) = choose_named([f"{kernel}_svm"], False)
    tight = replace(model, estimator=SVR(kernel=kernel, gamma="auto", tol=1e-7))
    for seed in range(6):
        X, y, Z = problem(0, seed)
        one, two, used = both(model, X, y, Z, 0)
        assert used == backend
        np.testing.assert_allclose(two, one, rtol=0, atol=0.015 * y.std())
        best = fit_model(tight, X, y, 0, 0).scores(Z)
        tolerance = 1e-5 if kernel == "rbf" else 3e-4  # linear kernels are not bounded by 1
        np.testing.assert_allclose(two, best, rtol=0, atol=tolerance * y.std())


@pytest.mark.parametrize("task", ["two classes", "four classes", "regression"])
@pytest.mark.parametrize("p", [3, 24])  # few and many columns: caches kept, and dropped
@pytest.mark.parametrize("n", [150, 700])  # fewer and more values than bins
def test_trees_are_xgboost_s_to_the_last_bit(task, p, n):
    rng = np.random.default_rng(p)
    X, Z = rng.standard_normal((n, p)), rng.standard_normal((80, p))
    X[rng.random(X.shape) < 0.1] = np.nan
    Z[rng.random(Z.shape) < 0.1] = np.nan
    value = np.nan_to_num(X[:, 0]) + 0.5 * rng.standard_normal(n)
    options = {"n_estimators": 20, "max_depth": 4, "n_jobs": 1}
    if task == "regression":
        ours = start_fitter(XGBRegressor(**options), BoostingFitter, False).fit(X, value, 0)
        theirs = XGBRegressor(**options, random_state=0).fit(X, value)
        np.testing.assert_array_equal(ours.predict(Z), theirs.predict(Z))
        return
    y = np.digitize(value, [0.0] if task == "two classes" else [-0.8, 0.0, 0.8])
    ours = start_fitter(XGBClassifier(**options), BoostingFitter, False).fit(X, y, 0)
    theirs = XGBClassifier(**options, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(Z), theirs.predict_proba(Z))


@pytest.mark.parametrize("n_rows", [120, 800])
@pytest.mark.parametrize("name", ["linear_svm", "rbf_svm"])
def test_decision_values_of_four_classes(name, n_rows):
    """Votes and confidences of six machines, as scikit-learn adds them up."""
    (model,) = choose_named([name], True)
    kernel = name.removesuffix("_svm")
    tight = replace(model, estimator=SVC(kernel=kernel, gamma="auto", tol=1e-7), backend=None)
    rng = np.random.default_rng(3)
    X, Z = rng.standard_normal((n_rows, 4)), rng.standard_normal((100, 4))
    y = np.argmax(X + 0.7 * rng.standard_normal(X.shape), axis=1)
    _, ours, used = both(model, X, y, Z, 4)
    np.testing.assert_allclose(ours, fit_model(tight, X, y, 4, 0).scores(Z), atol=1e-3)
    if name == "linear_svm":
        assert used == ("libsvm" if n_rows == 120 else "interior point")


@pytest.mark.parametrize("is_class", [True, False])
def test_a_plan_of_fits_is_scikit_learn_s(is_class):
    """Fits that start from the last, or from a fit on more rows, end where fresh ones do."""
    X, y, Z = problem(2 if is_class else 0, 3)
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(len(X))
    plan = [np.sort(shuffled[a:]) for a in (0, 30, 60, 90, 120)]
    for model in choose_named("paper", is_class)[:3]:
        fitter = start_fitter(model.estimator, model.backend, False)
        for rows in plan:
            ours = fit_model(
                model, X[rows], y[rows], 2 * is_class, 0, fitter=fitter, rows=rows
            ).scores(Z)
            fresh = start_fitter(model.estimator, model.backend, False)
            alone = fit_model(model, X[rows], y[rows], 2 * is_class, 0, fitter=fresh).scores(Z)
            np.testing.assert_allclose(ours, alone, rtol=0, atol=1e-7)


def test_every_backend_is_used_by_a_model():
    used = {m.backend for is_class in (True, False) for m in choose_named("paper", is_class)}
    machines = {LinearSVMFitter, RadialSVMFitter}
    assert used == {NewtonFitter, LeastSquaresFitter, BoostingFitter, *machines}


def test_the_result_says_what_fitted_each_model(make_lda):
    pair = make_lda(60, 1, name="t"), make_lda(850, 2, angle=0.5, name="s")
    found = score(*pair, models=["logistic", "linear_svm"], cv=3).provenance.backends
    assert found == {"logistic": "newton", "linear_svm": "interior point, libsvm"}
    mine = {"mine": RandomForestClassifier(3)}
    assert score(*pair, models=mine, cv=3).provenance.backends == {"mine": "scikit-learn"}
    square = matrix(pair, models=["logistic"], cv=3)
    assert square.provenance.backends == {"logistic": "newton"}


@pytest.mark.filterwarnings("ignore:.*too large to be laid out")
def test_a_sparse_table_too_large_to_be_laid_out_takes_scikit_learn_s_path(monkeypatch):
    monkeypatch.setattr(encoding, "MOST_CELLS", 100)
    rng = np.random.default_rng(0)
    pair = []
    for name in ("t", "s"):
        X = rng.standard_normal((80, 6)) * (rng.random((80, 6)) < 0.6)
        y = (X[:, 0] + X[:, 1] + 0.5 * rng.standard_normal(80) > 0).astype(int)
        pair.append(as_dataset(sparse.csr_array(X), y, name=name))
    found = score(*pair, cv=3).provenance.backends
    assert set(found) == {"logistic", "rbf_svm", "trees"}
    assert set(found.values()) == {"scikit-learn"}


@pytest.mark.parametrize("is_class", [True, False])
def test_fast_and_plain_fits_give_one_score(is_class):
    """Above the thresholds of all fitters; the labels' few differences hardly move a score."""
    rng = np.random.default_rng(5)
    pair = []
    for turn in (0.0, 0.6):
        X = rng.standard_normal((520, 5))
        value = X[:, 0] * np.cos(turn) + X[:, 1] * np.sin(turn) + 0.5 * rng.standard_normal(520)
        pair.append((X, (value > 0).astype(int) if is_class else value))
    names = ["logistic" if is_class else "linear", "linear_svm", "rbf_svm"]
    fast = score(*pair, models=names, cv=3)
    models = [replace(m, backend=None) for m in choose_named(names, is_class)]
    plain = score(*pair, models=models, cv=3)
    assert set(plain.provenance.backends.values()) == {"scikit-learn"}
    assert fast.score == pytest.approx(plain.score, abs=0.002)
    assert fast.model_scores == pytest.approx(plain.model_scores, abs=0.003)
