"""compare, rank and matrix, which every distance inherits, and their results: numbers without zones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.checks import check_callback
from datakin._core.exceptions import DatakinWarning, Interrupted, warn
from datakin._core.progress import progress
from datakin._core.warned import filters_kept, heard
from datakin.data import Dataset, coerce, for_matrix, for_ranking, unweighted
from datakin.data.features import Array
from datakin.results import Ordered, Provenance, Square
from datakin.results.answer import Answer, AnswerTable, Row
from datakin.results.matrix_answer import square_table
from datakin.results.record import Record, cell, make_provenance
from datakin.results.words import short

ABOUT = {
    False: "A distance tells how far features lie apart, not whether learning from a table helps.",
    True: "This distance looks at features and labels; it does not tell whether learning from a table helps.",
}


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

    @property
    def answer(self) -> Answer:
        """The distance in words."""
        names = f"{short(self.target)} and {short(self.source)}"
        said = f"{self.method} distance of {names}: {cell(self.score)}."
        return Answer("plain", said, (ABOUT[self.method == "OTDD"],), notes=self.notes)


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
    def answer(self) -> Answer:
        """The sources, nearest first."""
        rows = [Row((c.source, cell(c.score), f"{c.n_rows[c.source]:,}")) for c in self.comparisons]
        return Answer(
            "plain",
            f"Nearest to {short(self.target)} by {self.method}: {short(self.best.source)}.",
            (ABOUT[self.method == "OTDD"],),
            AnswerTable(("source", "distance", "rows"), tuple(rows), ("distance", "rows")),
            notes=tuple(dict.fromkeys(note for c in self for note in c.notes)),
        )


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
    def answer(self) -> Answer:
        """The distances of all pairs."""
        return Answer(
            "plain",
            f"Distances of {len(self)} datasets by {self.method}: small means near.",
            (ABOUT[self.method == "OTDD"],),
            square_table(self),
        )

    def __repr__(self) -> str:
        clusters = len(set(self.clusters().values()))
        return f"DistanceMatrix({len(self)} datasets by {self.method}, {clusters} cluster(s))"


class Rival:
    """What all distances share: a subclass is a frozen dataclass with ``between``."""

    def between(self, target: Any, source: Any) -> float:
        """Return the distance between two datasets."""
        raise NotImplementedError

    @filters_kept()
    def compare(self, target: Any, source: Any) -> Distance:
        """Compare one target with one source, as `datakin.distances.compare` does."""
        datasets = unweighted([coerce(target, "target"), coerce(source, "source")])
        if datasets[0].name == datasets[1].name:
            datasets[1] = datasets[1].renamed(f"{datasets[1].name} (again)")
        return self._pairs(datasets, [(0, 1)])[0, 1]

    @filters_kept()
    def rank(
        self, target: Any, sources: Any, *, on_result: Callable[[Distance], None] | None = None
    ) -> DistanceRanking:
        """Rank several sources for one target, as `datakin.distances.rank` does."""
        datasets = for_ranking(target, sources)
        check_callback(on_result)
        found = self._pairs(datasets, [(0, j) for j in range(1, len(datasets))], on_result)
        ordered = sorted(found.values(), key=lambda c: (c.score, c.source))
        return DistanceRanking(datasets[0].name, tuple(ordered))

    @filters_kept()
    def matrix(self, datasets: Any) -> DistanceMatrix:
        """Compare every dataset with every other, as `datakin.distances.matrix` does."""
        members = for_matrix(datasets)
        pairs = list(combinations(range(len(members)), 2))
        if self.is_directed:
            pairs += [(j, i) for i, j in pairs]
        scores = np.zeros((len(members), len(members)))
        for (i, j), distance in self._pairs(members, pairs).items():
            scores[i, j] = distance.score
        scores = (scores + scores.T) / (2 if self.is_directed else 1)
        names = tuple(d.name for d in members)
        return DistanceMatrix(names, type(self).__name__, scores, self._provenance(members))

    @property
    def is_directed(self) -> bool:
        """Whether swapping target and source changes the distance."""
        return False

    def _pairs(
        self,
        datasets: Sequence[Dataset],
        pairs: Sequence[tuple[int, int]],
        on_result: Callable[[Distance], None] | None = None,
    ) -> dict[tuple[int, int], Distance]:
        found: dict[tuple[int, int], Distance] = {}
        caught: dict[str, None] = {}

        def note(kind: type[Warning], text: str) -> None:
            if issubclass(kind, DatakinWarning):
                caught[text] = None
            elif not issubclass(kind, (DeprecationWarning, PendingDeprecationWarning)):
                caught[f"{kind.__name__}: {text}"] = None

        with progress(f"{type(self).__name__}: {len(pairs)} pair(s)", len(pairs)) as advance:
            try:
                for i, j in pairs:
                    with heard(note):
                        found[i, j] = self._measured(datasets[i], datasets[j])
                    if on_result is not None:
                        on_result(found[i, j])
                    advance()
            except KeyboardInterrupt:
                raise Interrupted(f"Interrupted with {len(found)} of {len(pairs)} pairs.") from None
        for text in caught:
            warn(text)
        return found

    def _measured(self, target: Dataset, source: Dataset) -> Distance:
        score, both = float(self.between(target, source)), (target, source)
        n_rows, origin = {d.name: d.n_rows for d in both}, self._provenance(both)
        return Distance(target.name, source.name, type(self).__name__, score, n_rows, (), origin)

    def _provenance(self, datasets: Sequence[Dataset]) -> Provenance:
        options = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        seed = int(options.get("random_state", 0))
        prints = {d.name: d.fingerprint for d in datasets}
        return make_provenance(seed, {"method": type(self).__name__, **options}, prints)
