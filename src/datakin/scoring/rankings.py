"""One row of the table -> a Ranking: the sources of a target, best first, in groups of equals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.cross_errors.options import Options
from datakin.cross_errors.sums import Grams
from datakin.cross_errors.table import ErrorTable
from datakin.data.features import Array
from datakin.learners.stack.records import call_of
from datakin.results import Ranking
from datakin.results.comparison import Comparison
from datakin.scoring.pairs import Pair, compare_pair
from datakin.scoring.uncertainty import probability_first, sum_groups

APART = 1.645  # standard errors of a difference that support an order


def rank_sources(table: ErrorTable, target: str) -> Ranking:
    """Order the sources that were measured with a target.

    With trials the order is that of the gain to expect. Without them it is what a source's predictors
    lose on the target.
    """
    table.check_name(target)
    sources = [name for name in table.names if name != target and table.has_pair(target, name)]
    if not sources:
        raise DatakinError(
            f"No source of {target!r} was measured. The datasets are {listed(table.names, limit=12)}."
        )
    # By name, so that the order in which sources were given changes no draw.
    pairs = {
        name: Pair(table, target, name)
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
        groups=groups,
    )


def _first_places(
    table: ErrorTable, sources: Sequence[str], pairs: Mapping[str, Pair], grams: Grams | None
) -> dict[str, float]:
    """Return the probability of each source to be the best."""
    same = [name for name in sources if name not in pairs]
    # The target itself is among the sources: no doubt about the first place.
    if same or grams is None:
        return {name: float(name == same[0]) for name in sources}
    options, made = table.options, list(pairs.values())
    parts = [pair.ways[0].discrepancy(options.size) for pair in made]
    n_folds = made[0].ways[1].n_folds
    chances = probability_first(parts, grams.products, grams.n, n_folds, options.random_state)
    return {name: float(chance) for name, chance in zip(pairs, chances, strict=True)}


def _grams_of(table: ErrorTable, target: str, pairs: Sequence[Pair]) -> Grams:
    """Return how the sources' losses vary together, or refuse where that is not kept."""
    if pairs[0].ways[0].rows is not None:
        rows = {pair.facts.source: what_rows_add(pair, 0) for pair in pairs}
        return _grams(rows, table.options.size)
    names = tuple(pair.facts.source for pair in pairs)
    kept = table.grams.get(target)
    if kept is None or not set(names) <= set(kept.sources) or kept.size != table.options.size:
        raise table.refusal(f"A ranking by the {table.options.size!r} score")
    return kept.only(names)


def what_rows_add(pair: Pair, way: int) -> Array:
    """Return what each tested row (or group) adds to the score."""
    rows, options = pair.ways[way].rows, pair.options
    assert rows is not None
    return sum_groups(rows.discrepancy(options.estimate, options.size).influence, rows.groups)


def grams_of_all(
    added: Mapping[tuple[str, str], Sequence[Array]], options: Options
) -> dict[str, Grams]:
    """Return, for every target, how its sources vary together, from what rows add to each pair."""
    found: dict[str, dict[str, Array]] = {}
    for names, both in added.items():
        for target, source, rows in zip(names, names[::-1], both, strict=True):
            found.setdefault(target, {})[source] = rows
    return {target: _grams(sources, options.size) for target, sources in found.items()}


def _grams(rows: Mapping[str, Array], size: str) -> Grams:
    """Return how the losses of a target's sources vary together."""
    names = tuple(sorted(rows))
    chosen = np.array([rows[name] for name in names])
    return Grams(names, size, chosen @ chosen.T, chosen.shape[1])


def in_order(found: Sequence[Comparison]) -> tuple[tuple[Comparison, ...], dict[str, int]]:
    """Return sources best first, and the number of each one's group.

    A group begins at the first source that hurts, and where a source lies below the first of the group
    before by more than 1.645 standard errors of the difference. Sources are taken as independent. They
    share the target's rows, so that the standard error is too large rather than too small: groups are
    approximate and cautious.
    """
    are_tried = any(c.trial is not None for c in found)

    def seen(c: Comparison) -> tuple[float, float]:
        """Return what a trial showed, or what the target gains by loss, and its standard error."""
        if not are_tried:
            return -c.source_to_target, c.directions["source_to_target"].standard_error
        return (0.0, 0.0) if c.trial is None else (c.trial.tried, c.trial.standard_error)

    ordered = sorted(found, key=lambda c: (c.source_to_target, c.score, c.source))
    if are_tried:
        ordered = sorted(found, key=_place)
    groups: dict[str, int] = {}
    first, number, is_last = seen(ordered[0]), 1, _hurts(ordered[0])
    for comparison in ordered:
        value, error = seen(comparison)
        hurts = _hurts(comparison)
        if hurts != is_last or first[0] - value > APART * float(np.hypot(first[1], error)):
            first, number, is_last = (value, error), number + 1, hurts
        groups[comparison.source] = number
    return tuple(ordered), groups


def _place(c: Comparison) -> tuple[bool, bool, float, float, str]:
    """Return what a source is ordered by where some were tried: the gain to expect, those that hurt last.

    A copy of the target comes first. Another source that was not tried counts as one that brings nothing.
    """
    is_copy = c.trial is None and c.score == c.source_to_target == 0.0
    gain = 0.0 if c.trial is None else c.trial.gain
    return _hurts(c), not is_copy, -gain, c.source_to_target, c.source


def _hurts(c: Comparison) -> bool:
    return c.trial is not None and call_of(c.trial) == "hurts"
