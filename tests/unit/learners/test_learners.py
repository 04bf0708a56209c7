"""The learners of the stack: formulas against refits, and against scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression, Ridge

from datakin import DatakinError
from datakin.learners import kernel
from datakin.learners.foreign import ForeignLearner
from datakin.learners.kernel import KernelLearner
from datakin.learners.learner import Rows, responses
from datakin.learners.linear import LinearLearner
from datakin.learners.named import LEARNERS, make_learners
from datakin.learners.predictors import normalised, radial
from datakin.learners.scaling import Scaler
from datakin.learners.trees import TreeLearner


def make(kind: str, n: int = 60, p: int = 4, seed: int = 0, weights: bool = False) -> Rows:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    eta = X @ rng.standard_normal(p) + 0.5 * rng.standard_normal(n)
    y = {
        "regression": eta,
        "binary": (eta > 0).astype(int),
        "multiclass": np.digitize(eta, [-1, 1]),
    }[kind]
    Y, found = responses(y, {"regression": 0, "binary": 2, "multiclass": 3}[kind])
    w = rng.uniform(0.5, 2.0, n) if weights else np.ones(n)
    return Rows(X, Y, w, found)


KINDS = ("binary", "multiclass", "regression")
FOLDS = np.arange(60) % 6


@pytest.mark.parametrize("penalty", [0.1, 4.0, 64.0])
def test_logistic_regression_is_that_of_scikit_learn(penalty: float) -> None:
    rows = make("binary", weights=True)
    fit, _ = LinearLearner((penalty,)).fit(rows)
    Z = Scaler.learn(rows.X).apply(rows.X)
    model = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=1000)
    expected = model.fit(Z, rows.Y[:, 0], sample_weight=rows.weights).predict_proba(Z)[:, 1]
    assert_allclose(fit.predict(rows.X)[:, 0], expected, atol=1e-5)


def test_linear_regression_is_ridge_regression() -> None:
    rows = make("regression", weights=True)
    fit, _ = LinearLearner((4.0,)).fit(rows)
    Z = Scaler.learn(rows.X).apply(rows.X)
    expected = Ridge(alpha=4.0).fit(Z, rows.Y[:, 0], sample_weight=rows.weights).predict(Z)
    assert_allclose(fit.predict(rows.X)[:, 0], expected, atol=1e-6)


@pytest.mark.parametrize("learner", [LinearLearner((4.0,)), KernelLearner((0.3,))])
def test_leave_one_out_of_squared_error_is_exact(learner: LinearLearner | KernelLearner) -> None:
    """The sum told by the formula is that of n fits, for the same standardised columns."""
    rows = make("regression", n=30)
    told = learner.fit(rows)[1][0]
    found, _ = learner.held_out(rows, np.arange(30))
    assert_allclose(np.sum((rows.Y - found) ** 2), told, rtol=1e-6)


def test_leave_one_out_of_logistic_regression_is_close() -> None:
    rows = make("binary", n=80)
    learner = LinearLearner((4.0,))
    told = learner.fit(rows)[1][0]
    found, _ = learner.held_out(rows, np.arange(80))
    assert_allclose(np.sum((rows.Y - found) ** 2), told, rtol=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_folds_of_the_linear_learner_are_refits(kind: str) -> None:
    """Started at the fit on all rows, the steps end where a fit without the fold ends."""
    rows = make(kind)
    learner = LinearLearner((4.0,))
    found, _ = learner.held_out(rows, FOLDS)
    scaler = Scaler.learn(rows.X)
    for k in range(6):
        inside = k != FOLDS
        Z = scaler.apply(rows.X)
        cold = rows.take(inside)
        # Standardised already, so that the refit uses the same columns.
        plain = Rows(Z[inside], cold.Y, cold.weights, cold.kind)
        beta = _cold_fit(plain, 4.0)
        expected = _predict(Z[~inside], beta, kind)
        assert_allclose(found[~inside], expected, atol=2e-4)


def _cold_fit(rows: Rows, penalty: float) -> list[np.ndarray]:
    if rows.kind == "regression":
        fits = [Ridge(alpha=penalty).fit(rows.X, y) for y in rows.Y.T]
        return [np.append(fit.coef_, fit.intercept_) for fit in fits]
    model = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=2000)
    fits = [model.fit(rows.X, y) and np.append(model.coef_[0], model.intercept_) for y in rows.Y.T]
    return fits


def _predict(Z: np.ndarray, beta: list[np.ndarray], kind: str) -> np.ndarray:
    eta = np.column_stack([Z @ b[:-1] + b[-1] for b in beta])
    if kind == "regression":
        return eta
    p = 1 / (1 + np.exp(-eta))
    return p / p.sum(axis=1, keepdims=True) if kind == "multiclass" else p


def test_folds_of_the_kernel_learner_are_exact() -> None:
    rows = make("regression", weights=True)
    learner = KernelLearner((0.3,))
    found, _ = learner.held_out(rows, FOLDS)
    whole, _ = learner.fit(rows)
    Z = whole.scaler.apply(rows.X)
    from datakin.learners.predictors import radial

    for k in range(6):
        train = k != FOLDS
        K = radial(Z[train], Z[train], 1 / whole.width) + whole.constant
        dual = np.linalg.solve(K + 0.3 * np.diag(1 / rows.weights[train]), rows.Y[train])
        expected = (radial(Z[~train], Z[train], 1 / whole.width) + whole.constant) @ dual
        assert_allclose(found[~train], expected, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LEARNERS)
def test_rows_that_are_never_left_out_are_in_every_fit(kind: str, name: str) -> None:
    """Predictions of the folds of a pool lie close to those of a fit that has the other rows."""
    own, other = make(kind, n=40), make(kind, n=200, seed=1)
    learner = LEARNERS[name]
    folds = np.append(np.arange(40) % 4, np.full(200, -1))
    told = learner.fit(other)[1], learner.held_out(own, folds[:40])[1]
    found, _ = learner.held_out(own.below(other), folds, told)
    assert found.shape == own.Y.shape
    fit, _ = learner.fit(other)
    assert np.mean((found - fit.predict(own.X)) ** 2) < np.var(own.Y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("learner", [*LEARNERS.values()])
def test_predictions_are_probabilities(kind: str, learner: object) -> None:
    rows = make(kind)
    P = learner.fit(rows)[0].predict(rows.X)  # type: ignore[attr-defined]
    assert P.shape == rows.Y.shape
    assert np.isfinite(P).all()
    if kind != "regression":
        assert P.min() >= 0
        assert P.max() <= 1
    if kind == "multiclass":
        assert_allclose(P.sum(axis=1), 1.0, atol=1e-6)


def test_more_columns_than_rows_do_not_explode() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 100))
    rows = Rows(X, (X[:, :1] > 0).astype(float), np.ones(30), "binary")
    found, _ = LinearLearner().held_out(rows, np.arange(30) % 10)
    assert np.mean((rows.Y - found) ** 2) < 0.3  # always saying one half has .25
    numbers = Rows(X, X[:, :1] * 3, np.ones(30), "regression")
    found, _ = LinearLearner().held_out(numbers, np.arange(30) % 10)
    assert np.mean((numbers.Y - found) ** 2) < 1.3 * np.var(numbers.Y)


def test_a_class_that_a_fold_lacks() -> None:
    rows = make("multiclass", n=30)
    Y = np.zeros_like(rows.Y)
    Y[:, 0] = 1
    Y[0] = [0, 1, 0]
    Y[1] = [0, 0, 1]
    rows = Rows(rows.X, Y, rows.weights, "multiclass")
    for learner in LEARNERS.values():
        found, _ = learner.held_out(rows, np.arange(30) % 10)
        assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", KINDS)
def test_losses_of_the_kernel_learner_outside_folds_are_those_of_refits(kind: str) -> None:
    rows = make(kind, weights=True)
    learner = KernelLearner(penalties=(0.03, 1.0))
    _, found = learner.held_out(rows, FOLDS)
    whole = kernel._solved(rows)
    K = radial(whole.Z, whole.Z, 1 / whole.width) + whole.constant
    for k in range(6):
        outside = np.flatnonzero(k != FOLDS)
        for j, penalty in enumerate(learner.penalties):
            loss = 0.0
            for i in outside:
                others = outside[outside != i]
                inner = K[np.ix_(others, others)] + penalty * np.diag(1 / rows.weights[others])
                p = K[i, others] @ np.linalg.solve(inner, rows.Y[others])
                p = p if kind == "regression" else np.clip(p, 0, 1)
                loss += rows.weights[i] * np.sum((rows.Y[i] - p) ** 2)
            assert_allclose(found[1 + k, j], loss, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_weight_0_are_predicted_as_by_a_fit_without_them(kind: str) -> None:
    rows = make(kind)
    counts = np.where(np.arange(60) % 5 == 0, 0.0, 1.25)
    learner = KernelLearner(penalties=(0.3,))
    found, _ = learner.held_out(replace(rows, weights=counts), FOLDS)
    whole = kernel._solved(rows)
    K = radial(whole.Z, whole.Z, 1 / whole.width) + whole.constant
    for k in range(6):
        used, at = np.flatnonzero((k != FOLDS) & (counts > 0)), np.flatnonzero(k == FOLDS)
        dual = np.linalg.solve(K[np.ix_(used, used)] + 0.3 / 1.25 * np.eye(len(used)), rows.Y[used])
        expected = normalised(K[np.ix_(at, used)] @ dual, rows.kind)
        assert_allclose(found[at], expected, atol=1e-6)


def test_many_rows_of_the_target_are_sampled_for_the_kernel() -> None:
    rows = make("binary", n=300)
    learner = KernelLearner(most_own=100)
    found, told = learner.held_out(rows, np.arange(300) % 5)
    assert found.shape == (300, 1)
    assert np.mean((rows.Y - found) ** 2) < 0.15
    assert told.shape[0] == 6


def test_missing_numbers_are_taken() -> None:
    rows = make("binary")
    X = rows.X.copy()
    X[::7, 1] = np.nan
    X[:, 3] = np.nan
    holes = Rows(X, rows.Y, rows.weights, "binary")
    for learner in LEARNERS.values():
        assert np.isfinite(learner.held_out(holes, FOLDS)[0]).all()


def test_estimators_of_the_user() -> None:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.svm import LinearSVC

    (forest,) = make_learners({"forest": RandomForestClassifier(10)}, True, 3)
    rows = make("binary")
    again = [forest.fit(rows)[0].predict(rows.X) for _ in range(2)]
    assert_allclose(*again)
    # Without probabilities, predictions are 0 or 1.
    (svc,) = make_learners([LinearSVC()], True)
    assert set(np.unique(svc.fit(rows)[0].predict(rows.X))) <= {0.0, 1.0}


def test_weights_for_a_learner_that_takes_none() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    learner = ForeignLearner("neighbours", KNeighborsClassifier())
    with pytest.raises(DatakinError, match="takes none"):
        learner.fit(make("binary", weights=True))


def test_a_learner_that_cannot_predict_is_named() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    learner = ForeignLearner("neighbours", KNeighborsClassifier(200))
    with pytest.raises(
        DatakinError, match="'neighbours' could not predict 60 rows: Expected n_nei"
    ):
        learner.fit(make("binary"))[0].predict(make("binary").X)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("tree", "trees"),
        ([], "must be some of"),
        ({"a": 3}, "must be a scikit-learn estimator"),
        (Ridge(), "must be a classifier"),
        (7, "must be some of"),
        (["linear", "logistic"], "different names. Got 'linear' twice"),
        ({"a": "trees", "trees": LogisticRegression()}, "Got 'trees' twice"),
        (
            [LogisticRegression(C=1), LogisticRegression(C=0.01)],
            "two estimators 'LogisticRegression'; give a mapping of name to estimator",
        ),
    ],
)
def test_wrong_learners_are_refused(given: object, words: str) -> None:
    with pytest.raises(DatakinError, match=words):
        make_learners(given, True)


def test_trees_grow_with_the_rows() -> None:
    few, many = (TreeLearner().fit(make("binary", n=n))[0].booster for n in (100, 1000))
    assert few.num_boosted_rounds() == 60
    assert many.num_boosted_rounds() == round(60 * (1000 / 160) ** 0.4)
