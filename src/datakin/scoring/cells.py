"""A pair as one cell of a matrix: what a matrix shows, without the whole Comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from datakin.data import Pairing
from datakin.results import Comparison
from datakin.results.zones import Zone
from datakin.scoring.options import Options
from datakin.scoring.pairs import Pair, Side, gain_zones, pair_notes

__all__ = ["Cell", "cell_of", "make_cell"]


@dataclass(frozen=True, eq=False)
class Cell:
    """The numbers of a pair; `forth` is the zone of the source for the target, `back` the reverse."""

    source: str
    score: float
    standard_error: float
    interval: tuple[float, float]
    threshold: float
    forth: Zone
    back: Zone
    source_to_target: float
    target_to_source: float
    own_errors: Mapping[str, float]
    cross_errors: Mapping[str, float]
    notes: tuple[str, ...]


def make_cell(target: Side, source: Side, pairing: Pairing, options: Options) -> Cell:
    """Return the cell of a pair from its errors."""
    pair = Pair(target, source, options)
    chosen = pair.both(options.estimate, options.size)
    score, decision = pair.estimate(chosen), pair.zone()
    high, forth, back = decision.high, decision.zone, decision.zone
    if options.zones == "gain":
        # Not symmetric: a source may help a small target that cannot help it.
        high, forth, back = gain_zones(target, source, options)
    names = target.dataset.name, source.dataset.name
    return Cell(
        names[1],
        score.value,
        score.standard_error,
        (score.low, score.high),
        high,
        forth,
        back,
        chosen[0].value,
        chosen[1].value,
        {names[0]: chosen[0].own, names[1]: chosen[1].own},
        {names[1]: chosen[0].cross, names[0]: chosen[1].cross},
        pair_notes(pair, pairing, decision),
    )


def cell_of(comparison: Comparison) -> Cell:
    """Return the cell of a pair that has no errors: a dataset against itself."""
    c = comparison
    return Cell(
        c.source,
        c.score,
        c.standard_error,
        c.interval,
        c.decision.high,
        c.zone,
        c.zone,
        c.source_to_target,
        c.target_to_source,
        c.own_errors,
        c.cross_errors,
        c.notes,
    )
