"""The results of distances: numbers without zones or intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from datakin.data.features import Array
from datakin.results import Ordered, Provenance, Square
from datakin.results.record import Record, cell, plain

__all__ = ["Distance", "DistanceMatrix", "DistanceRanking"]


@dataclass(frozen=True, repr=False, eq=False)
class Distance(Record):
    """How far apart a distance puts two datasets.

    Attributes
    ----------
    target, source : str
    method : str
        Name of the distance.
    score : float
        The distance: small means near.
    n_rows : dict of str to int
    notes : tuple of str
    provenance : Provenance
    """

    target: str
    source: str
    method: str
    score: float
    n_rows: dict[str, int]
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def headline(self) -> str:
        """The result in a few words."""
        return f"{self.method} {cell(self.score)}"

    @property
    def frame(self) -> pd.DataFrame:
        """One row with the main numbers."""
        return pd.DataFrame([self.row()])

    def row(self) -> dict[str, Any]:
        """Return the main numbers as a mapping: the row of a ranking."""
        return {
            "target": self.target,
            "source": self.source,
            "score": self.score,
            "n_rows": self.n_rows[self.source],
        }

    def __repr__(self) -> str:
        return f"Distance({self.target!r} ~ {self.source!r}: {self.headline})"

    def __str__(self) -> str:
        return f"{plain(self.source)} -> {plain(self.target)}: {self.headline}"


@dataclass(frozen=True, repr=False, eq=False)
class DistanceRanking(Ordered[Distance]):
    """Sources of one target, nearest first.

    Attributes
    ----------
    target : str
    comparisons : tuple of Distance
        Sorted by score.
    """

    target: str
    comparisons: tuple[Distance, ...]

    @property
    def method(self) -> str:
        """Name of the distance."""
        return self.best.method

    @property
    def title(self) -> str:
        """The line above the table."""
        return f"Sources for {self.target!r}, nearest by {self.method} first"

    @property
    def closing(self) -> str:
        """What a distance can tell, and what it cannot."""
        what = "features and labels" if self.method == "OTDD" else "features"
        return f"A distance tells how far {what} lie apart; it has no zones and no interval."


@dataclass(frozen=True, repr=False, eq=False)
class DistanceMatrix(Square):
    """Distances between all pairs of datasets.

    Attributes
    ----------
    names : tuple of str
    method : str
        Name of the distance.
    scores : ndarray of shape (N, N)
        The distances: symmetric, 0 on the diagonal.
    provenance : Provenance
    """

    word = "distance"

    names: tuple[str, ...]
    method: str
    scores: Array
    provenance: Provenance

    @property
    def title(self) -> str:
        """The line above the table."""
        return f"Distances of {len(self)} datasets ({self.method}): small means near"

    def __repr__(self) -> str:
        clusters = len(set(self.clusters().values()))
        return f"DistanceMatrix({len(self)} datasets by {self.method}, {clusters} cluster(s))"
