"""The cells of a run as one Matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from datakin.results import Matrix
from datakin.results.record import Provenance, make_provenance
from datakin.results.zones import Zone
from datakin.scoring.cells import Cell
from datakin.scoring.run import Run

__all__ = ["fill_matrix", "make_matrix"]


def make_matrix(run: Run, members: Iterable[int]) -> Matrix:
    """Return the matrix of some of a run's datasets."""
    members = list(members)
    provenance = make_provenance(
        run.options.random_state,
        run.options.summary(),
        {run.datasets[i].name: run.datasets[i].fingerprint for i in members},
        run.backends(members),
    )
    cells = {
        (a, b): run.cells[members[a], members[b]] for a, b in combinations(range(len(members)), 2)
    }
    names = [run.datasets[i].name for i in members]
    return fill_matrix(names, cells, run.n_fits, provenance, complete=not run.interrupted)


def fill_matrix(
    names: Sequence[str],
    cells: Mapping[tuple[int, int], Cell],
    n_fits: int,
    provenance: Provenance,
    *,
    complete: bool = True,
) -> Matrix:
    """Collect the cells of all pairs into square arrays.

    A dataset has an error of its own where all its cells agree on it.
    """
    n = len(names)
    scores, spreads, lows, highs, thresholds, gaps = (np.zeros((n, n)) for _ in range(6))
    errors = np.full((n, n), np.nan)
    zones = [[Zone.POSITIVE] * n for _ in range(n)]
    owns: list[set[float]] = [set() for _ in names]
    notes: dict[str, None] = {}
    for (a, b), c in cells.items():
        for array, value in (
            (scores, c.score),
            (spreads, c.standard_error),
            (lows, c.interval[0]),
            (highs, c.interval[1]),
            (thresholds, c.threshold),
        ):
            array[a, b] = array[b, a] = value
        zones[b][a], zones[a][b] = c.forth, c.back
        gaps[b, a], gaps[a, b] = c.source_to_target, c.target_to_source
        for i, j in ((a, b), (b, a)):
            errors[i, j] = c.cross_errors.get(names[i], np.nan)
            owns[i].update([c.own_errors[names[i]]] if c.own_errors else [])
        notes |= dict.fromkeys(c.notes)
    for i, found in enumerate(owns):
        errors[i, i] = found.pop() if len(found) == 1 else np.nan
    return Matrix(
        tuple(names),
        scores,
        n_fits,
        provenance,
        notes=tuple(notes),
        complete=complete,
        standard_errors=spreads,
        lows=lows,
        highs=highs,
        discrepancies=gaps,
        errors=errors,
        zones=tuple(tuple(row) for row in zones),
        thresholds=thresholds,
    )
