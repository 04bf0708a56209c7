"""Which suspects are causes: each is mended, and the source's predictor learned again.

A suspect is named if its mend takes a good share of the excess away, surely. Then the search goes on in the
mended tables: two columns may be in other units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.explaining.ladder import SPREAD, errors_of, mean_with_error, new_level, reach
from datakin.explaining.suspects import (
    Suspect,
    blank_values,
    cut_ranges,
    label_units,
    lacking_columns,
    leaking_columns,
    other_codes,
    other_names,
    other_units,
    repeated_rows,
    swapped_classes,
)
from datakin.explaining.world import World, make_world
from datakin.learners.newton import link, mean_of
from datakin.learners.predictors import normalised
from datakin.results.explanation_parts import Mend

__all__ = ["LEAST", "Trial", "mend_all", "reported", "suspects_of", "try_one"]

MOST_TRIALS = 12  # suspects that are tried at once
MOST_MENDS = 4  # that are made, one after the other
CERTAIN = 0.9  # of the interval of the fall: that a suspect is seen in the columns is evidence, too
LEAST = 0.01  # share of the loss alone that a mend must bring
SOME = 0.25  # of the excess: what is left beside a new base rate counts as no less than that
NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Trial:
    """A suspect that was mended.

    Attributes
    ----------
    suspect : Suspect
    world : World
        The mended tables.
    fall, error : float
        By how much the excess falls, and the standard error of that.
    """

    suspect: Suspect
    world: World
    fall: float
    error: float


def suspects_of(world: World) -> Iterator[Suspect]:
    """Yield all that may be the cause."""
    target, source = world.target, world.source
    yield from swapped_classes(target, source, world.judged.rows, world.on_target)
    yield from label_units(target, source)
    yield from other_names(target, source)
    yield from other_units(target, source)
    yield from other_codes(target, source)
    yield from blank_values(target, source)
    yield from leaking_columns(target, source)
    yield from lacking_columns(target, source)


def try_one(world: World, suspect: Suspect) -> Trial | None:
    """Mend a suspect and learn again; None where the mended tables cannot be compared."""
    own = None if suspect.changes_target else world.own
    try:
        mended = _learned(world, suspect, own)
    except DatakinError:
        return None
    judged = world.judged
    fall, error = mean_with_error(
        world.differences - mended.differences, judged.rows.weights, judged.groups
    )
    return Trial(suspect, mended, fall, SPREAD * error)


def mend_all(world: World, *, only_plain: bool) -> tuple[World, tuple[Mend, ...]]:
    """Mend what can be mended, the best first; return the mended tables and what was done.

    Parameters
    ----------
    world : World
    only_plain : bool
        Whether to look only for what is plain to see in the columns.
    """
    mends: list[Mend] = []
    while len(mends) < MOST_MENDS:
        found = (each for each in suspects_of(world) if each.is_plain or not only_plain)
        done = {mend.seen for mend in mends}
        new = [each for each in islice(found, MOST_TRIALS) if each.seen not in done]
        trials = [trial for each in new if (trial := try_one(world, each)) is not None]
        clear = [trial for trial in trials if _is_clear(world, trial)]
        if not clear:
            break
        # A column under another name is no column that the table lacks.
        best = max(clear, key=lambda trial: (trial.suspect.cause == "names", trial.fall))
        after = best.world
        if not best.suspect.changes_target:  # levels of the source may have got other columns
            after = _learned(world, best.suspect, None)
        mends.append(mend_of(world, best, after, "coding", flagged=True, before=mends))
        world = after
    return world, tuple(mends)


def _learned(world: World, suspect: Suspect, own: object) -> World:
    target, source = suspect.mended(world.target, world.source)
    judged = world.judged
    return make_world(
        target,
        source,
        world.learner,
        judged.loss,
        len(judged.folds),
        world.seed,
        own,  # type: ignore[arg-type]
    )


def _is_clear(world: World, trial: Trial) -> bool:
    """Return whether a mend surely takes away what its suspect asks for; what is plain must do no harm."""
    far = reach(world.judged.n_units, CERTAIN) * trial.error
    # What is wrong in a column may happen to offset another base rate, or hide behind one: a mend is also
    # judged beside a new base rate.
    before, after = _level_loss(world), _level_loss(trial.world)
    excess = world.excess[0]
    falls = ((trial.fall, excess), (before - after, max(before, SOME * excess)))
    if trial.suspect.is_plain:
        return max(fall for fall, _ in falls) + far > 0
    if _wrong(trial.world) > _wrong(world):  # a mend that is right does not make more errors
        return False
    return any(
        fall - far > 0 and fall > LEAST * world.alone and fall > trial.suspect.asked * of
        for fall, of in falls
    )


def _level_loss(world: World) -> float:
    """Return the excess of the source's predictor with the base rate of the target."""
    rows = world.judged.rows
    everything = np.ones(len(rows), dtype=bool)
    eta = link(world.on_target, rows.kind)
    moved = np.column_stack(
        [
            new_level(y, eta[:, c], rows.weights, everything, rows.kind)
            for c, y in enumerate(rows.Y.T)
        ]
    )
    losses = world.judged.losses(normalised(mean_of(moved, rows.kind), rows.kind))
    return float(np.average(losses, weights=rows.weights)) - world.alone


def _wrong(world: World) -> float:
    """Return the error of the source's predictor beyond that of the target's own, in the user's unit."""
    rows = world.judged.rows
    own = np.mean([errors_of(rows, P) for P in world.own], axis=0)
    return float(np.average(errors_of(rows, world.on_target) - own, weights=rows.weights))


def mend_of(
    world: World,
    trial: Trial,
    after: World,
    part: str,
    *,
    flagged: bool,
    before: Sequence[Mend] = (),
) -> Mend:
    """Return what a trial brought; `before` are the mends that were made before it."""
    suspect = trial.suspect
    python, typed = _typable(world, suspect)
    if suspect.columns in {mend.columns for mend in before if mend.cause == "units"}:
        python = typed = ""  # a second option for a column would replace the first
    far = reach(world.judged.n_units) * trial.error
    fall = world.excess[0] - after.excess[0]
    return Mend(
        suspect.cause,
        suspect.table,
        suspect.columns,
        suspect.seen,
        python,
        typed,
        world.excess[0],
        after.excess[0],
        fall - far,
        fall + far,
        part,
        flagged,
        after.alone,
    )


def _typable(world: World, suspect: Suspect) -> tuple[str, str]:
    """Return the option of a suspect; empty if one for the same column is in force, which it would replace.

    Columns of one part of a table have the names of the whole: they cannot be renamed.
    """
    for each in (world.target, world.source):
        how = each.how
        if how is None or suspect.table not in ("", each.name):
            continue
        for asked in (how.recode, how.convert):
            if any(f"'{column}'" in repr(asked) for column in suspect.columns if asked):
                return "", ""
        if suspect.cause == "classes" and (how.label_map or how.positive):
            return "", ""
        if suspect.cause == "names" and how.domain is not None:
            return "", ""
    return suspect.python, suspect.typed


def reported(world: World) -> tuple[Mend, ...]:
    """Return what is worth knowing of the tables and was not tried."""
    found = [*cut_ranges(world.target, world.source), *repeated_rows(world.target, world.source)]
    return tuple(
        Mend(s.cause, s.table, s.columns, s.seen, "", "", NAN, NAN, NAN, NAN, "", False)
        for s in found
    )
