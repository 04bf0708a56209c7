"""A run: pairs agreed on, each dataset fitted once, comparisons built from what is finished."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.data import Dataset, Pairing, pair
from datakin.data.features import Array
from datakin.results import Comparison, Matrix
from datakin.results.record import make_provenance
from datakin.results.zones import Zone
from datakin.scoring.identity import compare_with_itself
from datakin.scoring.options import Options
from datakin.scoring.pairs import Side, compare_pair
from datakin.scoring.units import Test, Unit, UnitResult, run_units

__all__ = ["Run", "make_matrix"]

MIN_TEST_ROWS = 10
Pairs = dict[tuple[int, int], Pairing]


class Run:
    """Pairs agreed on, units run once each, comparisons built from what is finished."""

    def __init__(
        self, datasets: Sequence[Dataset], pairs: Iterable[tuple[int, int]], options: Options
    ) -> None:
        self.datasets, self.options = list(datasets), options
        models = options.chosen_models(bool(datasets[0].classes))
        self.pairings: Pairs = {(i, j): pair(datasets[i], datasets[j]) for i, j in pairs}
        self.units: dict[tuple[int, tuple[str, ...]], Unit] = {}
        self.position: dict[tuple[int, int], int] = {}
        for (i, j), common in self.pairings.items():
            if not common.identical:
                self._check_rows(i, j, common)
                self._plan_test(i, j, common, common.shared_source)
                self._plan_test(j, i, common, common.shared_target)
        results, self.interrupted = run_units(list(self.units.values()), models, options)
        self.results: dict[tuple[int, tuple[str, ...]], UnitResult | None] = dict(
            zip(self.units, results, strict=True)
        )
        self.n_fits = sum(
            learner.n_fits for r in results if r is not None for learner in r.learners
        )
        self.comparisons: dict[tuple[int, int], Comparison] = {}
        for (i, j), common in self.pairings.items():
            comparison = self._compare(i, j, common)
            if comparison is not None:
                self.comparisons[i, j] = comparison

    def _check_rows(self, i: int, j: int, common: Pairing) -> None:
        for dataset, shared in (
            (self.datasets[i], common.shared_target),
            (self.datasets[j], common.shared_source),
        ):
            left = int((~shared).sum())
            if left < MIN_TEST_ROWS:
                other = self.datasets[j if dataset is self.datasets[i] else i].name
                raise DatakinError(
                    f"Two datasets must differ in at least {MIN_TEST_ROWS} rows each. "
                    f"Of {dataset.n_rows} rows of {dataset.name!r}, {dataset.n_rows - left} also stand in "
                    f"{other!r}: remove them there."
                )

    def _plan_test(self, i: int, j: int, common: Pairing, left_out: Array) -> None:
        unit = self.units.setdefault((i, common.columns), Unit(self.datasets[i], common.columns))
        self.position[i, j] = len(unit.tests)
        unit.tests.append(Test(self.datasets[j], common.classes, left_out))

    def _side(self, i: int, j: int, common: Pairing) -> Side | None:
        result = self.results[i, common.columns]
        if result is None:
            return None
        at = self.position[i, j]
        return Side(self.datasets[i], result.learners, [tests[at] for tests in result.crosses])

    def _compare(self, i: int, j: int, common: Pairing) -> Comparison | None:
        datasets = self.datasets[i], self.datasets[j]
        provenance = make_provenance(
            self.options.random_state,
            self.options.summary(),
            {d.name: d.fingerprint for d in datasets},
        )
        if common.identical:
            return compare_with_itself(*datasets, self.options, provenance)
        target, source = self._side(i, j, common), self._side(j, i, common)
        if target is None or source is None:
            return None
        return compare_pair(target, source, common, self.options, provenance)

    def complete_datasets(self) -> list[int]:
        """Return the datasets that have a comparison with each other."""
        done: list[int] = []
        for i in range(len(self.datasets)):
            if all((min(i, j), max(i, j)) in self.comparisons for j in done):
                finished = all(r is not None for (k, _), r in self.results.items() if k == i)
                if finished:
                    done.append(i)
        return done


def make_matrix(run: Run, members: Iterable[int]) -> Matrix:
    """Collect the comparisons among some of a run's datasets into square arrays."""
    members = list(members)
    n = len(members)
    names = tuple(run.datasets[i].name for i in members)
    blank = np.zeros((n, n))
    scores, spreads, lows, highs, thresholds = (blank.copy() for _ in range(5))
    errors = np.full((n, n), np.nan)
    zones = [[Zone.POSITIVE] * n for _ in range(n)]
    notes: dict[str, None] = {}
    for a, b in combinations(range(n), 2):
        c = run.comparisons[members[a], members[b]]
        for array, value in (
            (scores, c.score),
            (spreads, c.standard_error),
            (lows, c.interval[0]),
            (highs, c.interval[1]),
            (thresholds, c.decision.high),
        ):
            array[a, b] = array[b, a] = value
        zones[a][b] = zones[b][a] = c.zone
        own, cross = c.own_errors, c.cross_errors
        if own:
            errors[a, a], errors[b, b] = own[names[a]], own[names[b]]
        errors[a, b], errors[b, a] = (cross.get(name, np.nan) for name in (names[a], names[b]))
        notes |= dict.fromkeys(c.notes)
    provenance = make_provenance(
        run.options.random_state,
        run.options.summary(),
        {run.datasets[i].name: run.datasets[i].fingerprint for i in members},
    )
    return Matrix(
        names,
        scores,
        spreads,
        lows,
        highs,
        errors,
        tuple(tuple(row) for row in zones),
        thresholds,
        run.n_fits,
        tuple(notes),
        provenance,
    )
