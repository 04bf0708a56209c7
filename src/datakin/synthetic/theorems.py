"""The paper's closed forms: theorem 1, lemma 1 and theorem 2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.synthetic.rotation import angle_between

__all__ = ["SmallNoise", "lda_cls", "probit_cls", "probit_small_noise"]


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

    Labels are the sign of ``beta'x + noise`` with Gaussian x; the Bayes rule is the sign of
    ``beta'x``, and a rule errs with probability angle / pi, the angle being that between its
    score and the noisy one.

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
    >>> import numpy as np
    >>> probit_cls(np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    0.0
    """
    beta_target, beta_source = _two_vectors(beta_target, beta_source)
    _check_noise(noise_target, noise_source)
    p = len(beta_target)
    cov_target = np.eye(p) if cov_target is None else cov_target
    cov_source = np.eye(p) if cov_source is None else cov_source

    def error(rule: Array, truth: Array, cov: Array, noise: float) -> float:
        spread = rule @ cov @ rule
        if spread <= 0:
            raise DatakinError(
                "Theorem 1 needs beta' Sigma beta > 0 on both domains. Got a rule that does not vary."
            )
        cosine = rule @ cov @ truth / np.sqrt(spread * (truth @ cov @ truth + noise**2))
        return float(np.arccos(np.clip(cosine, -1.0, 1.0)) / np.pi)

    on_target = error(beta_source, beta_target, cov_target, noise_target)
    on_source = error(beta_target, beta_source, cov_source, noise_source)
    own_target = error(beta_target, beta_target, cov_target, noise_target)
    own_source = error(beta_source, beta_source, cov_source, noise_source)
    return direction * (on_target - own_target) + (1 - direction) * (on_source - own_source)


class SmallNoise(NamedTuple):
    """The population CLS for little noise: leading + first_order + terms of higher order."""

    leading: float
    first_order: float


def probit_small_noise(
    beta_target: Array, beta_source: Array, *, noise_target: float, noise_source: float
) -> SmallNoise:
    """Return the expansion of the CLS of two probit models in small noise (lemma 1).

    With independent features and an angle theta between the coefficients, the CLS is theta / pi up
    to the order of the noise, and 0 without any remainder when theta is 0. The first-order term,
    which the lemma bounds, is -(s_t + s_s) / (2 pi) with s the noise over the length of beta: each
    task's own error. At theta = pi it is twice that, since there the noise also lowers the cross
    errors in first order. What is left is of second order in the noise.

    Parameters
    ----------
    beta_target, beta_source : ndarray of shape (p,)
    noise_target, noise_source : float
        Standard deviations of the noise.

    Examples
    --------
    >>> import numpy as np
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
    >>> import numpy as np
    >>> round(lda_cls(np.full(10, 0.4), np.full(10, -0.4)), 4)
    0.7941
    """
    mu_target, mu_source = _two_vectors(mu_target, mu_source)

    def error(rule: Array, mean: Array) -> float:
        length = np.linalg.norm(rule)
        if length == 0:
            raise DatakinError("Theorem 2 needs class means that differ. Got mu = 0.")
        return float(ndtr(-(rule @ mean) / length))

    to_target = error(mu_source, mu_target) - error(mu_target, mu_target)
    to_source = error(mu_target, mu_source) - error(mu_source, mu_source)
    return direction * to_target + (1 - direction) * to_source


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
