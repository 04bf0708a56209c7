"""Metrics of a pair, from predictions that were kept; from errors alone where they were not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datakin.cross_errors.pieces import labels_and_loss
from datakin.cross_errors.predictions import PlanReading
from datakin.cross_errors.records import Key, PairFacts, Piece
from datakin.cross_errors.table import ErrorTable
from datakin.data.features import Array
from datakin.learners.metrics import Metrics, agreeing, class_metrics, number_metrics
from datakin.learners.stack.records import Trial
from datakin.scoring.cls import AVERAGES, Direction, Discrepancy
from datakin.scoring.ways import RowsWay, Way

Draws = list[tuple["Array | None", Array]]  # outputs and decided classes, of each repeat


def pair_metrics(
    table: ErrorTable, facts: PairFacts, ways: Sequence[Way], chosen: Sequence[Discrepancy]
) -> dict[str, Metrics]:
    """Return the metrics of both datasets on themselves and on each other.

    Each is a mean over the predictors whose error is stated, so that accuracy and RMSE are exactly what
    the errors say. `ways` and their errors are from source to target, then from target to source.
    """
    rows = [way.rows for way in ways if way.rows is not None]
    if table.options.size == "limit" or len(rows) < 2:
        return {}
    forth, back = (
        _Side(table, side, way) for side, way in zip((facts, facts.swapped()), rows, strict=True)
    )
    return {
        "source_to_target": forth.cross(chosen[0].cross),
        "target_to_source": back.cross(chosen[1].cross),
        "target": forth.own(chosen[0].own),
        "source": back.own(chosen[1].own),
    }


def trial_metrics(table: ErrorTable, trial: Trial | None, target: str) -> dict[str, Metrics]:
    """Return the metrics of the target alone and with a source, as they were tried."""
    if trial is None:
        return {}
    both = {"alone": table.trials[target].alone, "with_source": trial.metrics}
    return {name: metrics for name, metrics in both.items() if metrics is not None}


class _Side:
    """One direction of a pair: a source's predictors, and the target's own, on the target's rows."""

    def __init__(self, table: ErrorTable, facts: PairFacts, way: RowsWay) -> None:
        assert facts.keys is not None
        self.table, self.facts, self.way = table, facts, way
        self.tested, self.trained = facts.keys
        self.estimate, self.member = table.options.estimate, table.members[facts.target]
        assert self.member.labels is not None
        self.labels = self.member.labels

    def own(self, error: float) -> Metrics:
        """Return the metrics of the target on its own held-out rows."""
        of = f"{self.facts.target} on its own held-out rows"
        readings = self._readings(self.tested)
        draws = [reading.own_outputs(self.estimate) for reading in readings]
        return self._metrics(of, draws, self.labels.classes, self._own_weights(), error)

    def cross(self, error: float) -> Metrics:
        """Return the metrics of the source's predictors on the target's rows."""
        of = f"{self.facts.source} on {self.facts.target}"
        size = "full" if self.table.options.size == "paper" else "fold"
        readings = self._readings(self.trained)
        draws: Draws = []
        if readings:
            loss = labels_and_loss(self.table, self.facts.target)[1]
            scores = self.table.pieces[self.trained].scores[self.facts.target]
            draws = [
                reading.outputs_on(found, loss, size, self.estimate)
                for reading, found in zip(readings, scores, strict=True)
            ]
        weights = (self._first.cross.weights > 0).astype(float)
        classes = readings[0].made.classes if readings else ()
        return self._metrics(of, draws, classes, weights, error)

    @property
    def _first(self) -> Direction:
        return self.way.directions[0]

    def _own_weights(self) -> Array:
        """Return what each row counts in the own error, whatever its class: every fold alike."""
        weights = np.zeros(self.labels.n_rows)
        for direction in self.way.directions:
            for fold in direction.tested.folds:
                weights[fold] += 1 / len(fold)
        return np.where(self._first.cross.weights > 0, weights, 0.0)

    def _readings(self, key: Key) -> list[PlanReading]:
        """Return the predictions of a plan as the options read them; none where they are not kept.

        With a loss of the user's own, which decides the weights, they could not be read again once saved.
        """
        piece: Piece = self.table.pieces[key]
        if self.estimate in AVERAGES or piece.predictions is None or self.member.has_own_loss:
            return []
        labels, loss = labels_and_loss(self.table, key.dataset)
        found = []
        for made, trained in zip(piece.predictions, piece.own, strict=True):
            views = trained.kept.get("views")
            found.append(PlanReading(made, loss, self.table.options, labels, views))
            trained.kept["views"] = found[-1].full_view, found[-1].views
        return found

    def _metrics(
        self, of: str, draws: Draws, classes: Sequence[str], weights: Array, error: float
    ) -> Metrics:
        """Return metrics that agree with an error."""
        y, groups = self.labels.y, self.labels.groups
        n_rows = int(np.count_nonzero(weights))
        if not draws:
            found = Metrics(of, n_rows, {})
        elif not self.labels.classes:
            values = [each[:, 0] for outputs, _ in draws if outputs is not None for each in outputs]
            found = number_metrics(of, values, y, weights, groups=groups)
        else:
            found = self._of_classes(of, draws, classes, weights)
        if self.member.has_own_loss:
            return found
        variance = 0.0
        if not self.labels.classes and weights.any():
            variance = float(np.cov(y, aweights=weights, ddof=0))
        return agreeing(found, self.member.loss, error, None, variance)

    def _of_classes(self, of: str, draws: Draws, classes: Sequence[str], weights: Array) -> Metrics:
        """Return the metrics of class predictions, in the classes of both datasets."""
        union = self.facts.classes
        own = np.array([union.index(name) for name in classes])
        y = np.array([union.index(name) for name in self.labels.classes])[self.labels.y]
        p = []
        for outputs, _ in draws:
            for each in () if outputs is None else outputs:
                spread = np.zeros((len(y), len(union)))
                spread[:, own] = each
                p.append(spread)
        decided = [own[codes] for _, found in draws for codes in found]
        return class_metrics(of, p, decided, y, weights, classes=union, groups=self.labels.groups)
