"""Learners that make all fits of a plan at once: each fit knows its own rows alone."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from datakin.learners.kernel import KernelLearner
from datakin.learners.learner import Rows, responses
from datakin.learners.linear import LinearLearner
from datakin.learners.models import PLANNED
from datakin.learners.predictors import radial
from datakin.learners.trees import TreeLearner

KINDS = {"regression": 0, "binary": 2, "multiclass": 3}


def rows_of(kind, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[rng.random(n) < 0.1, 1] = np.nan
    value = X[:, 0] + 0.5 * X[:, 2] ** 2 + 0.5 * rng.standard_normal(n)
    y = value - value.mean() if kind == "regression" else np.digitize(value, [0.2, 1.2])
    if kind == "binary":
        y = np.minimum(y, 1)
    Y, found = responses(y, KINDS[kind])
    assert found == kind
    return Rows(X, Y, np.ones(n), kind)


def trains_of(n, n_folds=4):
    everything = np.arange(n)
    folds = [everything[k::n_folds] for k in range(n_folds)]
    out = [(), *((k,) for k in range(n_folds)), *combinations(range(n_folds), 2)]
    return [np.flatnonzero(~np.isin(everything % n_folds, some)) for some in out], folds


def elsewhere(n=40):
    return rows_of("binary", n, 9).X


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("learner", PLANNED, ids=lambda learner: learner.name)
def test_labels_of_rows_left_out_change_no_number(learner, kind):
    """Coefficients, penalties, rounds: nothing is learned from the responses of rows left out."""
    rows, (trains, folds) = rows_of(kind), trains_of(60)
    before = learner.fit_plan(rows, trains).outputs(elsewhere(), len(trains))
    Y = rows.Y.copy()
    Y[folds[1]] = Y[folds[1]][::-1] if kind != "binary" else 1 - Y[folds[1]]
    assert not np.array_equal(Y, rows.Y)
    after = learner.fit_plan(Rows(rows.X, Y, rows.weights, kind), trains).outputs(
        elsewhere(), len(trains)
    )
    without = [i for i, train in enumerate(trains) if not set(train) & set(folds[1])]
    assert len(without) == 4  # without this fold, and without it and each of the three others
    np.testing.assert_allclose(after[without], before[without], rtol=0, atol=1e-9)
    assert np.abs(after[0] - before[0]).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("learner", PLANNED, ids=lambda learner: learner.name)
def test_the_fit_on_all_rows_is_that_of_choose(learner, kind):
    rows, (trains, _) = rows_of(kind), trains_of(60)
    found = learner.fit_plan(rows, trains).outputs(elsewhere(), 1)
    expected = learner.fit(rows)[0].predict(elsewhere())
    assert found.shape == (1, *expected.shape)
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["binary", "regression"])
def test_linear_fits_are_those_of_scikit_learn(kind):
    rows, (trains, _) = rows_of(kind), trains_of(60)
    fits = LinearLearner(penalties=(4.0,)).fit_plan(rows, trains)
    Z = fits.scaler.apply(rows.X)
    found = fits.outputs(rows.X, len(trains))
    for train, outputs in zip(trains, found, strict=True):
        y = rows.Y[train, 0]
        if kind == "regression":
            best = Ridge(4.0).fit(Z[train], y).predict(Z)
        else:
            tight = LogisticRegression(C=1 / 4, tol=1e-10, max_iter=1000)
            best = tight.fit(Z[train], y).predict_proba(Z)[:, 1]
        np.testing.assert_allclose(outputs[:, 0], best, atol=1e-5)


def test_kernel_fits_are_solutions_of_their_own_rows():
    rows, (trains, _) = rows_of("regression"), trains_of(60)
    fits = KernelLearner(penalties=(0.3,)).fit_plan(rows, trains)
    K = radial(fits.centers, fits.centers, 1 / fits.width) + fits.constant
    found = fits.outputs(rows.X, len(trains))
    for train, outputs in zip(trains, found, strict=True):
        inner = K[np.ix_(train, train)] + 0.3 * np.eye(len(train))
        expected = K[:, train] @ np.linalg.solve(inner, rows.Y[train])
        np.testing.assert_allclose(outputs, expected, atol=1e-8)


def test_of_many_rows_the_kernel_takes_some():
    rows, (trains, _) = rows_of("binary", 90), trains_of(90)
    fits = KernelLearner(most_planned=40).fit_plan(rows, trains)
    assert len(fits.centers) == 30
    assert fits.outputs(elsewhere(), 5).shape == (5, 40, 1)
    # A row that was not taken is left out by the same fits as others of its fold.
    assert (fits.coefficients[1][::3] == 0).any()


def test_a_class_that_a_fit_does_not_see_gets_its_prior():
    rows, (trains, folds) = rows_of("binary"), trains_of(60)
    Y = np.zeros_like(rows.Y)
    Y[folds[0]] = 1.0
    rare = Rows(rows.X, Y, rows.weights, "binary")
    for learner in (*PLANNED, TreeLearner()):
        found = learner.fit_plan(rare, trains).outputs(elsewhere(), 2)
        assert np.isfinite(found).all()
        assert found[1].max() < 0.1
