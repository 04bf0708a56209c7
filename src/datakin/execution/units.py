"""Units of work: one dataset with one set of columns is fitted once and tested on its partners.

The order of units, where they run and the other datasets present change no number: folds and seeds
come from the dataset's labels and the root seed alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from datakin.cross_errors.options import Options, by_content
from datakin.cross_errors.predictions import PlanReading
from datakin.cross_errors.records import Errors, Key, Piece, PlanPredictions, of_repeats
from datakin.cross_errors.sums import slimmed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.execution.sampling import FOLDS
from datakin.learners.engine import FittedPlan, ModelFits, PlanRun
from datakin.learners.folds import Plan, make_plan
from datakin.learners.losses import Labels, Loss
from datakin.learners.models import Model

BATCH = 20_000  # rows of other datasets at hand at a time


def labels_of(dataset: Dataset) -> Labels:
    """Return a dataset's labels and groups, without its features."""
    if "labels" not in dataset.kept:
        made = Labels(dataset.name, dataset.y, dataset.classes, dataset.groups)
        dataset.kept["labels"] = made
    found: Labels = dataset.kept["labels"]
    return found


@dataclass(frozen=True, eq=False, slots=True)
class Test:
    """Another dataset to be tested on: its rows and loss, all classes, rows to leave out."""

    __test__ = False  # not a test case, whatever a test runner thinks of the name

    other: Dataset
    loss: Loss
    classes: tuple[str, ...]
    left_out: Array


@dataclass(frozen=True, eq=False)
class Unit:
    """A dataset, the columns it is learned on, and whom it is tested on.

    Attributes
    ----------
    key : Key
        Which dataset, columns and sample.
    dataset : Dataset
        The rows that are trained on; `loss` is theirs.
    held_out : Dataset or None
        Other rows of the same dataset, to measure its own error on. None: cross-validation.
    with_inner : bool
        Whether partners are tested with the predictors that left out two folds too: most of the
        predictions, and of use for the limit alone.
    n_rows : int or None
        How many rows there are, if `dataset` is a sample of them.
    plans : tuple of Plan
        Of each repeat.
    outputs : tuple of str
        The models or aggregates of which cross errors are kept row by row; none for all.
    """

    key: Key
    dataset: Dataset
    loss: Loss
    tests: list[Test] = field(default_factory=list)
    held_out: Dataset | None = None
    with_inner: bool = True
    n_rows: int | None = None
    plans: tuple[Plan, ...] = ()
    keeps_predictions: bool = False
    outputs: tuple[str, ...] = ()


class Work:
    """The work of one unit: fits, in parts that can run side by side, then errors.

    `parts` are the models in groups; each group is one part of every repeat.
    """

    def __init__(self, unit: Unit, parts: Sequence[Sequence[Model]], options: Options) -> None:
        self.unit, self.parts, self.options = unit, parts, options
        self.plans = unit.plans
        self.runs: dict[int, PlanRun] = {}
        self.fits: dict[tuple[int, int], list[ModelFits]] = {}
        self.done: dict[int, Piece] = {}
        self.lock = threading.Lock()

    @property
    def tasks(self) -> list[tuple[int, int]]:
        """Repeats and parts. The last models, trees, take longest: they come first."""
        return [(r, p) for r in range(len(self.plans)) for p in reversed(range(len(self.parts)))]

    @property
    def n_steps(self) -> int:
        """How often `run` will report a step over all tasks."""
        return sum(len(plan.trains) * len(self.parts) for plan in self.plans)

    def run(self, task: tuple[int, int], step: Callable[[], None]) -> Piece | None:
        """Fit the models of one part; return the piece with the last task of the unit."""
        repeat, part = task
        with self.lock:
            if repeat not in self.runs:
                of_unit = self.unit.dataset, self.unit.key.columns, self.plans[repeat]
                self.runs[repeat] = PlanRun(*of_unit, self.options.random_state)
        found = self.runs[repeat].fit(self.parts[part], step)
        with self.lock:
            self.fits[repeat, part] = found
            if any((repeat, p) not in self.fits for p in range(len(self.parts))):
                return None
        fits = [fit for p in range(len(self.parts)) for fit in self.fits.pop((repeat, p))]
        done = self._read(FittedPlan(self.runs.pop(repeat), fits))
        with self.lock:
            self.done[repeat] = done
            if len(self.done) < len(self.plans):
                return None
        return of_repeats([self.done.pop(r) for r in range(len(self.plans))])

    def _read(self, fitted: FittedPlan) -> Piece:
        """Predict, and turn predictions into losses; return what one repeat brought."""
        unit, made = self.unit, self._predictions(fitted)
        labels = labels_of(unit.dataset if unit.held_out is None else unit.held_out)
        reading = PlanReading(made, unit.loss, self.options, labels)
        n_fits = len(fitted.plan.trains)
        if not unit.with_inner or unit.held_out is not None:
            n_fits = 1 + fitted.plan.n_folds
        crosses: dict[str, tuple[Errors]] = {}
        scores: dict[str, tuple[Any]] = {}
        for batch in _batches(unit.tests):
            found = fitted.scores_on([t.other for t in batch], n_fits)
            for test, predicted in zip(batch, found, strict=True):
                errors = reading.test_on(
                    labels_of(test.other), predicted, test.loss, test.classes, test.left_out
                )
                if unit.outputs:
                    errors = slimmed(errors, unit.outputs)
                crosses[test.other.name] = (errors,)
                if unit.keeps_predictions:
                    scores[test.other.name] = (predicted,)
        predictions = (made,) if unit.keeps_predictions else None
        return Piece((reading.trained(),), crosses, predictions, scores)

    def _predictions(self, fitted: FittedPlan) -> PlanPredictions:
        dataset, held_out = fitted.dataset, None
        if self.unit.held_out is not None:
            held_out = fitted.scores_on([self.unit.held_out], 1 + fitted.plan.n_folds)[0]
        return PlanPredictions(
            dataset.name,
            dataset.y,
            dataset.classes,
            tuple(model.name for model in fitted.models),
            tuple(fitted.is_decision(m) for m in range(len(fitted.models))),
            fitted.plan,
            fitted.own_scores,
            held_out,
            self.unit.n_rows or dataset.n_rows,
            fitted.n_fits,
            fitted.failures,
            {part.model.name: part.backend for part in fitted.parts},
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
) -> Piece:
    """Run one unit from beginning to end."""
    work = Work(unit, [models], options)
    for task in work.tasks:
        result = work.run(task, step)
    assert result is not None
    return result


def draw_plans(dataset: Dataset, options: Options, *, is_sample: bool) -> tuple[Plan, ...]:
    """Draw the folds of every repeat; a sample needs no inner folds."""
    folds, inner = (FOLDS, "none") if is_sample else (options.cv, options.inner)
    return tuple(
        make_plan(
            dataset,
            folds,
            inner,
            options.random_state,
            repeat,
            options.stratify,
            by_content=by_content(options),
        )
        for repeat in range(options.repeats)
    )
