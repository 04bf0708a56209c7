"""MMD and energy against direct double sums, and the permutation test's level."""

import numpy as np
import pytest
from scipy.stats import energy_distance

from datakin import as_dataset
from datakin.distances import MMD, Energy, kernel


def double_sums(target, source, similarity, unbiased):
    """Means over pairs, one pair at a time."""
    A, B = target.features.numeric, source.features.numeric

    def mean(one, other, skip):
        values = [
            similarity(x, y)
            for i, x in enumerate(one)
            for j, y in enumerate(other)
            if not (skip and i == j)
        ]
        return np.mean(values)

    return mean(A, A, unbiased) + mean(B, B, unbiased) - 2 * mean(A, B, False)


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_mmd_is_the_double_sum(make_cloud, unbiased, ties):
    target, source = make_cloud(0, 20, ties=ties), make_cloud(1, 23, shift=0.5, ties=ties)
    pooled = np.vstack([target.features.numeric, source.features.numeric])
    gaps = [np.linalg.norm(x - y) for i, x in enumerate(pooled) for y in pooled[:i]]
    width = np.median(gaps)
    expected = double_sums(
        target, source, lambda x, y: np.exp(-np.sum((x - y) ** 2) / (2 * width**2)), unbiased
    )
    assert MMD(unbiased=unbiased).between(target, source) == pytest.approx(expected, abs=1e-12)
    given = MMD(bandwidth=float(width), unbiased=unbiased)
    assert given.between(target, source) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("unbiased", [True, False])
def test_energy_is_the_double_sum(make_cloud, unbiased):
    target, source = make_cloud(0, 20), make_cloud(1, 23, shift=0.5)
    expected = -double_sums(target, source, lambda x, y: np.linalg.norm(x - y), unbiased)
    assert Energy(unbiased=unbiased).between(target, source) == pytest.approx(expected, abs=1e-12)


def test_energy_of_one_column_is_scipys_squared(make_cloud):
    target, source = make_cloud(0, 30, p=1), make_cloud(1, 20, p=1, shift=1.0)
    expected = energy_distance(target.features.numeric[:, 0], source.features.numeric[:, 0]) ** 2
    assert Energy().between(target, source) == pytest.approx(expected)


def test_sums_by_blocks_are_the_same(make_cloud, monkeypatch):
    target, source = make_cloud(0, 50), make_cloud(1, 37)
    whole = [d.between(target, source) for d in (MMD(), Energy())]
    monkeypatch.setattr(kernel, "BLOCK", 7)
    assert [d.between(target, source) for d in (MMD(), Energy())] == pytest.approx(whole)


@pytest.mark.parametrize("distance_", [MMD(), Energy(unbiased=True)], ids=["mmd", "energy"])
def test_unbiased_is_zero_on_average_for_kin(make_cloud, distance_):
    def draw(seed, n):
        rng = np.random.default_rng(seed)
        return as_dataset(rng.normal(size=(n, 3)), np.arange(n) % 2, task="binary")

    values = [distance_.between(draw([r, 0], 30), draw([r, 1], 50)) for r in range(200)]
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(len(values))
    assert min(values) < 0


def test_median_falls_back_when_most_rows_coincide():
    X = np.zeros((40, 1))
    X[:4] = 1.0
    y = np.arange(40) % 2
    assert MMD(unbiased=False).between((X, y), (1 - X, y)) > 0.3


def test_p_value_is_uniform_for_kin_and_small_for_strangers(make_cloud):
    def draw(seed, n, shift=0.0):
        rng = np.random.default_rng(seed)
        return as_dataset(rng.normal(size=(n, 2)) + shift, np.arange(n) % 2, task="binary")

    values = np.array(
        [MMD().p_value(draw([r, 0], 20), draw([r, 1], 30), permutations=99) for r in range(150)]
    )
    assert abs(values.mean() - 0.5) < 0.08
    assert np.mean(values <= 0.1) < 0.19
    assert MMD().p_value(draw(0, 40), draw(1, 40, 1.5), permutations=199) == pytest.approx(1 / 200)


def test_p_value_repeats_and_does_not_mind_order(make_cloud):
    target, source = make_cloud(0, 30), make_cloud(1, 22, shift=0.3)
    value = MMD().p_value(target, source)
    turned = as_dataset(target.features.numeric[::-1], target.y[::-1], task="binary")
    assert MMD().p_value(turned, source) == value
    assert MMD().p_value(source, target) == value
    assert MMD(random_state=1).p_value(target, source) != value
    assert MMD().p_value(target, target) > 0.9
