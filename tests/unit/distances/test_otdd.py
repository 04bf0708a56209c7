"""OTDD against a spelled-out computation, closed forms, and its own null."""

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from datakin import as_dataset
from datakin.distances import OTDD
from datakin.distances.features import clouds, debiased, scrambled
from datakin.distances.transport import gaussian_cost
from datakin.synthetic import LDA


def assigned(cost):
    """Transport between equally many rows is an assignment."""
    return cost[linear_sum_assignment(cost)].mean()


def test_plain_is_the_double_transport(make_cloud):
    target, source = make_cloud(0, 20), make_cloud(1, 20, shift=1.0)
    squares = cdist(target.features.numeric, source.features.numeric, "sqeuclidean")
    labels = np.array(
        [[assigned(squares[np.ix_(target.y == a, source.y == b)]) for b in (0, 1)] for a in (0, 1)]
    )
    expected = assigned(squares / 2 + labels[np.ix_(target.y, source.y)] / 2)
    assert OTDD().between(target, source) == pytest.approx(expected, abs=1e-9)


def test_shifted_copy_costs_the_shift_twice(make_cloud):
    target = make_cloud(0, 30)
    copy = as_dataset(target.features.numeric + np.array([3.0, 4.0]), target.y, task="binary")
    for inner in ("exact", "gaussian"):
        assert OTDD(inner=inner).between(target, copy) == pytest.approx(25.0, abs=1e-9)


def test_gaussian_cost_is_the_closed_form():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)), rng.normal(size=(50, 3)) + 1
    a, b = np.cov(one.T), np.cov(other.T)
    root = sqrtm(a)
    expected = np.sum((one.mean(0) - other.mean(0)) ** 2)
    expected += np.trace(a + b - 2 * np.real(sqrtm(root @ b @ root)))
    assert gaussian_cost(one, other) == pytest.approx(expected, rel=1e-7)


def test_gaussian_cost_of_flat_and_tiny_classes():
    flat = np.column_stack([np.arange(5.0), np.zeros(5)])
    assert gaussian_cost(flat, flat) == pytest.approx(0.0, abs=1e-12)
    assert gaussian_cost(flat[:1], flat[:1] + np.array([0.0, 2.0])) == pytest.approx(4.0)


def test_exact_label_distance_exceeds_the_gaussian_one(make_cloud):
    target, source = make_cloud(0, 40, p=6), make_cloud(1, 40, p=6)
    assert OTDD().between(target, source) > OTDD(inner="gaussian").between(target, source)


def test_swapped_labels_are_no_distance(make_cloud):
    target = make_cloud(0, 30)
    swapped = as_dataset(target.features.numeric, 1 - target.y, task="binary")
    assert OTDD().between(target, swapped) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("inner", ["exact", "gaussian"])
def test_debiased_distance_to_itself_is_computed_to_be_zero(make_cloud, inner):
    target = make_cloud(0, 61, p=5)
    both = clouds(target, target)
    plain = OTDD(inner=inner)._plain
    value = debiased(plain, both.target, both.source, splits=5, random_state=0)
    assert abs(value) < 1e-9
    assert OTDD(inner=inner, debias=True).between(target, target) == 0.0


def test_debiased_is_zero_on_average_for_kin_of_unequal_sizes():
    samples = [LDA(cosine=1.0).sample(60, 100, random_state=r) for r in range(40)]
    values = [OTDD(debias=True).between(s.target, s.source) for s in samples]
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert abs(np.mean(values)) < 3 * error
    assert 20 * error < OTDD().between(samples[0].target, samples[0].source)


def test_debiased_sees_what_differs():
    values = [
        OTDD(debias=True).between(*LDA(cosine=0.0).sample(100, 100, random_state=r)[:2])
        for r in range(5)
    ]
    assert np.mean(values) > 1.0


def test_halves_ignore_rows_that_stand_in_both(make_cloud):
    """A row of both datasets lies on one side, so that across halves no row meets itself."""
    big = make_cloud(0, 80)
    part = as_dataset(big.features.numeric[:50], big.y[:50], task="binary")
    both = clouds(big, part)
    met = []

    def spy(one, other):
        met.append(np.isin(one.keys, other.keys).any())
        return 0.0

    debiased(spy, both.target, both.source, splits=3, random_state=0)
    assert len(met) == 12
    assert not any(met)


def test_scrambled_keys_depend_on_the_seed_and_halve_evenly():
    keys = np.arange(4000, dtype=np.uint64)
    sides = [scrambled(keys, seed) % 2 for seed in (0, 1, 2**32 - 1)]
    for side in sides:
        assert 0.46 < side.mean() < 0.54
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert 0.46 < np.mean(sides[one] == sides[other]) < 0.54
