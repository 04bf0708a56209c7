"""Which suspects are causes: each is fixed, and the source's predictor learned again.

A suspect is named if its fix takes a good share of the excess away, surely. Then the search goes on in the
fixed tables: two columns may be in other units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import nan

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.typed_options import convert_options, typed
from datakin.data import match_classes
from datakin.explaining.ladder import SPREAD, adjusted, errors_of, new_level
from datakin.explaining.suspects import (
    REPORTED,
    SEARCHES,
    Search,
    Suspect,
    label_units,
    swapped_classes,
)
from datakin.explaining.suspects.suspect import converted, leaving_out
from datakin.explaining.world import World
from datakin.learners.metrics import reach
from datakin.results.explanation_parts import ColumnEffect, Mend
from datakin.results.words import number, percent, short

MOST_TRIALS = 12  # Suspects that are tried at once.
MOST_FIXES = 4  # Fixes that are made, one after the other.
# Level of the interval of a fall: that a suspect is seen in the columns is evidence, too.
CERTAIN = 0.9
LEAST = 0.01  # Share of the loss alone that a fix must bring.
SOME = 0.25  # Share of the excess that what is left with a new base rate counts as, at least.
SCALE = 0.2  # Share of what predictions are off that must be seen in the spread of the labels themselves.


@dataclass(frozen=True, eq=False)
class Trial:
    """A suspect that was fixed."""

    suspect: Suspect
    world: World  # the fixed tables
    fall: float  # of the excess
    error: float  # the standard error of that


def suspects_of(world: World) -> Iterator[Suspect]:
    """Yield all that may be the cause."""
    yield from swapped_classes(world)
    yield from label_units(world.target, world.source)
    yield from _found(world, SEARCHES)


def _found(world: World, searches: Sequence[Search]) -> Iterator[Suspect]:
    """Yield what is seen in the columns; nothing is looked for in sparse ones."""
    tables = world.target, world.source
    if not any(table.features.is_sparse for table in tables):
        for search in searches:
            yield from search(*tables)


def try_one(world: World, suspect: Suspect) -> Trial | None:
    """Fix a suspect and learn again; None where the fixed tables cannot be compared."""
    try:
        target, source = suspect.fixed(world.target, world.source)
        fixed = world.remade(target, source, world.own if target is world.target else None)
    except DatakinError:
        return None
    fall, error = world.judged.mean_with_error(world.differences - fixed.differences)
    return Trial(suspect, fixed, fall, SPREAD * error)


def fix_tables(world: World, *, only_plain: bool) -> tuple[World, tuple[Mend, ...]]:
    """Fix what can be fixed, or is plain to see, the best first; return the tables and what was done."""
    mends: list[Mend] = []
    while len(mends) < MOST_FIXES:
        usable = (s for s in suspects_of(world) if s.is_plain or not only_plain)
        done = {mend.seen for mend in mends}
        new = [suspect for suspect in islice(usable, MOST_TRIALS) if suspect.seen not in done]
        trials = [trial for suspect in new if (trial := try_one(world, suspect)) is not None]
        clear = [trial for trial in trials if _is_clear(world, trial)]
        if not clear:
            break
        # A column under another name is no column that the table lacks.
        best = max(clear, key=lambda trial: (trial.suspect.cause == "names", trial.fall))
        if best.world.target is world.target:  # Levels of the source may have got other columns.
            best = replace(best, world=world.remade(world.target, best.world.source))
        mends.append(mend_of(world, best, "coding", mends))
        world = best.world
    return world, tuple(mends)


def _is_clear(world: World, trial: Trial) -> bool:
    """Return whether a fix surely takes away what its suspect asks for; what is plain must do no harm."""
    far = reach(world.judged.n_units, CERTAIN) * trial.error
    # What is wrong in a column may happen to offset another base rate, or hide behind one: a fix is also
    # judged with a new base rate.
    before, after = _level_excess(world), _level_excess(trial.world)
    excess = world.excess[0]
    falls = ((trial.fall, excess), (before - after, max(before, SOME * excess)))
    if trial.suspect.is_plain:
        return max(fall for fall, _ in falls) + far > 0
    if _wrong(trial.world) > _wrong(world):  # A fix that is right does not make more errors.
        return False
    return any(
        fall - far > 0 and fall > LEAST * world.alone and fall > trial.suspect.asked * whole
        for fall, whole in falls
    )


def _level_excess(world: World) -> float:
    """Return the excess of the source's predictor with the base rate of the target."""
    rows = world.judged.rows
    P = adjusted(rows, world.on_target, np.ones(len(rows), dtype=bool), new_level)
    return world.judged.mean(world.judged.losses(P)) - world.alone


def _wrong(world: World) -> float:
    """Return the error of the source's predictor beyond that of the target's own, in the user's unit."""
    rows = world.judged.rows
    own = np.mean([errors_of(rows, P) for P in world.own], axis=0)
    return world.judged.mean(errors_of(rows, world.on_target) - own)


def mend_of(world: World, trial: Trial, part: str, before: Sequence[Mend]) -> Mend:
    """Return what a trial brought; `before` are the fixes that were made before it."""
    suspect, after = trial.suspect, trial.world
    # A second option for a column would replace the first.
    is_second = suspect.columns in {mend.columns for mend in before if mend.cause == "units"}
    can_be_typed = not is_second and _can_be_typed(world, suspect)
    far = reach(world.judged.n_units) * trial.error
    fall = world.excess[0] - after.excess[0]
    return Mend(
        suspect.cause,
        suspect.table,
        suspect.columns,
        suspect.seen,
        suspect.python if can_be_typed else "",
        suspect.typed if can_be_typed else "",
        world.excess[0],
        after.excess[0],
        fall - far,
        fall + far,
        part,
        part == "coding",  # What mends a step of the ladder is proposed, and no cause.
        after.alone,
    )


def _can_be_typed(world: World, suspect: Suspect) -> bool:
    """Return whether no option for the same column is in force, which that of a suspect would replace.

    Columns of one part of a table have the names of the whole: they cannot be renamed.
    """
    for table in (world.target, world.source):
        how = table.how
        if how is None or suspect.table not in ("", table.name):
            continue
        corrections = [repr(asked) for asked in (how.recode, how.convert) if asked]
        if any(f"'{column}'" in asked for column in suspect.columns for asked in corrections):
            return False
        if suspect.cause == "classes" and (how.label_map or how.positive):
            return False
        if suspect.cause == "names" and how.domain is not None:
            return False
    return True


def reported(world: World) -> tuple[Mend, ...]:
    """Return what is worth knowing of the tables and was not tried."""
    return tuple(
        Mend(s.cause, s.table, s.columns, s.seen, "", "", nan, nan, nan, nan, "", False)
        for s in _found(world, REPORTED)
    )


def remedies(
    world: World,
    named: set[str],
    columns: Sequence[ColumnEffect],
    slope: float,
    is_of_labels: bool,
    before: Sequence[Mend],
) -> tuple[Mend, ...]:
    """Try what would fix the parts that are named; `before` is what was fixed before.

    Labels that do not differ themselves as predictions do are not rewritten.
    """
    suspects: list[tuple[str, Suspect]] = []
    if "base rate" in named and is_of_labels:
        suspects.append(("base rate", _base_rate(world)))
    if "scale" in named and _is_of_scale(world, slope):
        suspects.append(("scale", _line(world, slope, "scale")))
    elif "level" in named and is_of_labels:
        suspects.append(("level", _line(world, 1.0, "level")))
    clear = [e.column for e in columns if e.flagged and e.column in world.source.columns]
    if clear and len(world.target.columns) > 1:
        seen = f"{short(clear[0])} has another effect in the two tables."
        suspects.append(("rule", leaving_out("column", "", clear[:1], seen)))
    mends = []
    for part, suspect in suspects:
        trial = try_one(world, suspect)
        if trial is None or trial.fall <= 0:
            continue
        # Without a column the target's own predictor loses more; the excess falls for that reason alone.
        fall = world.judged.mean(world.losses) - world.judged.mean(trial.world.losses)
        if fall > LEAST * world.alone:
            mends.append(mend_of(world, trial, part, before))
    return tuple(mends)


def _is_of_scale(world: World, slope: float) -> bool:
    """Return whether the labels themselves spread as predictions should; else they must not be rewritten."""
    ratio = float(np.std(world.target.y)) / max(float(np.std(world.source.y)), 1e-300)
    return slope > 0 and ratio > 0 and np.log(ratio) / np.log(slope) > SCALE


def _base_rate(world: World) -> Suspect:
    target, source = world.target, world.source
    shares = ""
    if len(target.classes) == 2:
        here, there = (
            percent(float(np.average(rows.Y[:, 0], weights=rows.weights)))
            for rows in (world.judged.rows, world.source_rows)
        )
        shares = (
            f": {here}% of {short(target.name)} and {there}% of {short(source.name)} are "
            f"{short(target.classes[1])!r}"
        )
    return Suspect(
        "base rate",
        source.name,
        (source.label,),
        f"The base rate differs{shares}.",
        "source = datakin.match_classes(source, target)",
        typed("match-classes", source.name),
        lambda dataset: match_classes(dataset, target),
    )


def _line(world: World, slope: float, cause: str) -> Suspect:
    """Return the label of the source moved to where the target's is, on its scale."""
    target, source, judged = world.target, world.source, world.judged
    level = judged.mean(judged.rows.Y[:, 0]) - slope * judged.mean(world.on_target[:, 0])
    line = float(f"{slope:.4g}"), float(f"{level:.4g}")
    seen = (
        f"Labels of {short(source.name)} fit {short(target.name)} when they are multiplied by "
        f"{number(line[0])} and {number(line[1])} is added."
    )
    text = ",".join(f"{value:.4g}" for value in line)
    options = convert_options(source.name, source.label, str(line), text)
    edit = partial(converted, column=source.label, slope=line[0], intercept=line[1])
    return Suspect(cause, source.name, (source.label,), seen, *options, edit)
