"""The whole table -> a Matrix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.cross_errors.options import Options
from datakin.cross_errors.table import ErrorTable
from datakin.data.features import Array
from datakin.results import Matrix
from datakin.results.zones import NOT_TRIED, PAPER, TRIAL, Zone, decide_by_paper
from datakin.scoring.pairs import Pair, compare_pair, decide, provenance_of, trial_of


class PairNotes(NamedTuple):
    """What the user should know of one pair."""

    source: str
    notes: tuple[str, ...]


def check_symmetric(options: Options) -> None:
    """Refuse a direction that a matrix cannot have."""
    if options.direction != 0.5:
        raise DatakinError(
            f"A matrix is symmetric: the 'direction' parameter must be 0.5. "
            f"Got {options.direction!r}; use rank for one direction."
        )


def complete_names(table: ErrorTable) -> list[str]:
    """Return the datasets all of whose pairs with each other are measured."""
    done: list[str] = []
    for name in table.names:
        if all(table.has_pair(name, other) for other in done):
            done.append(name)
    return done


def make_matrix(table: ErrorTable) -> Matrix:
    """Return the matrix of all datasets that have a pair with each other."""
    return fill_matrix(table)[0]


def fill_matrix(table: ErrorTable) -> tuple[Matrix, list[PairNotes]]:
    """Return the matrix, and the notes on its pairs.

    A dataset has an error of its own where all its pairs agree on it.
    """
    check_symmetric(table.options)
    names = complete_names(table)
    if table.complete and len(names) < len(table.names):
        lacking = [name for name in table.names if name not in names]
        other = next(name for name in names if not table.has_pair(lacking[0], name))
        raise DatakinError(
            f"A matrix needs every pair. {lacking[0]!r} and {other!r} were not measured; .subset(names) "
            f"leaves datasets out."
        )
    if len(names) < 2:
        raise DatakinError("A matrix needs at least two datasets that were compared. Got fewer.")
    cells = _Cells(table, names)
    for a, b in combinations(range(len(names)), 2):
        cells.fill(a, b)
    return cells.matrix(), cells.told


class _Cells:
    """Square arrays that pairs are filled into, by their names in a Matrix."""

    def __init__(self, table: ErrorTable, names: Sequence[str]) -> None:
        n = len(names)
        self.table, self.names = table, names
        self.symmetric = {
            name: np.zeros((n, n))
            for name in ("scores", "standard_errors", "lows", "highs", "thresholds")
        }
        self.gaps, self.errors = np.zeros((n, n)), np.full((n, n), np.nan)
        self.zones = [[Zone.POSITIVE] * n for _ in range(n)]
        self.owns: list[set[float]] = [set() for _ in names]
        self.told: list[PairNotes] = []

    def fill(self, a: int, b: int) -> None:
        """Fill in one pair."""
        target, source = self.names[a], self.names[b]
        if self.table.pair(target, source).is_identical:
            self.told.append(PairNotes(source, compare_pair(self.table, target, source).notes))
            return
        pair, options = Pair(self.table, target, source), self.table.options
        by_paper = decide_by_paper(*pair.evidence())
        self.told.append(PairNotes(source, pair.notes(by_paper)))
        # A source may help a small target that cannot help it.
        self.zones[b][a] = decide(self.table, target, source, by_paper).zone
        self.zones[a][b] = decide(self.table, source, target, by_paper).zone
        score = pair.estimate(options.size)
        values = score.value, score.standard_error, score.low, score.high, by_paper.high
        for array, value in zip(self.symmetric.values(), values, strict=True):
            array[a, b] = array[b, a] = value
        parts = pair.both(options.size)
        for (i, j), part in zip(((b, a), (a, b)), parts, strict=True):
            self.gaps[i, j], self.errors[i, j] = part.value, part.cross
            if not self.table.about["options"].get("trained"):  # an encoder for each pair
                self.owns[j].add(part.own)

    def _gains(self) -> Array | None:
        """Return what each dataset brought each other one where they were tried."""
        trials = [[trial_of(self.table, j, i) for j in self.names] for i in self.names]
        gains = [[np.nan if trial is None else trial.gain for trial in row] for row in trials]
        return None if np.isnan(gains).all() else np.array(gains)

    def _rule(self, gains: Array | None) -> tuple[str, tuple[str, ...]]:
        """Return what decided the zones, and a note where that is not the same for all of them."""
        if self.table.options.zones == PAPER:
            return PAPER, ()
        if gains is None:
            return NOT_TRIED, ()
        n, left = len(self.names), sum(row.count(Zone.UNTRIED) for row in self.zones)
        note = f"{left} of {n * (n - 1)} pairs, both ways, have no call: these were not tried"
        return TRIAL, (note,) if left else ()

    def matrix(self) -> Matrix:
        """Return what was filled in."""
        for i, found in enumerate(self.owns):
            self.errors[i, i] = found.pop() if len(found) == 1 else np.nan
        gains = self._gains()
        rule, notes = self._rule(gains)
        return Matrix(
            names=tuple(self.names),
            n_fits=self.table.n_fits,
            provenance=provenance_of(self.table, self.names),
            notes=(*notes, *dict.fromkeys(note for told in self.told for note in told.notes)),
            complete=self.table.complete,
            discrepancies=self.gaps,
            errors=self.errors,
            zones=tuple(tuple(row) for row in self.zones),
            rule=rule,
            gains=gains,
            **self.symmetric,
        )
