"""Units of work: one dataset with one set of columns is fitted once and tested on its partners.

The order of units, the number of threads and the other datasets present change no number: folds
and seeds come from the dataset's labels and the root seed alone.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial

from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinWarning
from datakin._core.progress import progress
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.errors import Errors, Learner, Predictions
from datakin.learning.engine import FittedPlan, ModelFits, PlanRun, summary
from datakin.learning.folds import Plan, make_plan
from datakin.learning.losses import choose_loss
from datakin.learning.models import Model
from datakin.scoring.options import Options

__all__ = ["Test", "Unit", "UnitResult", "run_units"]


@dataclass(frozen=True, eq=False)
class Test:
    """Another dataset to be tested on: its rows, the union of classes, rows to leave out."""

    __test__ = False  # not a test case, whatever a test runner thinks of the name

    other: Dataset
    classes: tuple[str, ...]
    left_out: Array


@dataclass(frozen=True, eq=False)
class Unit:
    """A dataset, the columns it is learned on, and whom it is tested on."""

    dataset: Dataset
    columns: tuple[str, ...]
    tests: list[Test] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class UnitResult:
    """For each repeat the learner, and its errors on each tested dataset, in the tests' order."""

    learners: tuple[Learner, ...]
    crosses: tuple[tuple[Errors, ...], ...]

    @property
    def backends(self) -> Mapping[str, str]:
        """What fitted each model."""
        return self.learners[0].backends


class _Stopped(Exception):
    """Raised inside a worker thread after Ctrl-C."""


class _Work:
    """The work of one unit: fits, in parts that can run side by side, then errors.

    Parameters
    ----------
    unit : Unit
    plans : sequence of Plan
        One per repeat.
    parts : sequence of sequences of Model
        The models in groups; each group is one part of every repeat.
    options : Options
    """

    def __init__(
        self,
        unit: Unit,
        plans: Sequence[Plan],
        parts: Sequence[Sequence[Model]],
        options: Options,
    ) -> None:
        self.unit, self.plans, self.parts, self.options = unit, plans, parts, options
        self.runs: dict[int, PlanRun] = {}
        self.fits: dict[tuple[int, int], list[ModelFits]] = {}
        self.done: dict[int, tuple[Learner, tuple[Errors, ...]]] = {}
        self.lock = threading.Lock()
        self.result: UnitResult | None = None

    @property
    def tasks(self) -> list[tuple[int, int]]:
        """Repeats and parts. The last models, trees, take longest: they come first."""
        return [(r, p) for r in range(len(self.plans)) for p in reversed(range(len(self.parts)))]

    def run(self, task: tuple[int, int], step: Callable[[], None]) -> None:
        """Fit the models of one part; with the last part of a repeat, find the errors."""
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
                return
        fits = [fit for p in range(len(self.parts)) for fit in self.fits.pop((repeat, p))]
        self.done[repeat] = self._errors(FittedPlan(self.runs.pop(repeat), fits))
        if len(self.done) == len(self.plans):
            results = [self.done[r] for r in range(len(self.plans))]
            self.result = UnitResult(tuple(r[0] for r in results), tuple(r[1] for r in results))

    def _errors(self, fitted: FittedPlan) -> tuple[Learner, tuple[Errors, ...]]:
        options, loss = self.options, self.options.resolved_loss()
        inner = options.size != "paper"
        predictions = Predictions(
            fitted,
            choose_loss(loss, self.unit.dataset),
            sharpness=options.sharpness,
            voting=options.voting,
            weighting=options.weighting,
        )
        return predictions.learner(), tuple(
            predictions.test_on(
                t.other, choose_loss(loss, t.other), t.classes, t.left_out, inner=inner
            )
            for t in self.unit.tests
        )


def run_units(
    units: Sequence[Unit], models: tuple[Model, ...], options: Options
) -> tuple[list[UnitResult | None], bool]:
    """Run all units; return their results and whether the run was interrupted.

    Results of units that were not finished are None.
    """
    n_jobs = effective_n_jobs(options.n_jobs)
    # Few units, as of a pair, may be of very different size: their models then run side by side.
    is_split = n_jobs > 1 and len(units) * options.repeats < 4 * n_jobs
    parts = [(model,) for model in models] if is_split else [models]
    works = [_Work(u, _plans(u, options), parts, options) for u in units]
    n_steps = sum(len(plan.trains) * len(parts) for work in works for plan in work.plans)
    stop = threading.Event()

    with (
        warnings.catch_warnings(record=True) as caught,
        threadpool_limits(limits=1),
        progress(f"fitting {len(units)} dataset(s)", n_steps) as advance,
    ):
        warnings.simplefilter("always")

        def step() -> None:
            if stop.is_set():
                raise _Stopped
            advance()

        calls = [partial(work.run, task, step) for work in works for task in work.tasks]
        try:
            _call(calls, n_jobs, stop)
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
    results = [work.result for work in works]
    _tell(caught, results)
    return results, interrupted


def _plans(unit: Unit, options: Options) -> list[Plan]:
    return [
        make_plan(
            unit.dataset, options.cv, options.inner, options.random_state, r, options.stratify
        )
        for r in range(options.repeats)
    ]


def _call(calls: Sequence[Callable[[], None]], n_jobs: int, stop: threading.Event) -> None:
    """Make all calls, in threads when there is more than one job.

    The learners release the interpreter's lock, so threads use all cores without copying data or
    starting processes (see benchmarks/RESULTS.md for both).
    """
    if n_jobs == 1:
        for call in calls:
            call()
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        futures: list[Future[None]] = [pool.submit(call) for call in calls]
        try:
            for future in futures:
                # Short waits: Ctrl-C is only noticed between them.
                while not future.done():
                    wait([future], timeout=0.2)
                future.result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _tell(caught: Sequence[warnings.WarningMessage], results: Sequence[UnitResult | None]) -> None:
    """Pass on what happened while fitting as one warning, however many fits it happened in."""
    failures = [
        f for r in results if r is not None for learner in r.learners for f in learner.failures
    ]
    lines = [summary(failures) + " The model was left out there."] if failures else []
    counts: dict[str, int] = {}
    for message in caught:
        if issubclass(message.category, (DeprecationWarning, PendingDeprecationWarning)):
            continue
        first = (str(message.message).strip().splitlines() or [""])[0][:100]
        text = f"{message.category.__name__}: {first}"
        counts[text] = counts.get(text, 0) + 1
    lines += [f"While fitting, {n} time(s): {text}" for text, n in counts.items()]
    if lines:
        warnings.warn("\n".join(lines), DatakinWarning, stacklevel=5)
