"""The polynomial logistic setting, and its oracle through characteristic functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np
from scipy.special import expit

from datakin.data.features import Array
from datakin.synthetic.parameters import UNIFORM_SOURCE, UNIFORM_TARGET
from datakin.synthetic.quadrature import panels
from datakin.synthetic.sampling import FixedPair

__all__ = ["PolynomialLogistic"]


@dataclass(frozen=True)
class PolynomialLogistic(FixedPair):
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
    """Return the oracle; worked out once, as it takes a few tenths of a second."""
    t, s = UNIFORM_TARGET, UNIFORM_SOURCE
    # A wrong label costs tanh(|f| / 2), so the excess error of rule g where f is the truth is
    # half of E tanh(f/2) sign f - E tanh(f/2) sign g.
    to_target = (_agreement(t, t) - _agreement(t, s)) / 2
    to_source = (_agreement(s, s) - _agreement(s, t)) / 2
    return (to_target + to_source) / 2


def _agreement(truth: Array, rule: Array) -> float:
    """Return E tanh(f/2) sign(g) for the polynomials f and g of two coefficient vectors.

    Ten features, but f and g are sums over independent blocks, so the characteristic function of
    (f, g) is a product of simple factors. By Parseval, with the transforms of tanh(x/2) and of the
    sign, the expectation is a two-dimensional integral of it; taken here over one quadrant in polar
    coordinates, since the factors are not smooth where a coefficient of f cancels one of g, and that
    is along rays.
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

    On the real line the integrand swings ever faster. Turned by pi / (2 power) into the complex plane
    it falls like exp(-|c| r**power) instead.
    """
    r, weights = panels(np.array([0.0, 11.0]), order=48)
    turn = np.exp(0.5j * np.pi / power)
    gauss = (np.sqrt(2 / np.pi) * turn * np.exp(-(r**2) * turn**2 / 2)).real * weights
    return np.asarray(np.exp(-np.multiply.outer(np.abs(c), r**power)) @ gauss)
