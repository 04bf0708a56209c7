"""The 4-class setting: the quadrant of two noisy scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from datakin.data.features import Array
from datakin.synthetic.oracles import panels, population_cls
from datakin.synthetic.sampling import COSINES, Rotated
from datakin.synthetic.vectors import GRAM_SCHMIDT_START

__all__ = ["FourClass"]

NOISE = 0.3


@dataclass(frozen=True)
class FourClass(Rotated):
    """Standard Gaussian features; classes 1 to 4 are the quadrants of two noisy scores.

    The scores are ``b1'x`` and ``b2'x``, with b1 and b2 orthogonal and of equal length, each with
    noise of standard deviation 0.3. b2 comes from Gram-Schmidt on a fixed vector. The paper does not
    say which; (1, ..., 10), used here, comes close to its table.

    Parameters
    ----------
    cosine : float
        Between the target's and the source's b1.

    Examples
    --------
    >>> round(FourClass(cosine=0.5).oracle(), 4)
    0.4378
    """

    name: str = field(default="fourclass", init=False)
    task: ClassVar[str] = "multiclass"
    levels: ClassVar[tuple[float, ...]] = COSINES[10:]  # the paper's table starts at 0

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels."""
        X = rng.standard_normal((n, len(vector)))
        return X, _quadrant(X @ _pair(vector).T + NOISE * rng.standard_normal((n, 2)))

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible labels: the quadrant without noise, as the noise is symmetric."""
        return _quadrant(X @ _pair(vector).T)

    def oracle(self) -> float:
        """Return the population CLS, by a one-dimensional quadrature for each error."""

        def error(rule: Array, truth: Array) -> float:
            return -_accuracy(rule, truth)

        return population_cls(error, _pair(self.target_vector), _pair(self.source_vector))


def _quadrant(scores: Array) -> Array:
    return np.asarray(1 + 2 * (scores[:, 0] >= 0) + (scores[:, 1] >= 0))


def _pair(first: Array) -> Array:
    """Return the first vector and one of the same length at right angles to it."""
    start = GRAM_SCHMIDT_START
    second = start - (start @ first) / (first @ first) * first
    return np.stack([first, np.linalg.norm(first) / np.linalg.norm(second) * second])


def _accuracy(rule: Array, truth: Array) -> float:
    """Return the probability that both signs of the rule are those of the noisy scores.

    With signs s of the rule and a of the scores it is E (1 + s1 a1)(1 + s2 a2) / 4. E s a is
    2/pi arcsin of a correlation. The product of all four signs has mean 0 when rule and scores are
    independent. Plackett's identity gives its derivative as the correlations between rule and scores
    grow from 0 to their values, and the derivative is integrated.
    """
    noisy = np.sqrt(np.sum(truth**2, axis=1) + NOISE**2)
    r = rule @ truth.T / np.outer(np.linalg.norm(rule, axis=1), noisy)
    grown, weights = panels(np.linspace(0.0, 1.0, 9))
    product = 0.0
    for i in (0, 1):
        for j in (0, 1):
            # Given rule i and score j at 0, the other two are still correlated.
            own, row, column, rest = (
                grown * c for c in (r[i, j], r[i, 1 - j], r[1 - i, j], r[1 - i, 1 - j])
            )
            left = 1 - own**2
            covariance = rest + own * row * column / left
            variances = (1 - column**2 / left) * (1 - row**2 / left)
            partial = np.arcsin(covariance / np.sqrt(variances))
            product += float(weights @ (r[i, j] * 4 / np.pi**2 * partial / np.sqrt(left)))
    pairs = 2 / np.pi * np.arcsin(np.diag(r))
    return float(1 + pairs.sum() + product) / 4
