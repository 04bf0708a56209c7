"""The comparisons of a run as one Ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from datakin.data import Dataset, Pairing
from datakin.results import Comparison, Ranking
from datakin.results.forecast import Forecast
from datakin.results.record import make_provenance
from datakin.scoring.forecast import forecast_pool, unit_of
from datakin.scoring.options import Options
from datakin.scoring.pairs import Side, first_places, loss_correlation
from datakin.scoring.run import Run

__all__ = ["Compared", "make_ranking", "order_sources"]


class Compared(Protocol):
    """A run, of whatever method, of the pairs of its first dataset with all others."""

    @property
    def datasets(self) -> Sequence[Dataset]:
        """The target, then its sources."""

    @property
    def pairings(self) -> Mapping[tuple[int, int], Pairing]:
        """What the pairs share."""

    @property
    def comparisons(self) -> Mapping[tuple[int, int], Comparison]:
        """The pairs that are finished."""

    @property
    def options(self) -> Options:
        """How they were compared."""

    @property
    def n_fits(self) -> int:
        """Number of fits."""

    @property
    def interrupted(self) -> bool:
        """Whether pairs are missing."""

    def sides(self, i: int, j: int) -> tuple[Side, Side]:
        """Return both sides of a finished pair."""


def make_ranking(run: Run) -> Ranking | None:
    """Order the sources of a run's first dataset; None if none is finished."""
    return order_sources(run, _forecast(run))


def order_sources(run: Compared, forecast: Forecast | None = None) -> Ranking | None:
    """Order the sources of a run of any method; None if none is finished."""
    found = tuple(sorted(run.comparisons.values(), key=_what_it_loses))
    if not found:
        return None
    return Ranking(
        run.datasets[0].name,
        found,
        _first_places(run),
        run.n_fits,
        not run.interrupted,
        forecast,
    )


def _what_it_loses(comparison: Comparison) -> tuple[float, float, str]:
    """Return what sources are sorted by: the loss on the target, not that on the source."""
    return comparison.source_to_target, comparison.score, comparison.source


def _first_places(run: Compared) -> dict[str, float]:
    """Return the probability of each source to be the best."""
    same = [j for (i, j) in run.comparisons if run.pairings[i, j].identical]
    if same:  # the target itself is among the sources: no doubt about the first place
        names = [c.source for c in run.comparisons.values()]
        return {name: float(name == run.datasets[same[0]].name) for name in names}
    # By name, so that the order in which sources were given changes no draw.
    pairs = sorted(run.comparisons, key=lambda key: run.datasets[key[1]].name)
    found = first_places([run.sides(i, j) for i, j in pairs], run.options)
    return {run.datasets[j].name: p for (_, j), p in zip(pairs, found, strict=True)}


def _forecast(run: Run) -> Forecast | None:
    """Return the forecast for pooling all sources."""
    found = {
        c.source: (key, c.outlook) for key, c in run.comparisons.items() if c.outlook is not None
    }
    if not found:
        return None
    names = sorted(found)  # so that the order in which sources were given changes nothing
    comparison = run.comparisons[found[names[0]][0]]
    target = comparison.target
    known = {d.name: d for d in run.datasets}
    return forecast_pool(
        target,
        names,
        [found[name][1] for name in names],
        loss_correlation([run.sides(*found[name][0]) for name in names], run.options),
        unit_of(comparison.losses[comparison.target]),
        make_provenance(
            run.options.random_state,
            run.options.summary(),
            {name: known[name].fingerprint for name in (target, *names)},
            run.backends(range(len(run.datasets))),
        ),
    )
