"""Units of work: one dataset with one set of columns is fitted once and tested on its partners.

The order of units, the number of threads and the other datasets present change no number: folds
and seeds come from the dataset's labels and the root seed alone.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinWarning
from datakin._core.progress import progress
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.errors import Errors, Learner, Predictions
from datakin.learning.engine import run_plan, summary
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


class _Stopped(Exception):
    """Raised inside a worker thread after Ctrl-C."""


def run_units(
    units: Sequence[Unit], models: tuple[Model, ...], options: Options
) -> tuple[list[UnitResult | None], bool]:
    """Run all units; return their results and whether the run was interrupted.

    Results of units that were not finished are None.
    """
    plans = [
        [
            make_plan(
                u.dataset, options.cv, options.inner, options.random_state, r, options.stratify
            )
            for r in range(options.repeats)
        ]
        for u in units
    ]
    n_steps = sum(len(plan.trains) for group in plans for plan in group)
    results: list[UnitResult | None] = [None] * len(units)
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

        def work(i: int) -> None:
            results[i] = _run_unit(units[i], plans[i], models, options, step)

        try:
            _each(work, range(len(units)), effective_n_jobs(options.n_jobs), stop)
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
    _tell(caught, results)
    return results, interrupted


def _run_unit(
    unit: Unit,
    plans: Sequence[Plan],
    models: tuple[Model, ...],
    options: Options,
    step: Callable[[], None],
) -> UnitResult:
    loss = options.resolved_loss()
    own_loss = choose_loss(loss, unit.dataset)
    learners, crosses = [], []
    for plan in plans:
        fitted = run_plan(unit.dataset, unit.columns, models, plan, options.random_state, step)
        predictions = Predictions(
            fitted,
            own_loss,
            sharpness=options.sharpness,
            voting=options.voting,
            weighting=options.weighting,
        )
        learners.append(predictions.learner())
        crosses.append(
            tuple(
                predictions.test_on(t.other, choose_loss(loss, t.other), t.classes, t.left_out)
                for t in unit.tests
            )
        )
    return UnitResult(tuple(learners), tuple(crosses))


def _each(
    work: Callable[[int], None], items: Iterable[int], n_jobs: int, stop: threading.Event
) -> None:
    """Call work on every item, in threads when there is more than one job.

    The learners release the interpreter's lock, so threads use all cores without copying data.
    """
    if n_jobs == 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        futures: list[Future[None]] = [pool.submit(work, item) for item in items]
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
