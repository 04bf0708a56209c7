"""What would fix the parts of the ladder.

Classes drawn to the target's proportions, a label on its scale, a column left out. Each is tried, and given
if it brings anything; its interval says how sure that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from datakin._core.typed_options import convert_options, typed
from datakin.data import match_classes
from datakin.explaining.edits import converted
from datakin.explaining.suspects import Suspect
from datakin.explaining.suspects.suspect import leaving_out
from datakin.explaining.trying import LEAST, mend_of, try_one
from datakin.explaining.world import World
from datakin.results.explanation_parts import ColumnEffect, Mend
from datakin.results.words import number, percent, short

SCALE = 0.2  # Share of what predictions are off that must be seen in the spread of the labels themselves.


def remedies(
    world: World,
    named: set[str],
    columns: Sequence[ColumnEffect],
    slope: float,
    is_of_labels: bool,
    before: Sequence[Mend],
) -> tuple[Mend, ...]:
    """Try what would fix the parts that are named.

    Parameters
    ----------
    world : World
        The tables, with what was fixed before.
    named : set of str
        Parts of the ladder.
    columns : sequence of ColumnEffect
    slope : float
        What predictions of the source should be multiplied by.
    is_of_labels : bool
        Whether the labels themselves differ as predictions do; else they are not rewritten.
    before : sequence of Mend
        What was fixed before.
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
