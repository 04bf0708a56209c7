"""Errors and sums in little room, for measurements of very many pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from datakin.cross_errors.records import Errors, WaySums
from datakin.data.features import Array

__all__ = ["PackedSums", "SlimErrors", "slimmed"]

SIZES = ("full", "fold")
NOTHING: Mapping[str, Array] = {}


@dataclass(frozen=True, eq=False)
class SlimErrors(Errors):
    """Cross errors of which only what sums need is kept row by row.

    Attributes
    ----------
    outputs : tuple of str
        The models or aggregates whose losses are kept: on each row for both sizes.
    losses : ndarray of shape (2 * outputs, n)
        As whole numbers of errors where losses are counts, which take an eighth of the room.
    n_predictors : int
        What such numbers are divided by; 0 if the losses are kept as they are.
    errors : ndarray of shape (2, M + 2)
        Mean loss of every model, the ensemble and the average, for both sizes.
    folds : ndarray of shape (outputs, K)
        Mean loss of the outputs without each fold.
    """

    outputs: tuple[str, ...] = ()
    losses: Array = field(default_factory=lambda: np.empty(0))
    n_predictors: int = 0
    errors: Array = field(default_factory=lambda: np.empty(0))
    folds: Array = field(default_factory=lambda: np.empty(0))

    @property
    def n_folds(self) -> int:
        """How many versions of the predictors there are, each without a fold."""
        return int(self.folds.shape[1])

    @property
    def failed(self) -> Array:
        """Which models have no losses."""
        return np.isnan(self.errors[1, :-2])

    @property
    def has_inner(self) -> bool:
        """Whether predictors without two folds were tested."""
        return False

    def row(self, size: str, name: str) -> Array:
        """Return the loss on each row of one of the outputs."""
        found = self.losses[2 * self.outputs.index(name) + SIZES.index(size)]
        return np.asarray(found / self.n_predictors) if self.n_predictors else found

    def replicates(self, name: str) -> Array:
        """Return the mean loss of one of the outputs without each fold."""
        return np.asarray(self.folds[self.outputs.index(name)])

    def mean(self, size: str, name: str) -> float:
        """Return the mean loss of one model or aggregate."""
        return float(self.errors[SIZES.index(size), self.names.index(name)])


def slimmed(errors: Errors, outputs: Sequence[str]) -> SlimErrors:
    """Return errors of which only some outputs are kept row by row."""
    rows = np.array([errors.row(size, name) for name in outputs for size in SIZES])
    n_predictors = errors.n_folds
    counts = np.rint(rows * n_predictors)
    are_counts = bool(counts.min() >= 0 and counts.max() <= 255)  # NaN is not
    are_counts = are_counts and bool((counts / n_predictors == rows).all())
    return SlimErrors(
        errors.trained_on,
        errors.tested_on,
        errors.models,
        NOTHING,
        NOTHING,
        errors.weights,
        errors.n_train,
        errors.least,
        errors.pooled,
        errors.pool_model,
        tuple(outputs),
        counts.astype(np.uint8) if are_counts else rows,
        n_predictors if are_counts else 0,
        np.array([[row @ errors.weights for row in errors.rows[size]] for size in SIZES]),
        np.array([errors.replicates(name) for name in outputs]),
    )


class PackedSums(Mapping[tuple[str, str], WaySums]):
    """Sums by (trained_on, tested_on). What all directions to one dataset have in common is kept once."""

    def __init__(self) -> None:
        self._common: dict[str, WaySums] = {}
        self._found: dict[str, dict[str, bytes | WaySums]] = {}

    def add(self, way: WaySums) -> None:
        """Keep the sums of one direction."""
        common = self._common.setdefault(way.tested_on, way)
        of_tested = self._found.setdefault(way.tested_on, {})
        of_tested[way.trained_on] = _packed(way) if _are_alike(common, way) else way

    def __getitem__(self, names: tuple[str, str]) -> WaySums:
        trained_on, tested_on = names
        found = self._found[tested_on][trained_on]
        return found if isinstance(found, WaySums) else self._whole(trained_on, tested_on, found)

    def _whole(self, trained_on: str, tested_on: str, packed: bytes) -> WaySums:
        common = self._common[tested_on]
        numbers, found = np.frombuffer(packed), []
        for array in (common.parts, common.by_model, common.outlook):
            found.append(numbers[: array.size].reshape(array.shape))
            numbers = numbers[array.size :]
        parts, by_model, outlook = found
        return WaySums(
            trained_on,
            tested_on,
            common.models,
            common.sizes,
            common.estimate,
            common.learner,
            parts,
            by_model,
            common.own,
            common.curve,
            outlook,
            common.weights,
            common.all_models,
        )

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((one, tested) for tested, of_tested in self._found.items() for one in of_tested)

    def __len__(self) -> int:
        return sum(map(len, self._found.values()))


def _packed(way: WaySums) -> bytes:
    numbers = (way.parts, way.by_model, way.outlook)
    return np.concatenate([array.ravel() for array in numbers]).tobytes()


def _are_alike(one: WaySums, other: WaySums) -> bool:
    """Whether two directions to one dataset differ in parts, models' errors and outlook alone."""
    if not (one.own is other.own and one.curve is other.curve and one.weights is other.weights):
        return False
    names = ("models", "sizes", "estimate", "learner", "all_models")
    if any(getattr(one, name) != getattr(other, name) for name in names):
        return False
    return bool(one.parts.shape == other.parts.shape)
