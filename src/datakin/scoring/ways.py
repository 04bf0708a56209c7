"""One direction of a pair, as scores read it: from losses row by row, or from sums kept of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from datakin.cross_errors.records import Errors
from datakin.cross_errors.sums import WaySums
from datakin.data.features import Array
from datakin.results.comparison import LearningCurve
from datakin.scoring.cls import (
    SIZES,
    Direction,
    Discrepancy,
    average,
    discrepancy,
    error_of_mean,
    mean_errors,
    of_tested,
    own_error,
)
from datakin.scoring.uncertainty import make_estimate, row_variance

__all__ = ["RowsWay", "SumsWay", "Way", "summed"]

NOTHING = np.empty(0)
WITHOUT_LIMIT = SIZES[:2]


class RowsWay:
    """A direction from losses row by row, one for each repeat, and the groups of the tested rows."""

    def __init__(self, directions: Sequence[Direction], groups: Array | None) -> None:
        self.directions, self.groups = directions, groups
        self._cross = directions[0].cross
        self._found: dict[tuple[str, str], Discrepancy] = {}

    @property
    def errors(self) -> list[Errors]:
        """The tested dataset's own errors, then those of the predictors on it."""
        return [*(d.tested.own for d in self.directions), *(d.cross for d in self.directions)]

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that work on both datasets."""
        models, works = self._cross.models, self.directions[0].works
        # The same object for all directions, of which there may be very many.
        return models if len(works) == len(models) else tuple(models[m] for m in works)

    @property
    def sizes(self) -> tuple[str, ...]:
        """The scores that can be had."""
        return SIZES if self._cross.has_inner else WITHOUT_LIMIT

    @property
    def n_folds(self) -> int:
        """How many versions of the predictors there are, each without a fold."""
        return self._cross.n_folds

    @property
    def weights(self) -> dict[str, float]:
        """Ensemble weights of the tested dataset."""
        return {
            name: float(np.mean([d.tested.full_weights[m] for d in self.directions]))
            for m, name in enumerate(self._cross.models)
        }

    def discrepancy(self, estimate: str, size: str) -> Discrepancy:
        """Return how much worse the predictors do than the tested dataset's own."""
        key = (estimate, size)
        if key not in self._found:
            self._found[key] = average([discrepancy(d, *key) for d in self.directions])
        return self._found[key]

    def mean_errors(self, model: str, size: str) -> tuple[float, float]:
        """Return the cross and the own error of one model."""
        cross, own = np.mean([mean_errors(d, model, size) for d in self.directions], axis=0)
        return float(cross), float(own)

    def own_error(self, estimate: str, by: str) -> tuple[float, float]:
        """Return the tested dataset's own error and its standard error."""

        def find() -> tuple[float, float]:
            means, errors = [], []
            for direction in self.directions:
                rows, weights, folds = own_error(direction, estimate)
                means.append(float(rows @ weights))
                errors.append(error_of_mean(rows, weights, folds, by))
            return float(np.mean(means)), float(np.mean(errors))

        return of_tested(self.directions, estimate, ("own error", by), find)

    def curve(self, estimate: str) -> LearningCurve:
        """Return the tested dataset's learning curve."""
        return of_tested(
            self.directions,
            estimate,
            "curve",
            lambda: _learning_curve(self.directions, estimate, self.groups),
        )


class SumsWay:
    """A direction from sums: of the estimate they were kept of, and of no other."""

    groups: Array | None = None

    def __init__(self, sums: WaySums) -> None:
        self.sums, self.models, self.sizes = sums, sums.models, sums.sizes
        self.n_folds = sums.parts.shape[1] - 4

    @property
    def weights(self) -> dict[str, float]:
        """Ensemble weights of the tested dataset."""
        return dict(zip(self.sums.all_models, self.sums.weights.tolist(), strict=True))

    def discrepancy(self, estimate: str, size: str) -> Discrepancy:
        """Return how much worse the predictors do than the tested dataset's own."""
        cross, own, variance, least, *folds = self.sums.parts[self.sizes.index(size)].tolist()
        return Discrepancy(cross, own, NOTHING, np.array(folds), least, variance)

    def mean_errors(self, model: str, size: str) -> tuple[float, float]:
        """Return the cross and the own error of one model."""
        cross, own = self.sums.by_model[self.models.index(model), self.sizes.index(size)]
        return float(cross), float(own)

    def own_error(self, estimate: str, by: str) -> tuple[float, float]:
        """Return the tested dataset's own error and its standard error."""
        mean, by_rows, by_folds = self.sums.own.tolist()
        return mean, by_folds if by == "folds" else by_rows

    def curve(self, estimate: str) -> LearningCurve:
        """Return the tested dataset's learning curve."""
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


Way = RowsWay | SumsWay


def summed(way: RowsWay, estimate: str) -> WaySums:
    """Return the sums of a direction for one estimate."""
    cross, sizes = way.directions[0].cross, way.sizes
    parts = [
        [p.cross, p.own, row_variance(p.influence, way.groups, p.least), p.least, *p.replicates]
        for p in (way.discrepancy(estimate, size) for size in sizes)
    ]
    by_model = [[way.mean_errors(model, size) for size in sizes] for model in way.models]
    own, curve, weights = of_tested(
        way.directions, estimate, "sums", lambda: _own_sums(way, estimate)
    )
    about = (cross.trained_on, cross.tested_on, way.models, sizes, estimate)
    numbers = (np.array(parts), np.array(by_model), own, curve, weights)
    return WaySums(*about, *numbers, cross.models)


def _own_sums(way: RowsWay, estimate: str) -> tuple[Array, Array, Array]:
    """Return the tested dataset's own error, the numbers of its learning curve, and its weights."""
    mean, by_rows = way.own_error(estimate, "rows")
    curve = way.curve(estimate)
    numbers = [
        curve.n_rows,
        *curve.n_train,
        *curve.errors,
        *curve.standard_errors,
        curve.slope,
        curve.limit.value,
        curve.limit.standard_error,
        len(way.directions[0].tested.folds),
    ]
    own = np.array([mean, by_rows, way.own_error(estimate, "folds")[1]])
    return own, np.array(numbers), np.array(list(way.weights.values()))


def _learning_curve(
    directions: Sequence[Direction], estimate: str, groups: Array | None
) -> LearningCurve:
    """Return the line through the errors at two sizes, which for many learners fall like 1 / rows.

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
    return LearningCurve(
        dataset=own.tested_on,
        n_rows=int(sizes["all"]),
        n_train=(sizes["inner"], sizes["fold"]),
        errors=(errors["inner"], errors["fold"]),
        standard_errors=(spread["inner"], spread["fold"]),
        slope=(errors["inner"] - errors["fold"]) / (1 / sizes["inner"] - 1 / sizes["fold"]),
        limit=make_estimate(limit, float(np.sqrt(max(by_rows, by_folds))), n_folds),
    )
