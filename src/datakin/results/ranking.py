"""The result of ranking sources for one target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from datakin.results.comparison import Comparison
from datakin.results.record import Record
from datakin.results.text import table

__all__ = ["Ranking"]


@dataclass(frozen=True, repr=False, eq=False)
class Ranking(Record):
    """Sources of one target, closest kin first.

    Attributes
    ----------
    target : str
    comparisons : tuple of Comparison
        Sorted by score.
    n_fits : int
        Fits the ranking cost.
    """

    target: str
    comparisons: tuple[Comparison, ...]
    n_fits: int

    @property
    def frame(self) -> pd.DataFrame:
        """One row per source, closest kin first."""
        return pd.DataFrame([c.row() for c in self.comparisons]).drop(columns="target")

    @property
    def best(self) -> Comparison:
        """The comparison with the lowest score."""
        return self.comparisons[0]

    def __getitem__(self, source: str) -> Comparison:
        for comparison in self.comparisons:
            if comparison.source == source:
                return comparison
        raise KeyError(source)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __repr__(self) -> str:
        return (
            f"Ranking(target {self.target!r}, {len(self)} sources; best {self.best.source!r}: "
            f"score {self.best.score:.4f}, {self.best.zone.value})"
        )

    def __str__(self) -> str:
        return f"Sources for {self.target!r}, closest kin first\n{table(self.frame)}"
