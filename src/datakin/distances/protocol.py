"""compare, rank and matrix, which every distance inherits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any

import numpy as np

from datakin._core.checks import check_callback
from datakin._core.exceptions import DatakinWarning, Interrupted, warn
from datakin._core.progress import progress
from datakin.data import Dataset, coerce, for_matrix, for_ranking
from datakin.distances.results import Distance, DistanceMatrix, DistanceRanking
from datakin.results.record import Provenance, make_provenance

__all__ = ["Rival"]


class Rival:
    """What all distances share: a subclass is a frozen dataclass with ``between``."""

    def between(self, target: Any, source: Any) -> float:
        """Return the distance between two datasets."""
        raise NotImplementedError

    def compare(self, target: Any, source: Any) -> Distance:
        """Compare one target with one source.

        Parameters
        ----------
        target, source : Dataset or (X, y)

        Returns
        -------
        Distance
        """
        datasets = [coerce(target, "target"), coerce(source, "source")]
        if datasets[0].name == datasets[1].name:
            datasets[1] = datasets[1].renamed(f"{datasets[1].name} (again)")
        return self._pairs(datasets, [(0, 1)])[0, 1]

    def rank(
        self, target: Any, sources: Any, *, on_result: Callable[[Distance], None] | None = None
    ) -> DistanceRanking:
        """Rank several sources for one target, nearest first.

        Parameters
        ----------
        target : Dataset or (X, y)
        sources : list of datasets, or mapping of name to dataset
        on_result : callable, optional
            Called with the Distance of each source as soon as it is finished.

        Returns
        -------
        DistanceRanking
        """
        datasets = for_ranking(target, sources)
        check_callback(on_result)
        found = self._pairs(datasets, [(0, j) for j in range(1, len(datasets))], on_result)
        ordered = sorted(found.values(), key=lambda c: (c.score, c.source))
        return DistanceRanking(datasets[0].name, tuple(ordered))

    def matrix(self, datasets: Any) -> DistanceMatrix:
        """Compare every dataset with every other.

        Parameters
        ----------
        datasets : list of datasets, or mapping of name to dataset

        Returns
        -------
        DistanceMatrix
            Symmetric: for a distance with a direction (KL), the mean of both.
        """
        members = for_matrix(datasets)
        pairs = list(combinations(range(len(members)), 2))
        if self.is_directed:
            pairs += [(j, i) for i, j in pairs]
        found = self._pairs(members, pairs)
        scores = np.zeros((len(members), len(members)))
        for (i, j), distance in found.items():
            scores[i, j] = distance.score
            if not self.is_directed:
                scores[j, i] = distance.score
        scores = (scores + scores.T) / 2
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
        with (
            warnings.catch_warnings(record=True) as caught,
            progress(f"{type(self).__name__}: {len(pairs)} pair(s)", len(pairs)) as advance,
        ):
            warnings.simplefilter("always", DatakinWarning)
            try:
                for i, j in pairs:
                    found[i, j] = self._one(datasets[i], datasets[j])
                    if on_result is not None:
                        on_result(found[i, j])
                    advance()
            except KeyboardInterrupt:
                raise Interrupted(f"Interrupted with {len(found)} of {len(pairs)} pairs.") from None
        for text in dict.fromkeys(str(w.message) for w in caught):
            warn(text)
        return found

    def _one(self, target: Dataset, source: Dataset) -> Distance:
        return Distance(
            target.name,
            source.name,
            type(self).__name__,
            float(self.between(target, source)),
            {d.name: d.n_rows for d in (target, source)},
            (),
            self._provenance([target, source]),
        )

    def _provenance(self, datasets: Sequence[Dataset]) -> Provenance:
        options = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        seed = int(options.get("random_state", 0))
        prints = {d.name: d.fingerprint for d in datasets}
        return make_provenance(seed, {"method": type(self).__name__, **options}, prints)
