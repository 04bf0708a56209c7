"""Platt's sigmoid against scikit-learn's own, and against first-order conditions."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC

from datakin.learners.ensemble import apply_sigmoids, fit_sigmoids


def draw(n, seed, n_classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, 3))
    X[:, 0] += 1.5 * (y == 1)
    X[:, 1] += 1.5 * (y == 2)
    return X, y


def decisions(model, X):
    d = model.decision_function(X)
    return np.column_stack([-d, d]) if d.ndim == 1 else d


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_agrees_with_scikit_learn(n_classes, kernel):
    """scikit-learn stops its optimiser early, hence 1e-3 in probability."""
    model = SVC(kernel=kernel).fit(*draw(120, 0, n_classes))
    X, y = draw(150, 1, n_classes)
    Z, _ = draw(80, 2, n_classes)
    theirs = (
        CalibratedClassifierCV(FrozenEstimator(model), method="sigmoid").fit(X, y).predict_proba(Z)
    )
    ours = apply_sigmoids(decisions(model, Z), fit_sigmoids(decisions(model, X), y))
    np.testing.assert_allclose(ours, theirs, atol=1e-3)
    np.testing.assert_allclose(ours.sum(axis=1), 1.0, atol=1e-12)


def gradient(sigmoid, values, positive):
    n_pos, n_neg = positive.sum(), (~positive).sum()
    target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    residual = expit(sigmoid[0] * values + sigmoid[1]) - target
    return np.array([residual @ values, residual.sum()])


@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-6])
def test_is_the_optimum_in_every_unit(unit):
    """The likelihood is concave, so a gradient of 0 is proof."""
    rng = np.random.default_rng(4)
    y = np.arange(90) % 2
    values = unit * (rng.standard_normal(90) + y - 0.3)
    (sigmoid,) = fit_sigmoids(np.column_stack([-values, values]), y)
    assert np.abs(gradient(sigmoid, values, y == 1) / [unit, 1]).max() < 1e-6
    assert sigmoid[0] > 0


def test_separable_values_stay_finite():
    """Smoothed targets: the best probabilities of 20 + 30 separated rows are 21/22 and 1/32."""
    y = np.repeat([1, 0], [20, 30])
    values = np.where(y == 1, 2.0, -1.0)
    scores = np.column_stack([-values, values])
    p = apply_sigmoids(scores, fit_sigmoids(scores, y))[:, 1]
    np.testing.assert_allclose(p[y == 1], 21 / 22, atol=1e-6)
    np.testing.assert_allclose(p[y == 0], 1 / 32, atol=1e-6)


def test_constant_values_give_the_shares():
    y = np.repeat([1, 0], [10, 30])
    p = apply_sigmoids(np.zeros((40, 2)), fit_sigmoids(np.zeros((40, 2)), y))[0, 1]
    assert p == pytest.approx((10 * 11 / 12 + 30 / 32) / 40, abs=1e-6)


def test_values_that_mislead_are_turned_round():
    y = np.arange(60) % 2
    values = np.where(y == 1, -1.0, 1.0) + np.random.default_rng(0).standard_normal(60)
    (sigmoid,) = fit_sigmoids(np.column_stack([-values, values]), y)
    assert sigmoid[0] < 0


def test_probabilities_stay_probabilities_far_out():
    """All one-vs-rest sigmoids vanish: no division by zero, every class alike."""
    sigmoids = np.array([[1.0, 0.0]] * 3)
    p = apply_sigmoids(np.array([[-1e4, -1e4, -1e4], [1e4, -1e4, -1e4]]), sigmoids)
    np.testing.assert_allclose(p, [[1 / 3] * 3, [1, 0, 0]])
