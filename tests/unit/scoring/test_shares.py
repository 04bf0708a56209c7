"""The formulas of pooling: closed forms and what must hold whatever the numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datakin.scoring.shares import best_shares, pooled_gain

ONE = np.ones((1, 1))
BOTH = np.eye(2)
FREE = 1e-9  # rows of the target per row of the source: so few that no share is held back


def test_one_source_by_hand():
    # A = .04, D = .02: at p = 1/2 the pool keeps .01 of A and .015 of B = .06.
    theta = np.array([0.04, 0.02])
    assert pooled_gain(theta, np.array([0.5]), ONE) == pytest.approx(0.04 - 0.01 - 0.015)
    assert pooled_gain(theta, np.array([0.0]), ONE) == 0
    assert pooled_gain(theta, np.array([1.0]), ONE) == pytest.approx(-0.02)


def test_the_best_share_of_one_source():
    theta = np.array([0.04, 0.02])
    share = best_shares(theta, np.array([FREE]), ONE)
    assert share == pytest.approx(0.04 / (0.04 + 0.06))
    assert pooled_gain(theta, share, ONE) == pytest.approx(0.04 * share[0])


def test_two_equal_sources():
    theta = np.array([0.04, 0.02, 0.02])
    apart = best_shares(theta, np.full(2, FREE), BOTH)
    np.testing.assert_allclose(apart, (1 / 0.06) / (1 / 0.04 + 2 / 0.06), rtol=1e-5)
    same = best_shares(theta, np.full(2, FREE), np.ones((2, 2)))
    np.testing.assert_allclose(same, 0.4 / 2, rtol=1e-5)  # the share of one, shared
    assert pooled_gain(theta, apart, BOTH) > pooled_gain(theta, same, np.ones((2, 2)))


def test_a_source_that_seems_perfect_counts_like_the_target():
    # D = -A says that the source lacks nothing; its 50 rows still weigh no more than 50 of the target.
    share = best_shares(np.array([0.04, -0.04]), np.array([100 / 50]), ONE)
    assert share == pytest.approx(50 / 150)
    weight = share[0] / (1 - share[0]) * 100 / 50
    assert weight == pytest.approx(1.0)


@pytest.mark.parametrize("lack", [0.0, -0.01])
def test_a_target_that_lacks_nothing(lack):
    shares = best_shares(np.array([lack, 0.03, -0.01]), np.array([1.0, 0.5]), BOTH)
    np.testing.assert_allclose(shares, [0.0, 2 / 3])  # what is no worse is pooled as it is
    assert best_shares(np.array([lack, 0.03]), np.array([1.0]), ONE) == 0


def test_a_source_far_behind_does_not_drown_the_others():
    near = best_shares(np.array([0.04, 0.02]), np.array([0.5]), ONE)
    both = best_shares(np.array([0.04, 0.02, 1e6]), np.array([0.5, 0.5]), BOTH)
    np.testing.assert_allclose(both, [near[0], 0.0], atol=1e-5)


def test_the_gain_falls_with_the_distance_of_the_source():
    far = np.linspace(-0.03, 0.3, 30)
    theta = np.column_stack([np.full(30, 0.04), far])
    for share in (0.1, 0.5, 0.9):
        gains = pooled_gain(theta, np.full((30, 1), share), ONE)
        np.testing.assert_allclose(np.diff(gains), -(share**2) * np.diff(far))


numbers = st.floats(1e-4, 1.0)


@st.composite
def pools(draw):
    m = draw(st.integers(1, 4))
    lack = draw(st.floats(-0.05, 0.5))
    far = draw(st.lists(st.floats(-0.5, 1.0), min_size=m, max_size=m))
    ratio = draw(st.lists(st.floats(0.05, 20.0), min_size=m, max_size=m))
    seed = draw(st.integers(0, 1000))
    loadings = np.random.default_rng(seed).uniform(0, 1, (m, draw(st.integers(1, 4))))
    loadings /= np.linalg.norm(loadings, axis=1, keepdims=True)
    return np.array([lack, *far]), np.array(ratio), loadings @ loadings.T


@settings(deadline=None, max_examples=150)
@given(pools())
def test_shares_are_shares_and_weights_at_most_one(pool):
    theta, ratio, correlation = pool
    shares = best_shares(theta, ratio, correlation)
    assert (shares >= 0).all()
    assert shares.sum() <= 1 + 1e-9
    # A row of a source counts at most as much as a row of the target.
    assert (shares * ratio <= (1 - shares.sum()) * (1 + 1e-6) + 1e-12).all()


@settings(deadline=None, max_examples=50)
@given(pools(), st.integers(0, 1000))
def test_many_at_once_are_the_same_as_one_by_one(pool, seed):
    theta, ratio, correlation = pool
    moved = theta + np.random.default_rng(seed).normal(0, 0.2, (5, len(theta)))
    moved[0] = -1.0  # a target that lacks nothing, and sources that are no worse
    together = best_shares(moved, ratio, correlation)
    np.testing.assert_allclose(together[0], (1 / ratio) / (1 + (1 / ratio).sum()))
    apart = [best_shares(one, ratio, correlation) for one in moved]
    np.testing.assert_array_equal(together, apart)


def test_one_source_alone_is_two_sources_of_which_one_is_hopeless():
    # The closed form of one source against the solver of several.
    theta = np.array([[0.04, 0.02], [0.04, -0.1], [0.1, 0.5]])
    hopeless = np.column_stack([theta, np.full(3, 1e7)])
    one = best_shares(theta, np.array([0.5]), ONE)
    two = best_shares(hopeless, np.array([0.5, 0.5]), BOTH)
    np.testing.assert_allclose(one[:, 0], two[:, 0], rtol=1e-4)


@settings(deadline=None, max_examples=100)
@given(pools(), st.integers(0, 1000))
def test_no_other_shares_bring_more(pool, seed):
    theta, _, correlation = pool
    theta = np.abs(theta) + 1e-3
    ratio = np.full(len(theta) - 1, FREE)
    shares = best_shares(theta, ratio, correlation)
    others = np.random.default_rng(seed).dirichlet(np.ones(len(theta)), 20)[:, 1:]
    best = pooled_gain(theta, shares, correlation)
    assert best >= -1e-9
    assert (pooled_gain(theta, others, correlation) <= best + 1e-5 * theta[0]).all()
