"""Screening: a quick pass over the sources of a ranking, so that only those within reach are fitted in full.

The target's plan is run first; the ranking needs it anyway. Of every source the quick pass makes the fits
without inner folds, by the simplest and one flexible model, and one fold of whatever model predicts the
target better than these. Their losses on the target's rows, weighted as the target weighs its models, give
what the source loses there, row by row. Pools are tried as in the ranking itself.

Kept are the first few, those whose loss is within reach of theirs, and those that help. Reach is counted in
standard errors of the difference, paired row by row. Quick and full numbers come from the same rows of the
target, so that less than one of them is enough: see REACH.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from datakin._core.exceptions import DatakinError, collecting, warn
from datakin.cross_errors.records import Errors, Key, Piece, Trained
from datakin.data.features import Array
from datakin.execution.measurement import Measurement
from datakin.execution.units import Unit
from datakin.learning.folds import Plan
from datakin.learning.models import Model
from datakin.results import ExpectedGain, Screened, Screening
from datakin.results.zones import GAIN, Zone
from datakin.scoring.cls import Direction, Discrepancy, average
from datakin.scoring.forecast import SIMPLEST, learner_of, plain_gain
from datakin.scoring.uncertainty import row_variance
from datakin.scoring.ways import RowsWay

__all__ = ["screen_sources"]

LEAST = 4  # sources; fewer are not worth a quick pass
FIRST = 5  # places that are never screened out, or half of the sources if that is less
# Standard errors between a source and the last of the first places. Calibrated by benchmarks/screen.py
# (`--only screen` reports other seeds): at 0.6 none of the first five was lost in the draws looked at.
REACH = 0.7
FLEXIBLE = "rbf_svm"  # the cheapest model that is not linear


@dataclass(frozen=True, eq=False)
class _Glance:
    """What the quick pass says of one source."""

    name: str
    n_rows: int
    loss: Discrepancy
    groups: Array | None
    gain: ExpectedGain
    may_help: bool

    def error_from(self, other: _Glance | None = None) -> float:
        """Return the standard error of the loss, or of its difference from another source's."""
        influence = self.loss.influence
        if other is not None:
            influence = influence - other.loss.influence
        return float(np.sqrt(row_variance(influence, self.groups, self.loss.least)))

    def screened(self) -> Screened:
        return Screened(self.name, self.n_rows, self.loss.value, self.error_from(), self.gain)


def screen_sources(measurement: Measurement, target: str) -> Screening:
    """Leave out of a measurement the sources that a quick pass finds out of reach.

    Parameters
    ----------
    measurement : Measurement
        Of one target, not yet run.
    target : str
    """
    pairings = measurement.agreed.pairings
    if len(pairings) < LEAST:
        note = (
            f"Screening needs at least {LEAST} sources. Got {len(pairings)}: nothing was screened."
        )
        warn(note)
        return Screening(note)
    others = {names: names[1] for names, common in pairings.items() if not common.identical}
    n = len(pairings)
    try:
        found = _quick_pass(measurement, target, list(others.values()))
    except DatakinError as error:  # a few fits may fail where others would do
        note = f"Nothing was screened out of {n} sources: the quick pass failed ({error})"
        warn(note)
        return Screening(note)
    kept = _within_reach(found, min(FIRST, n // 2))
    left = sorted((g for g in found if g.name not in kept), key=_place)
    measurement.leave_out([names for names, name in others.items() if name not in kept])
    if not left:
        return Screening(f"Nothing was screened out: all {n} sources are within reach of the best.")
    return Screening(
        f"{len(left)} of {n} sources were screened out by a quick pass of a few fits each: what they lose "
        f"on {target!r} is out of reach of the first, and pooling them is not called positive. Their rows "
        f"show the quick numbers; rank without screen, or rank them alone, for the full ones.",
        tuple(glance.screened() for glance in left),
    )


def _place(glance: _Glance) -> tuple[float, str]:
    return glance.loss.value, glance.name


def _within_reach(found: Sequence[_Glance], n_first: int) -> set[str]:
    """Return the names of the sources that deserve full work."""
    order = sorted(found, key=_place)
    last = order[:n_first][-1]
    kept = {glance.name for glance in order[:n_first]}
    for glance in order[n_first:]:
        beyond = glance.loss.value - last.loss.value
        if glance.may_help or beyond <= REACH * glance.error_from(last):
            kept.add(glance.name)
    return kept


def _quick_pass(measurement: Measurement, target: str, sources: Sequence[str]) -> list[_Glance]:
    """Run the target in full and a few fits of every source; return what these say."""
    units = measurement.run_ahead(target)
    owns = {
        names[1]: measurement.store.pieces[measurement.agreed.keys(names, 0)[0]].own[0]
        for names, common in measurement.agreed.pairings.items()
        if not common.identical
    }
    chosen = _chosen(measurement, list(owns.values()))
    runs: list[Mapping[Key, Piece]] = []
    with collecting():  # the full work says again what is of use
        for models, n_folds in chosen:
            quick = [_quick_unit(unit, models, n_folds) for unit in units.values()]
            runs.append(measurement.try_out(quick, models))
    names = tuple(model.name for model in measurement.models)
    by_source = {key.dataset: key for key in units}
    found = []
    for source in sources:
        parts = [run[by_source[source]].crosses[target][0] for run in runs]
        cross = _combined(parts, names, owns[source].full_weights)
        found.append(_glance(measurement, target, source, owns[source], cross))
    return found


def _chosen(
    measurement: Measurement, owns: Sequence[Trained]
) -> list[tuple[tuple[Model, ...], int | None]]:
    """Return the models of the quick pass, each group with how many folds of them are fitted.

    None: all folds.
    """
    models, estimate = measurement.models, measurement.options.estimate
    if any(model.name == estimate for model in models):
        models = tuple(model for model in models if model.name == estimate)
    cheap = [m for m in models if m.name in (*SIMPLEST, FLEXIBLE) and m.backend is not None]
    weights = {
        model.name: float(np.mean([own.full_weights[m] for own in owns]))
        for m, model in enumerate(measurement.models)
    }
    known = sum(weights[model.name] for model in cheap)
    is_flexible = any(model.name == FLEXIBLE for model in cheap)
    rest = [m for m in models if m not in cheap]
    if is_flexible and estimate != "unweighted":
        rest = [model for model in rest if weights[model.name] > known]
    # Where there are only cheap models, all folds of them would be much of the full work.
    n_folds = None if len(cheap) < len(measurement.models) else 2
    groups = [(tuple(cheap), n_folds), (tuple(rest), 1)]
    return [(group, n) for group, n in groups if group]


def _quick_unit(unit: Unit, models: Sequence[Model], n_folds: int | None) -> Unit:
    """Return a source's unit with a few fits of its first plan."""
    plan, names = unit.plans[0], {model.name for model in models}
    n = n_folds or plan.n_folds
    folds = plan.folds[:n]
    inner = tuple(((1 + k, fold),) for k, fold in enumerate(folds))
    tests = [
        test if test.pool_model in names else replace(test, pool_model=None) for test in unit.tests
    ]
    return replace(
        unit,
        plans=(Plan(plan.trains[: 1 + n], plan.names[: 1 + n], folds, inner),),
        tests=tests,
        held_out=None,
        with_inner=False,
        keeps_predictions=False,
    )


def _combined(parts: Sequence[Errors], models: tuple[str, ...], weights: Array) -> Errors:
    """Return the errors of all models as one record; those that were not fitted have none.

    Ensemble and average are the models' losses with the target's weights.
    """
    first = parts[0]
    rows = {
        size: np.full((len(models) + 2, len(first.weights)), np.nan) for size in ("full", "fold")
    }
    for part in parts:
        for m, name in enumerate(part.models):
            for size, losses in rows.items():
                losses[models.index(name)] = part.rows[size][m]
    works = ~np.isnan(rows["fold"][:-2]).any(axis=1)
    shares = np.where(works, weights, 0.0)
    shares = shares if shares.sum() > 0 else works.astype(float)
    for losses in rows.values():
        losses[-2:] = shares[works] @ losses[:-2][works] / shares.sum()
    pool = next((part for part in parts if part.pooled is not None), first)
    return replace(
        first,
        models=models,
        rows=rows,
        means={"fold": (rows["fold"] @ first.weights)[:, None]},
        pooled=pool.pooled,
        pool_model=pool.pool_model,
    )


def _glance(
    measurement: Measurement, target: str, source: str, own: Trained, cross: Errors
) -> _Glance:
    """Read what the quick fits of one source say."""
    options, members = measurement.options, measurement.agreed.members
    labels = members[target].labels
    way = RowsWay([Direction(own, own, cross)], None if labels is None else labels.groups)
    estimate = "average" if options.estimate == "ensemble" else options.estimate
    sizes = ("paper",) if options.size == "paper" else ("paper", "matched")
    loss = average([way.discrepancy(estimate, size) for size in sizes])
    learner = learner_of(cross.models, options.estimate)
    gain = plain_gain(way.outlook(learner if learner in way.models else estimate))
    if options.zones == GAIN.name:
        may_help = GAIN.decide_gain(gain).zone is Zone.POSITIVE
    else:  # the paper's zones ask for the score of both directions, of which one is known
        may_help = loss.value <= 0
    return _Glance(source, members[source].n_rows, loss, way.groups, gain, may_help)
