"""Regression settings: linear and nonlinear. Both oracles are quadratic forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from datakin.data.features import Array
from datakin.synthetic.sampling import COSINES, Rotated, autoregressive, choose, correlated
from datakin.synthetic.vectors import NONLINEAR_BETA

__all__ = ["LinearRegression", "NonlinearRegression"]

# The tables of both settings need AR(0.5) features; the text of both says independent ones.
CORRELATION = {"tables": 0.5, "text": 0.0}


@dataclass(frozen=True)
class _Regression(Rotated):
    """The response is a weighted sum of terms of the features, plus unit noise."""

    variant: str = "tables"
    task: ClassVar[str] = "regression"

    @property
    def covariance(self) -> Array:
        """Covariance of the features."""
        return autoregressive(choose(self.variant, CORRELATION))

    @property
    def moments(self) -> Array:
        """Second moments of the terms."""
        return self.covariance

    def terms(self, X: Array) -> Array:
        """Return the terms: the features, unless a setting has others."""
        return X

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and responses."""
        X = correlated(rng, n, self.covariance)
        return X, self.bayes_rule(vector, X) + rng.standard_normal(n)

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible predictions."""
        return np.asarray(self.terms(X) @ vector)

    def oracle(self) -> float:
        """Return the population CLS under squared error: D'MD, D the difference of the vectors.

        M are the second moments of the terms.
        """
        gap = self.source_vector - self.target_vector
        return float(gap @ self.moments @ gap)


@dataclass(frozen=True)
class LinearRegression(_Regression):
    """Response ``beta'x`` plus unit noise.

    Parameters
    ----------
    cosine : float
        Between the target's and the source's beta.
    variant : {"tables", "text"}
        AR(0.5) features, which give the paper's tables, or independent ones as its text says. The
        text also has a 0/1 response, which repeats the probit setting; see `Probit`.

    Examples
    --------
    >>> round(LinearRegression(cosine=0.0).oracle(), 4)
    5.3933
    """

    name: str = field(default="linear", init=False)


@dataclass(frozen=True)
class NonlinearRegression(_Regression):
    """Response ``b1 sin(x1) + b2 x2^2 + b3 x3 x4 + b4 exp(x5)`` plus unit noise; ten features.

    Parameters
    ----------
    cosine : float
        Between the target's and the source's b.
    variant : {"tables", "text"}
        b from N(1, I) and AR(0.5) features, which come close to the paper's tables, or b from
        N(1/4, I/16) and independent features as its text says.

    Examples
    --------
    >>> round(NonlinearRegression(cosine=0.0).oracle(), 1)
    161.6
    """

    name: str = field(default="nonlinear", init=False)
    levels: ClassVar[tuple[float, ...]] = COSINES[10:]  # the paper's table starts at 0

    @property
    def target_vector(self) -> Array:
        """The target's coefficients."""
        return choose(self.variant, NONLINEAR_BETA)

    @property
    def moments(self) -> Array:
        """Second moments of the four terms."""
        return _second_moments(self.covariance)

    def terms(self, X: Array) -> Array:
        """Return the four terms that the coefficients multiply."""
        x = X.T
        return np.stack([np.sin(x[0]), x[1] ** 2, x[2] * x[3], np.exp(x[4])]).T


def _second_moments(cov: Array) -> Array:
    """Return E g g' for g = (sin x1, x2^2, x3 x4, exp x5) and unit variances.

    From the moments of Gaussian vectors and E exp(a'x) = exp(a' Sigma a / 2), with an imaginary
    entry for the sine. The sine is odd and the two products are even, so their moments are 0.
    """
    (_, _, _, _, r15), (_, _, r23, r24, r25), (*_, r34, r35), (*_, r45) = cov[:4, :5]
    half = np.exp(0.5)
    sine_sine, sine_exp = (1 - np.exp(-2.0)) / 2, np.sin(r15)
    square_pair, square_exp = r34 + 2 * r23 * r24, half * (1 + r25**2)
    pair_pair, pair_exp = 1 + 2 * r34**2, half * (r34 + r35 * r45)
    return np.array(
        [
            [sine_sine, 0.0, 0.0, sine_exp],
            [0.0, 3.0, square_pair, square_exp],
            [0.0, square_pair, pair_pair, pair_exp],
            [sine_exp, square_exp, pair_exp, np.exp(2.0)],
        ]
    )
