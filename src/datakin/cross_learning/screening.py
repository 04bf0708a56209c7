"""Screening: a quick pass over the sources of a ranking, so that only those within reach are fitted in full.

The target's plan is run first; the ranking needs it anyway. Of every source the quick pass makes three fits
of its plan, by the simplest and one flexible model and by whatever model predicts the target better than
these. Their losses on the target's rows, weighted as the target weighs its models, give what the source
loses there, row by row. Trials are those of the ranking itself.

Kept are the first few by loss and, where sources are tried, by the order of the ranking; those whose loss
is within reach of theirs; and those that are called helpful.
Reach is counted in standard errors of the difference, paired row by row. Quick and full numbers come from
the same rows of the target, so that few of them are enough: see REACH.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from datakin._core.exceptions import DatakinError, collecting, warn
from datakin.cross_errors.records import Errors, Trained
from datakin.data.features import Array
from datakin.execution.measurement import Measurement
from datakin.execution.units import Unit
from datakin.learners.folds import Plan
from datakin.learners.models import Model
from datakin.learners.stack.records import Trial, call_of
from datakin.results import Screened, Screening
from datakin.scoring.cls import Direction, Discrepancy, discrepancy
from datakin.scoring.uncertainty import row_variance

LEAST = 4  # sources; fewer are not worth a quick pass
FIRST = 5  # places that are never screened out, or half of the sources if that is less
# Standard errors between a source and the last of the first places. Chosen on other draws than those that
# benchmarks/screen.py reports, after a look at several kinds of truth.
REACH = 1.0
FOLDS = 2  # of a source's plan that are fitted, besides all rows
SIMPLEST = ("logistic", "linear")
FLEXIBLE = ("kernel", "rbf_svm")  # the cheapest models that are not linear


@dataclass(frozen=True, eq=False)
class _Glance:
    """What the quick pass says of one source."""

    name: str
    n_rows: int
    loss: Discrepancy
    groups: Array | None
    trial: Trial | None

    @property
    def place(self) -> tuple[float, str]:
        """What sources are ordered by: what their predictors lose on the target."""
        return self.loss.value, self.name

    @property
    def gain(self) -> float:
        """What it brought when it was tried; 0 without a trial."""
        return 0.0 if self.trial is None else self.trial.gain

    @property
    def may_help(self) -> bool:
        """Whether its trial says so; without one, whether its predictors do as well as the target's own."""
        return self.loss.value <= 0 if self.trial is None else call_of(self.trial) == "helps"

    def error_from(self, other: _Glance | None = None) -> float:
        """Return the standard error of the loss, or of its difference from another source's."""
        influence = self.loss.influence
        if other is not None:
            influence = influence - other.loss.influence
        return float(np.sqrt(row_variance(influence, self.groups, self.loss.least)))

    def screened(self) -> Screened:
        return Screened(self.name, self.n_rows, self.loss.value, self.error_from(), self.trial)


def screen_sources(measurement: Measurement, target: str) -> Screening | None:
    """Leave out of a measurement, not yet run, the sources of a target that a quick pass finds out of reach.

    With too few sources nothing is done, which is said.
    """
    pairings = measurement.agreed.pairings
    # A copy of the target is nothing to fit.
    others = {names: names[1] for names, common in pairings.items() if not common.identical}
    n = len(others)
    if n < LEAST:
        warn(
            f"Screening needs at least {LEAST} sources that differ from the target. Got {n}: all of them "
            f"get the full work."
        )
        return None
    try:
        found = _quick_pass(measurement, target, list(others.values()))
    except DatakinError as error:  # a few fits may fail where others would do
        note = f"Nothing was screened out of {n} sources: the quick pass failed ({error})"
        warn(note)
        return Screening(note)
    kept = _within_reach(found, min(FIRST, n // 2))
    left = sorted((g for g in found if g.name not in kept), key=lambda g: g.place)
    measurement.leave_out([names for names, name in others.items() if name not in kept])
    if not left:
        return Screening(f"Nothing was screened out: all {n} sources are within reach of the best.")
    return Screening(
        f"{len(left)} of {n} sources were screened out by a quick pass of a few fits each: what they lose "
        f"on {target!r} is more than the first ones do, by over {REACH:g} standard error, and none of them "
        f"is called helpful. Their rows show the quick numbers. For full numbers leave out screen=True "
        f"(--screen), or compare them alone: score(target, source).",
        tuple(glance.screened() for glance in left),
    )


def _within_reach(found: Sequence[_Glance], n_first: int) -> set[str]:
    """Return the names of the sources that deserve full work."""
    order = sorted(found, key=lambda glance: glance.place)
    last = order[n_first - 1]
    # The ranking is ordered by trials as well: who may come first there is kept, too.
    tried = sorted(found, key=lambda glance: (-glance.gain, *glance.place))
    kept = {glance.name for glance in (*order[:n_first], *tried[: max(1, n_first // 2)])}
    for glance in order[n_first:]:
        beyond = glance.loss.value - last.loss.value
        if glance.may_help or beyond <= REACH * glance.error_from(last):
            kept.add(glance.name)
    return kept


def _quick_pass(measurement: Measurement, target: str, sources: Sequence[str]) -> list[_Glance]:
    """Run the target in full and a few fits of every source; return what these say."""
    units = measurement.run_ahead(target)
    plans = {name: measurement.agreed.keys((target, name), 0)[0] for name in sources}
    owns = {name: measurement.store.pieces[plan].own[0] for name, plan in plans.items()}
    models = _chosen(measurement, list(owns.values()))
    with collecting():  # the full work says again what is of use
        found = measurement.try_out([_quick_unit(u) for u in units.values()], models)
    crosses = {key.dataset: piece.crosses[target][0] for key, piece in found.items()}
    return [_glance(measurement, target, name, owns[name], crosses[name]) for name in sources]


def _chosen(measurement: Measurement, owns: Sequence[Trained]) -> tuple[Model, ...]:
    """Return the models of the quick pass."""
    models, estimate = measurement.models, measurement.options.estimate
    one = tuple(model for model in models if model.name == estimate)
    if one:
        return one
    ours = [m.name for m in models if m.backend is not None or m.learner is not None]
    cheap = {name for name in ours if name in (*SIMPLEST, *FLEXIBLE)}
    if estimate == "unweighted" or not cheap & {*FLEXIBLE}:
        return models
    means = np.mean([own.full_weights for own in owns], axis=0)
    weights = {model.name: float(mean) for model, mean in zip(models, means, strict=True)}
    known = sum(weights[name] for name in cheap)
    return tuple(m for m in models if m.name in cheap or weights[m.name] > known)


def _quick_unit(unit: Unit) -> Unit:
    """Return a source's unit with a few fits of its first plan."""
    plan = unit.plans[0]
    folds = plan.folds[:FOLDS]
    inner = tuple(((1 + k, fold),) for k, fold in enumerate(folds))
    few = Plan(plan.trains[: 1 + FOLDS], plan.names[: 1 + FOLDS], folds, inner)
    return replace(unit, plans=(few,), held_out=None, with_inner=False, keeps_predictions=False)


def _placed(cross: Errors, models: tuple[str, ...], weights: Array) -> Errors:
    """Return the errors with a row for each of all models; those that were not fitted have none.

    "fold" is the mean over all fits that were made, the one on all rows among them: the more, the closer
    to the full number. Ensemble and average are one here: half the vote of the source's models, half the
    models' losses averaged with the target's weights. Of what was tried it orders sources most like the
    full work does.
    """
    at = [models.index(name) for name in cross.models]
    shape = len(models) + 2, len(cross.weights)
    full, fold = np.full(shape, np.nan), np.full(shape, np.nan)
    full[at] = cross.rows["full"][:-2]
    fold[at] = (full[at] + FOLDS * cross.rows["fold"][:-2]) / (1 + FOLDS)
    works = ~np.isnan(fold[:-2]).any(axis=1)
    shares = np.where(works, weights, 0.0)
    shares = shares if shares.sum() > 0 else works.astype(float)
    vote_full, vote_fold = cross.rows["full"][-2], cross.rows["fold"][-2]
    vote_fold = (vote_full + FOLDS * vote_fold) / (1 + FOLDS)
    for losses, vote in ((full, vote_full), (fold, vote_fold)):
        losses[-2:] = 0.5 * vote + 0.5 * (shares[works] @ losses[:-2][works]) / shares.sum()
    means = {"fold": (fold @ cross.weights)[:, None]}
    return replace(cross, models=models, rows={"full": full, "fold": fold}, means=means)


def _glance(
    measurement: Measurement, target: str, source: str, own: Trained, cross: Errors
) -> _Glance:
    """Read what the quick fits of one source say."""
    options, agreed = measurement.options, measurement.agreed
    cross = _placed(cross, tuple(model.name for model in measurement.models), own.full_weights)
    estimate = "average" if options.estimate == "ensemble" else options.estimate
    size = "paper" if options.size == "paper" else "matched"
    loss = discrepancy(Direction(own, own, cross), estimate, size)
    tried = measurement.tried.get(target)
    trial = None if tried is None else tried.trials.get(source)
    groups = agreed.tested(target).groups
    return _Glance(source, agreed.datasets[source].n_rows, loss, groups, trial)
