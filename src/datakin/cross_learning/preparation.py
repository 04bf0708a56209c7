"""From datasets and options to a measurement that is ready to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from datakin.cross_errors.options import Options
from datakin.cross_errors.sums import WaySums
from datakin.cross_errors.table import ErrorTable
from datakin.data import Dataset
from datakin.execution.agreement import choose_keep
from datakin.execution.measurement import Looks, Measurement
from datakin.learners.models import Model
from datakin.scoring.cls import AVERAGES, last_change
from datakin.scoring.pairs import Pair
from datakin.scoring.rankings import grams_of_all, what_rows_add
from datakin.scoring.uncertainty import jackknife_variance


def prepare(
    datasets: Sequence[Dataset],
    pairs: Sequence[tuple[str, str]],
    options: Options,
    models: tuple[Model, ...],
    trials: Sequence[str],
    keep: str,
    *,
    with_grams: bool = True,
    with_choices: bool = False,
) -> Measurement:
    """Return a measurement that is ready to run."""
    # Averages over models, and the limit, are made of all of them row by row.
    is_one = options.estimate not in AVERAGES and options.size != "limit"
    return Measurement(
        datasets,
        pairs,
        options,
        models,
        LOOKS,
        trials=trials,
        with_choices=with_choices,
        keep=choose_keep(datasets, pairs, options, len(models), keep),
        with_grams=with_grams,
        outputs=(options.estimate,) if is_one else (),
    )


def _growth(table: ErrorTable, target: str, source: str) -> tuple[bool, str | None]:
    """Return whether the samples of a pair are large enough, and what to say if they cannot be.

    Samples add no more error than asked for, or than there is without them; and doubling them is not
    likely to change the score by more.
    """
    pair, estimate, wanted = Pair(table, target, source), table.options.estimate, 1.0
    if not pair.members[0].classes:
        wanted = float(np.mean([member.best_constant for member in pair.members]))
    wanted *= table.options.precision
    # Variance of the score from datasets that are sampled (True) and from those used whole.
    variance, change = {True: 0.0, False: 0.0}, 0.0
    sampled = [member.is_sampled for member in pair.members]
    for way, factor, tested, trained in zip(
        pair.ways, pair.factors, sampled, sampled[::-1], strict=True
    ):
        assert way.rows is not None
        part = way.discrepancy("matched")
        variance[tested] += factor**2 * part.variance
        variance[trained] += factor**2 * jackknife_variance(part.replicates)
        moved = [last_change(each, estimate, trained, tested) for each in way.rows.directions]
        change += factor * float(np.mean(moved))
    error, rest = (float(np.sqrt(variance[which])) for which in (True, False))
    if error <= max(wanted, rest):
        return abs(change) <= max(wanted, rest, error), None
    return False, (
        f"the samples' part of the standard error is {error:.4f}, above the precision "
        f"asked for ({wanted:.4g}): max_rows allows no larger ones"
    )


def _reduce(
    table: ErrorTable, target: str, source: str, with_rows: bool
) -> tuple[tuple[WaySums, WaySums], Any]:
    """Return the sums of both directions, and what each row adds to them, if that is asked for."""
    pair = Pair(table, target, source)
    forth, back = (way.sums for way in pair.ways)
    return (forth, back), [what_rows_add(pair, way) for way in (0, 1)] if with_rows else None


LOOKS = Looks(_growth, _reduce, grams_of_all)
