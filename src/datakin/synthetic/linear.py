"""Binary settings whose best rule is linear: LDA, probit, logistic."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from datakin.data.features import Array
from datakin.synthetic.parameters import LDA_MEAN
from datakin.synthetic.quadrature import panels
from datakin.synthetic.rotation import angle_between, rotate
from datakin.synthetic.sampling import Rotated, autoregressive, choose, correlated, half_each
from datakin.synthetic.theorems import lda_cls, probit_cls

__all__ = ["LDA", "Logistic", "Probit"]


class _LinearRule(Rotated):
    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels."""
        return (X @ vector >= 0).astype(int)


@dataclass(frozen=True)
class LDA(_LinearRule):
    """Two Gaussian classes with means +mu and -mu, exactly half of the rows each.

    Parameters
    ----------
    cosine : float
        Between the target's and the source's mu.
    variant : {"tables", "text"}
        mu = 0.4 in every coordinate, which gives the paper's tables, or 0.3 as its text says.

    Examples
    --------
    >>> round(LDA(cosine=0.5).oracle(), 4)
    0.1606
    """

    variant: str = "tables"
    name: str = field(default="lda", init=False)

    @property
    def target_vector(self) -> Array:
        """The target's class mean."""
        return np.full(10, choose(self.variant, LDA_MEAN))

    @property
    def source_vector(self) -> Array:
        """The source's class mean: turned away from the first axis, as the tables have it."""
        return rotate(self.target_vector, self.cosine, sign=1)

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        y = half_each(rng, n)
        X = rng.standard_normal((n, len(vector))) + np.where(y[:, None] == 1, vector, -vector)
        return X, y

    def oracle(self) -> float:
        """Return the population CLS (theorem 2)."""
        return lda_cls(self.target_vector, self.source_vector)


@dataclass(frozen=True)
class Probit(_LinearRule):
    """Gaussian features, label 1 where ``beta'x`` plus unit noise is not negative.

    Parameters
    ----------
    cosine : float
        Between the target's and the source's beta.

    Examples
    --------
    >>> round(Probit(cosine=-1.0).oracle(), 4)
    0.541
    """

    name: str = field(default="probit", init=False)

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        X = rng.standard_normal((n, len(vector)))
        return X, (X @ vector + rng.standard_normal(n) >= 0).astype(int)

    def oracle(self) -> float:
        """Return the population CLS (theorem 1)."""
        return probit_cls(self.target_vector, self.source_vector)


@dataclass(frozen=True)
class Logistic(_LinearRule):
    """AR(0.5) Gaussian features, log odds of label 1 ``beta'x``.

    Parameters
    ----------
    cosine : float
        Between the target's and the source's beta.

    Examples
    --------
    >>> round(Logistic(cosine=0.0).oracle(), 4)
    0.274
    """

    name: str = field(default="logistic", init=False)

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        X = correlated(rng, n, autoregressive(0.5))
        return X, (rng.random(n) < expit(X @ vector)).astype(int)

    def oracle(self) -> float:
        """Return the population CLS, by quadrature in the plane of the two scores."""
        root = np.linalg.cholesky(autoregressive(0.5)).T
        target, source = root @ self.target_vector, root @ self.source_vector
        angle = angle_between(target, source)
        return (_wedge(angle, target) + _wedge(angle, source)) / 2


def _wedge(angle: float, truth: Array) -> float:
    """Return the excess error of a rule whose boundary is an angle away from the true one.

    Two rules differ in two opposite wedges. A wrong label there costs |P(1|x) - P(0|x)| =
    tanh(|score| / 2), and the score grows with the radius and the sine of the angle off the true
    boundary. The integral is over wedges alone, so it is exactly 0 when they are empty.
    """
    turn, turn_weights = panels(np.linspace(0.0, angle, 5))
    radius, radius_weights = panels(np.linspace(0.0, 10.0, 9))
    scores = np.linalg.norm(truth) * np.outer(np.sin(turn), radius)
    density = radius * np.exp(-(radius**2) / 2) / np.pi
    return float(turn_weights @ np.tanh(scores / 2) @ (density * radius_weights))
