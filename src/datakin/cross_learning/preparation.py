"""From datasets and options to a measurement that is ready to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.cross_errors.options import AGGREGATES, Options
from datakin.cross_errors.sums import WaySums
from datakin.cross_errors.table import ErrorTable
from datakin.data import Dataset
from datakin.execution.agreement import choose_keep
from datakin.execution.measurement import Looks, Measurement
from datakin.learners.models import Model, built_in_models, choose_models
from datakin.scoring.cls import AVERAGES
from datakin.scoring.curves import measure_growth
from datakin.scoring.pairs import make_pair
from datakin.scoring.rankings import grams_of_all, what_rows_add
from datakin.scoring.ways import RowsWay, summed

__all__ = ["prepare"]


def _chosen_models(options: Options, is_class: bool) -> tuple[Model, ...]:
    """Return the models for the task, and check that `estimate` is one of what they give."""
    models = choose_models(options.models, is_class)
    names = [model.name for model in models]
    if options.estimate in (*AGGREGATES, *names):
        return models
    if options.models is None:
        known = {m.name: m for m in built_in_models(is_class)}
        if options.estimate in known:  # another built-in model, asked for by name alone
            return (*models, known[options.estimate])
    raise DatakinError(
        f"The 'estimate' parameter must be one of {listed((*AGGREGATES, *names), limit=12)}. "
        f"Got {options.estimate!r} instead.{suggest(str(options.estimate), [*AGGREGATES, *names])}"
    )


def prepare(
    datasets: Sequence[Dataset],
    pairs: Sequence[tuple[str, str]],
    options: Options,
    trials: Sequence[str],
    keep: str,
    *,
    with_grams: bool = True,
) -> Measurement:
    """Return a measurement that is ready to run."""
    models = _chosen_models(options, bool(datasets[0].classes))
    # Averages over models, and the limit, are made of all of them row by row.
    is_one = options.estimate not in AVERAGES and options.size != "limit"
    return Measurement(
        datasets,
        pairs,
        options,
        models,
        LOOKS,
        trials=trials,
        keep=choose_keep(datasets, pairs, options, len(models), keep),
        with_grams=with_grams,
        outputs=(options.estimate,) if is_one else (),
    )


def _growth(table: ErrorTable, target: str, source: str) -> tuple[bool, str | None]:
    """Return whether the samples of a pair are large enough, and what to say if they cannot be."""
    pair = make_pair(table, target, source)
    wanted = table.options.precision
    if not pair.members[0].classes:
        wanted *= float(np.mean([member.best_constant for member in pair.members]))
    ways = [(way.directions, way.groups) for way in pair.ways if isinstance(way, RowsWay)]
    is_sampled = (pair.members[0].is_sampled, pair.members[1].is_sampled)
    found = measure_growth(ways, pair.factors, is_sampled, table.options.estimate, wanted)
    return found.is_enough, found.note


def _reduce(
    table: ErrorTable, target: str, source: str, with_rows: bool
) -> tuple[tuple[WaySums, WaySums], Any]:
    """Return the sums of both directions, and what each row adds to them, if that is asked for."""
    pair = make_pair(table, target, source)
    forth, back = (
        summed(way, table.options.estimate) for way in pair.ways if isinstance(way, RowsWay)
    )
    return (forth, back), [what_rows_add(pair, way) for way in (0, 1)] if with_rows else None


LOOKS = Looks(_growth, _reduce, grams_of_all)
