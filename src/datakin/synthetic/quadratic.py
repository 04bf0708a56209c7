"""Binary settings with one fixed pair and a quadratic boundary: QDA and radial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.stats import chi2

from datakin.data.features import Array
from datakin.synthetic.quadrature import quadratic_below_zero
from datakin.synthetic.sampling import FixedPair, autoregressive, correlated, half_each

__all__ = ["QDA", "Radial"]


@dataclass(frozen=True)
class QDA(FixedPair):
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
        y = half_each(rng, n)
        one = correlated(rng, n, autoregressive(0.2)) + vector
        zero = correlated(rng, n, autoregressive(0.8)) - vector
        return np.where(y[:, None] == 1, one, zero), y

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels."""
        square, linear, constant = _score(vector)
        scores = np.sum(X @ square * X, axis=1) + X @ linear + constant
        return np.asarray(scores >= 0, dtype=int)

    def oracle(self) -> float:
        """Return the population CLS; each error is the distribution of a quadratic form."""
        target, source = self.target_vector, self.source_vector
        to_target = _qda_error(source, target) - _qda_error(target, target)
        to_source = _qda_error(target, source) - _qda_error(source, source)
        return (to_target + to_source) / 2


def _score(mean: Array) -> tuple[Array, Array, float]:
    """Return the log density ratio of class 1 to class 0 as x'Ax + b'x + c."""
    one, zero = (np.linalg.inv(autoregressive(r)) for r in (0.2, 0.8))
    logs = [np.linalg.slogdet(autoregressive(r))[1] for r in (0.2, 0.8)]
    constant = mean @ (zero - one) @ mean / 2 + (logs[1] - logs[0]) / 2
    return (zero - one) / 2, (zero + one) @ mean, float(constant)


def _qda_error(rule: Array, truth: Array) -> float:
    """Return the error of the rule of one mean on classes of another."""
    square, linear, constant = _score(rule)
    below = []
    for mean, correlation in ((truth, 0.2), (-truth, 0.8)):
        root = np.linalg.cholesky(autoregressive(correlation))  # x = mean + root z
        below.append(
            quadratic_below_zero(
                root.T @ square @ root,
                root.T @ (2 * square @ mean + linear),
                float(mean @ square @ mean + linear @ mean + constant),
            )
        )
    return (below[0] + 1 - below[1]) / 2


@dataclass(frozen=True)
class Radial(FixedPair):
    """Standard Gaussian features, label 1 inside a sphere: radius 3.1 (target) or 3.3 (source).

    There is one pair, and no noise: the best rule of each task makes no error on it.

    Examples
    --------
    >>> round(Radial().oracle(), 4)
    0.1092
    """

    name: str = field(default="radial", init=False)
    n_rows: ClassVar[int] = 1000

    @property
    def target_vector(self) -> Array:
        """The target's radius."""
        return np.array([3.1])

    @property
    def source_vector(self) -> Array:
        """The source's radius."""
        return np.array([3.3])

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        X = rng.standard_normal((n, 10))
        return X, self.bayes_rule(vector, X)

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the labels."""
        return np.asarray(np.linalg.norm(X, axis=1) < vector[0], dtype=int)

    def oracle(self) -> float:
        """Return the population CLS: the chance of a radius between the two, on either domain."""
        radii = np.concatenate([self.target_vector, self.source_vector])
        return float(abs(np.diff(chi2.cdf(radii**2, df=10))[0]))
