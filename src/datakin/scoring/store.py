"""Where finished units are kept: in memory, or on disk when they are many or must outlive the run."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinWarning
from datakin.data import Dataset
from datakin.learning.models import Model
from datakin.results.record import versions
from datakin.scoring.checkpoint import Folder
from datakin.scoring.options import Options
from datakin.scoring.threads import run_in_threads
from datakin.scoring.units import Unit, UnitResult

__all__ = ["Store"]

MEMORY = 2**28  # bytes of errors kept in memory; more go to a temporary folder


class Store:
    """Runs units and keeps their results.

    Memory holds what is at hand: the learners of all datasets, and errors on others only up to a
    bound. Beyond it, or with a checkpoint, errors are on disk and read pair by pair.

    Parameters
    ----------
    datasets : sequence of Dataset
    models : tuple of Model
    options : Options

    Attributes
    ----------
    backends : dict of key to mapping
        What fitted each model, for each unit that is finished.
    """

    def __init__(
        self, datasets: Sequence[Dataset], models: tuple[Model, ...], options: Options
    ) -> None:
        self.models, self.options = models, options
        self.results: dict[Any, UnitResult] = {}
        self.backends: dict[Any, Mapping[str, str]] = {}
        self.folder = None
        if options.checkpoint is not None:
            self.folder = self._folder(options.checkpoint, datasets)

    def __contains__(self, key: Any) -> bool:
        return key in self.results

    def __getitem__(self, key: Any) -> UnitResult:
        return self.results[key]

    def run(self, units: Mapping[Any, Unit], finished: Callable[[Any, UnitResult], None]) -> bool:
        """Run units, or find them finished; return whether the run was interrupted.

        Parameters
        ----------
        units : mapping of key to Unit
        finished : callable
            Called with the key and the result of each unit, as they come.
        """
        if self.folder is None and self._size(units) > MEMORY:
            scratch = tempfile.mkdtemp(prefix="datakin-")
            weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)
            self.folder = self._folder(scratch)
        places = dict[Any, Path]()
        if self.folder is not None:
            places = {key: self.folder.place(unit) for key, unit in units.items()}
        left = dict(units)
        if self.options.checkpoint is not None:
            for key, result in self._found(places).items():
                self._keep(key, result, finished)
                del left[key]
        keys = list(left)

        def take(position: int, result: UnitResult) -> None:
            key = keys[position]
            self._keep(key, self._written(places.get(key), result), finished)

        options = replace(self.options, client=None, checkpoint=None)
        if not left:
            return False
        if self.options.client is None:
            return run_in_threads(list(left.values()), self.models, options, take)
        from datakin.scoring.cluster import run_on_cluster

        return run_on_cluster(list(left.values()), self.models, options, self.options.client, take)

    def _folder(self, path: Any, datasets: Sequence[Dataset] = ()) -> Folder:
        """Return a folder for what the numbers depend on."""
        prints = {d.name: d.fingerprint for d in datasets}
        facts = {"versions": versions(), "options": self.options.summary(), "datasets": prints}
        return Folder(path, facts)

    def _keep(
        self, key: Any, result: UnitResult, finished: Callable[[Any, UnitResult], None]
    ) -> None:
        self.results[key], self.backends[key] = result, result.backends
        finished(key, result)

    def _found(self, places: Mapping[Any, Path]) -> dict[Any, UnitResult]:
        """Return what an earlier run has left in the checkpoint folder."""
        assert self.folder is not None
        results, torn = {}, []
        for key, place in places.items():
            try:
                found = self.folder.found(place)
            except ValueError as error:
                torn.append(str(error))
                continue
            if found is not None:
                results[key] = found
        if torn:
            warnings.warn(
                f"{len(torn)} file(s) of the checkpoint are torn and will be made again "
                f"({torn[0][:160]}).",
                DatakinWarning,
                stacklevel=6,
            )
        return results

    def _written(self, place: Path | None, result: UnitResult) -> UnitResult:
        if self.folder is None or place is None:
            return result
        try:
            self.folder.write(place, result)
            return self.folder.read(place)
        except OSError as error:
            warnings.warn(
                f"{place.parent.parent} could not be written to ({error.strerror or error}); the run "
                f"goes on without it, and what it finds from here on stays in memory.",
                DatakinWarning,
                stacklevel=2,
            )
            self.folder = None
            return result

    def _size(self, units: Mapping[Any, Unit]) -> int:
        """Return how many bytes the errors of units will take."""
        rows = sum(
            t.other.n_rows * (3 if unit.with_inner else 2)
            for unit in units.values()
            for t in unit.tests
        )
        return rows * (len(self.models) + 2) * 8 * self.options.repeats
