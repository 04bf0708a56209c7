"""Where the fits of a choice run: here, on threads, or on a Dask cluster. No number depends on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed

from datakin._core.exceptions import DatakinError
from datakin.learners.stack.candidates import Run, Task, serially

__all__ = ["runner"]


@contextmanager
def runner(n_jobs: Any, client: Any) -> Iterator[Run]:
    """Yield a function that runs tasks and returns what they return, in order."""
    if n_jobs is not None and (
        isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or not n_jobs
    ):
        raise DatakinError(
            f"The 'n_jobs' parameter must be a number of jobs, -1 for all cores, or None. "
            f"Got {n_jobs!r} instead."
        )
    if client is not None:

        def on_cluster(tasks: Sequence[Task]) -> list[Any]:
            return list(client.gather([client.submit(_call, task, pure=False) for task in tasks]))

        yield on_cluster
    elif n_jobs in (None, 1):
        yield serially
    else:
        with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
            yield lambda tasks: list(parallel(delayed(_call)(task) for task in tasks))


def _call(task: Task) -> Any:
    return task()
