"""Where the fits of a choice run, and where finished ones are kept. No number depends on either."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from datakin._core.checks import check_jobs
from datakin._core.exceptions import DatakinError
from datakin._core.files import written_whole
from datakin._core.repeatability import versions
from datakin.data.features import Array
from datakin.learners.stack.candidates import Run, serially
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


class Checkpoint:
    """A folder that keeps the held-out predictions of each repeat, to go on from after a stop.

    Parameters
    ----------
    folder : path
    options : dict
        Of the choice; with the data, the seed and the versions they make the name of a file.
    prepared : Prepared
    seed : int
    """

    def __init__(self, folder: Any, options: dict[str, Any], prepared: Prepared, seed: int) -> None:
        self.folder = Path(folder)
        known = {
            "options": options,
            "data": sorted(prepared.fingerprints.items()),
            "target": prepared.target.name,
            "seed": seed,
            "versions": versions(),
        }
        text = json.dumps(known, sort_keys=True, default=str)
        self.key = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
        self.shape = prepared.rows.Y.shape
        _make(self.folder)

    def _path(self, repeat: int) -> Path:
        return self.folder / f"choose-{self.key}-{repeat}.npy"

    def read(self) -> dict[int, Array]:
        """Return the repeats that are there; a damaged file counts as none."""
        kept: dict[int, Array] = {}
        while self._path(len(kept)).is_file():
            try:
                P = np.load(self._path(len(kept)), allow_pickle=False)
            except (OSError, ValueError):
                break
            if P.ndim != 3 or P.shape[1:] != self.shape or not np.isfinite(P).all():
                break
            kept[len(kept)] = P
        return kept

    def keep(self, repeat: int, P: Array) -> None:
        """Write a repeat, all of it or nothing."""
        if self._path(repeat).is_file():
            return
        try:
            with written_whole(self._path(repeat)) as draft:
                np.save(draft, P, allow_pickle=False)
        except OSError as error:
            raise DatakinError(
                f"The checkpoint {str(self.folder)!r} must be a folder that can be written to. "
                f"{error.strerror or error}."
            ) from None


def _make(folder: Path) -> None:
    """Make the folder, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise DatakinError(
            f"The checkpoint must be a folder. Got {str(folder)!r}, which is a file or lies below one; give "
            f"another name."
        ) from None
    except OSError as error:
        raise DatakinError(
            f"The checkpoint {str(folder)!r} must be a folder that can be made: {error.strerror or error}."
        ) from None
