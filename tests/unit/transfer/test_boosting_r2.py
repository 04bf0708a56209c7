"""TrAdaBoost.R2: the paper's formulas by hand, both stages, and the awkward rounds."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from datakin.paper.boosting_r2 import relative_losses, shrink_sources, weighted_median
from datakin.transfer import Concatenate, TrAdaBoostR2


def test_weight_update_on_four_rows(first):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    # Residuals of the two target rows 0 and 1, of the source rows 2 and 1: losses 0, 1/2, 1, 1/2.
    y, ys = np.array([0.0, 2.0]), np.array([4.0, 4.0])
    model = TrAdaBoostR2(first, rounds=2).fit(X[:2], y, sources=[(X[2:], ys)])
    assert model.errors_[0] == pytest.approx(0.25)  # beta_t = 1/3
    fading = 1 / (1 + np.sqrt(2 * np.log(2) / 2))
    expected = np.array([1.0, 3**0.5, fading, fading**0.5])
    weights = np.concatenate([model.target_row_weights_[1], model.source_row_weights_[1]])
    np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-12)


def test_the_median_is_that_of_the_second_half(make_numbers):
    model = TrAdaBoostR2(DecisionTreeRegressor(max_depth=2), rounds=7)
    model.fit(*make_numbers(40), sources=[make_numbers(100, 1)])
    n = len(model.estimators_)
    before = -(-n // 2) - 1
    assert (model.estimator_weights_[:before] == 0).all()
    errors = model.errors_[before:]
    np.testing.assert_allclose(model.estimator_weights_[before:], np.log((1 - errors) / errors))
    X, _ = make_numbers(20, 2)
    values = np.column_stack([learner.values(X) for learner in model.estimators_[before:]])
    expected = weighted_median(values, model.estimator_weights_[before:])
    np.testing.assert_array_equal(model.predict(X), expected)


def test_weighted_median_of_equal_weights_is_the_median():
    values = np.random.default_rng(0).standard_normal((50, 7))
    np.testing.assert_array_equal(weighted_median(values, np.ones(7)), np.median(values, axis=1))


def test_a_loss_of_one_half_ends_it(first):
    # Both target rows are off by 1, the largest residual: loss 1 in the first round.
    X, y = np.array([[0.0], [1.0]]), np.array([1.0, 2.0])
    model = TrAdaBoostR2(first, rounds=5).fit(X, y, sources=[(X, np.array([0.0, 1.0]))])
    assert model.errors_.tolist() == [1.0]
    np.testing.assert_array_equal(model.predict(X), [0.0, 1.0])


@pytest.mark.parametrize("stages", [None, 3])
def test_exact_fits_stop(stages, make_numbers):
    X, y = make_numbers(20, noise=0.0)
    model = TrAdaBoostR2(stages=stages).fit(X, y, sources=[make_numbers(30, 1, noise=0.0)])
    np.testing.assert_allclose(model.predict(X), y, atol=1e-10)


def test_shrinking_meets_the_share_in_proportion_to_the_loss():
    rng = np.random.default_rng(0)
    weights, losses = np.full(30, 1 / 30), rng.random(30)
    moved = shrink_sources(weights, losses, 10, 0.7)
    assert moved.sum() == pytest.approx(1.0)
    assert moved[:10].sum() == pytest.approx(0.7)
    # ln of the factor is linear in the loss, through 0.
    logs = np.log(moved[10:] / moved[0])
    np.testing.assert_allclose(logs / losses[10:], logs[0] / losses[10], rtol=1e-6)


def test_shrinking_where_source_rows_are_without_loss():
    moved = shrink_sources(np.full(4, 0.25), np.zeros(4), 2, 0.9)
    np.testing.assert_allclose(moved, [0.45, 0.45, 0.05, 0.05])
    np.testing.assert_allclose(
        shrink_sources(np.full(4, 0.25), np.ones(4), 2, 1.0), [0.5, 0.5, 0, 0]
    )


def test_steps_raise_the_share_of_the_target_evenly(make_numbers):
    model = TrAdaBoostR2(rounds=3, stages=5, folds=3)
    model.fit(*make_numbers(20), sources=[make_numbers(60, 1)])
    shares = model.target_row_weights_.sum(axis=1)
    np.testing.assert_allclose(shares, [0.25, 0.4375, 0.625, 0.8125, 1.0], rtol=1e-9)
    assert len(model.errors_) == 5


def test_cross_validation_rejects_a_harmful_source(make_numbers):
    X, y = make_numbers(40)
    Xe, ye = make_numbers(2000, 5)
    harmful, good = make_numbers(200, 1, sign=-1), make_numbers(200, 1)
    with_harm = TrAdaBoostR2(rounds=5, stages=5).fit(X, y, sources=[harmful])
    best = np.argmin(with_harm.errors_)
    assert with_harm.target_row_weights_[best].sum() > 0.75
    assert with_harm.errors_[best] < with_harm.errors_[0] / 20
    assert Concatenate(LinearRegression()).fit(X, y, sources=[harmful]).score(Xe, ye) < 0
    assert with_harm.score(Xe, ye) > 0.9
    with_good = TrAdaBoostR2(rounds=5, stages=5).fit(X, y, sources=[good])
    assert with_good.source_row_weights_[np.argmin(with_good.errors_)].sum() > 0
    assert with_good.score(Xe, ye) > with_harm.score(Xe, ye)


def test_losses_ignore_rows_without_weight():
    found = relative_losses(np.array([1.0, -2.0, 9.0]), np.array([1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(found, [0.5, 1.0, 1.0])
