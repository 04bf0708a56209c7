"""The proxy A-distance: nothing for kin, two for strangers, and its known value for a shift."""

import numpy as np
import pytest
from scipy.stats import norm

from datakin import as_dataset
from datakin.distances import ProxyADistance


def draw(seed, n, shift=0.0):
    rng = np.random.default_rng(seed)
    return as_dataset(rng.normal(size=(n, 3)) + shift, np.arange(n) % 2, task="binary")


def test_shifted_normal_has_the_error_of_the_best_rule():
    shift = 1.0
    best = norm.cdf(-shift * np.sqrt(3) / 2)
    value = ProxyADistance().between(draw(0, 2000), draw(1, 2000, shift))
    assert value == pytest.approx(2 * (1 - 2 * best), abs=0.08)


def test_unequal_sizes_weigh_the_same():
    """Otherwise guessing the larger dataset would look like telling them apart."""
    assert ProxyADistance().between(draw(0, 1000), draw(1, 60)) < 0.3
    assert ProxyADistance().between(draw(0, 1000), draw(1, 60, 2.0)) > 1.3


def test_itself_and_a_part_of_itself_are_no_distance():
    whole = draw(0, 120)
    part = as_dataset(whole.features.numeric[:80], whole.y[:80], task="binary")
    assert ProxyADistance().between(whole, whole) == 0
    assert ProxyADistance().between(whole, part) < 0.3


def test_strangers_are_two_apart_and_the_seed_deals_the_folds():
    assert ProxyADistance().between(draw(0, 40), draw(1, 40, 50.0)) == 2
    values = {ProxyADistance(random_state=s).between(draw(0, 40), draw(1, 40, 0.5)) for s in (0, 1)}
    assert len(values) == 2
