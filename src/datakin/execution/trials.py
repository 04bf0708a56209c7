"""The sources of a target tried with it, once for a measurement; kept in its checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.files import Folder, write_parts
from datakin.cross_errors.options import Options
from datakin.data import Dataset
from datakin.learners.stack.preparation import MOST_ROWS
from datakin.learners.stack.records import Trials
from datakin.learners.stack.trials import try_all

__all__ = ["try_sources_of"]


def try_sources_of(
    target: Dataset, sources: Sequence[Dataset], options: Options, folder: Folder | None = None
) -> Trials:
    """Try the sources of a target, or find the trials in a checkpoint.

    They take a tenth of a second a source and run one after the other, so that their numbers are the
    same wherever the rest runs. Where the target does not allow a trial, every source is unusable.

    Parameters
    ----------
    target : Dataset
    sources : sequence of Dataset
    options : Options
    folder : Folder, optional
        The checkpoint.
    """
    most = MOST_ROWS if options.max_rows is None else min(options.max_rows, MOST_ROWS)
    place = None
    if folder is not None:
        facts = [[d.name, d.fingerprint] for d in (target, *sources)]
        place = folder.place(f"trials-{target.name}", facts)
        with suppress(ValueError):  # damaged: they are made again
            file = folder.found(place)
            if file is not None:
                kept: Trials = file.part(0)
                return kept
    try:
        found = try_all(target, sources, max_rows=most, random_state=options.random_state)
    except DatakinError as error:
        found = Trials(target.name, 0.0, {}, {s.name: str(error) for s in sources}, (), 0)
    if place is not None:
        with suppress(OSError):  # the units say that the disk is full
            write_parts(place, [("trials", found)])
    return found
