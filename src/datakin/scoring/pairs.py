"""A pair of the table -> its scores, estimates and zone -> a Comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.cross_errors.frame import error_records
from datakin.cross_errors.options import AGGREGATES, SIZES, Options
from datakin.cross_errors.records import Member, PairFacts
from datakin.cross_errors.table import ErrorTable
from datakin.data.features import Array
from datakin.learners.losses import RARE
from datakin.learners.stack.records import Trial
from datakin.results.comparison import Comparison, DataFacts, ErrorRecords, Estimate
from datakin.results.record import Provenance
from datakin.results.zones import (
    NOT_TRIED,
    PAPER,
    Zone,
    ZoneDecision,
    decide_by_paper,
    decide_by_trial,
    not_tried,
)
from datakin.scoring.cls import Direction, Discrepancy
from datakin.scoring.metrics import pair_metrics, trial_metrics
from datakin.scoring.uncertainty import (
    make_estimate,
    over_repeats,
    standard_error,
    zone_probabilities,
)
from datakin.scoring.ways import RowsWay, Way

LISTED = 50  # names of columns that a result keeps
BALANCED = (
    f"on datasets with a rare class (a share below {RARE:g} divided by the number of classes) every class "
    f"weighs the same in the error (balanced error)"
)
FLAT = "the own errors do not vary, so that the ambiguous zone has no width"


class Pair:
    """Both directions of a measured pair, source to target and target to source, by a table's options."""

    def __init__(self, table: ErrorTable, target: str, source: str) -> None:
        self.facts, self.options = table.pair(target, source), table.options
        if self.facts.is_identical:
            raise DatakinError(
                f"{target!r} and {source!r} hold the same rows: their score is 0 by definition, and there "
                f"is nothing to estimate."
            )
        self.ways = _way(table, self.facts), _way(table, self.facts.swapped())
        self.members = table.members[target], table.members[source]
        self.factors = (self.options.direction, 1 - self.options.direction)
        # Both sides' replicates tell of the training rows; samples have fewer of them.
        self.n_folds = (self.ways[0].n_folds + self.ways[1].n_folds) / 2
        self.test_size = table.test_size
        if self.options.size not in self.sizes:
            raise DatakinError(
                f"The size {self.options.size!r} was not measured: predictors that left out two folds were "
                f"not tested on other datasets. Measure with size='limit'."
            )

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that the errors at hand allow."""
        return tuple(size for size in SIZES if all(size in way.sizes for way in self.ways))

    def both(self, size: str) -> tuple[Discrepancy, Discrepancy]:
        """Return the discrepancies source to target and target to source."""
        return self.ways[0].discrepancy(size), self.ways[1].discrepancy(size)

    def value(self, values: Sequence[float]) -> float:
        """Return the score of two discrepancies' values."""
        return self.factors[0] * values[0] + self.factors[1] * values[1]

    def estimate(self, size: str) -> Estimate:
        """Return a score with its interval."""
        return self._widened(self._estimate(size), size, lambda ways: ways.mean(axis=1))

    def _estimate(self, size: str) -> Estimate:
        parts = self.both(size)
        error = standard_error(parts, self.factors)
        return make_estimate(self.value([part.value for part in parts]), error, self.n_folds)

    def one_way(self, way: int) -> Estimate:
        """Return one discrepancy with its interval."""
        part = self.both(self.options.size)[way]
        found = make_estimate(part.value, standard_error([part], [1.0]), self.n_folds)
        return self._widened(found, self.options.size, lambda ways: ways[:, way])

    def _widened(self, found: Estimate, size: str, of: Callable[[Array], Array]) -> Estimate:
        """Widen an interval by the spread over random splits, where repeats are such."""
        rows = [way.rows for way in self.ways if way.rows is not None]
        if self.test_size is None or size == "limit" or len(rows[0].directions) < 2:
            return found
        spread = np.array([[_gap(d) for d in way.directions] for way in rows]).T
        return over_repeats(found, of(spread), self.test_size, self.ways[0].n_folds)

    def evidence(self) -> tuple[Estimate, tuple[float, float]]:
        """Return what the paper's rule decides by; its baseline is e_0 = w e_t + (1 - w) e_s."""
        options, baseline, variance = self.options, 0.0, 0.0
        for each, factor in zip(self.ways, self.factors, strict=True):
            mean, error = each.own_error(options.zone_error)
            baseline += factor * mean
            variance += (factor * error) ** 2
        return self._estimate("paper"), (baseline, float(np.sqrt(variance)))

    def notes(self, by_paper: ZoneDecision) -> tuple[str, ...]:
        """Return what the user should know of the pair."""
        notes = list(self.facts.notes[0])
        if by_paper.low == by_paper.high:
            notes.append(FLAT)
        if self.options.loss == "auto" and any(member.balanced for member in self.members):
            notes.append(BALANCED)
        return tuple(notes)

    @property
    def standardised(self) -> float | None:
        """The score in units of what the best constant loses on each dataset; None for classes."""
        if self.members[0].classes:
            return None
        parts = self.both(self.options.size)
        constants = [member.best_constant or np.nan for member in self.members]
        return self.value(np.divide([part.value for part in parts], constants).tolist())


def _gap(direction: Direction) -> float:
    """Return the discrepancy of one repeat's only model."""
    own = direction.tested.own
    return float(direction.cross.error("fold")[0] - own.error("fold")[0])


def _way(table: ErrorTable, facts: PairFacts) -> Way:
    """Return the direction from a pair's source to its target."""
    estimate = table.options.estimate
    if table.keep == "sums":
        sums = table.sums[facts.source, facts.target]
        if estimate != sums.estimate:
            raise table.refusal(
                f"The estimate {estimate!r}, where the sums are of {sums.estimate!r},"
            )
        _check_estimate(estimate, facts, sums.models, sums.all_models)
        return Way(sums)
    assert facts.keys is not None
    tested, trained = facts.keys
    labels = table.members[facts.target].labels
    crosses = table.pieces[trained].crosses[facts.target]
    owns = zip(table.pieces[trained].own, table.pieces[tested].own, crosses, strict=True)
    directions = [Direction(learned, own, cross) for learned, own, cross in owns]
    rows = RowsWay(directions, None if labels is None else labels.groups)
    _check_estimate(estimate, facts, rows.models, crosses[0].models)
    return Way(rows.summed(estimate), rows)


def _check_estimate(
    estimate: str, facts: PairFacts, models: Sequence[str], all_models: Sequence[str]
) -> None:
    """Refuse an estimate that the models do not give; `models` are those that work on both datasets."""
    known = (*AGGREGATES, *models)
    if estimate in known:
        return
    if estimate in all_models:
        raise DatakinError(
            f"The 'estimate' parameter must name a model that works on both datasets. "
            f"{estimate!r} failed on {facts.target!r} or {facts.source!r}."
        )
    raise DatakinError(
        f"The 'estimate' parameter must be one of {listed(known, limit=12)}. "
        f"Got {estimate!r} instead.{suggest(str(estimate), known)}"
    )


def all_estimates(table: ErrorTable, target: str, source: str) -> pd.DataFrame:
    """Return every estimate (each model, averages, ensemble) in every size."""
    way = Pair(table, target, source).ways[0]
    names = [way.sums.estimate] if way.rows is None else [*way.models, *AGGREGATES]
    rows = []
    for name in names:
        options = table.options.replace(estimate=name)
        pair = Pair(replace(table, options=options), target, source)
        rows += [
            {"estimate": name, "size": size, **asdict(pair.estimate(size))} for size in pair.sizes
        ]
    return pd.DataFrame(rows).rename(columns={"value": "score"})


def provenance_of(table: ErrorTable, names: Sequence[str], columns: object = None) -> Provenance:
    """Return where the numbers about some datasets come from."""
    asked = {name: getattr(table.options, name) for name in Options.names("look")}
    before = table.about["options"]
    options = {**before, **{n: v for n, v in asked.items() if n in before}}
    prints = {name: table.members[name].fingerprint for name in names}
    backends = table.backends(names, columns)
    return Provenance(table.about["seed"], options, dict(table.about["versions"]), prints, backends)


def trial_of(table: ErrorTable, target: str, source: str) -> Trial | None:
    """Return the trial that decides about a source; None if the table's rule is the paper's."""
    return None if table.options.zones == PAPER else table.trial(target, source)


def decide(table: ErrorTable, target: str, source: str, by_paper: ZoneDecision) -> ZoneDecision:
    """Return the zone of a source: the paper's if that is asked for, or by its trial; no call without one."""
    if table.options.zones == PAPER:
        return by_paper
    trial = table.trial(target, source)
    if trial is not None:
        return decide_by_trial(trial)
    tried = table.trials.get(target)
    return not_tried(None if tried is None else tried.unusable.get(source))


def _probabilities(
    table: ErrorTable,
    trial: Trial | None,
    by_paper: ZoneDecision,
    error: float,
    n_folds: float,
) -> dict[str, float]:
    """Return the probability of each zone; nothing for a source that was not tried."""
    if table.options.zones == PAPER:
        return zone_probabilities(by_paper.score, error, by_paper.low, by_paper.high, n_folds)
    if trial is None:
        return {}
    return {
        Zone.POSITIVE.value: trial.p_gain,
        Zone.HARMLESS.value: max(trial.p_harmless - trial.p_gain, 0.0),
        Zone.NEGATIVE.value: 1 - max(trial.p_harmless, trial.p_gain),
    }


def compare_pair(
    table: ErrorTable, target: str, source: str, made: Pair | None = None
) -> Comparison:
    """Return the Comparison of a measured pair; `made` is the pair, where it is at hand."""
    facts = table.pair(target, source)
    names = (target, source)
    provenance = provenance_of(table, names, facts.columns)
    if facts.is_identical:  # nothing was fitted for it
        return _compare_with_itself(table, facts, replace(provenance, backends={}))
    pair, options = made or Pair(table, target, source), table.options
    chosen = pair.both(options.size)
    sizes = {size: pair.estimate(size) for size in pair.sizes}
    evidence, trial = pair.evidence(), trial_of(table, target, source)
    by_paper = decide_by_paper(*evidence)
    decision = decide(table, target, source, by_paper)
    score = sizes[options.size]
    return Comparison(
        target=target,
        source=source,
        score=score.value,
        standard_error=score.standard_error,
        interval=(score.low, score.high),
        source_to_target=chosen[0].value,
        target_to_source=chosen[1].value,
        own_errors={name: part.own for name, part in zip(names, chosen, strict=True)},
        cross_errors={source: chosen[0].cross, target: chosen[1].cross},
        directions={"source_to_target": pair.one_way(0), "target_to_source": pair.one_way(1)},
        sizes=sizes,
        size=options.size,
        estimate=options.estimate,
        losses={member.name: member.loss for member in pair.members},
        standardised=pair.standardised,
        model_scores={
            name: pair.value([way.of_model(name, options.size) for way in pair.ways])
            for name in pair.ways[0].models
        },
        model_weights={name: way.weights for name, way in zip(names, pair.ways, strict=True)},
        zone=decision.zone,
        decision=decision,
        zone_probabilities=_probabilities(
            table, trial, by_paper, evidence[0].standard_error, pair.n_folds
        ),
        curves={name: way.curve for name, way in zip(names, pair.ways, strict=True)},
        n_rows={member.name: member.n_rows for member in pair.members},
        n_shared_rows=facts.n_shared[0],
        errors=_records(pair),
        notes=pair.notes(by_paper),
        provenance=provenance,
        facts={member.name: _facts(member, facts.columns) for member in pair.members},
        by_paper=by_paper,
        trial=trial,
        loss_alone=None if trial is None else table.trials[target].loss_alone,
        error_alone=None if trial is None else table.trials[target].error_alone,
        metrics=pair_metrics(table, facts, pair.ways, chosen) | trial_metrics(table, trial, target),
    )


def _records(pair: Pair) -> ErrorRecords:
    rows = [way.rows for way in pair.ways if way.rows is not None]
    return ErrorRecords(error_records(errors for way in rows for errors in way.errors))


def _facts(member: Member, columns: tuple[str, ...]) -> DataFacts:
    """Return the facts of a dataset of which some columns were used."""
    used = set(columns)
    left_out = [name for name in member.columns if name not in used]
    shares = dict(zip(member.classes, member.shares, strict=True))
    named = tuple(left_out[:LISTED])
    return DataFacts(member.n_rows, len(columns), shares, member.missing, named, len(left_out))


def _compare_with_itself(table: ErrorTable, facts: PairFacts, made: Provenance) -> Comparison:
    """Return the comparison of two datasets with the same rows: 0 by definition, and said so."""
    members = [table.members[name] for name in (facts.target, facts.source)]
    options, names = table.options, [member.name for member in members]
    rule = PAPER if options.zones == PAPER else NOT_TRIED
    reason = f"{names[0]!r} and {names[1]!r} hold the same rows: the score is 0 by definition"
    nothing = Estimate(0.0, 0.0, 0.0, 0.0, 1.0)
    return Comparison(
        target=names[0],
        source=names[1],
        score=0.0,
        standard_error=0.0,
        interval=(0.0, 0.0),
        source_to_target=0.0,
        target_to_source=0.0,
        own_errors={},
        cross_errors={},
        directions={"source_to_target": nothing, "target_to_source": nothing},
        sizes=dict.fromkeys(SIZES, nothing),
        size=options.size,
        estimate=options.estimate,
        losses={member.name: member.loss for member in members},
        standardised=None if members[0].classes else 0.0,
        model_scores={},
        model_weights={name: {} for name in names},
        zone=Zone.POSITIVE,
        decision=ZoneDecision(Zone.POSITIVE, rule, 0.0, 0.0, 0.0, reason),
        zone_probabilities={
            zone.value: float(zone is Zone.POSITIVE)
            for zone in (Zone.POSITIVE, Zone.AMBIGUOUS, Zone.NEGATIVE)
        },
        curves={},
        n_rows={member.name: member.n_rows for member in members},
        n_shared_rows=members[0].n_rows,
        errors=ErrorRecords(()),
        notes=(reason,),
        provenance=made,
        facts={member.name: _facts(member, member.columns) for member in members},
    )
