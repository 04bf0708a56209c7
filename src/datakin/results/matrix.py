"""The result of comparing every dataset with every other: scores, clusters and a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.results.record import Provenance, Record
from datakin.results.text import plain, table
from datakin.results.zones import Zone

__all__ = ["Matrix"]

WIDEST = 10  # a larger square does not fit on a terminal


@dataclass(frozen=True, repr=False, eq=False)
class Matrix(Record):
    """Scores of all pairs of datasets.

    Attributes
    ----------
    names : tuple of str
    scores : ndarray of shape (N, N)
        Symmetric, 0 on the diagonal.
    n_fits : int
        Fits the matrix cost.
    provenance : Provenance
    notes : tuple of str
    complete : bool
        False when the run was interrupted and datasets are missing.
    standard_errors, lows, highs : ndarray of shape (N, N) or None
        Standard errors and 95% intervals. None, like all below, for distances.
    discrepancies : ndarray of shape (N, N) or None
        ``discrepancies[i, j]``: error on dataset j of the predictors trained on dataset i, minus
        the error of dataset j's own.
    errors : ndarray of shape (N, N) or None
        ``errors[i, j]``: error on dataset j of the predictors trained on dataset i; own
        cross-validated error on the diagonal (NaN where it differs from pair to pair, as
        when pairs share different columns).
    zones : tuple of tuples of Zone
        ``zones[i][j]``: whether training on dataset i should help on dataset j. By the gain they come
        from the formula alone, for no pools are tried; by the paper's rule they are the same both ways.
    thresholds : ndarray of shape (N, N) or None
        The score at which a pair counts as negative by the paper's rule.
    """

    names: tuple[str, ...]
    scores: Array
    n_fits: int
    provenance: Provenance
    notes: tuple[str, ...] = ()
    complete: bool = True
    standard_errors: Array | None = None
    lows: Array | None = None
    highs: Array | None = None
    discrepancies: Array | None = None
    errors: Array | None = None
    zones: tuple[tuple[Zone, ...], ...] = ()
    thresholds: Array | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair: target, source, score, low, high, zone and both discrepancies."""
        rows, columns = np.triu_indices(len(self.names), 1)
        table = pd.DataFrame(
            {
                "target": [self.names[i] for i in rows],
                "source": [self.names[j] for j in columns],
                "score": self.scores[rows, columns],
            }
        )
        for name, values in (("low", self.lows), ("high", self.highs)):
            if values is not None:
                table[name] = values[rows, columns]
        if self.zones:
            table["zone"] = [self.zones[j][i].value for i, j in zip(rows, columns, strict=True)]
        if self.discrepancies is not None:
            table["source_to_target"] = self.discrepancies[columns, rows]
            table["target_to_source"] = self.discrepancies[rows, columns]
        return table

    @property
    def square(self) -> pd.DataFrame:
        """The scores as a labelled square."""
        return pd.DataFrame(self.scores, index=list(self.names), columns=list(self.names))

    @property
    def distances(self) -> Array:
        """Scores as distances: symmetric, not below 0, 0 on the diagonal."""
        distances = np.maximum((self.scores + self.scores.T) / 2, 0.0)
        np.fill_diagonal(distances, 0.0)
        return np.asarray(distances)

    @property
    def tree(self) -> Array:
        """Average-linkage tree of the datasets (scipy's linkage matrix)."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        return np.asarray(linkage(squareform(self.distances, checks=False), "average"))

    def clusters(self, n: int | None = None) -> dict[str, int]:
        """Return the cluster number of each dataset.

        Parameters
        ----------
        n : int, optional
            How many clusters. By default datasets stay together while the average score between
            two clusters is below the median threshold for negative transfer; for distances, which
            have no threshold, up to the widest gap between successive merges.

        Returns
        -------
        dict of str to int
            Numbered from 1 in order of appearance.
        """
        from scipy.cluster.hierarchy import fcluster

        if n is None:
            raw = fcluster(self.tree, self._cut(), "distance")
        else:
            if not 1 <= n <= len(self.names):
                raise DatakinError(
                    f"The number of clusters must lie between 1 and {len(self.names)}. Got {n}."
                )
            raw = fcluster(self.tree, n, "maxclust")
        order = {c: number for number, c in enumerate(dict.fromkeys(raw.tolist()), start=1)}
        return {name: order[c] for name, c in zip(self.names, raw.tolist(), strict=True)}

    def _cut(self) -> float:
        """Return the height at which the tree is cut by default."""
        if self.thresholds is not None:
            return float(np.median(self.thresholds[np.triu_indices(len(self.names), 1)]))
        heights = np.concatenate([[0.0], self.tree[:, 2]])
        widest = int(np.argmax(np.diff(heights)))
        return float(heights[widest : widest + 2].mean())

    @property
    def map(self) -> pd.DataFrame:
        """Two-dimensional map by classical multidimensional scaling: name, x, y, cluster."""
        squared = self.distances**2
        n = len(squared)
        centring = np.eye(n) - 1 / n
        values, vectors = np.linalg.eigh(-0.5 * centring @ squared @ centring)
        top = np.argsort(values)[::-1][:2]
        points = vectors[:, top] * np.sqrt(np.maximum(values[top], 0.0))
        # An eigenvector's sign is arbitrary: the largest coordinate of each axis is positive.
        points *= np.where(
            points[np.argmax(np.abs(points), axis=0), range(len(top))] < 0, -1.0, 1.0
        )
        points = np.column_stack([points, np.zeros((n, 2 - len(top)))])
        clusters = self.clusters()
        return pd.DataFrame(
            {
                "name": list(self.names),
                "x": points[:, 0],
                "y": points[:, 1],
                "cluster": [clusters[name] for name in self.names],
            }
        )

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        clusters = len(set(self.clusters().values()))
        return f"Matrix({len(self)} datasets, {clusters} cluster(s), {self.n_fits} fits)"

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int | None = None) -> str:
        """Return scores and clusters as text; the square if it is small and fits the width."""
        title = f"Cross-learning scores of {len(self)} datasets: small means kin"
        if not self.zones:
            method = self.provenance.options.get("method", "")
            title = f"Distances of {len(self)} datasets ({method}): small means near"
        if not self.complete:
            title += " (interrupted: not all datasets)"
        groups: dict[int, list[str]] = {}
        for name, cluster in self.clusters().items():
            groups.setdefault(cluster, []).append(name)
        lines = [
            f"  {number}: {', '.join(map(plain, members))}" for number, members in groups.items()
        ]
        return "\n".join([title, self._body(width), "clusters", *lines])

    def _body(self, width: int | None) -> str:
        if len(self) <= WIDEST:
            square = table(self.square.reset_index(names=""))
            if width is None or max(map(len, square.splitlines())) <= width:
                return square
        shown = ["target", "source", "score", *(["zone"] if self.zones else [])]
        pairs = self.frame.sort_values("score")[shown]
        return (
            f"closest pairs\n{table(pairs.head(8))}\nfarthest pairs\n{table(pairs.tail(8))}\n"
            f"(all {len(pairs)} pairs are in .frame, the square in .square)"
        )
