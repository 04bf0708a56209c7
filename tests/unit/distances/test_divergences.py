"""KL and Jensen-Shannon against closed forms, level shares and quadrature."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import gaussian_kde, norm

from datakin import as_dataset
from datakin.distances import JensenShannon, KLDivergence, divergences
from datakin.distances.divergences import bandwidth, kernel_densities

LOG2 = np.log(2)


def column(values):
    return as_dataset(np.asarray(values)[:, None], np.arange(len(values)) % 2, task="binary")


def quantiles(mean, sd, n=4000):
    """A sample as like its normal law as n values can be."""
    return norm.ppf((np.arange(n) + 0.5) / n, mean, sd)


def normal_kl(m1, s1, m2, s2):
    return np.log(s2 / s1) + (s1**2 + (m1 - m2) ** 2) / (2 * s2**2) - 0.5


def test_bandwidth_is_nrd0():
    # bw.nrd0(c(1, 2, 4, 8, 16, 32)) in R: 0.9 * min(sd, IQR / 1.34) * n^-0.2
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    assert bandwidth(values) == pytest.approx(0.9 * (14.0 - 2.5) / 1.34 * 6**-0.2)
    assert bandwidth(np.array([0.0] * 9 + [1.0])) > 0  # ties in the middle: the sd alone
    assert bandwidth(np.zeros(5)) == 0


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (0.5, 1.0), (0.0, 1.5), (-0.3, 1.2)])
def test_kernel_kl_nears_the_normal_closed_form(mean, sd):
    ours = KLDivergence(floor=1e-12).between(
        column(quantiles(0, 1)), column(quantiles(mean, sd) + 1e-9)
    )
    # The kernel widens both laws by its bandwidth, about a fifth of a standard deviation.
    h = bandwidth(quantiles(0, 1))
    expected = normal_kl(0, np.hypot(1, h), mean, sd * np.hypot(1, h))
    assert ours == pytest.approx(expected, abs=0.003)


def test_kernel_kl_is_the_integral_of_scipys_densities():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=40), rng.normal(0.5, 1.2, size=55)
    p, q = (gaussian_kde(x, bandwidth(x) / x.std(ddof=1)) for x in (one, other))
    expected = quad(lambda t: p(t)[0] * np.log(p(t)[0] / q(t)[0]), -4.5, 4.5, limit=200)[0]
    ours = KLDivergence(floor=1e-300).between(column(one), column(other))
    assert ours == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("distance_", [KLDivergence(), JensenShannon()], ids=["kl", "js"])
def test_units_do_not_matter(distance_, make_cloud):
    target, source = make_cloud(0, 60), make_cloud(1, 50)
    turned = [as_dataset(d.features.numeric * [1e6, 1e-3] + 7, d.y) for d in (target, source)]
    assert distance_.between(*turned) == pytest.approx(distance_.between(target, source))


def test_outliers_do_not_hide_the_bulk():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=200), rng.normal(3.0, 1.0, size=200)
    clean = JensenShannon().between(column(one), column(other))
    one[0], other[0] = 1e6, -1e6
    assert JensenShannon().between(column(one), column(other)) == pytest.approx(clean, abs=0.01)
    density, _, weights = kernel_densities(one, other)
    assert density @ weights == pytest.approx(1.0, abs=0.01)


def test_long_columns_are_thinned_without_harm():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=30_000), rng.normal(0.5, 1.0, size=25_000)
    assert KLDivergence().between(column(one), column(other)) == pytest.approx(0.122, abs=0.01)


def test_gaussian_form_is_the_closed_form():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    A = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))
    B = rng.normal(size=(60, 3)) * [1.0, 2.0, 0.5] + [0.3, 0.0, -0.2]
    a, b, gap = np.cov(A.T), np.cov(B.T), B.mean(0) - A.mean(0)
    inverse = np.linalg.inv(b)
    expected = np.trace(inverse @ a) + gap @ inverse @ gap - 3
    expected = (expected + np.log(np.linalg.det(b) / np.linalg.det(a))) / 2
    ours = KLDivergence(density="gaussian").between((A, y), (B, y))
    assert ours == pytest.approx(expected, rel=1e-6)


def test_categories_go_by_the_shares_of_their_levels(read):
    y = np.arange(40) % 2
    colours = (["red"] * 30 + ["blue"] * 10, ["red"] * 10 + ["green"] * 30)
    target, source = (read(pd.DataFrame({"c": c, "y": y})) for c in colours)
    p, q = np.array([10.5, 0.5, 30.5]) / 41.5, np.array([0.5, 30.5, 10.5]) / 41.5
    assert KLDivergence().between(target, source) == pytest.approx(np.sum(p * np.log(p / q)))
    p, q = np.array([1, 0, 3]) / 4, np.array([0, 3, 1]) / 4
    middle = (p + q) / 2
    terms = [x[x > 0] @ np.log(x[x > 0] / middle[x > 0]) for x in (p, q)]
    assert JensenShannon().between(target, source) == pytest.approx(sum(terms) / 2)


def test_js_lies_between_nothing_and_log_two(make_cloud):
    target = make_cloud(0)
    assert JensenShannon().between(target, target) == 0
    far = JensenShannon().between(target, make_cloud(1, shift=1e4))
    assert far == pytest.approx(LOG2)
    assert 0 < JensenShannon().between(target, make_cloud(1, shift=1.0)) < LOG2


def far_tails(scale=1.0, far=1e6, seed=0):
    """Two columns whose outermost rows lie thousands of spreads away."""
    rng = np.random.default_rng(seed)
    target, source = rng.normal(size=(200, 2)), rng.normal(0.5, 1.0, size=(200, 2))
    target[0], source[-1] = far, -far
    y = np.arange(200) % 2
    return (target * scale, y), (source * scale, y)


@pytest.mark.parametrize("far", [10.0, 40.0, 1e3, 1e6, 1e12, 1e100])
def test_jensen_shannon_of_far_tails_is_at_most_log_2(far):
    value = JensenShannon().between(*far_tails(far=far))
    assert 0 <= value <= np.log(2)
    assert np.isfinite(KLDivergence().between(*far_tails(far=far)))


@pytest.mark.parametrize("power", [-1000, -520, -200, 200, 520, 900])
def test_no_unit_changes_a_divergence(power):  # but in rounding, for rows come in another order
    plain, other = far_tails(), far_tails(scale=2.0**power)
    for method in (JensenShannon(), KLDivergence(), KLDivergence(density="gaussian")):
        assert method.between(*other) == pytest.approx(method.between(*plain), rel=1e-5)


def test_jensen_shannon_of_masses_that_are_nearly_nothing():
    tiny = np.array([1.0, 5e-324, 0.0])
    assert 0 <= divergences._to_the_middle(tiny, tiny[[2, 1, 0]]) <= np.log(2)
    assert divergences._to_the_middle(tiny, np.array([1.0, 0.0, 0.0])) < 1e-300
