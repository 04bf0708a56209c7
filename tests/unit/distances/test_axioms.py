"""Symmetry, sign, identity and the triangle inequality, where they hold; order never matters."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datakin import as_dataset
from datakin.distances import MMD, OTDD, Energy, JensenShannon, KLDivergence, Wasserstein

ASYMMETRIC = KLDivergence
# Estimates that are right on average must be allowed to fall below 0.
SIGNED = (MMD(), Energy(unbiased=True), OTDD(debias=True, splits=2))
# One bandwidth for all pairs, or the kernel would change from pair to pair.
METRICS = {
    "w1": lambda a, b: Wasserstein().between(a, b),
    "w1 sliced": lambda a, b: Wasserstein(method="sliced", n_projections=10).between(a, b),
    "root of energy": lambda a, b: Energy().between(a, b) ** 0.5,
    "root of mmd": lambda a, b: max(MMD(1.0, unbiased=False).between(a, b), 0) ** 0.5,
    "root of js": lambda a, b: JensenShannon().between(a, b) ** 0.5,
    "root of otdd": lambda a, b: OTDD().between(a, b) ** 0.5,
    "root of gaussian otdd": lambda a, b: OTDD(inner="gaussian").between(a, b) ** 0.5,
}
some = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
a_cloud = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "n": st.integers(20, 30),
        "shift": st.floats(-3, 3),
        "ties": st.booleans(),
    }
)


@some
@given(one=a_cloud, other=a_cloud)
def test_symmetry_sign_and_identity(distance, make_cloud, one, other):
    target, source = make_cloud(**one), make_cloud(**other)
    there, back = distance.between(target, source), distance.between(source, target)
    if not isinstance(distance, ASYMMETRIC):
        assert there == pytest.approx(back, rel=1e-9, abs=1e-9)
    if distance not in SIGNED:
        assert there >= 0
    assert distance.between(target, target) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
@some
@given(one=a_cloud, other=a_cloud, third=a_cloud)
def test_triangle_inequality(metric, make_cloud, one, other, third):
    a, b, c = (make_cloud(**cloud) for cloud in (one, other, third))
    # The grid of the densities changes from pair to pair: quadrature errors, not more.
    assert metric(a, c) <= metric(a, b) + metric(b, c) + 1e-3


@some
@given(one=a_cloud, other=a_cloud, seed=st.integers(0, 1000))
def test_order_of_rows_changes_nothing(distance, make_cloud, one, other, seed):
    target, source = make_cloud(**one), make_cloud(**other)
    rows = np.random.default_rng(seed).permutation(target.n_rows)
    shuffled = as_dataset(target.features.numeric[rows], target.y[rows], task="binary")
    assert distance.between(shuffled, source) == distance.between(target, source)


def test_distances_are_frozen_and_repeat(distance, make_cloud):
    target, source = make_cloud(0), make_cloud(1)
    assert distance.between(target, source) == distance.between(target, source)
    with pytest.raises((FrozenInstanceError, TypeError)):
        distance.scaling = "pooled"
    assert distance == type(distance)(**vars(distance))
