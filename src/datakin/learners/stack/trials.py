"""The trials of a target's sources: fits for the evidence that rankings and scores read.

They hold no pools of several sources, which only a choice asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from datakin.data import Dataset
from datakin.learners.losses import Judge, choose_loss, mean_squared
from datakin.learners.metrics import ERROR_SPREAD, metrics_of
from datakin.learners.named import LEARNERS
from datakin.learners.stack import gains
from datakin.learners.stack.candidates import Stack
from datakin.learners.stack.fitting import folds_of
from datakin.learners.stack.passes import Passes, held_out
from datakin.learners.stack.preparation import MOST_ROWS, prepare
from datakin.learners.stack.records import Trials


def try_all(
    target: Dataset,
    sources: Sequence[Dataset],
    *,
    max_rows: int | None = MOST_ROWS,
    random_state: int = 0,
) -> Trials:
    """Try every source with the target.

    The numbers of a source depend on the columns and classes of the target, on its own rows and on the
    seed; levels of categories that get a column are those frequent in all tables together.
    """
    prepared = prepare(target, sources, max_rows=max_rows, random_state=random_state)
    learners = tuple(LEARNERS.values())
    own, rows = prepared.target, prepared.rows
    with threadpool_limits(limits=1):
        stack = Stack(rows, prepared.sources, learners, seed=random_state)
        stack.fit_sources(pools=False)
        passes = Passes(stack.evidence(prepared.groups.get(own.name)))
        folds = folds_of(own, random_state)
        for repeat in range(gains.REPEATS):
            drawn = folds(repeat)
            passes.add(drawn, stack.held_out(drawn, repeat, pools=False))
        passes.evidence = replace(passes.evidence, pooled=stack.pooled(passes.evidence.folds))
    singles, alone = passes.singles, held_out(passes.alone)
    found = {t.source: t for t in gains.read_trials(passes)}
    loss = choose_loss(None, own)
    judge = Judge.make(loss, rows.kind, own.classes, own.y, rows.weights)
    given = (judge, own.y, rows.weights, own.groups, ERROR_SPREAD)
    return Trials(
        target.name,
        float(np.average(mean_squared(rows.Y, alone, rows.kind), weights=rows.weights)),
        {
            s.name: replace(
                found[s.name],
                metrics=metrics_of("with the source", held_out(singles[s.name]), *given),
            )
            for s in sources
            if s.name in found
        },
        prepared.unusable,
        tuple(LEARNERS),
        gains.REPEATS,
        metrics_of("the target alone", alone, *given),
    )
