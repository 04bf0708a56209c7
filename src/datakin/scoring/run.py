"""A run: pairs agreed on, each dataset fitted once, comparisons built from what is finished."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from datakin._core.exceptions import DatakinError, DatakinWarning, listed
from datakin.data import Dataset, Pairing, pair
from datakin.data.features import Array
from datakin.learning.folds import make_plan
from datakin.learning.losses import choose_loss
from datakin.results import Comparison
from datakin.results.record import make_provenance
from datakin.scoring.cells import Cell, cell_of, make_cell
from datakin.scoring.growth import Growth, measure_growth
from datakin.scoring.identity import compare_with_itself
from datakin.scoring.options import Options
from datakin.scoring.pairs import Pair, Side, compare_pair
from datakin.scoring.sampling import FOLDS, Sample
from datakin.scoring.store import Store
from datakin.scoring.units import Test, Unit, UnitResult

__all__ = ["Run"]

MIN_TEST_ROWS = 10
WHOLE = -1  # the stage of a dataset that is used whole


class Key(NamedTuple):
    """Which unit: a dataset, the columns it is learned on, and the stage of its sample."""

    dataset: int
    columns: tuple[str, ...]
    stage: int


class Run:
    """Pairs agreed on, units run once each, comparisons built from what is finished.

    Parameters
    ----------
    datasets : sequence of Dataset
    pairs : iterable of (target, source)
        Positions.
    options : Options
    as_cells : bool
        Keep of each pair what a matrix shows, instead of the whole comparison.
    on_result : callable, optional
        Called with each comparison as it is finished.

    Attributes
    ----------
    comparisons : dict of (target, source) to Comparison
    cells : dict of (target, source) to Cell
        One of the two is filled.
    interrupted : bool
    n_fits : int
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        pairs: Iterable[tuple[int, int]],
        options: Options,
        *,
        as_cells: bool = False,
        on_result: Callable[[Comparison], None] | None = None,
    ) -> None:
        self.datasets, self.options, self.as_cells = list(datasets), options, as_cells
        self.on_result = on_result
        self.models = options.chosen_models(bool(datasets[0].classes))
        self.losses = [choose_loss(options.resolved_loss(), d) for d in self.datasets]
        limit = options.max_rows
        self.samples = {
            i: Sample(d, options)
            for i, d in enumerate(self.datasets)
            if limit is not None and d.n_rows > limit
        }
        wanted = self._usable(list(pairs))
        self.pairings = {(i, j): pair(datasets[i], datasets[j]) for i, j in wanted}
        self.stages: dict[tuple[int, int], int] = {}
        self.positions: dict[tuple[Key, int], int] = {}
        self.comparisons: dict[tuple[int, int], Comparison] = {}
        self.cells: dict[tuple[int, int], Cell] = {}
        self.n_fits, self.interrupted = 0, False
        self.store = Store(self.datasets, self.models, options)
        active = []
        for (i, j), common in self.pairings.items():
            if common.identical:
                self._finish((i, j))
            else:
                self._check_rows(i, j, common)
                active.append((i, j))
        stage = 0
        while active and not self.interrupted:
            active = self._run_stage(active, stage)
            stage += 1

    def _run_stage(self, active: list[tuple[int, int]], stage: int) -> list[tuple[int, int]]:
        """Run what the pairs need at a stage; return those that need a further one."""
        units: dict[Key, Unit] = {}
        waiting: dict[int, list[tuple[int, int]]] = {}
        for i, j in active:
            self.stages[i, j] = stage
            for one, other in ((i, j), (j, i)):
                self._plan_test(units, one, other, self.pairings[i, j], stage)
                waiting.setdefault(one, []).append((i, j))
        more: list[tuple[int, int]] = []

        def finished(unit: Key, result: UnitResult) -> None:
            self.n_fits += sum(learner.n_fits for learner in result.learners)
            for key in waiting[unit.dataset]:
                if self._is_measured(key) and not self._is_done(key) and key not in more:
                    if self._is_enough(key):
                        self._finish(key)
                    else:
                        more.append(key)

        self.interrupted = self.store.run(units, finished)
        if self.interrupted:
            for key in active:  # a smaller sample has a score too
                self.stages[key] -= not self._is_measured(key)
                if self.stages[key] >= 0 and self._is_measured(key) and not self._is_done(key):
                    self._finish(key)
        return more

    def _is_done(self, key: tuple[int, int]) -> bool:
        return key in self.cells or key in self.comparisons

    def _is_measured(self, key: tuple[int, int]) -> bool:
        """Whether both sides of a pair are there at its stage."""
        stage, common = self.stages[key], self.pairings[key]
        return all(self._key(i, common, stage) in self.store for i in key)

    def _is_enough(self, key: tuple[int, int]) -> bool:
        """Whether a pair that is measured needs no larger samples."""
        stage, large = self.stages[key], [self.samples[i] for i in key if i in self.samples]
        if not large:
            return True
        if all(stage + 1 >= len(sample.sizes) for sample in large):
            return True
        return self._growth(key).is_enough

    def _growth(self, key: tuple[int, int]) -> Growth:
        wanted = self.options.precision
        if not self.datasets[key[0]].classes:
            wanted *= float(
                np.mean([self.losses[i].of_best_constant(self.datasets[i].y) for i in key])
            )
        target, source = (i in self.samples for i in key)
        return measure_growth(Pair(*self.sides(*key), self.options), target, source, wanted)

    def _common(self, key: tuple[int, int]) -> Pairing:
        """Return what a pair shares, with a note if its samples did not reach the precision."""
        common = self.pairings[key]
        if common.identical or not any(i in self.samples for i in key):
            return common
        note = self._growth(key).note
        return common if note is None else replace(common, notes=(*common.notes, note))

    def _finish(self, key: tuple[int, int]) -> None:
        comparison = None
        if self.pairings[key].identical or not self.as_cells:
            comparison = self._compare(*key)
        if self.as_cells:
            self.cells[key] = (
                make_cell(*self.sides(*key), self._common(key), self.options)
                if comparison is None
                else cell_of(comparison)
            )
        else:
            assert comparison is not None
            self.comparisons[key] = comparison
            if self.on_result is not None:
                self.on_result(comparison)

    def _usable(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the pairs whose folds can be drawn; name all datasets at fault at once."""
        options, faults = self.options, dict[int, str]()
        for i in dict.fromkeys(i for key in pairs for i in key):
            sample = self.samples.get(i)
            dataset = self.datasets[i] if sample is None else sample.train(0)
            folds, inner = (options.cv, options.inner) if sample is None else (FOLDS, "none")
            try:
                make_plan(dataset, folds, inner, options.random_state, stratify=options.stratify)
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
        for one, other in ((i, j), (j, i)):
            dataset, shared = self._tested(one), self._shared(one, i, common)
            left = int((~shared).sum())
            if left < MIN_TEST_ROWS:
                raise DatakinError(
                    f"Two datasets must differ in at least {MIN_TEST_ROWS} rows each. "
                    f"Of {dataset.n_rows} rows of {dataset.name!r}, {dataset.n_rows - left} also stand in "
                    f"{self.datasets[other].name!r}: remove them there."
                )

    def _tested(self, i: int) -> Dataset:
        """Return the rows of a dataset that others are tested on."""
        return self.samples[i].held_out if i in self.samples else self.datasets[i]

    def _shared(self, i: int, target: int, common: Pairing) -> Array:
        """Return which of these rows stand in the other dataset too."""
        shared = common.shared_target if i == target else common.shared_source
        return shared[self.samples[i].tested] if i in self.samples else shared

    def _key(self, i: int, common: Pairing, stage: int) -> Key:
        at = self.samples[i].clamp(stage) if i in self.samples else WHOLE
        return Key(i, common.columns, at)

    def _plan_test(
        self, units: dict[Key, Unit], i: int, j: int, common: Pairing, stage: int
    ) -> None:
        key, options = self._key(i, common, stage), self.options
        if (key, j) in self.positions:
            return
        if key not in units:
            sample = self.samples.get(i)
            units[key] = Unit(
                self.datasets[i] if sample is None else sample.train(key.stage),
                common.columns,
                self.losses[i],
                held_out=None if sample is None else sample.held_out,
                with_inner=options.size == "limit"
                or (options.size != "paper" and not self.as_cells),
                n_rows=self.datasets[i].n_rows,
            )
        self.positions[key, j] = len(units[key].tests)
        target = i if (i, j) in self.pairings else j
        units[key].tests.append(
            Test(
                self._tested(j),
                self.losses[j],
                common.classes,
                self._shared(j, target, common),
                with_pool=j == target and not self.as_cells and j not in self.samples,
            )
        )

    def _side(self, i: int, j: int, common: Pairing, stage: int) -> Side:
        key, sample = self._key(i, common, stage), self.samples.get(i)
        result, at = self.store[key], self.positions[key, j]
        return Side(
            self.datasets[i],
            self.losses[i],
            result.learners,
            [tests[at] for tests in result.crosses],
            self._tested(i).groups,
            () if sample is None else (sample.note(stage),),
        )

    def sides(self, i: int, j: int) -> tuple[Side, Side]:
        """Return both sides of a finished pair."""
        common, stage = self.pairings[i, j], self.stages[i, j]
        return self._side(i, j, common, stage), self._side(j, i, common, stage)

    def must_be_complete(self) -> None:
        """Pass an interruption on, for callers that have no use for a part of the run."""
        if self.interrupted:
            raise KeyboardInterrupt

    def _compare(self, i: int, j: int) -> Comparison:
        datasets, common = (self.datasets[i], self.datasets[j]), self.pairings[i, j]
        provenance = make_provenance(
            self.options.random_state,
            self.options.summary(),
            {d.name: d.fingerprint for d in datasets},
            self.backends((i, j), common.columns),
        )
        if common.identical:
            return compare_with_itself(*datasets, self.options, provenance)
        return compare_pair(*self.sides(i, j), self._common((i, j)), self.options, provenance)

    def backends(
        self, members: Sequence[int], columns: tuple[str, ...] | None = None
    ) -> dict[str, str]:
        """Return what fitted each model on some datasets (with some columns)."""
        found: dict[str, set[str]] = {}
        for key, names in self.store.backends.items():
            if key.dataset in members and columns in (None, key.columns):
                for model, name in names.items():
                    found.setdefault(model, set()).add(name)
        return {model: ", ".join(sorted(names)) for model, names in found.items()}

    def complete_datasets(self) -> list[int]:
        """Return the datasets that have a cell with each other."""
        done: list[int] = []
        for i in sorted({i for key in self.pairings for i in key}):
            partners = [key for key in self.pairings if i in key and set(key) - {i} <= set(done)]
            if all(key in self.cells for key in partners) and self._is_fitted(i):
                done.append(i)
        return done

    def _is_fitted(self, i: int) -> bool:
        wanted = {key for key, _ in self.positions if key.dataset == i}
        return all(key in self.store for key in wanted)
