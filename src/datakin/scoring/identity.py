"""A dataset against itself: 0 by definition, and said so."""

from __future__ import annotations

from datakin.data import Dataset
from datakin.errors import ErrorTable
from datakin.learning.losses import choose_loss
from datakin.results.comparison import Comparison, Estimate
from datakin.results.record import Provenance
from datakin.results.zones import Zone, ZoneDecision
from datakin.scoring.cls import SIZES
from datakin.scoring.facts import facts_of
from datakin.scoring.options import Options

__all__ = ["compare_with_itself"]


def compare_with_itself(
    target: Dataset, source: Dataset, options: Options, provenance: Provenance
) -> Comparison:
    """Return the comparison of two datasets with the same rows: no fit is needed."""
    reason = f"{target.name!r} and {source.name!r} hold the same rows: the score is 0 by definition"
    nothing = Estimate(0.0, 0.0, 0.0, 0.0, 1.0)
    names = (target.name, source.name)
    regression = not target.classes
    return Comparison(
        target=target.name,
        source=source.name,
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
        losses={d.name: choose_loss(options.resolved_loss(), d).name for d in (target, source)},
        standardised=0.0 if regression else None,
        model_scores={},
        model_weights={name: {} for name in names},
        zone=Zone.POSITIVE,
        decision=ZoneDecision(Zone.POSITIVE, options.zones, 0.0, 0.0, 0.0, reason),
        zone_probabilities={zone.value: float(zone is Zone.POSITIVE) for zone in Zone},
        curves={},
        weight=1.0,
        gain=None,
        n_rows={d.name: d.n_rows for d in (target, source)},
        n_shared_rows=target.n_rows,
        outlook=None,
        errors=ErrorTable(()),
        notes=(reason,),
        provenance=provenance,
        facts={d.name: facts_of(d, d.columns) for d in (target, source)},
    )
