"""One direction of a pair, as scores read it: sums of losses, found from the rows or kept of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from datakin.cross_errors.options import SIZES
from datakin.cross_errors.records import Errors
from datakin.cross_errors.sums import WaySums
from datakin.data.features import Array
from datakin.results.comparison import LearningCurve
from datakin.scoring.cls import (
    AVERAGES,
    Direction,
    Discrepancy,
    average,
    discrepancy,
    error_of_mean,
    mean_errors,
    own_error,
)
from datakin.scoring.uncertainty import make_estimate, row_variance

NOTHING = np.empty(0)
WITHOUT_LIMIT: tuple[str, ...] = SIZES[:2]


class RowsWay:
    """A direction from losses row by row, one for each repeat, and the groups of the tested rows."""

    def __init__(self, directions: Sequence[Direction], groups: Array | None) -> None:
        self.directions, self.groups = directions, groups

    @property
    def errors(self) -> list[Errors]:
        """The tested dataset's own errors, then those of the predictors on it."""
        return [*(d.tested.own for d in self.directions), *(d.cross for d in self.directions)]

    @property
    def models(self) -> tuple[str, ...]:
        """The models that work on both datasets."""
        models, works = self.directions[0].cross.models, self.directions[0].works
        # The same object for all directions, of which there may be very many.
        return models if len(works) == len(models) else tuple(models[m] for m in works)

    def discrepancy(self, estimate: str, size: str) -> Discrepancy:
        """Return how much worse the predictors do than the tested dataset's own."""
        found = average([discrepancy(d, estimate, size) for d in self.directions])
        return replace(found, variance=row_variance(found.influence, self.groups, found.least))

    def summed(self, estimate: str) -> WaySums:
        """Return the sums of one estimate."""
        cross = self.directions[0].cross
        sizes = SIZES if cross.has_inner else WITHOUT_LIMIT
        parts = [
            [p.cross, p.own, p.variance, p.least, *p.replicates]
            for p in (self.discrepancy(estimate, size) for size in sizes)
        ]
        by_model = [
            [
                np.mean([mean_errors(d, model, size) for d in self.directions], axis=0)
                for size in sizes
            ]
            for model in self.models
        ]
        about = (cross.trained_on, cross.tested_on, self.models, sizes, estimate)
        numbers = (np.array(parts), np.array(by_model), *self._of_tested(estimate))
        return WaySums(*about, *numbers, cross.models)

    def _of_tested(self, estimate: str) -> tuple[Array, Array, Array]:
        """Return the tested dataset's own error, the numbers of its learning curve, and its weights.

        Of one estimate they are found once for all who are tested on it; averages over models depend on
        which of them work, and on weights, of both datasets.
        """
        kept, key = self.directions[0].tested.kept, (len(self.directions), estimate)
        found: tuple[Array, Array, Array]
        if estimate not in AVERAGES and key in kept:
            found = kept[key]
            return found
        own = []
        for direction in self.directions:
            rows, weights, folds = own_error(direction, estimate)
            errors = [error_of_mean(rows, weights, folds, by) for by in ("rows", "folds")]
            own.append([float(rows @ weights), *errors])
        curve = _learning_curve(self.directions, estimate, self.groups)
        full = [d.tested.full_weights for d in self.directions]
        found = kept[key] = _means(own), curve, _means(full)
        return found


def _means(repeats: Sequence[Sequence[float] | Array]) -> Array:
    """Return the means over repeats of several numbers."""
    return np.array([np.mean(numbers) for numbers in zip(*repeats, strict=True)])


class Way:
    """A direction as scores read it: its sums, and the losses they are of where these are kept."""

    def __init__(self, sums: WaySums, rows: RowsWay | None = None) -> None:
        self.sums, self.rows, self.models, self.sizes = sums, rows, sums.models, sums.sizes
        self.n_folds = sums.parts.shape[1] - 4

    @property
    def weights(self) -> dict[str, float]:
        """Ensemble weights of the tested dataset."""
        return dict(zip(self.sums.all_models, self.sums.weights.tolist(), strict=True))

    def discrepancy(self, size: str) -> Discrepancy:
        """Return how much worse the predictors do than the tested dataset's own."""
        cross, own, variance, least, *folds = self.sums.parts[self.sizes.index(size)].tolist()
        return Discrepancy(cross, own, NOTHING, np.array(folds), least, variance)

    def of_model(self, model: str, size: str) -> float:
        """Return by how much the cross error of one model exceeds its own error."""
        cross, own = self.sums.by_model[self.models.index(model), self.sizes.index(size)]
        return float(cross - own)

    def own_error(self, by: str) -> tuple[float, float]:
        """Return the tested dataset's own error and its standard error."""
        mean, by_rows, by_folds = self.sums.own.tolist()
        return mean, by_folds if by == "folds" else by_rows

    @property
    def curve(self) -> LearningCurve:
        """The tested dataset's learning curve."""
        rows, n2, n1, e2, e1, s2, s1, slope, limit, error, folds = self.sums.curve.tolist()
        return LearningCurve(
            self.sums.tested_on,
            int(rows),
            (n2, n1),
            (e2, e1),
            (s2, s1),
            slope,
            make_estimate(limit, error, folds),
        )


def _learning_curve(directions: Sequence[Direction], estimate: str, groups: Array | None) -> Array:
    """Return the numbers of the line through the errors at two sizes, which often fall like 1 / rows.

    The limit extrapolates far beyond the sizes seen: its uncertainty is large and says so.
    """
    own = directions[0].tested.own
    rows, folds = {}, {}
    for size in ("fold", "inner"):
        found = [own_error(d, estimate, size) for d in directions]
        rows[size] = np.mean([(losses - losses @ w) * w for losses, w, _ in found], axis=0)
        folds[size] = np.mean([errors for _, _, errors in found], axis=0)
    sizes = {size: own.n_train[size] for size in ("all", "fold", "inner")}
    errors = {size: float(folds[size].mean()) for size in folds}
    factor = sizes["fold"] / (sizes["fold"] - sizes["inner"])
    limit = factor * errors["fold"] - (factor - 1) * errors["inner"]
    n_folds = len(folds["fold"])
    by_rows = row_variance(factor * rows["fold"] - (factor - 1) * rows["inner"], groups, own.least)
    by_folds = np.var(factor * folds["fold"] - (factor - 1) * folds["inner"], ddof=1) / n_folds
    spread = {size: float(np.sqrt(row_variance(rows[size], groups, own.least))) for size in rows}
    return np.array(
        [
            sizes["all"],
            *(sizes["inner"], sizes["fold"]),
            *(errors["inner"], errors["fold"]),
            *(spread["inner"], spread["fold"]),
            (errors["inner"] - errors["fold"]) / (1 / sizes["inner"] - 1 / sizes["fold"]),
            *(limit, np.sqrt(max(by_rows, by_folds))),
            n_folds,
        ]
    )
