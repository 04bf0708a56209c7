"""The evidence of a target measured, once for a measurement; kept in its checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.files import Folder
from datakin.cross_errors.options import Options
from datakin.data import Dataset
from datakin.learners.stack.evidence import TargetEvidence
from datakin.learners.stack.gains import judge_of, trials_of
from datakin.learners.stack.preparation import MOST_ROWS
from datakin.learners.stack.records import Trials
from datakin.learners.stack.trials import measure_target

Measured = tuple[Trials, TargetEvidence | None]


def try_sources_of(
    target: Dataset,
    sources: Sequence[Dataset],
    options: Options,
    folder: Folder | None = None,
    *,
    whole: bool = False,
) -> Measured:
    """Try the sources of a target, or find what was measured in a checkpoint.

    It takes a tenth of a second a source, one after the other, so that the numbers are the same wherever the
    rest runs. With `whole` the evidence is enough for a choice. Where the target does not allow a
    trial, every source is unusable.
    """
    most = MOST_ROWS if options.max_rows is None else min(options.max_rows, MOST_ROWS)

    def made() -> Measured:
        try:
            found = measure_target(
                target,
                sources,
                max_rows=most,
                random_state=options.random_state,
                loss=options.resolved_loss,
                whole=whole,
            )
        except DatakinError as error:
            reasons = {source.name: str(error) for source in sources}
            return Trials(target.name, 0.0, {}, reasons, (), 0), None
        trials = trials_of(found, judge_of(found, options.resolved_loss))
        # In the order in which the sources were given.
        places = {s.name: trials.trials[s.name] for s in sources if s.name in trials.trials}
        return replace(trials, trials=places), found if whole else None

    if folder is None:
        return made()
    facts = [whole, *([d.name, d.fingerprint] for d in (target, *sources))]
    found: Measured = folder.kept(f"trials-{target.name}", facts, "trials", made)
    return found
