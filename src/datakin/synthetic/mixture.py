"""The mixture setting: part of the source's rows come from another pair of classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import ClassVar

import numpy as np
from scipy.special import ndtr

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.synthetic.parameters import MIXTURE_SOURCE, MIXTURE_TARGET
from datakin.synthetic.quadrature import panels
from datakin.synthetic.sampling import Drawn, half_each

__all__ = ["Mixture"]


@dataclass(frozen=True)
class Mixture(Drawn):
    """LDA whose source takes a share alpha of its rows from classes with other means.

    Classes 1 and 0 have means +mu and -mu; a source row has the target's mu with probability
    1 - alpha and another one with probability alpha. Exactly half of the rows are of each class.

    Parameters
    ----------
    alpha : float
        In [0, 1]: 0 is the target's distribution, 1 shares nothing with it.

    Examples
    --------
    >>> round(Mixture(alpha=0.5).oracle(), 4)
    0.1084
    """

    alpha: float
    name: str = field(default="mixture", init=False)
    levels: ClassVar[tuple[float, ...]] = tuple(k / 10 for k in range(11))

    def __post_init__(self) -> None:
        if not isinstance(self.alpha, Real) or not 0.0 <= self.alpha <= 1.0:
            raise DatakinError(f"alpha must lie between 0 and 1. Got {self.alpha!r}.")

    @property
    def target_vector(self) -> Array:
        """The target's share of shifted rows, 0."""
        return np.zeros(1)

    @property
    def source_vector(self) -> Array:
        """The source's share of shifted rows."""
        return np.array([float(self.alpha)])

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        y = half_each(rng, n)
        shifted = rng.random(n) < vector[0]
        mean = np.where(shifted[:, None], MIXTURE_SOURCE, MIXTURE_TARGET)
        X = rng.standard_normal(mean.shape) + np.where(y[:, None] == 1, mean, -mean)
        return X, y

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels: those of the denser class mixture."""
        share, score = vector[0], np.zeros(len(X))
        for weight, mean in ((1 - share, MIXTURE_TARGET), (share, MIXTURE_SOURCE)):
            # Twice the sinh, up to a factor of x alone, is the difference of two Gaussian densities.
            score += weight * np.exp(-(mean @ mean) / 2) * np.sinh(X @ mean)
        return (score >= 0).astype(int)

    def oracle(self) -> float:
        """Return the population CLS, by quadrature in the plane of the two means."""
        share = float(self.source_vector[0])
        if share == 0.0:
            return 0.0  # one distribution
        means, shares = (MIXTURE_TARGET, MIXTURE_SOURCE), np.array([1 - share, share])
        by_source = np.array([_source_error(share, mean) for mean in means])
        by_target = np.array([_target_error(mean) for mean in means])
        to_target = by_source[0] - by_target[0]
        to_source = shares @ (by_target - by_source)
        return float(to_target + to_source) / 2


def _target_error(mean: Array) -> float:
    """Return the error of the target's rule on classes with means +mean and -mean."""
    return float(ndtr(-(MIXTURE_TARGET @ mean) / np.linalg.norm(MIXTURE_TARGET)))


def _source_error(share: float, mean: Array) -> float:
    """Return the error of the source's rule on classes with means +mean and -mean.

    With u and v the products of x with the two means, the rule says 1 above the curve
    v = -arcsinh(k sinh u); both classes err alike by symmetry. Given u, v is Gaussian.
    """
    t, s = MIXTURE_TARGET, MIXTURE_SOURCE
    k = (1 - share) / share * np.exp((s @ s - t @ t) / 2)
    reach = t @ t + 10 * np.sqrt(t @ t) + abs(t @ mean)
    # The curve bends at u = 0, the more sharply the smaller the share.
    half = np.concatenate([[0.0], np.geomspace(1e-8, reach, 24)])
    u, weights = panels(np.concatenate([-half[:0:-1], half]))
    density = np.exp(-((u - t @ mean) ** 2) / (2 * (t @ t))) / np.sqrt(2 * np.pi * (t @ t))
    slope = (t @ s) / (t @ t)
    spread = np.sqrt(s @ s - slope * (t @ s))
    curve = -np.arcsinh(k * np.sinh(u))
    below = ndtr((curve - s @ mean - slope * (u - t @ mean)) / spread)
    return float((weights * density) @ below)
