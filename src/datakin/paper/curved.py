"""Binary settings with one fixed pair and a curved boundary: QDA, radial and polynomial logistic."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from datakin.data.features import Array
from datakin.paper import sampling
from datakin.paper.oracles import panels, population_cls, quadratic_below_zero


@dataclass(frozen=True)
class QDA(sampling.FixedPair):
    """Two Gaussian classes with means +mu and -mu and covariances AR(0.2) and AR(0.8).

    Class 1 has mean +mu and AR(0.2), class 0 mean -mu and AR(0.8), exactly half of the rows each.
    Target and source differ in mu; there is one pair.

    Examples
    --------
    >>> round(QDA().oracle(), 4)
    0.1443
    """

    name: str = field(default="qda", init=False)

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        y = sampling.half_each(rng, n)
        one = sampling.correlated(rng, n, sampling.autoregressive(0.2)) + vector
        zero = sampling.correlated(rng, n, sampling.autoregressive(0.8)) - vector
        return np.where(y[:, None] == 1, one, zero), y

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels."""
        square, linear, constant = _score(vector)
        scores = np.sum(X @ square * X, axis=1) + X @ linear + constant
        return np.asarray(scores >= 0, dtype=int)

    def oracle(self) -> float:
        """Return the population CLS; each error comes from the distribution of a quadratic form."""
        return population_cls(_qda_error, self.target_vector, self.source_vector)


def _score(mean: Array) -> tuple[Array, Array, float]:
    """Return the log density ratio of class 1 to class 0 as x'Ax + b'x + c."""
    one, zero = (np.linalg.inv(sampling.autoregressive(r)) for r in (0.2, 0.8))
    logs = [np.linalg.slogdet(sampling.autoregressive(r))[1] for r in (0.2, 0.8)]
    constant = mean @ (zero - one) @ mean / 2 + (logs[1] - logs[0]) / 2
    return (zero - one) / 2, (zero + one) @ mean, float(constant)


def _qda_error(rule: Array, truth: Array) -> float:
    """Return the error of the rule of one mean on classes of another."""
    square, linear, constant = _score(rule)
    below = []
    for mean, correlation in ((truth, 0.2), (-truth, 0.8)):
        root = np.linalg.cholesky(sampling.autoregressive(correlation))  # x = mean + root z
        below.append(
            quadratic_below_zero(
                root.T @ square @ root,
                root.T @ (2 * square @ mean + linear),
                float(mean @ square @ mean + linear @ mean + constant),
            )
        )
    return (below[0] + 1 - below[1]) / 2


@dataclass(frozen=True)
class Radial(sampling.FixedPair):
    """Standard Gaussian features, label 1 inside a sphere: radius 3.1 (target) or 3.3 (source).

    There is one pair, and no noise: the best rule of each task makes no error on it.

    Examples
    --------
    >>> round(Radial().oracle(), 4)
    0.1092
    """

    name: str = field(default="radial", init=False)
    n_rows: ClassVar[int] = 1000
    target_vector = np.array([3.1])  # the radius
    source_vector = np.array([3.3])

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        X = rng.standard_normal((n, 10))
        return X, self.bayes_rule(vector, X)

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the labels."""
        return np.asarray(np.linalg.norm(X, axis=1) < vector[0], dtype=int)

    def oracle(self) -> float:
        """Return the population CLS: the probability of a radius between the two."""
        radii = np.concatenate([self.target_vector, self.source_vector])
        return float(abs(np.diff(chi2.cdf(radii**2, df=10))[0]))


@dataclass(frozen=True)
class PolynomialLogistic(sampling.FixedPair):
    """Standard Gaussian features, log odds a polynomial of degree five in them.

    Target and source differ in the ten coefficients; there is one pair.

    Examples
    --------
    >>> round(PolynomialLogistic().oracle(), 4)
    0.1149
    """

    name: str = field(default="plr", init=False)
    n_rows: ClassVar[int] = 1000

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        X = rng.standard_normal((n, 10))
        return X, (rng.random(n) < expit(_terms(X) @ vector)).astype(int)

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels."""
        return (_terms(X) @ vector >= 0).astype(int)

    def oracle(self) -> float:
        """Return the population CLS, by quadrature to about 1e-8."""
        return _oracle()


def _terms(X: Array) -> Array:
    """Return the ten terms of the polynomial."""
    x = X.T
    return np.stack(
        [
            x[0], x[1] ** 2, x[2] * x[3], x[3] ** 3, x[4],
            x[5] * x[6], -(x[6] ** 2), x[7] ** 5, x[8], x[9] ** 3,
        ],
        axis=1,
    )  # fmt: skip


@cache
def _oracle() -> float:
    """Return the oracle; computed once, as it takes a few tenths of a second."""

    # A wrong label costs tanh(|f| / 2), so the excess error of rule g where f is the truth is
    # half of E tanh(f/2) sign f - E tanh(f/2) sign g.
    def error(rule: Array, truth: Array) -> float:
        return -_agreement(rule, truth) / 2

    return population_cls(error, sampling.UNIFORM_TARGET, sampling.UNIFORM_SOURCE)


def _agreement(rule: Array, truth: Array) -> float:
    """Return E tanh(f/2) sign(g) for the polynomials f of the truth and g of the rule.

    Ten features, but f and g are sums over independent blocks, so the characteristic function of
    (f, g) is a product of simple factors. By Parseval, with the transforms of tanh(x/2) and of the
    sign, the expectation is a two-dimensional integral of it. Where a coefficient of f cancels one
    of g the factors are not smooth. That happens along rays, so the integral is taken over one
    quadrant in polar coordinates.
    """
    rays = np.arctan2(truth, rule)[[3, 7, 9]]  # the cubes and the fifth power
    steps = np.geomspace(1e-4, 0.8, 4)
    edges = np.concatenate(
        [[0.0, np.pi / 2], rays, *(r + s * steps for r in rays for s in (1, -1))]
    )
    angle, angle_weights = panels(np.unique(edges[(edges >= 0) & (edges <= np.pi / 2)]), order=12)
    radius, radius_weights = panels(np.concatenate([[0.0], np.geomspace(1e-3, 14.0, 6)]), order=12)
    a, b = np.outer(np.cos(angle), radius), np.outer(np.sin(angle), radius)
    inner, outer = np.multiply.outer(truth, a), np.multiply.outer(rule, b)
    odd_part = (_characteristic(inner + outer) - _characteristic(inner - outer)).real
    values = odd_part * radius / (b * np.sinh(np.pi * a))
    return float(-2 / np.pi * (angle_weights @ values @ radius_weights))


def _characteristic(c: Array) -> Array:
    """Return E exp(i c'terms), block by block; c has the ten coefficients first."""
    # x3 and x6 enter linearly, times another feature: integrate them out first.
    spread = 1 + c[2] ** 2
    linear = np.exp(-(c[0] ** 2 + c[4] ** 2 + c[8] ** 2) / 2)
    squares = 1 / np.sqrt(1 - 2j * c[1]) / np.sqrt(1 + c[5] ** 2 + 2j * c[6])
    cubes = _odd_power(c[3] / spread**1.5, 3) / np.sqrt(spread) * _odd_power(c[9], 3)
    return np.asarray(linear * squares * cubes * _odd_power(c[7], 5))


def _odd_power(c: Array, power: int) -> Array:
    """Return E exp(i c x**power) for standard Gaussian x and an odd power: a real number.

    On the real line the integrand oscillates ever faster. Turned by pi / (2 power) into the complex
    plane, it falls like exp(-|c| r**power).
    """
    r, weights = panels(np.array([0.0, 11.0]), order=48)
    turn = np.exp(0.5j * np.pi / power)
    gauss = (np.sqrt(2 / np.pi) * turn * np.exp(-(r**2) * turn**2 / 2)).real * weights
    return np.asarray(np.exp(-np.multiply.outer(np.abs(c), r**power)) @ gauss)
