"""Every source of a target tried at once: what rankings and matrices say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from datakin._core.repeatability import derive_seed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.learning.losses import choose_loss
from datakin.learning.metrics import ERROR_SPREAD, Metrics, class_metrics, number_metrics
from datakin.learning.stack.calls import REPEATS, single_mixes, try_sources
from datakin.learning.stack.candidates import Run, Stack, serially
from datakin.learning.stack.fitting import Folds, Passes
from datakin.learning.stack.folds import draw_folds
from datakin.learning.stack.learners import make_learners
from datakin.learning.stack.losses import Judge, squared
from datakin.learning.stack.preparation import MOST_ROWS, Prepared, prepare
from datakin.learning.stack.records import Trials
from datakin.learning.stack.weights import Mix

__all__ = ["REPEATS", "Trials", "folds_of", "try_all"]


def try_all(
    target: Dataset,
    sources: Sequence[Dataset],
    *,
    learners: Any = None,
    repeats: int = REPEATS,
    max_rows: int | None = MOST_ROWS,
    random_state: int = 0,
    run: Run = serially,
) -> Trials:
    """Try every source with the target.

    The numbers of a source depend on the columns and classes of the target, on its own rows and on the
    seed; levels of categories that get a column are those frequent in all tables together.

    Parameters
    ----------
    target : Dataset
    sources : sequence of Dataset
    learners : optional
        As in `make_learners`.
    repeats : int
        Draws of the folds.
    max_rows : int or None
        Of the target and of each source.
    random_state : int
    run : callable
        Runs tasks; see `Stack`.
    """
    prepared = prepare(target, sources, max_rows=max_rows, random_state=random_state)
    made = make_learners(learners, bool(target.classes), random_state)
    with threadpool_limits(limits=1):
        stack = Stack(prepared.rows, prepared.sources, made, seed=random_state, run=run)
        stack.fit_each()
        passes = Passes(stack, prepared.rows.weights)
        folds = folds_of(prepared.target, random_state)
        for repeat in range(repeats):
            passes.add_each(folds(repeat))
        singles, alone = single_mixes(passes), passes.alone
        tried = try_sources(passes, prepared.target.groups, singles=singles)
    found = {
        t.source: replace(t, metrics=_metrics("with the source", singles[t.source], prepared))
        for t in tried
    }
    rows = prepared.rows
    losses = np.mean([squared(rows.Y, mix.predictions, rows.kind) for mix in alone], axis=0)
    return Trials(
        target.name,
        float(np.average(losses, weights=rows.weights)),
        {s.name: found[s.name] for s in sources if s.name in found},
        prepared.unusable,
        tuple(each.name for each in made),
        repeats,
        _metrics("the target alone", alone, prepared),
    )


def _metrics(of: str, mixes: Sequence[Mix], prepared: Prepared) -> Metrics:
    """Return the metrics of a stack on the target's held-out rows, mean over the draws of the folds."""
    target, rows = prepared.target, prepared.rows
    draws = [mix.predictions for mix in mixes]
    if rows.kind == "regression":
        values = [each[:, 0] for each in draws]
        return number_metrics(
            of, values, target.y, rows.weights, groups=target.groups, spread=ERROR_SPREAD
        )
    judge = Judge.make(choose_loss(None, target), rows.kind, target.classes, target.y, rows.weights)
    p = [judge.probabilities(each) for each in draws]
    return class_metrics(
        of,
        p,
        [judge.codes(each) for each in p],
        target.y,
        rows.weights,
        classes=target.classes,
        groups=target.groups,
        spread=ERROR_SPREAD,
    )


def folds_of(target: Dataset, random_state: int) -> Folds:
    """Return the function that draws the folds of a target."""

    def draw(repeat: int) -> Array:
        seed = derive_seed(random_state, "repeat", repeat)
        return draw_folds(target.y, bool(target.classes), target.groups, seed)

    return draw
