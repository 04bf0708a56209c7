"""The evidence of a target: what learners say of its rows that they never saw. Nothing here fits.

All that is said of a target's sources is computed from it: gains, weights, errors, shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from datakin.data.features import Array
from datakin.learners.learner import Kind

TARGET, BOTH, ALL = "target", "target + all", "all"


@dataclass(frozen=True)
class Candidate:
    """One predictor of the stack: its learner, and what it is learned from.

    "target", "target + all", "all", or "source", which then has a name.
    """

    learner: str
    rows: str
    source: str = ""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Predictions of a target's rows by candidates that never saw them.

    Attributes
    ----------
    kind : {"binary", "multiclass", "regression"}
    Y : ndarray of shape (n, m)
        What is predicted.
    weights : ndarray of shape (n,)
        How much each row counts, 1 on average.
    groups : ndarray of int, or None
        Rows that belong together, as codes.
    candidates : tuple of Candidate
    sizes : mapping of str to int
        How many rows of each source were learned from; without those whose rows are not here.
    folds : tuple of ndarray
        For each draw of the folds, that of each row.
    predictions : tuple of ndarray
        For each draw, of shape (candidates, n, m). NaN of candidates that were not asked.
    pooled : mapping of source to tuple of ndarray
        The first learner's predictions from one pool of target and source, for the draws of its trial.
    halves : tuple of ndarray
        For each draw, predictions of the learners from one half of the target of the other, of shape
        (learners, n, m).
    """

    kind: Kind
    Y: Array
    weights: Array
    groups: Array | None
    candidates: tuple[Candidate, ...]
    sizes: Mapping[str, int]
    folds: tuple[Array, ...] = ()
    predictions: tuple[Array, ...] = ()
    pooled: Mapping[str, tuple[Array, ...]] = field(default_factory=dict)
    halves: tuple[Array, ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of all sources, those whose rows are not here too."""
        return [*dict.fromkeys([*self.sizes, *(c.source for c in self.candidates if c.source)])]

    @cached_property
    def own(self) -> Array:
        """Which candidates are learned from the target alone."""
        return np.array([c.rows == TARGET for c in self.candidates])

    @cached_property
    def in_pools(self) -> Array:
        """Which candidates are learned from the target and all sources."""
        return np.array([c.rows == BOTH for c in self.candidates])

    @cached_property
    def together(self) -> Array:
        """Which candidates are learned from all sources; of one source, all is that source."""
        kinds = (ALL, "source") if len(self.names) == 1 else (ALL,)
        return np.array([c.rows in kinds for c in self.candidates])

    def with_draw(self, folds: Array, predictions: Array) -> Evidence:
        """Return the evidence with one more draw of the folds."""
        more = (*self.predictions, predictions)
        return replace(self, folds=(*self.folds, folds), predictions=more)

    def first(self, n_draws: int) -> Evidence:
        """Return the evidence of the first draws of the folds alone."""
        return replace(self, folds=self.folds[:n_draws], predictions=self.predictions[:n_draws])

    def shares(self, weights: Array) -> dict[str, float]:
        """Return each source's share of the prediction."""
        total, own = sum(self.sizes.values()), len(self.Y)
        found = dict.fromkeys(self.names, 0.0)
        for candidate, weight in zip(self.candidates, weights, strict=True):
            if candidate.rows == "source":
                found[candidate.source] += float(weight)
            elif candidate.rows in (ALL, BOTH):
                of = total if candidate.rows == ALL else total + own
                for name, size in self.sizes.items():
                    found[name] += float(weight) * size / of
        return found


@dataclass(frozen=True, eq=False)
class TargetEvidence:
    """The evidence of a target and its sources, and what it is about.

    Attributes
    ----------
    target, label, task : str
    classes : tuple of str
    y : ndarray
        Class codes, or numbers, of the rows that were learned from.
    loss : str
        What errors are stated in.
    has_own_loss : bool
        Whether that is a function of the user's own.
    options : mapping
        How it was measured; with the seed.
    n_rows : mapping of source to int
        Rows that were learned from.
    unusable : mapping of source to str
        Why a source could not be used.
    notes : tuple of str
        What was done to the tables.
    fingerprints : mapping of dataset to str
    whole : Evidence
        Of all sources.
    chosen : Evidence or None
        Of the sources that are used, in the same draws of the folds; None where only trials were asked for.
    """

    target: str
    label: str
    task: str
    classes: tuple[str, ...]
    y: Array
    loss: str
    has_own_loss: bool
    options: Mapping[str, Any]
    seed: int
    n_rows: Mapping[str, int]
    unusable: Mapping[str, str]
    notes: tuple[str, ...]
    fingerprints: Mapping[str, str]
    whole: Evidence
    chosen: Evidence | None = None
