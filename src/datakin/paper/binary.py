"""Binary settings with levels of similarity: LDA, probit and logistic, and a mixture of two LDAs."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import ClassVar

import numpy as np
from scipy.special import expit, ndtr

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.paper import sampling
from datakin.paper.oracles import lda_cls, panels, probit_cls


class _LinearRule(sampling.Rotated):
    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels."""
        return (X @ vector >= 0).astype(int)


@dataclass(frozen=True)
class LDA(_LinearRule):
    """Two Gaussian classes with means +mu and -mu, exactly half of the rows each.

    The cosine is that of the target's and the source's mu. In every coordinate the target's is 0.4, which
    gives the paper's tables, or with the variant "text" 0.3 as its text says.

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
        return np.full(10, sampling.choose(self.variant, sampling.LDA_MEAN))

    @property
    def source_vector(self) -> Array:
        """The source's class mean: turned away from the first axis, as in the tables."""
        return sampling.rotate(self.target_vector, self.cosine, sign=1)

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        y = sampling.half_each(rng, n)
        return sampling.opposite_classes(rng, y, vector), y

    def oracle(self) -> float:
        """Return the population CLS (theorem 2)."""
        return lda_cls(self.target_vector, self.source_vector)


@dataclass(frozen=True)
class Probit(_LinearRule):
    """Gaussian features, label 1 where ``beta'x`` plus unit noise is not negative.

    The cosine is that of the target's and the source's beta.

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

    The cosine is that of the target's and the source's beta.

    Examples
    --------
    >>> round(Logistic(cosine=0.0).oracle(), 4)
    0.274
    """

    name: str = field(default="logistic", init=False)

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        X = sampling.correlated(rng, n, sampling.autoregressive(0.5))
        return X, (rng.random(n) < expit(X @ vector)).astype(int)

    def oracle(self) -> float:
        """Return the population CLS, by quadrature in the plane of the two scores."""
        root = np.linalg.cholesky(sampling.autoregressive(0.5)).T
        target, source = root @ self.target_vector, root @ self.source_vector
        angle = sampling.angle_between(target, source)
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


@dataclass(frozen=True)
class Mixture(sampling.Setting):
    """LDA whose source takes a share alpha of its rows from classes with other means.

    Classes 1 and 0 have means +mu and -mu; a source row has the target's mu with probability
    1 - alpha and another one with probability alpha, which is in [0, 1]: 0 is the target's distribution,
    1 shares nothing with it. Exactly half of the rows are of each class.

    Examples
    --------
    >>> round(Mixture(alpha=0.5).oracle(), 4)
    0.1084
    """

    alpha: float
    name: str = field(default="mixture", init=False)
    levels: ClassVar[tuple[float, ...]] = tuple(k / 10 for k in range(11))
    target_vector = np.zeros(1)  # the share of shifted rows

    def __post_init__(self) -> None:
        if not isinstance(self.alpha, Real) or not 0.0 <= self.alpha <= 1.0:
            raise DatakinError(f"alpha must lie between 0 and 1. Got {self.alpha!r}.")

    @property
    def source_vector(self) -> Array:
        """The source's share of shifted rows."""
        return np.array([float(self.alpha)])

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        y = sampling.half_each(rng, n)
        shifted = rng.random(n) < vector[0]
        mean = np.where(shifted[:, None], sampling.MIXTURE_SOURCE, sampling.MIXTURE_TARGET)
        return sampling.opposite_classes(rng, y, mean), y

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels: those of the denser class mixture."""
        share, score = vector[0], np.zeros(len(X))
        for weight, mean in (
            (1 - share, sampling.MIXTURE_TARGET),
            (share, sampling.MIXTURE_SOURCE),
        ):
            # Twice the sinh, up to a factor of x alone, is the difference of two Gaussian densities.
            score += weight * np.exp(-(mean @ mean) / 2) * np.sinh(X @ mean)
        return (score >= 0).astype(int)

    def oracle(self) -> float:
        """Return the population CLS, by quadrature in the plane of the two means."""
        share = float(self.source_vector[0])
        if share == 0.0:
            return 0.0  # target and source are equal
        means, shares = (
            (sampling.MIXTURE_TARGET, sampling.MIXTURE_SOURCE),
            np.array([1 - share, share]),
        )
        by_source = np.array([_source_error(share, mean) for mean in means])
        by_target = np.array([_target_error(mean) for mean in means])
        to_target = by_source[0] - by_target[0]
        to_source = shares @ (by_target - by_source)
        return float(to_target + to_source) / 2


def _target_error(mean: Array) -> float:
    """Return the error of the target's rule on classes with means +mean and -mean."""
    return float(ndtr(-(sampling.MIXTURE_TARGET @ mean) / np.linalg.norm(sampling.MIXTURE_TARGET)))


def _source_error(share: float, mean: Array) -> float:
    """Return the error of the source's rule on classes with means +mean and -mean.

    With u and v the products of x with the two means, the rule says 1 above the curve
    v = -arcsinh(k sinh u). By symmetry both classes have the same error. Given u, v is Gaussian.
    """
    t, s = sampling.MIXTURE_TARGET, sampling.MIXTURE_SOURCE
    k = (1 - share) / share * np.exp((s @ s - t @ t) / 2)
    reach = t @ t + 10 * np.sqrt(t @ t) + abs(t @ mean)
    # The curve bends at u = 0, more sharply for a smaller share.
    half = np.concatenate([[0.0], np.geomspace(1e-8, reach, 24)])
    u, weights = panels(np.concatenate([-half[:0:-1], half]))
    density = np.exp(-((u - t @ mean) ** 2) / (2 * (t @ t))) / np.sqrt(2 * np.pi * (t @ t))
    slope = (t @ s) / (t @ t)
    spread = np.sqrt(s @ s - slope * (t @ s))
    curve = -np.arcsinh(k * np.sinh(u))
    below = ndtr((curve - s @ mean - slope * (u - t @ mean)) / spread)
    return float((weights * density) @ below)
