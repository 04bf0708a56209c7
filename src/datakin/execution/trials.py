"""The sources of a target tried with it, once for a measurement; kept in its checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.files import Folder
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
    """
    most = MOST_ROWS if options.max_rows is None else min(options.max_rows, MOST_ROWS)

    def made() -> Trials:
        try:
            return try_all(target, sources, max_rows=most, random_state=options.random_state)
        except DatakinError as error:
            return Trials(target.name, 0.0, {}, {s.name: str(error) for s in sources}, (), 0)

    if folder is None:
        return made()
    facts = [[d.name, d.fingerprint] for d in (target, *sources)]
    found: Trials = folder.kept(f"trials-{target.name}", facts, "trials", made)
    return found
