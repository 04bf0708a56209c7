"""Sums: what is kept of a direction of a pair where its rows are not, and all of them in little room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from datakin.data.features import Array

__all__ = ["Grams", "PackedSums", "WaySums"]


@dataclass(frozen=True, eq=False, slots=True)
class WaySums:
    """One direction of a pair without its rows: what `datakin.scoring.ways` reads scores from.

    Attributes
    ----------
    trained_on, tested_on : str
    models : tuple of str
        Those that work on both datasets.
    sizes : tuple of str
        The scores that can be had: "paper", "matched" and perhaps "limit".
    estimate : str
        What the sums are of.
    parts : ndarray of shape (S, 4 + K)
        For each size cross error, own error, variance from the tested rows, least standard error, and
        the cross errors without each fold.
    by_model : ndarray of shape (M, S, 2)
        Cross and own error of every model.
    own : ndarray of shape (3,)
        The tested dataset's own error, and its standard error from rows and from folds.
    curve : ndarray
        The numbers of the tested dataset's learning curve.
    weights : ndarray
        Ensemble weights of the tested dataset, for all models.
    all_models : tuple of str
    """

    trained_on: str
    tested_on: str
    models: tuple[str, ...]
    sizes: tuple[str, ...]
    estimate: str
    parts: Array
    by_model: Array
    own: Array
    curve: Array
    weights: Array
    all_models: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Grams:
    """How the losses of a target's sources vary together, summed over the target's rows.

    Attributes
    ----------
    sources : tuple of str
    size : str
        The score whose losses `products` are of.
    products : ndarray of shape (m, m)
        Sums of products of what each row (or group) adds to the sources' errors.
    n : int
        Number of rows, or groups.
    """

    sources: tuple[str, ...]
    size: str
    products: Array
    n: int

    def only(self, names: Iterable[str]) -> Grams:
        """Return the sums of some of the sources."""
        wanted = set(names)
        at = [i for i, name in enumerate(self.sources) if name in wanted]
        kept = tuple(self.sources[i] for i in at)
        return Grams(kept, self.size, self.products[np.ix_(at, at)], self.n)


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
        numbers, n = np.frombuffer(packed), common.parts.size
        parts = numbers[:n].reshape(common.parts.shape)
        by_model = numbers[n:].reshape(common.by_model.shape)
        return WaySums(
            trained_on,
            tested_on,
            common.models,
            common.sizes,
            common.estimate,
            parts,
            by_model,
            common.own,
            common.curve,
            common.weights,
            common.all_models,
        )

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((one, tested) for tested, of_tested in self._found.items() for one in of_tested)

    def __len__(self) -> int:
        return sum(map(len, self._found.values()))


def _packed(way: WaySums) -> bytes:
    return np.concatenate([way.parts.ravel(), way.by_model.ravel()]).tobytes()


def _are_alike(one: WaySums, other: WaySums) -> bool:
    """Whether two directions to one dataset differ in parts and models' errors alone."""
    if not (one.own is other.own and one.curve is other.curve and one.weights is other.weights):
        return False
    names = ("models", "sizes", "estimate", "all_models")
    if any(getattr(one, name) != getattr(other, name) for name in names):
        return False
    return bool(one.parts.shape == other.parts.shape)
