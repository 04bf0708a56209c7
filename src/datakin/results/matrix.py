"""Comparing every dataset with every other: scores, clusters and a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.results.answer import Answer
from datakin.results.matrix_answer import matrix_answer
from datakin.results.record import Provenance, Record
from datakin.results.zones import Zone


class Square(Record):
    """What matrices of scores and matrices of distances share: clusters, a tree, a map, text.

    Attributes
    ----------
    names : tuple of str
    scores : ndarray of shape (N, N)
        Symmetric, 0 on the diagonal; small means near.
    """

    names: tuple[str, ...]
    scores: Array
    word: ClassVar[str]  # what one number is called

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair: target, source and score."""
        rows, columns = np.triu_indices(len(self), 1)
        sides = {"target": rows, "source": columns}
        names = {side: [self.names[k] for k in places] for side, places in sides.items()}
        return pd.DataFrame({**names, "score": self.scores[rows, columns]})

    @property
    def shown(self) -> str:
        """The column of the frame that says what to make of a pair, if there is one."""
        return ""

    @property
    def square(self) -> pd.DataFrame:
        """The scores as a labelled square."""
        return pd.DataFrame(self.scores, index=list(self.names), columns=list(self.names))

    @property
    def distances(self) -> Array:
        """Scores as distances: symmetric, not below 0, 0 on the diagonal."""
        distances = np.maximum(self.scores / 2 + self.scores.T / 2, 0.0)
        np.fill_diagonal(distances, 0.0)
        return np.asarray(distances)

    @property
    def tree(self) -> Array:
        """Average-linkage tree of the datasets (scipy's linkage matrix)."""
        return self._joined(self.distances, "average")

    def _joined(self, distances: Array, how: Literal["average", "complete"]) -> Array:
        """Return the tree of some distances."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        return np.asarray(linkage(squareform(distances, checks=False), how))

    def clusters(self, n: int | None = None) -> dict[str, int]:
        """Return the cluster number of each dataset.

        Parameters
        ----------
        n : int, optional
            How many clusters. By default, for scores, datasets stay together while no pair among
            them hurts (is negative), either way, or was not tried and has a score that reaches
            `thresholds`; for distances, up to the widest gap between successive merges.

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
        """Return the height at which the tree is cut by default: the widest gap between merges."""
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
        largest = points[np.argmax(np.abs(points), axis=0), range(len(top))]
        points *= np.where(largest < 0, -1.0, 1.0)
        points = np.column_stack([points, np.zeros((n, 2 - len(top)))])
        clusters = self.clusters()
        places = {"x": points[:, 0], "y": points[:, 1]}
        groups = [clusters[name] for name in self.names]
        return pd.DataFrame({"name": list(self.names), **places, "cluster": groups})

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, repr=False, eq=False)
class Matrix(Square):
    """Cross-Learning Scores of all pairs of datasets.

    Attributes
    ----------
    names : tuple of str
    scores : ndarray of shape (N, N)
        Symmetric, 0 on the diagonal.
    n_fits : int
        Fits the matrix cost.
    provenance : Provenance
    standard_errors, lows, highs : ndarray of shape (N, N)
        Standard errors and 95% intervals.
    discrepancies : ndarray of shape (N, N)
        ``discrepancies[i, j]``: error on dataset j of the predictors trained on dataset i, minus
        the error of dataset j's own.
    errors : ndarray of shape (N, N)
        ``errors[i, j]``: error on dataset j of the predictors trained on dataset i; own
        cross-validated error on the diagonal (NaN where it differs from pair to pair, as
        when pairs share different columns).
    zones : tuple of tuples of Zone
        ``zones[i][j]``: whether training on dataset i should help on dataset j. By the paper's rule
        they are the same both ways.
    thresholds : ndarray of shape (N, N)
        The score at which a pair counts as negative by the paper's rule.
    notes : tuple of str
    complete : bool
        False when the run was interrupted and datasets are missing.
    rule : str
        What decided the zones: "trial" (``calls=True``), "paper", or "none": no pair was tried. Empty
        in results of earlier versions.
    gains : ndarray of shape (N, N) or None
        ``gains[i, j]``: by how much the loss of dataset j should fall with dataset i, as a share of
        what it loses alone; NaN where that was not tried. None if nothing was.
    """

    word = "score"

    names: tuple[str, ...]
    scores: Array
    n_fits: int
    provenance: Provenance
    standard_errors: Array
    lows: Array
    highs: Array
    discrepancies: Array
    errors: Array
    zones: tuple[tuple[Zone, ...], ...]
    thresholds: Array
    notes: tuple[str, ...] = ()
    complete: bool = True
    rule: str = ""
    gains: Array | None = None

    def __post_init__(self) -> None:
        if self.zones == ():  # how earlier versions wrote matrices of distances
            raise DatakinError(
                "A Matrix holds scores with zones. This one has none: matrices of distances that "
                "earlier versions wrote must be computed again, with datakin.distances.matrix."
            )

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair: target, source, score, low, high, zone, calls, both discrepancies.

        `zone` and `call` are of the source for the target, `call_back` of the target for the source.
        With trials also `gain` and `gain_back`.
        """
        rows, columns = np.triu_indices(len(self), 1)
        zones = np.array(self.zones, dtype=object)
        frame = super().frame.assign(
            low=self.lows[rows, columns],
            high=self.highs[rows, columns],
            zone=[zone.value for zone in zones[columns, rows]],
            call=[zone.call for zone in zones[columns, rows]],
            call_back=[zone.call for zone in zones[rows, columns]],
            source_to_target=self.discrepancies[columns, rows],
            target_to_source=self.discrepancies[rows, columns],
        )
        if self.gains is not None:
            frame["gain"], frame["gain_back"] = self.gains[columns, rows], self.gains[rows, columns]
        return frame

    @property
    def shown(self) -> str:
        """The column that says what to make of a pair: the call, or the paper's zone."""
        return "zone" if self.rule == "paper" else "call"

    @property
    def calls(self) -> pd.DataFrame:
        """The calls as a labelled square: rows are what is trained with, columns are targets.

        "-" on the diagonal, and for a dataset with the same rows.
        """
        words = np.array([[zone.call for zone in row] for row in self.zones], dtype=object)
        if self.gains is not None:
            words[np.isnan(self.gains) & (words != Zone.UNTRIED.call)] = "-"
        np.fill_diagonal(words, "-")
        return pd.DataFrame(words, index=list(self.names), columns=list(self.names))

    @property
    def are_apart(self) -> Array:
        """Which pairs hurt (are negative), or were not tried and have a score that reaches `thresholds`.

        One way or the other.
        """
        zones = np.array(self.zones, dtype=object)
        far = (self.scores > 0) & (self.scores >= self.thresholds)
        apart = (zones == Zone.NEGATIVE) | ((zones == Zone.UNTRIED) & far)
        np.fill_diagonal(apart, False)
        return np.asarray(apart | apart.T)

    @property
    def _lifted(self) -> tuple[Array, float]:
        """Distances in which pairs that are apart are no nearer than any other, and what lies between."""
        distances, apart = self.distances, self.are_apart
        others = distances[~apart]
        near = float(others.max()) if others.size else 0.0
        far = 1.1 * near or float(distances.max()) or 1.0
        lifted = np.where(apart, np.maximum(distances, far), distances)
        return np.asarray(lifted), (near + far) / 2

    @property
    def tree(self) -> Array:
        """Complete-linkage tree of the datasets (scipy's linkage matrix).

        The height of a join is the largest score between the two groups. Pairs that are apart stand
        above all others, so that a cut below them leaves clusters without such a pair.
        """
        return self._joined(self._lifted[0], "complete")

    def _cut(self) -> float:
        """Return the height at which the tree is cut by default: below the pairs that are apart."""
        return self._lifted[1]

    def __repr__(self) -> str:
        clusters = len(set(self.clusters().values()))
        return f"Matrix({len(self)} datasets, {clusters} cluster(s), {self.n_fits} fits)"

    @property
    def answer(self) -> Answer:
        """Which datasets go together, and which pairs hurt."""
        return matrix_answer(self)
