"""What oracles are computed from: the paper's closed forms, and integrals without random numbers.

The closed forms are theorem 1, lemma 1 and theorem 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.special import ndtr

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.paper.sampling import angle_between

# Largest argument of the characteristic function. With ten features it falls at least like t**-5,
# so what is cut off is below 1e-8 for the settings here.
CUT = 200.0

Domain = TypeVar("Domain")


def population_cls(
    error: Callable[[Domain, Domain], float],
    target: Domain,
    source: Domain,
    direction: float = 0.5,
) -> float:
    """Return the CLS from ``error(rule, truth)``: the error of one domain's best rule on another.

    `direction` is the weight of the source-to-target discrepancy. A constant that is added to all
    errors cancels, so the negative accuracy will do as well.
    """
    to_target = error(source, target) - error(target, target)
    to_source = error(target, source) - error(source, source)
    return direction * to_target + (1 - direction) * to_source


def probit_cls(
    beta_target: Array,
    beta_source: Array,
    *,
    cov_target: Array | None = None,
    cov_source: Array | None = None,
    noise_target: float = 1.0,
    noise_source: float = 1.0,
    direction: float = 0.5,
) -> float:
    """Return the population CLS of two probit models (theorem 1).

    Labels are the sign of ``beta'x + noise`` with Gaussian x, and the Bayes rule is the sign of
    ``beta'x``. A rule errs with probability angle / pi, where the angle is between its score and
    the noisy one.

    Parameters
    ----------
    beta_target, beta_source : ndarray of shape (p,)
    cov_target, cov_source : ndarray of shape (p, p), optional
        Covariances of the features; the identity by default.
    noise_target, noise_source : float
        Standard deviations of the noise.
    direction : float
        Weight of the source-to-target discrepancy.

    Examples
    --------
    >>> probit_cls(np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    0.0
    """
    beta_target, beta_source = _two_vectors(beta_target, beta_source)
    _check_noise(noise_target, noise_source)
    identity = np.eye(len(beta_target))

    def error(rule: tuple[Array, Array, float], truth: tuple[Array, Array, float]) -> float:
        vector, (beta, cov, noise) = rule[0], truth
        spread = vector @ cov @ vector
        if spread <= 0:
            raise DatakinError(
                "Theorem 1 needs beta' Sigma beta > 0 on both domains. Got a rule that does not vary."
            )
        cosine = vector @ cov @ beta / np.sqrt(spread * (beta @ cov @ beta + noise**2))
        return float(np.arccos(np.clip(cosine, -1.0, 1.0)) / np.pi)

    target = beta_target, identity if cov_target is None else cov_target, noise_target
    source = beta_source, identity if cov_source is None else cov_source, noise_source
    return population_cls(error, target, source, direction)


class SmallNoise(NamedTuple):
    """The population CLS for little noise: leading + first_order + terms of higher order."""

    leading: float
    first_order: float


def probit_small_noise(
    beta_target: Array, beta_source: Array, *, noise_target: float, noise_source: float
) -> SmallNoise:
    """Return the expansion of the CLS of two probit models in small noise (lemma 1).

    With independent features and an angle theta between the coefficients, the CLS is theta / pi up
    to the order of the noise, and exactly 0 when theta is 0. The first-order term, which the lemma
    bounds, is -(s_t + s_s) / (2 pi), where s is the noise divided by the length of beta. It comes
    from each task's own error. At theta = pi it is twice that, because the noise also lowers the
    cross errors there. The remainder is of second order in the noise.

    Parameters
    ----------
    beta_target, beta_source : ndarray of shape (p,)
    noise_target, noise_source : float
        Standard deviations of the noise.

    Examples
    --------
    >>> near = probit_small_noise(
    ...     np.array([1.0, 0.0]), np.array([0.0, 1.0]), noise_target=0.01, noise_source=0.01
    ... )
    >>> near.leading, round(near.first_order, 6)
    (0.5, -0.003183)
    """
    beta_target, beta_source = _two_vectors(beta_target, beta_source)
    _check_noise(noise_target, noise_source)
    lengths = [float(np.linalg.norm(beta)) for beta in (beta_target, beta_source)]
    if min(lengths) == 0:
        raise DatakinError("Lemma 1 needs coefficients that are not all 0. Got beta = 0.")
    angle = angle_between(beta_target, beta_source)
    if angle < 1e-12:  # parallel up to rounding
        return SmallNoise(0.0, 0.0)
    own = (noise_target / lengths[0] + noise_source / lengths[1]) / (2 * np.pi)
    opposite = np.pi - angle < 1e-12
    return SmallNoise(angle / np.pi, float(-2 * own if opposite else -own))


def lda_cls(mu_target: Array, mu_source: Array, *, direction: float = 0.5) -> float:
    """Return the population CLS of two linear discriminant problems (theorem 2).

    Classes have means +mu and -mu, unit covariance and equal shares; the Bayes rule is the sign
    of ``mu'x``.

    Examples
    --------
    >>> round(lda_cls(np.full(10, 0.4), np.full(10, -0.4)), 4)
    0.7941
    """
    mu_target, mu_source = _two_vectors(mu_target, mu_source)

    def error(rule: Array, mean: Array) -> float:
        length = np.linalg.norm(rule)
        if length == 0:
            raise DatakinError("Theorem 2 needs class means that differ. Got mu = 0.")
        return float(ndtr(-(rule @ mean) / length))

    return population_cls(error, mu_target, mu_source, direction)


def _two_vectors(target: Array, source: Array) -> tuple[Array, Array]:
    """Return both as vectors of numbers of the same length."""
    a, b = np.asarray(target, float), np.asarray(source, float)
    if a.ndim != 1 or a.shape != b.shape or not np.isfinite([a, b]).all():
        raise DatakinError(
            f"Target and source need vectors of finite numbers, of the same length. "
            f"Got shapes {a.shape} and {b.shape}."
        )
    return a, b


def _check_noise(*noises: float) -> None:
    if min(noises) < 0:
        raise DatakinError(f"A standard deviation must not be negative. Got {min(noises)}.")


def panels(edges: Array, order: int = 16) -> tuple[Array, Array]:
    """Return nodes and weights of Gauss-Legendre rules between consecutive edges.

    Examples
    --------
    >>> x, w = panels(np.array([0.0, 1.0, 3.0]))
    >>> round(float(w @ x**2), 12)
    9.0
    """
    x, w = np.polynomial.legendre.leggauss(order)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    return (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()


def quadratic_below_zero(square: Array, linear: Array, constant: float) -> float:
    """Return P(z'Az + b'z + c < 0) for standard Gaussian z and a symmetric A.

    The characteristic function of a quadratic form is known; Gil-Pelaez's formula (Imhof's integral
    is the same for a form without linear part) gives the distribution function as one integral.

    Examples
    --------
    >>> chance = quadratic_below_zero(np.eye(10), np.zeros(10), -9.0)
    >>> round(chance, 6)  # chi-square with ten degrees of freedom below 9
    0.467896
    """
    scales, axes = np.linalg.eigh(square)
    slopes = axes.T @ linear
    t, weights = panels(np.concatenate([np.linspace(0, 5, 60), np.geomspace(5, CUT, 120)[1:]]))
    factor = 1 - 2j * np.outer(t, scales)
    # Each factor has real part 1, so the principal root of each is the right branch.
    log_cf = -0.5 * np.sum(np.log(factor) + (t[:, None] * slopes) ** 2 / factor, axis=1)
    wave = np.exp(log_cf + 1j * t * constant).imag
    return float(0.5 - weights @ (wave / t) / np.pi)
