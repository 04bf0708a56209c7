"""Two learners and their cross errors -> a Comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.data import Dataset, Pairing
from datakin.data.features import Array
from datakin.errors import Errors, ErrorTable, Learner
from datakin.learning.losses import RARE, Loss
from datakin.results.comparison import Comparison, Estimate
from datakin.results.record import Provenance
from datakin.results.zones import Zone, ZoneDecision
from datakin.scoring.cls import SIZES, Direction, Discrepancy, average, discrepancy, own_error
from datakin.scoring.curves import learning_curve
from datakin.scoring.facts import facts_of
from datakin.scoring.forecast import best_weight, decide_gain, outlook, plain_gain
from datakin.scoring.options import AGGREGATES, Options
from datakin.scoring.stability import probability_first, zone_probabilities
from datakin.scoring.trial import learner_of
from datakin.scoring.uncertainty import make_estimate, standard_error
from datakin.scoring.zones import decide, error_of_mean

__all__ = [
    "Pair",
    "Side",
    "all_estimates",
    "compare_pair",
    "first_places",
    "gain_zones",
    "loss_correlation",
    "pair_notes",
]

BALANCED = (
    f"on datasets with a class rarer than {RARE:.0%} every class weighs the same in the error "
    f"(balanced loss; see .losses)"
)


@dataclass(frozen=True, eq=False)
class Side:
    """One dataset of a pair: its learners and their errors on the other, for each repeat.

    `groups` are those of the rows it is tested on; `notes` say how, if not on all.
    """

    dataset: Dataset
    loss: Loss
    learners: Sequence[Learner]
    on_other: Sequence[Errors]
    groups: Array | None = None
    notes: tuple[str, ...] = ()


class Pair:
    """Both directions of a pair, for every repeat."""

    def __init__(self, target: Side, source: Side, options: Options) -> None:
        self.target, self.source, self.options = target, source, options
        runs = range(len(target.learners))
        self.to_target = [
            Direction(source.learners[r], target.learners[r], source.on_other[r]) for r in runs
        ]
        self.to_source = [
            Direction(target.learners[r], source.learners[r], target.on_other[r]) for r in runs
        ]
        self.factors = (options.direction, 1 - options.direction)
        self.groups = (target.groups, source.groups)
        # Both sides' replicates tell of the training rows; samples have fewer of them.
        self.n_folds = float(
            np.mean([d[0].cross.means["fold"].shape[1] for d in (self.to_target, self.to_source)])
        )
        models, works = self.to_target[0].cross.models, self.to_target[0].works
        if options.estimate in models and models.index(options.estimate) not in works:
            raise DatakinError(
                f"The 'estimate' parameter must name a model that works on both datasets. "
                f"{options.estimate!r} failed on {target.dataset.name!r} or {source.dataset.name!r}."
            )

    @property
    def learner(self) -> str:
        """The model (or aggregate) that forecasts are about."""
        models = self.to_target[0].cross.models
        works = [models[m] for m in self.to_target[0].works]
        learner = learner_of(models, self.options.estimate)
        return learner if learner in works else self.options.estimate

    def both(self, estimate: str, size: str) -> tuple[Discrepancy, Discrepancy]:
        """Return the discrepancies source to target and target to source."""
        return (
            average([discrepancy(d, estimate, size) for d in self.to_target]),
            average([discrepancy(d, estimate, size) for d in self.to_source]),
        )

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that the errors at hand allow."""
        has_limit = all("inner" in d.cross.rows for d in (self.to_target[0], self.to_source[0]))
        return SIZES if has_limit else tuple(size for size in SIZES if size != "limit")

    def value(self, parts: Sequence[Discrepancy]) -> float:
        """Return the score of two discrepancies."""
        return self.factors[0] * parts[0].value + self.factors[1] * parts[1].value

    def estimate(self, parts: Sequence[Discrepancy]) -> Estimate:
        """Return the score of two discrepancies with its interval."""
        error = standard_error(parts, self.factors, self.groups)
        return make_estimate(self.value(parts), error, self.n_folds)

    def one_way(self, part: Discrepancy, groups: Array | None) -> Estimate:
        """Return one discrepancy with its interval."""
        return make_estimate(part.value, standard_error([part], [1.0], [groups]), self.n_folds)

    def zone(self) -> ZoneDecision:
        """Apply the paper's rule to the paper's score, with e_0 = w e_t + (1 - w) e_s."""
        options = self.options
        variance, baseline = 0.0, 0.0
        for directions, factor in (
            (self.to_target, self.factors[0]),
            (self.to_source, self.factors[1]),
        ):
            errors, means = [], []
            for direction in directions:
                rows, weights, folds = own_error(direction, options.estimate)
                errors.append(error_of_mean(rows, weights, folds, options.zone_error))
                means.append(float(rows @ weights))
            variance += (factor * float(np.mean(errors))) ** 2
            baseline += factor * float(np.mean(means))
        score = self.value(self.both(options.estimate, "paper"))
        return decide(score, baseline, float(np.sqrt(variance)))


def all_estimates(target: Side, source: Side, options: Options) -> dict[tuple[str, str], Estimate]:
    """Return every estimate (each model, averages, ensemble) in every size."""
    pair = Pair(target, source, options)
    models = pair.to_target[0].cross.models
    names = [*(models[m] for m in pair.to_target[0].works), *AGGREGATES]
    return {
        (name, size): pair.estimate(pair.both(name, size)) for name in names for size in pair.sizes
    }


def first_places(pairs: Sequence[tuple[Side, Side]], options: Options) -> list[float]:
    """Return the probability of each source of one target to lose least on it."""
    made = [Pair(target, source, options) for target, source in pairs]
    probabilities = probability_first(
        [pair.both(options.estimate, options.size) for pair in made],
        (1.0, 0.0),
        made[0].groups[0],
        [pair.groups[1] for pair in made],
        options.random_state,
    )
    return [float(p) for p in probabilities]


def loss_correlation(pairs: Sequence[tuple[Side, Side]], options: Options) -> Array:
    """Return how alike the sources' predictors fail on the target's rows.

    The correlation between losses in excess of the target's own. As they share its own losses, it
    comes out too high rather than too low, and joint weights too cautious.
    """
    rows = []
    for target, source in pairs:
        pair = Pair(target, source, options)
        parts = [discrepancy(d, pair.learner, "paper") for d in pair.to_target]
        rows.append(average(parts).influence)
    matrix = np.array(rows)
    spread = np.sqrt(np.sum(matrix**2, axis=1))
    spread[spread == 0] = 1.0
    found = matrix @ matrix.T / np.outer(spread, spread)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def gain_zones(target: Side, source: Side, options: Options) -> tuple[float, Zone, Zone]:
    """Return the paper's threshold, and the gain zones of source for target and the reverse."""
    pair = Pair(target, source, options)
    zones = []
    for ways, side in ((pair.to_target, target), (pair.to_source, source)):
        gain = plain_gain(outlook(ways, pair.learner, side.groups))
        zones.append(decide_gain(gain).zone)
    return pair.zone().high, zones[0], zones[1]


def pair_notes(pair: Pair, pairing: Pairing, decision: ZoneDecision) -> tuple[str, ...]:
    """Return what the user should know of a pair."""
    notes = [*pairing.notes, *pair.target.notes, *pair.source.notes]
    if decision.low == decision.high:
        notes.append("the own errors do not vary, so that the ambiguous zone has no width")
    if pair.options.loss == "auto" and (pair.target.loss.balanced or pair.source.loss.balanced):
        notes.append(BALANCED)
    return tuple(notes)


def compare_pair(
    target: Side, source: Side, pairing: Pairing, options: Options, provenance: Provenance
) -> Comparison:
    """Build the Comparison of a pair from its errors."""
    pair = Pair(target, source, options)
    models = pair.to_target[0].cross.models
    works = pair.to_target[0].works
    parts = {size: pair.both(options.estimate, size) for size in pair.sizes}
    chosen = parts[options.size]
    sizes = {size: pair.estimate(part) for size, part in parts.items()}
    seen = outlook(pair.to_target, pair.learner, target.groups)
    gain, weight = plain_gain(seen), best_weight(seen)
    by_paper = decision = pair.zone()
    zones = sizes["paper"]
    notes = pair_notes(pair, pairing, decision)
    reach = (decision.low, decision.high)
    if options.zones == "gain":
        decision = decide_gain(gain)
        zones = make_estimate(-gain.value, gain.standard_error, pair.n_folds)
        reach = (gain.low90 - gain.value, gain.high90 - gain.value)
    score = sizes[options.size]
    curves = {
        side.dataset.name: learning_curve(ways, options.estimate, side.groups)
        for side, ways in ((target, pair.to_target), (source, pair.to_source))
    }
    forward = pair.one_way(chosen[0], target.groups)
    return Comparison(
        target=target.dataset.name,
        source=source.dataset.name,
        score=score.value,
        standard_error=score.standard_error,
        interval=(score.low, score.high),
        source_to_target=chosen[0].value,
        target_to_source=chosen[1].value,
        own_errors={target.dataset.name: chosen[0].own, source.dataset.name: chosen[1].own},
        cross_errors={source.dataset.name: chosen[0].cross, target.dataset.name: chosen[1].cross},
        directions={
            "source_to_target": forward,
            "target_to_source": pair.one_way(chosen[1], source.groups),
        },
        sizes=sizes,
        size=options.size,
        estimate=options.estimate,
        losses={side.dataset.name: side.loss.name for side in (target, source)},
        standardised=_standardised(pair, chosen),
        model_scores={models[m]: pair.value(pair.both(models[m], options.size)) for m in works},
        model_weights={
            side.dataset.name: {
                name: float(np.mean([learner.full_weights[m] for learner in side.learners]))
                for m, name in enumerate(models)
            }
            for side in (target, source)
        },
        zone=decision.zone,
        decision=decision,
        zone_probabilities=zone_probabilities(zones, *reach, pair.n_folds),
        curves=curves,
        weight=weight,
        gain=gain,
        n_rows={side.dataset.name: side.dataset.n_rows for side in (target, source)},
        n_shared_rows=int(pairing.shared_target.sum()),
        outlook=seen,
        errors=ErrorTable.of(
            [
                *(learner.own for learner in target.learners),
                *source.on_other,
                *(learner.own for learner in source.learners),
                *target.on_other,
            ]
        ),
        notes=notes,
        provenance=provenance,
        facts={
            side.dataset.name: facts_of(side.dataset, pairing.columns) for side in (target, source)
        },
        by_paper=by_paper,
    )


def _standardised(pair: Pair, parts: tuple[Discrepancy, Discrepancy]) -> float | None:
    """Return the score in units of what the best constant loses on each dataset."""
    if pair.target.dataset.classes:
        return None
    total = 0.0
    for side, part, factor in zip((pair.target, pair.source), parts, pair.factors, strict=True):
        total += factor * part.value / side.loss.of_best_constant(side.dataset.y)
    return total
