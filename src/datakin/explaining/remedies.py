"""What would mend the parts of the ladder.

Classes drawn to the target's shares, a label on its scale, a column left out. Each is tried, and proposed
if it brings anything; its interval says how sure that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import match_classes
from datakin.explaining.edits import converted, without
from datakin.explaining.suspects import Suspect
from datakin.explaining.trying import LEAST, Trial, mend_of, try_one
from datakin.explaining.world import World
from datakin.results.explanation_parts import ColumnEffect, Mend
from datakin.results.words import number, percent, short

__all__ = ["remedies"]

SCALE = 0.2  # of what predictions are off that must be seen in the spread of the labels themselves


def remedies(
    world: World,
    named: set[str],
    columns: Sequence[ColumnEffect],
    slope: float,
    is_of_labels: bool,
    before: Sequence[Mend],
) -> tuple[Mend, ...]:
    """Try what would mend the parts that are named.

    Parameters
    ----------
    world : World
        The tables, with what was mended before.
    named : set of str
        Parts of the ladder.
    columns : sequence of ColumnEffect
    slope : float
        What predictions of the source should be multiplied by.
    is_of_labels : bool
        Whether the labels themselves differ as predictions do; else they are not rewritten.
    before : sequence of Mend
        What was mended before.
    """
    found = []
    for suspect, part in _suspects(world, named, columns, slope, is_of_labels):
        trial = try_one(world, suspect)
        if trial is not None and trial.fall > 0 and _is_gain(world, trial):
            found.append(mend_of(world, trial, trial.world, part, flagged=False, before=before))
    return tuple(found)


def _is_gain(world: World, trial: Trial) -> bool:
    """Return whether the source's predictor loses less, by something that matters.

    Without a column the target's own predictor loses more; the excess falls for that reason alone.
    """
    weights = world.judged.rows.weights
    before, after = (np.average(each.losses, weights=weights) for each in (world, trial.world))
    return float(before) - float(after) > LEAST * world.alone


def _suspects(
    world: World,
    named: set[str],
    columns: Sequence[ColumnEffect],
    slope: float,
    is_of_labels: bool,
) -> Iterator[tuple[Suspect, str]]:
    if "base rate" in named and is_of_labels:
        yield _shares(world), "base rate"
    if "scale" in named and _is_of_scale(world, slope):
        yield _line(world, slope, "scale"), "scale"
    elif "level" in named and is_of_labels:
        yield _line(world, 1.0, "level"), "level"
    clear = [each for each in columns if each.flagged and each.column in world.source.columns]
    if clear and len(world.target.columns) > 1:
        yield _dropped(world, clear[0].column), "rule"


def _is_of_scale(world: World, slope: float) -> bool:
    """Return whether the labels themselves spread as predictions should; else they must not be rewritten."""
    mine, theirs = world.target.y, world.source.y
    ratio = float(np.std(mine)) / max(float(np.std(theirs)), 1e-300)
    return slope > 0 and ratio > 0 and np.log(ratio) / np.log(slope) > SCALE


def _shares(world: World) -> Suspect:
    target, source = world.target, world.source
    rows = [world.judged.rows, world.there]
    of = ""
    if len(target.classes) == 2:
        here, there = (float(np.average(each.Y[:, 0], weights=each.weights)) for each in rows)
        of = (
            f": {percent(here)}% of {short(target.name)} and {percent(there)}% of {short(source.name)} are "
            f"{short(target.classes[1])!r}"
        )

    return Suspect(
        cause="base rate",
        table=source.name,
        columns=(source.label,),
        seen=f"The base rate differs{of}.",
        python="source = datakin.match_classes(source, target)",
        typed=typed("match-classes", source.name),
        mended=lambda one, other: (one, match_classes(other, one)),
    )


def _line(world: World, slope: float, cause: str) -> Suspect:
    """Return the label of the source moved to where the target's lies, on its scale."""
    target, source, judged = world.target, world.source, world.judged
    weights = judged.rows.weights
    expected = float(np.average(world.on_target[:, 0], weights=weights))
    observed = float(np.average(judged.rows.Y[:, 0], weights=weights))
    line = float(f"{slope:.4g}"), float(f"{observed - slope * expected:.4g}")
    text = ",".join(f"{value:.4g}" for value in line)
    return Suspect(
        cause=cause,
        table=source.name,
        columns=(source.label,),
        seen=(
            f"Labels of {short(source.name)} fit {short(target.name)} when they are multiplied by "
            f"{number(line[0])} and {number(line[1])} is added."
        ),
        python=f"convert={{{source.name!r}: {{{source.label!r}: {line}}}}}",
        typed=typed("convert", source.label, f"={text}", table=source.name),
        mended=lambda one, other: (one, converted(other, source.label, *line)),
    )


def _dropped(world: World, column: str) -> Suspect:
    return Suspect(
        cause="column",
        table="",
        columns=(column,),
        seen=f"{short(column)} has another effect in the two tables.",
        python=f"ignore=[{column!r}]",
        typed=typed("ignore", column),
        mended=lambda one, other: (without(one, [column]), without(other, [column])),
        changes_target=True,
    )
