"""The theorems and the lemma of the paper against quadrature, and between their limits."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from datakin import DatakinError
from datakin.paper.sampling import autoregressive, rotate
from datakin.synthetic import (
    lda_cls,
    probit_cls,
    probit_small_noise,
)


def test_theorem_1_against_quadrature():
    beta_t, beta_s = np.array([1.0, 0.5, 0.0]), np.array([0.2, 1.0, -0.4])
    cov_t, cov_s = autoregressive(0.5, 3), np.diag([4.0, 1.0, 0.25])
    noise_t, noise_s = 0.7, 1.5

    def error(rule, truth, cov, noise):
        # Given the rule's score z, the noisy score is Gaussian.
        spread = np.sqrt(rule @ cov @ rule)
        slope = rule @ cov @ truth / spread
        left = np.sqrt(truth @ cov @ truth - slope**2 + noise**2)
        value = quad(lambda z: norm.pdf(z) * ndtr(-slope * z / left), 0, 12, epsabs=1e-10)[0]
        return 2 * value

    expected = 0.3 * (error(beta_s, beta_t, cov_t, noise_t) - error(beta_t, beta_t, cov_t, noise_t))
    expected += 0.7 * (
        error(beta_t, beta_s, cov_s, noise_s) - error(beta_s, beta_s, cov_s, noise_s)
    )
    found = probit_cls(
        beta_t,
        beta_s,
        cov_target=cov_t,
        cov_source=cov_s,
        noise_target=noise_t,
        noise_source=noise_s,
        direction=0.3,
    )
    assert found == pytest.approx(expected, abs=1e-6)


def test_theorem_2_against_quadrature():
    mu_t, mu_s = np.array([0.4, 0.4, 0.4]), np.array([0.1, 0.9, -0.3])

    def error(rule, mean):
        # Along the class mean x is N(|mean|, 1); across it is centred.
        length = np.linalg.norm(mean)
        along = rule @ mean / length
        across = np.sqrt(rule @ rule - along**2)
        if across < 1e-9:
            return quad(lambda a: norm.pdf(a - length), -12, 0, epsabs=1e-10)[0]
        wrong = quad(
            lambda a: norm.pdf(a - length) * ndtr(-along * a / across), -12, 12, epsabs=1e-10
        )
        return wrong[0]

    to_target = error(mu_s, mu_t) - error(mu_t, mu_t)
    to_source = error(mu_t, mu_s) - error(mu_s, mu_s)
    found = lda_cls(mu_t, mu_s, direction=0.8)
    assert found == pytest.approx(0.8 * to_target + 0.2 * to_source, abs=1e-6)


@pytest.mark.parametrize("cosine", [-0.99, -0.5, 0.0, 0.6, 0.99])
def test_lemma_1_between_the_ends(cosine):
    """The remainder after the leading term is of first order, after the next term of second."""
    beta_t = np.array([0.5, 1.0, -0.3])
    beta_s = 2 * rotate(beta_t, cosine)
    for noise in (1e-2, 1e-3):
        sides = {"noise_target": noise, "noise_source": 3 * noise}
        exact = probit_cls(beta_t, beta_s, **sides)
        near = probit_small_noise(beta_t, beta_s, **sides)
        assert near.leading == pytest.approx(np.arccos(cosine) / np.pi, abs=1e-12)
        first = (exact - near.leading) / near.first_order
        assert first == pytest.approx(1, abs=20 * noise)
        assert abs(exact - near.leading - near.first_order) < 10 * noise**2


def test_lemma_1_at_the_ends():
    beta = np.array([0.5, 1.0, -0.3])
    sides = {"noise_target": 1e-3, "noise_source": 2e-3}
    assert probit_small_noise(beta, 3 * beta, **sides) == (0.0, 0.0)
    assert probit_cls(beta, 3 * beta, **sides) == pytest.approx(0, abs=1e-9)
    opposite = probit_small_noise(beta, -beta, **sides)
    exact = probit_cls(beta, -beta, **sides)
    assert opposite.leading == 1.0
    assert (exact - 1) / opposite.first_order == pytest.approx(1, abs=1e-4)
    # Close to the end, and not at it, the coefficient is half of that.
    beside = probit_small_noise(beta, rotate(beta, -0.9999), **sides)
    assert opposite.first_order == pytest.approx(2 * beside.first_order, rel=1e-6)


@pytest.mark.parametrize("source", [[0.0, 1.0, 2.0], [[1.0, 0.0]], [np.nan, 1.0]])
def test_theorems_need_two_vectors(source):
    with pytest.raises(DatakinError, match="finite numbers, of the same length"):
        lda_cls([1.0, 0.0], source)
    with pytest.raises(DatakinError, match="finite numbers, of the same length"):
        probit_cls([1.0, 0.0], source)
    with pytest.raises(DatakinError, match="must not be negative"):
        probit_cls([1.0, 0.0], [0.0, 1.0], noise_target=-1.0)
