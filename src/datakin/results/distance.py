"""The result of a rival distance between two datasets: a number, without zones or intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from datakin.results.record import Provenance, Record
from datakin.results.text import cell, plain

__all__ = ["Distance"]


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
