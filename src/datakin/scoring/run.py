"""A run: pairs agreed on, each dataset fitted once, comparisons built from what is finished."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from datakin._core.exceptions import DatakinError, DatakinWarning, listed
from datakin.data import Dataset, Pairing, pair
from datakin.data.features import Array
from datakin.learning.folds import make_plan
from datakin.results import Comparison, Matrix
from datakin.results.forecast import Forecast
from datakin.results.record import make_provenance
from datakin.results.zones import Zone
from datakin.scoring.forecast import forecast_pool, unit_of
from datakin.scoring.identity import compare_with_itself
from datakin.scoring.options import Options
from datakin.scoring.pairs import Side, compare_pair, first_places, gain_zones, loss_correlation
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
        wanted = self._usable(list(pairs))
        self.pairings: Pairs = {(i, j): pair(datasets[i], datasets[j]) for i, j in wanted}
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

    def _usable(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the pairs whose folds can be drawn; name all datasets at fault at once."""
        faults: dict[int, str] = {}
        for i in dict.fromkeys(i for key in pairs for i in key):
            try:
                make_plan(
                    self.datasets[i],
                    self.options.cv,
                    self.options.inner,
                    self.options.random_state,
                    stratify=self.options.stratify,
                )
            except DatakinError as error:
                faults[i] = str(error)
        left = [(i, j) for i, j in pairs if i not in faults and j not in faults]
        if not faults:
            return pairs
        names = listed(self.datasets[i].name for i in faults)
        if not self.options.skip_unusable or not left:
            others = (
                f" The same holds of {len(faults)} datasets: {names}." if len(faults) > 1 else ""
            )
            raise DatakinError(f"{next(iter(faults.values()))}{others}")
        warnings.warn(
            f"{len(faults)} dataset(s) left out: {names}. {next(iter(faults.values()))}",
            DatakinWarning,
            stacklevel=5,
        )
        return left

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

    def must_be_complete(self) -> None:
        """Pass an interruption on, for callers that have no use for a part of the run."""
        if self.interrupted:
            raise KeyboardInterrupt

    def sides(self, i: int, j: int) -> tuple[Side, Side]:
        """Return both sides of a finished pair."""
        common = self.pairings[i, j]
        target, source = self._side(i, j, common), self._side(j, i, common)
        assert target is not None
        assert source is not None
        return target, source

    def first_places(self) -> dict[str, float]:
        """Return the probability of each source of a ranking to be the closest kin."""
        same = [j for (i, j) in self.comparisons if self.pairings[i, j].identical]
        if same:  # the target itself is among the sources: no doubt about the first place
            names = [c.source for c in self.comparisons.values()]
            return {name: float(name == self.datasets[same[0]].name) for name in names}
        # By name, so that the order in which sources were given changes no draw.
        pairs = sorted(self.comparisons, key=lambda key: self.datasets[key[1]].name)
        found = first_places([self.sides(i, j) for i, j in pairs], self.options)
        return {self.datasets[j].name: p for (_, j), p in zip(pairs, found, strict=True)}

    def forecast(self) -> Forecast | None:
        """Return the forecast for pooling all sources of a ranking."""
        found = {
            c.source: (key, c.outlook)
            for key, c in self.comparisons.items()
            if c.outlook is not None
        }
        if not found:
            return None
        names = sorted(found)  # so that the order in which sources were given changes nothing
        comparison = self.comparisons[found[names[0]][0]]
        target = comparison.target
        known = {d.name: d for d in self.datasets}
        return forecast_pool(
            target,
            names,
            [found[name][1] for name in names],
            loss_correlation([self.sides(*found[name][0]) for name in names], self.options),
            unit_of(comparison.losses[comparison.target]),
            make_provenance(
                self.options.random_state,
                self.options.summary(),
                {name: known[name].fingerprint for name in (target, *names)},
                self.backends(range(len(self.datasets))),
            ),
        )

    def _compare(self, i: int, j: int, common: Pairing) -> Comparison | None:
        datasets = self.datasets[i], self.datasets[j]
        provenance = make_provenance(
            self.options.random_state,
            self.options.summary(),
            {d.name: d.fingerprint for d in datasets},
            self.backends((i, j), common.columns),
        )
        if common.identical:
            return compare_with_itself(*datasets, self.options, provenance)
        target, source = self._side(i, j, common), self._side(j, i, common)
        if target is None or source is None:
            return None
        return compare_pair(target, source, common, self.options, provenance)

    def backends(
        self, members: Sequence[int], columns: tuple[str, ...] | None = None
    ) -> dict[str, str]:
        """Return what fitted each model on some datasets (with some columns)."""
        found: dict[str, set[str]] = {}
        for (i, used), result in self.results.items():
            if result is not None and i in members and columns in (None, used):
                for model, name in result.backends.items():
                    found.setdefault(model, set()).add(name)
        return {model: ", ".join(sorted(names)) for model, names in found.items()}

    def complete_datasets(self) -> list[int]:
        """Return the datasets that have a comparison with each other."""
        done: list[int] = []
        for i in sorted({i for key in self.pairings for i in key}):
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
    scores, spreads, lows, highs, thresholds, gaps = (blank.copy() for _ in range(6))
    errors = np.full((n, n), np.nan)
    zones = [[Zone.POSITIVE] * n for _ in range(n)]
    owns: list[set[float]] = [set() for _ in members]
    notes: dict[str, None] = {}
    for a, b in combinations(range(n), 2):
        key = members[a], members[b]
        c = run.comparisons[key]
        high, forth, back = c.decision.high, c.zone, c.zone
        if c.outlook is not None and c.decision.rule == "gain":
            # Not symmetric: a source may help a small target that cannot help it.
            high, forth, back = gain_zones(*run.sides(*key), run.options)
        for array, value in (
            (scores, c.score),
            (spreads, c.standard_error),
            (lows, c.interval[0]),
            (highs, c.interval[1]),
            (thresholds, high),
        ):
            array[a, b] = array[b, a] = value
        zones[b][a], zones[a][b] = forth, back
        gaps[b, a], gaps[a, b] = c.source_to_target, c.target_to_source
        for i, j in ((a, b), (b, a)):
            errors[i, j] = c.cross_errors.get(names[i], np.nan)
            owns[i].update([c.own_errors[names[i]]] if c.own_errors else [])
        notes |= dict.fromkeys(c.notes)
    for i, found in enumerate(owns):
        errors[i, i] = found.pop() if len(found) == 1 else np.nan
    provenance = make_provenance(
        run.options.random_state,
        run.options.summary(),
        {run.datasets[i].name: run.datasets[i].fingerprint for i in members},
        run.backends(members),
    )
    return Matrix(
        names,
        scores,
        run.n_fits,
        provenance,
        notes=tuple(notes),
        complete=not run.interrupted,
        standard_errors=spreads,
        lows=lows,
        highs=highs,
        discrepancies=gaps,
        errors=errors,
        zones=tuple(tuple(row) for row in zones),
        thresholds=thresholds,
    )
