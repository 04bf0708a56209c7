"""Units of work: one dataset with one set of columns is fitted once and tested on its partners.

The order of units, where they run and the other datasets present change no number: folds and seeds
come from the dataset's labels and the root seed alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from datakin.data import Dataset
from datakin.data.features import Array
from datakin.errors import Errors, Learner, Predictions
from datakin.learning.engine import FittedPlan, ModelFits, PlanRun
from datakin.learning.folds import Plan, make_plan
from datakin.learning.losses import Loss
from datakin.learning.models import Model
from datakin.scoring.options import Options
from datakin.scoring.sampling import FOLDS
from datakin.scoring.trial import SIMPLEST, learner_of, try_pool

__all__ = ["Test", "Unit", "UnitResult", "Work", "run_unit"]

BATCH = 20_000  # rows of other datasets at hand at a time


@dataclass(frozen=True, eq=False)
class Test:
    """Another dataset to be tested on: its rows and loss, all classes, rows to leave out.

    `with_pool`: both datasets together are to be tried as well.
    """

    __test__ = False  # not a test case, whatever a test runner thinks of the name

    other: Dataset
    loss: Loss
    classes: tuple[str, ...]
    left_out: Array
    with_pool: bool = False


@dataclass(frozen=True, eq=False)
class Unit:
    """A dataset, the columns it is learned on, and whom it is tested on.

    Attributes
    ----------
    dataset : Dataset
        The rows that are trained on.
    columns : tuple of str
    loss : Loss
    tests : list of Test
    held_out : Dataset or None
        Other rows of the same dataset, to measure its own error on. None: cross-validation.
    with_inner : bool
        Whether partners are tested with the predictors that left out two folds too: most of the
        predictions, and of use for the limit alone.
    n_rows : int or None
        How many rows there are, if `dataset` is a sample of them.
    """

    dataset: Dataset
    columns: tuple[str, ...]
    loss: Loss
    tests: list[Test] = field(default_factory=list)
    held_out: Dataset | None = None
    with_inner: bool = True
    n_rows: int | None = None


@dataclass(frozen=True, eq=False)
class UnitResult:
    """For each repeat the learner, and its errors on each tested dataset, in the tests' order."""

    learners: Sequence[Learner]
    crosses: Sequence[Sequence[Errors]]

    @property
    def backends(self) -> Mapping[str, str]:
        """What fitted each model."""
        return self.learners[0].backends


class Work:
    """The work of one unit: fits, in parts that can run side by side, then errors.

    Parameters
    ----------
    unit : Unit
    parts : sequence of sequences of Model
        The models in groups; each group is one part of every repeat.
    options : Options
    """

    def __init__(self, unit: Unit, parts: Sequence[Sequence[Model]], options: Options) -> None:
        self.unit, self.parts, self.options = unit, parts, options
        self.plans = _plans(unit, options)
        self.runs: dict[int, PlanRun] = {}
        self.fits: dict[tuple[int, int], list[ModelFits]] = {}
        self.done: dict[int, tuple[Learner, tuple[Errors, ...]]] = {}
        self.lock = threading.Lock()

    @property
    def tasks(self) -> list[tuple[int, int]]:
        """Repeats and parts. The last models, trees, take longest: they come first."""
        return [(r, p) for r in range(len(self.plans)) for p in reversed(range(len(self.parts)))]

    @property
    def n_steps(self) -> int:
        """How often `run` will report a step over all tasks."""
        return sum(len(plan.trains) * len(self.parts) for plan in self.plans)

    def run(self, task: tuple[int, int], step: Callable[[], None]) -> UnitResult | None:
        """Fit the models of one part; return the result with the last task of the unit."""
        repeat, part = task
        with self.lock:
            if repeat not in self.runs:
                self.runs[repeat] = PlanRun(
                    self.unit.dataset,
                    self.unit.columns,
                    self.plans[repeat],
                    self.options.random_state,
                )
        found = self.runs[repeat].fit(self.parts[part], step)
        with self.lock:
            self.fits[repeat, part] = found
            if any((repeat, p) not in self.fits for p in range(len(self.parts))):
                return None
        fits = [fit for p in range(len(self.parts)) for fit in self.fits.pop((repeat, p))]
        done = self._errors(FittedPlan(self.runs.pop(repeat), fits), repeat)
        with self.lock:
            self.done[repeat] = done
            if len(self.done) < len(self.plans):
                return None
        results = [self.done.pop(r) for r in range(len(self.plans))]
        return UnitResult(tuple(r[0] for r in results), tuple(r[1] for r in results))

    def _errors(self, fitted: FittedPlan, repeat: int) -> tuple[Learner, tuple[Errors, ...]]:
        unit, options = self.unit, self.options
        predictions = Predictions(
            fitted,
            unit.loss,
            sharpness=options.sharpness,
            voting=options.voting,
            weighting=options.weighting,
            held_out=unit.held_out,
            n_rows=unit.n_rows,
        )
        inner = unit.with_inner and unit.held_out is None
        crosses: list[Errors] = []
        for batch in _batches(unit.tests):
            tables = predictions.tables([t.other for t in batch], inner)
            crosses += [
                predictions.test_on(
                    t.other, t.loss, t.classes, t.left_out, inner=inner, table=table
                )
                for t, table in zip(batch, tables, strict=True)
            ]
        crosses = [
            replace(errors, pooled=self._pooled(t, repeat)) if t.with_pool else errors
            for t, errors in zip(unit.tests, crosses, strict=True)
        ]
        return predictions.learner(), tuple(crosses)

    def _pooled(self, test: Test, repeat: int) -> Array | None:
        """Return the losses of the forecasts' learner on the tested rows, trained on both."""
        unit, options = self.unit, self.options
        models = {model.name: model for part in self.parts for model in part}
        learner = learner_of(tuple(models), options.estimate)
        if learner not in SIMPLEST or models[learner].backend is None:
            return None  # others may take long, and a pair should cost next to nothing
        return try_pool(
            unit.dataset,
            test.other,
            unit.columns,
            test.classes,
            models[learner],
            _plan(test.other, options.cv, "none", options, repeat),
            test.loss,
            options.random_state,
        )


def _batches(tests: Sequence[Test]) -> Iterator[list[Test]]:
    """Yield tests in groups of at most BATCH rows, or one by one if they are larger."""
    batch: list[Test] = []
    for test in tests:
        if batch and sum(t.other.n_rows for t in batch) + test.other.n_rows > BATCH:
            yield batch
            batch = []
        batch.append(test)
    if batch:
        yield batch


def run_unit(
    unit: Unit,
    models: Sequence[Model],
    options: Options,
    step: Callable[[], None] = lambda: None,
) -> UnitResult:
    """Run one unit from beginning to end."""
    work = Work(unit, [models], options)
    for task in work.tasks:
        result = work.run(task, step)
    assert result is not None
    return result


def _plans(unit: Unit, options: Options) -> list[Plan]:
    folds, inner = (options.cv, options.inner) if unit.held_out is None else (FOLDS, "none")
    return [_plan(unit.dataset, folds, inner, options, r) for r in range(options.repeats)]


def _plan(dataset: Dataset, folds: int, inner: str, options: Options, repeat: int) -> Plan:
    return make_plan(dataset, folds, inner, options.random_state, repeat, options.stratify)
