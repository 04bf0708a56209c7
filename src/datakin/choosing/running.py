"""Where the fits of a choice run, and where finished ones are kept. No number depends on either."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed

from datakin._core.checks import check_jobs
from datakin._core.repeatability import versions
from datakin.cross_errors.files import Folder
from datakin.data.features import Array
from datakin.learners.stack.candidates import Run, serially
from datakin.learners.stack.fitting import Keep, made_now
from datakin.learners.stack.preparation import Prepared


@contextmanager
def runner(n_jobs: Any, client: Any) -> Iterator[Run]:
    """Yield a function that runs tasks here, on threads or on a Dask cluster, and returns their results."""
    check_jobs(n_jobs)
    if client is not None:
        yield lambda tasks: list(client.gather([client.submit(t, pure=False) for t in tasks]))
    elif n_jobs in (None, 1):
        yield serially
    else:
        with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
            yield lambda tasks: list(parallel(delayed(task)() for task in tasks))


def keeper(folder: Any, options: dict[str, Any], prepared: Prepared, seed: int) -> Keep:
    """Return a function that finds draws of the folds in a checkpoint, or makes and keeps them.

    Choices of other tables or with other options may share the folder.
    """
    if folder is None:
        return made_now
    about = {"versions": versions(), "options": {"of": "choose"}, "identity": {}, "datasets": {}}
    place = Folder(folder, about)
    known = [options, sorted(prepared.fingerprints.items()), prepared.target.name, seed]

    def keep(repeat: int, make: Any) -> Array:
        found: Array = place.kept(
            f"choose-{repeat}", [*known, repeat], "draw", make, is_needed=True
        )
        return found

    return keep
