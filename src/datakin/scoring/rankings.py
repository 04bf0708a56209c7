"""One row of the table -> a Ranking: the sources of a target, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.cross_errors.options import Options
from datakin.cross_errors.sums import Grams
from datakin.cross_errors.table import ErrorTable
from datakin.data.features import Array
from datakin.results import Comparison, Ranking
from datakin.results.forecast import Forecast
from datakin.scoring.forecast import forecast_pool, unit_of
from datakin.scoring.order import in_order
from datakin.scoring.pairs import Pair, compare_pair, make_pair, provenance_of
from datakin.scoring.uncertainty import probability_first, sum_groups
from datakin.scoring.ways import SumsWay

__all__ = ["grams_of_all", "rank_sources", "what_rows_add"]


def rank_sources(table: ErrorTable, target: str) -> Ranking:
    """Order the sources that were measured with a target.

    With trials the order is that of the gain to expect. Without them it is what a source's predictors
    lose on the target.
    Where repeats are splits of their own, as with encoders, pooling all sources is not forecast.
    """
    table.check_name(target)
    sources = [name for name in table.names if name != target and table.has_pair(target, name)]
    if not sources:
        raise DatakinError(
            f"No source of {target!r} was measured. The datasets are {listed(table.names, limit=12)}."
        )
    # By name, so that the order in which sources were given changes no draw.
    pairs = {
        name: make_pair(table, target, name)
        for name in sorted(sources)
        if not table.pair(target, name).is_identical
    }
    found = {name: compare_pair(table, target, name, pairs.get(name)) for name in sources}
    grams = _grams_of(table, target, list(pairs.values())) if pairs else None
    ordered, groups = in_order(list(found.values()))
    return Ranking(
        target,
        ordered,
        _first_places(table, sources, pairs, grams),
        table.n_fits,
        table.complete,
        _forecast(table, target, found, grams) if table.test_size is None else None,
        groups=groups,
    )


def _first_places(
    table: ErrorTable, sources: Sequence[str], pairs: Mapping[str, Pair], grams: Grams | None
) -> dict[str, float]:
    """Return the probability of each source to be the best."""
    same = [name for name in sources if name not in pairs]
    if (
        same or grams is None
    ):  # the target itself is among the sources: no doubt about the first place
        return {name: float(name == same[0]) for name in sources}
    options, made = table.options, list(pairs.values())
    parts = [pair.ways[0].discrepancy(options.estimate, options.size) for pair in made]
    n_folds = made[0].ways[1].n_folds
    chances = probability_first(parts, grams.products, grams.n, n_folds, options.random_state)
    return {name: float(chance) for name, chance in zip(pairs, chances, strict=True)}


def _grams_of(table: ErrorTable, target: str, pairs: Sequence[Pair]) -> Grams:
    """Return how the sources' losses vary together, or refuse where that is not kept."""
    if not isinstance(pairs[0].ways[0], SumsWay):
        rows = {pair.facts.source: what_rows_add(pair, 0) for pair in pairs}
        return _grams(rows, table.options.size)
    names = tuple(pair.facts.source for pair in pairs)
    kept = table.grams.get(target)
    if kept is None or not set(names) <= set(kept.sources) or kept.size != table.options.size:
        raise table.refusal(f"A ranking by the {table.options.size!r} score")
    return kept.only(names)


def what_rows_add(pair: Pair, way: int) -> tuple[Array, Array]:
    """Return what each tested row (or group) adds to the score, and each row to the forecast's error."""
    options = pair.options
    chosen = pair.ways[way].discrepancy(options.estimate, options.size).influence
    plain = pair.ways[way].discrepancy(pair.learner, "paper").influence
    return sum_groups(chosen, pair.groups[way]), plain


def grams_of_all(
    added: Mapping[tuple[str, str], Sequence[tuple[Array, Array]]], options: Options
) -> dict[str, Grams]:
    """Return, for every target, how its sources vary together, from what rows add to each pair."""
    found: dict[str, dict[str, tuple[Array, Array]]] = {}
    for names, both in added.items():
        for target, source, rows in zip(names, names[::-1], both, strict=True):
            found.setdefault(target, {})[source] = rows
    return {target: _grams(sources, options.size) for target, sources in found.items()}


def _grams(rows: Mapping[str, tuple[Array, Array]], size: str) -> Grams:
    """Return how the losses of a target's sources vary together.

    The correlation is between losses in excess of the target's own. As they share its own losses, it
    comes out too high rather than too low, and joint weights too cautious.
    """
    names = tuple(sorted(rows))
    chosen = np.array([rows[name][0] for name in names])
    plain = np.array([rows[name][1] for name in names])
    return Grams(names, size, chosen @ chosen.T, _correlation(plain), chosen.shape[1])


def _correlation(matrix: Array) -> Array:
    spread = np.sqrt(np.sum(matrix**2, axis=1))
    spread[spread == 0] = 1.0
    found = matrix @ matrix.T / np.outer(spread, spread)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def _forecast(
    table: ErrorTable, target: str, found: Mapping[str, Comparison], grams: Grams | None
) -> Forecast | None:
    """Return the forecast for pooling all sources."""
    outlooks = {name: c.outlook for name, c in sorted(found.items()) if c.outlook is not None}
    if grams is None:
        return None
    return forecast_pool(
        target,
        list(outlooks),
        list(outlooks.values()),
        grams.correlation,
        unit_of(table.members[target].loss),
        provenance_of(table, [target, *outlooks]),
    )
