"""Runs units on this machine, in as many threads as asked for.

The learners release the interpreter's lock, so threads use all cores without copying data or
starting processes (benchmarks/results/RESULTS.md has both). Every fit uses one thread. The pool is
Python's own: after Ctrl-C joblib's leaves its threads fitting while it returns, and loses what they
finish.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from datakin._core.exceptions import DatakinWarning, FitFailure, warn
from datakin._core.progress import progress
from datakin._core.warned import heard
from datakin.cross_errors.options import Options
from datakin.cross_errors.records import Piece
from datakin.execution.units import Unit, Work
from datakin.learners.engine import summary
from datakin.learners.models import Model

__all__ = ["Told", "run_in_threads"]

Made = list[tuple[int, Piece]]


def run_in_threads(
    units: Sequence[Unit], models: tuple[Model, ...], options: Options
) -> Iterator[tuple[int, Piece]]:
    """Run all units; yield the position and the piece of each as it is finished.

    Ctrl-C stops the fits under way; what was finished until then is yielded before it is passed on.
    """
    n_jobs = effective_n_jobs(options.n_jobs)
    # Few units, as of a pair, may be of very different size: their models then run side by side.
    is_split = n_jobs > 1 and len(units) * options.repeats < 4 * n_jobs
    parts = [(model,) for model in models] if is_split else [models]
    works = [Work(unit, parts, options) for unit in units]
    told = Told()
    with (
        told.passed_on(),
        threadpool_limits(limits=1),
        progress(f"fitting {len(units)} dataset(s)", sum(w.n_steps for w in works)) as advance,
    ):
        for position, piece in _run(works, n_jobs, advance, told):
            told.failures += [failure for own in piece.own for failure in own.failures]
            yield position, piece


class _Stopped(Exception):
    """Raised inside a thread after Ctrl-C."""


def _run(
    works: Sequence[Work], n_jobs: int, advance: Callable[[], None], told: Told
) -> Iterator[tuple[int, Piece]]:
    tasks = [(i, task) for i, work in enumerate(works) for task in work.tasks]
    stop, done = threading.Event(), queue.SimpleQueue[Future[Made]]()

    def run(position: int, task: tuple[int, int], step: Callable[[], None]) -> Made:
        with heard(told.add):
            piece = works[position].run(task, step)
        return [] if piece is None else [(position, piece)]  # only the last task of a unit has one

    def step() -> None:
        if stop.is_set():
            raise _Stopped
        advance()

    if n_jobs == 1:
        for position, task in tasks:
            yield from run(position, task, advance)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            for position, task in tasks:
                pool.submit(run, position, task, step).add_done_callback(done.put)
            for _ in tasks:
                yield from _next(done).result()
        except KeyboardInterrupt:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            while not done.empty():  # what was finished meanwhile
                future = done.get()
                if not future.cancelled() and future.exception() is None:
                    yield from future.result()
            raise
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _next(done: queue.SimpleQueue[Future[Made]]) -> Future[Made]:
    """Wait in short turns: Ctrl-C is only noticed between them."""
    while True:
        with suppress(queue.Empty):
            return done.get(timeout=0.2)


class Told:
    """What happened while fitting, passed on as one warning however many fits it happened in."""

    def __init__(self) -> None:
        self.failures: list[FitFailure] = []
        self.counts: dict[str, int] = {}
        self.own: list[str] = []
        self.lock = threading.Lock()

    def add(self, category: type[Warning], text: str) -> None:
        """Note one warning, from any thread."""
        if issubclass(category, DatakinWarning):
            self.own.append(text)
        elif not issubclass(category, (DeprecationWarning, PendingDeprecationWarning)):
            first = (text.strip().splitlines() or [""])[0][:100]
            line = f"{category.__name__}: {first}"
            with self.lock:
                self.counts[line] = self.counts.get(line, 0) + 1

    @contextmanager
    def passed_on(self) -> Iterator[None]:
        """Warn at the end of a context, also of one that Ctrl-C ended."""
        try:
            yield
        except KeyboardInterrupt:
            self._warn()
            raise
        self._warn()

    def _warn(self) -> None:
        """Warn once, and once for each warning of our own."""
        for text in dict.fromkeys(self.own):
            warn(text)
        lines = []
        if self.failures:
            lines.append(summary(self.failures) + " The model was left out there.")
        lines += [f"While fitting, {n} time(s): {text}" for text, n in self.counts.items()]
        if lines:
            warn("\n".join(lines))
