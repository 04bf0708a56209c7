"""A dataset as learners take it, which make all fits of a plan at once: one encoder, one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learners.content import Arranged, arranged
from datakin.learners.encoding import TableEncoder, in_full
from datakin.learners.folds import Plan
from datakin.learners.learner import PlanFits, PlanLearner, Rows, responses


@dataclass(frozen=True, eq=False)
class PlanRows:
    """The rows of a dataset in the order of their content, encoded once for all fits of a plan."""

    arranged: Arranged
    encoder: TableEncoder
    rows: Rows

    @classmethod
    def make(cls, dataset: Dataset, columns: Sequence[str]) -> PlanRows:
        """Return some columns of a dataset."""
        found = arranged(dataset)
        features = in_full(found.dataset.features.select(columns), dataset.name).canonical()
        encoder = TableEncoder.learn([features])
        Y, kind = responses(found.dataset.y, len(dataset.classes))
        rows = Rows(encoder.apply(features), Y, np.ones(dataset.n_rows), kind, encoder.names)
        return cls(found, encoder, rows)

    def fit(self, learner: PlanLearner, plan: Plan) -> PlannedFits:
        """Make all fits of a plan."""
        place = self.arranged.place
        made = learner.fit_plan(self.rows, [np.sort(place[train]) for train in plan.trains])
        return PlannedFits(made, self.arranged.classes)

    def own_scores(self, fits: PlannedFits, plan: Plan) -> list[Array | None]:
        """Return scores of the rows that each fit left out, NaN elsewhere; None for that of all rows."""
        outputs = fits.scores(self.rows.X, len(plan.trains))[:, self.arranged.place]
        for scores, train in zip(outputs, plan.trains, strict=True):
            scores[train] = np.nan
        return [None, *outputs[1:]]


@dataclass(frozen=True, eq=False)
class PlannedFits:
    """All fits of one learner; `classes` says which of its responses is each class of the dataset."""

    fits: PlanFits
    classes: Array

    def scores(self, X: Array, n_fits: int) -> Array:
        """Return scores of the first fits for rows: of shape (fits, n, classes), or (fits, n, 1)."""
        found = np.asarray(self.fits.outputs(X, n_fits))
        if len(self.classes) == 2:
            found = np.concatenate([1 - found, found], axis=-1)
        if not np.isfinite(found).all():
            raise ValueError("predictions that are NaN or infinite")
        return found[..., self.classes] if len(self.classes) else found
