"""Runs units on this machine, in as many threads as asked for.

The learners release the interpreter's lock, so threads use all cores without copying data or
starting processes (benchmarks/RESULTS.md has both). Every fit uses one thread.
"""

from __future__ import annotations

import queue
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinWarning
from datakin._core.progress import progress
from datakin.learning.engine import FitFailure, summary
from datakin.learning.models import Model
from datakin.scoring.options import Options
from datakin.scoring.units import Unit, UnitResult, Work

__all__ = ["Finished", "Told", "run_in_threads"]

Finished = Callable[[int, UnitResult], None]


def run_in_threads(
    units: Sequence[Unit], models: tuple[Model, ...], options: Options, finished: Finished
) -> bool:
    """Run all units.

    Parameters
    ----------
    units : sequence of Unit
    models : tuple of Model
    options : Options
    finished : callable
        Called in this thread with the position and the result of each unit, as they come.

    Returns
    -------
    bool
        Whether the run was interrupted.
    """
    n_jobs = effective_n_jobs(options.n_jobs)
    # Few units, as of a pair, may be of very different size: their models then run side by side.
    is_split = n_jobs > 1 and len(units) * options.repeats < 4 * n_jobs
    parts = [(model,) for model in models] if is_split else [models]
    works = [Work(unit, parts, options) for unit in units]
    told = Told()
    with (
        told.caught(),
        threadpool_limits(limits=1),
        progress(f"fitting {len(units)} dataset(s)", sum(w.n_steps for w in works)) as advance,
    ):

        def take(position: int, result: UnitResult) -> None:
            told.failures += [f for learner in result.learners for f in learner.failures]
            finished(position, result)

        try:
            if n_jobs == 1:
                for position, work in enumerate(works):
                    for task in work.tasks:
                        result = work.run(task, advance)
                    assert result is not None
                    take(position, result)
            else:
                _run_side_by_side(works, n_jobs, advance, take)
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
    told.pass_on()
    return interrupted


class _Stopped(Exception):
    """Raised inside a worker thread after Ctrl-C."""


def _run_side_by_side(
    works: Sequence[Work], n_jobs: int, advance: Callable[[], None], take: Finished
) -> None:
    stop = threading.Event()
    reports: queue.SimpleQueue[tuple[int, UnitResult | None] | BaseException] = queue.SimpleQueue()

    def step() -> None:
        if stop.is_set():
            raise _Stopped
        advance()

    def call(position: int, task: tuple[int, int]) -> None:
        try:
            reports.put((position, works[position].run(task, step)))
        except BaseException as error:
            reports.put(error)

    calls = [(i, task) for i, work in enumerate(works) for task in work.tasks]
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            for position, task in calls:
                pool.submit(call, position, task)
            for _ in calls:
                report = _next(reports)
                if isinstance(report, BaseException):
                    raise report
                if report[1] is not None:
                    take(report[0], report[1])
        except BaseException as error:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            if isinstance(error, KeyboardInterrupt):
                _take_the_rest(reports, take)
            raise


def _take_the_rest(
    reports: queue.SimpleQueue[tuple[int, UnitResult | None] | BaseException], take: Finished
) -> None:
    """Keep the units that were finished when the run was interrupted."""
    while not reports.empty():
        report = reports.get()
        if not isinstance(report, BaseException) and report[1] is not None:
            take(report[0], report[1])


def _next(
    reports: queue.SimpleQueue[tuple[int, UnitResult | None] | BaseException],
) -> tuple[int, UnitResult | None] | BaseException:
    """Wait in short turns: Ctrl-C is only noticed between them."""
    while True:
        try:
            return reports.get(timeout=0.2)
        except queue.Empty:
            continue


class Told:
    """What happened while fitting, passed on as one warning however many fits it happened in."""

    def __init__(self) -> None:
        self.failures: list[FitFailure] = []
        self.counts: dict[str, int] = {}
        self.own: list[str] = []

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Keep the warnings of a context for later."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            yield
        for message in found:
            self.add(message.category, str(message.message))

    def add(self, category: type[Warning], text: str) -> None:
        """Note one warning."""
        if issubclass(category, DatakinWarning):
            self.own.append(text)
        elif not issubclass(category, (DeprecationWarning, PendingDeprecationWarning)):
            first = (text.strip().splitlines() or [""])[0][:100]
            line = f"{category.__name__}: {first}"
            self.counts[line] = self.counts.get(line, 0) + 1

    def pass_on(self) -> None:
        """Warn once, and once for each warning of our own."""
        for text in dict.fromkeys(self.own):
            warnings.warn(text, DatakinWarning, stacklevel=6)
        lines = []
        if self.failures:
            lines.append(summary(self.failures) + " The model was left out there.")
        lines += [f"While fitting, {n} time(s): {text}" for text, n in self.counts.items()]
        if lines:
            warnings.warn("\n".join(lines), DatakinWarning, stacklevel=6)
