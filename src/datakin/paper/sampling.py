"""What all settings share: their protocol, what they return, how they draw, and their vectors.

The paper states the law each vector was drawn from, not the draw. These vectors were recovered from
its tables: with them the oracle columns come out. The authors' code was not seen, so it is very
probable, but not proven, that these are the authors' vectors.

The paper writes a vector in spherical coordinates and turns the first angle. Its angles come from
arccos alone and lose the sign of the last coordinate. Turning in the plane of the first axis and
the rest of the vector is the same turn without that loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset, as_dataset
from datakin.data.features import Array

# One draw of N(1/4, 1/16) in ten dimensions: logistic, probit, linear regression and 4-class share it.
BETA = np.array(
    [
        0.425537841, 0.163758704, 0.2300026707, 0.3492779719, 0.2092864158,
        0.3427438583, 0.5681222714, 0.4432886211, 0.2589103509, 0.405189184,
    ]
)  # fmt: skip

LDA_MEAN = {"tables": 0.4, "text": 0.3}

MIXTURE_TARGET = np.full(10, 0.3)
# One draw of N(-0.3, 0.5^2) in ten dimensions.
MIXTURE_SOURCE = np.array(
    [
        0.0103783679, -0.2821792981, 0.0865772422, 0.3362445428, -0.1145122835,
        -0.3814271685, -0.1014440562, -0.3399946587, -0.472482592, 0.051075682,
    ]
)  # fmt: skip

# Two draws of Uniform(0, 1) in ten dimensions: class means in QDA, coefficients in PLR.
UNIFORM_TARGET = np.array(
    [
        0.732620155, 0.4757614324, 0.5142158547, 0.4984322565, 0.7802845237,
        0.5042521588, 0.8984002995, 0.1278526813, 0.6446720818, 0.5695310545,
    ]
)  # fmt: skip
UNIFORM_SOURCE = np.array(
    [
        0.4353165571, 0.9523264794, 0.654357529, 0.0238356546, 0.4681228751,
        0.8573431559, 0.3650602771, 0.3655749501, 0.758707619, 0.1075793512,
    ]
)  # fmt: skip

# The tables need a draw of N(1, I). The text's law is N(1/4, I/16), and 1/4 + (b - 1)/4 = b/4: the
# same normals under the stated law are a quarter of the vector.
_NONLINEAR = np.array([2.2724890855, 1.7731544843, 1.0356414037, 1.6207567359])
NONLINEAR_BETA = {"tables": _NONLINEAR, "text": _NONLINEAR / 4}

# The paper does not say which vector Gram-Schmidt starts from; this one comes close to its table.
GRAM_SCHMIDT_START = np.arange(1.0, 11.0)
COSINES = tuple(k / 10 for k in range(-10, 11))

T = TypeVar("T")


def angle_between(a: Array, b: Array) -> float:
    """Return the angle between two vectors: exactly 0 if they are equal, exactly pi if opposite.

    The arccos of the cosine would not be exact: a rounding error in the cosine grows to its root.

    Examples
    --------
    >>> angle_between(np.array([0.3, 0.7]), np.array([0.3, 0.7]))
    0.0
    """
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))


def rotate(vector: Array, cosine: float, sign: int = -1) -> Array:
    """Turn a vector so that its cosine with the original is the given one; its length stays.

    The vector must not be parallel to the first axis.

    The sign is the direction of the turn: -1 towards the first axis, 1 away from it.

    Examples
    --------
    >>> turned = rotate(np.array([1.0, 2.0, 2.0]), 0.5)
    >>> round(float(turned @ [1.0, 2.0, 2.0]) / 9, 12)
    0.5
    """
    vector = np.asarray(vector, dtype=float)
    rest = vector.copy()
    rest[0] = 0.0
    length, across = float(np.linalg.norm(vector)), float(np.linalg.norm(rest))
    if cosine == 1.0:
        return vector.copy()  # exactly, so that the oracle at equality is exactly 0
    angle = np.arctan2(across, vector[0]) + sign * np.arccos(cosine)
    turned = np.sin(angle) * rest / across
    turned[0] = np.cos(angle)
    return np.asarray(length * turned)


class Sample(NamedTuple):
    """A target, a source, and a large test set of each."""

    target: Dataset
    source: Dataset
    target_test: Dataset | None
    source_test: Dataset | None


class Setting:
    """A pair of populations of known kinship, each defined by a vector.

    `levels` are the paper's levels of similarity (none if there is one fixed pair), `n_rows` the number
    of rows of target and source in the paper.
    """

    task: ClassVar[str] = "binary"
    n_rows: ClassVar[int] = 200
    levels: ClassVar[tuple[float, ...]] = ()
    name: str

    @property
    def target_vector(self) -> Array:
        """The vector that defines the target's population."""
        raise NotImplementedError

    @property
    def source_vector(self) -> Array:
        """The vector that defines the source's population."""
        raise NotImplementedError

    def draw(self, rng: np.random.Generator, vector: Array, n: int) -> tuple[Array, Array]:
        """Draw features and labels from the population of a vector."""
        raise NotImplementedError

    def bayes_rule(self, vector: Array, X: Array) -> Array:
        """Return the best possible predictions for the population of a vector."""
        raise NotImplementedError

    def oracle(self) -> float:
        """Return the population CLS."""
        raise NotImplementedError

    def sample(
        self, n_target: int, n_source: int, *, random_state: int = 0, n_test: int = 0
    ) -> Sample:
        """Draw a target and a source, and test sets of each if n_test is above 0.

        The target does not depend on the level of similarity.
        """
        for what, n in (("n_target", n_target), ("n_source", n_source)):
            if not isinstance(n, Integral) or n < 2:
                raise DatakinError(f"{what} must be at least 2, a whole number. Got {n!r}.")
        if n_test < 0:
            raise DatakinError(f"n_test must not be negative; 0 draws no test sets. Got {n_test}.")

        def part(which: str, vector: Array, n: int) -> Dataset:
            # Each dataset has its own seed.
            rng = np.random.default_rng(derive_seed(random_state, self.name, which))
            X, y = self.draw(rng, vector, n)
            return as_dataset(X, y, name=which, task=self.task)

        return Sample(
            part("target", self.target_vector, n_target),
            part("source", self.source_vector, n_source),
            part("target test", self.target_vector, n_test) if n_test else None,
            part("source test", self.source_vector, n_test) if n_test else None,
        )


class SettingClass(Protocol):
    """A class of settings; call it with a level of similarity, if it has levels."""

    @property
    def levels(self) -> tuple[float, ...]:
        """The paper's levels of similarity; empty if there is one fixed pair."""

    @property
    def n_rows(self) -> int:
        """The number of rows of target and source in the paper."""

    @property
    def task(self) -> str:
        """The task of the datasets."""

    def __call__(self, *args: Any, **kwargs: Any) -> Setting:
        """Make the setting."""


class FixedPair(Setting):
    """A setting with one pair; by default its vectors are two draws of uniform numbers."""

    target_vector = UNIFORM_TARGET
    source_vector = UNIFORM_SOURCE


@dataclass(frozen=True)
class Rotated(Setting):
    """A setting whose source has the target's vector turned by an angle, which has this cosine."""

    cosine: float
    levels: ClassVar[tuple[float, ...]] = COSINES

    def __post_init__(self) -> None:
        if not isinstance(self.cosine, Real) or not -1.0 <= self.cosine <= 1.0:
            raise DatakinError(f"A cosine must lie between -1 and 1. Got {self.cosine!r}.")

    @property
    def target_vector(self) -> Array:
        """The target's vector: beta, unless a setting has its own."""
        return BETA

    @property
    def source_vector(self) -> Array:
        """The target's vector, turned."""
        return rotate(self.target_vector, self.cosine)


def autoregressive(correlation: float, p: int = 10) -> Array:
    """Return the covariance whose entries are ``correlation ** |i - j|``.

    Examples
    --------
    >>> autoregressive(0.5, 3).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]]
    """
    steps = np.arange(p)
    return np.asarray(correlation ** np.abs(steps[:, None] - steps), dtype=float)


def correlated(rng: np.random.Generator, n: int, cov: Array) -> Array:
    """Draw n rows of centred Gaussian features."""
    return np.asarray(rng.standard_normal((n, len(cov))) @ np.linalg.cholesky(cov).T)


def half_each(rng: np.random.Generator, n: int) -> Array:
    """Return shuffled labels 0 and 1 for half of the rows each (one more 0 when n is odd)."""
    return rng.permutation(np.arange(n) % 2)


def opposite_classes(rng: np.random.Generator, y: Array, mean: Array) -> Array:
    """Draw Gaussian features around +mean for class 1 and -mean for class 0."""
    noise = rng.standard_normal((len(y), mean.shape[-1]))
    return np.asarray(noise + np.where(y[:, None] == 1, mean, -mean))


def choose(variant: str, of: dict[str, T]) -> T:
    """Return the variant of the paper's tables or of its text."""
    if variant not in of:
        raise DatakinError(f"variant must be 'tables' or 'text'. Got {variant!r}.")
    return of[variant]
