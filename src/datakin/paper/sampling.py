"""What all settings share: their protocol, what they return, and how they draw."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data import Dataset, as_dataset
from datakin.data.features import Array
from datakin.paper.vectors import (
    BETA,
    UNIFORM_SOURCE,
    UNIFORM_TARGET,
    rotate,
)

COSINES = tuple(k / 10 for k in range(-10, 11))

T = TypeVar("T")


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
