"""Wasserstein-1 against a linear programme, closed forms and scipy."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

from datakin import as_dataset
from datakin.distances import Wasserstein
from datakin.distances.transport import sliced_cost, transport_cost


def programme(cost):
    """Transport as a linear programme: the same optimum, by a solver that is not POT's."""
    n, m = cost.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    limits = np.concatenate([np.full(n, 1 / n), np.full(m, 1 / m)])
    return linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=limits).fun


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 7), (9, 2)])
def test_transport_cost_is_the_linear_programme(n, m):
    cost = np.random.default_rng(n).random((n, m))
    assert transport_cost(cost) == pytest.approx(programme(cost), abs=1e-10)


def test_w1_is_the_linear_programme_on_distances(make_cloud):
    target, source = make_cloud(0, 20), make_cloud(1, 25, shift=0.5)
    expected = programme(cdist(target.features.numeric, source.features.numeric))
    assert Wasserstein().between(target, source) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("p", [1, 3, 10])
def test_shifted_copy_is_as_far_as_the_shift_is_long(p):
    rng = np.random.default_rng(p)
    X, y, shift = rng.normal(size=(50, p)), np.arange(50) % 2, rng.normal(size=p)
    length = np.linalg.norm(shift)
    assert Wasserstein().between((X, y), (X + shift, y)) == pytest.approx(length, abs=1e-9)
    sliced = Wasserstein(method="sliced", n_projections=400).between((X, y), (X + shift, y))
    assert sliced == pytest.approx(length, rel=0.03)


def test_one_column_is_the_difference_of_quantiles():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=30), rng.exponential(size=41)
    expected = wasserstein_distance(one, other)
    data = [(x[:, None], np.arange(len(x)) % 2) for x in (one, other)]
    for method in ("exact", "sliced"):
        assert Wasserstein(method=method).between(*data) == pytest.approx(expected, abs=1e-10)


def test_sliced_stays_below_exact(make_cloud):
    for seed in range(5):
        target, source = make_cloud(seed, 40, p=4), make_cloud(seed + 9, 40, p=4)
        exact = Wasserstein().between(target, source)
        sliced = Wasserstein(method="sliced", n_projections=400).between(target, source)
        assert 0 < sliced < exact


def test_sliced_draws_other_lines_for_another_seed():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 30, 5))
    assert sliced_cost(one, other, 10, 0) == sliced_cost(one, other, 10, 0)
    assert sliced_cost(one, other, 10, 0) != sliced_cost(one, other, 10, 1)


def test_units_matter_unless_columns_are_scaled(make_cloud):
    target, source = make_cloud(0, shift=1.0), make_cloud(1)
    stretched = [as_dataset(d.features.numeric * [1, 1000], d.y) for d in (target, source)]
    scaled = Wasserstein(scaling="pooled")
    assert Wasserstein().between(*stretched) > 100 * Wasserstein().between(target, source)
    assert scaled.between(*stretched) == pytest.approx(scaled.between(target, source))
