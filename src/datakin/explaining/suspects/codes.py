"""Levels that mean something else in the other table: recoded, or swapped.

Levels are told by how frequent they are and by the labels of their rows. If the levels of two tables fit each
other much better in another order than by name, that order is a suspect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lgamma

import numpy as np
from scipy.optimize import linear_sum_assignment

from datakin._core.typed_options import recode_options
from datakin.data import Dataset
from datakin.data.features import MISSING, Array
from datakin.explaining.edits import recoded, spelled
from datakin.explaining.suspects.suspect import Suspect, is_time
from datakin.learning.stack.rows import responses
from datakin.results.words import named, short

__all__ = ["other_codes"]

MOST = 12  # levels of a column that are compared
ROWS = 8  # of a level, from which it is
KNOWN = 0.5  # share of the rows that must have a value
SHARES, LABELS = 0.05, 0.1  # by how much shares, and means of labels, differ among kin
ABSENT = 20.0  # what it costs that a level has no partner
CLEAR = 10.0  # by how much another order must be better,
ASKED = 0.15  # share of the excess that the other order must mend
FITS = 0.5  # and what it may leave of the distance


@dataclass(frozen=True, eq=False)
class _Levels:
    """The levels of a column with enough rows, their shares and the labels of their rows; and the others."""

    names: tuple[str, ...]
    rare: frozenset[str]
    counts: Array
    means: Array
    spreads: Array
    n: int


def other_codes(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns whose levels may have been recoded."""
    if target.features.is_sparse or source.features.is_sparse:
        return
    if target.classes and target.classes != source.classes:
        return
    for name in target.columns:
        if name not in source.columns or is_time(target, name) or is_time(source, name):
            continue
        ours, theirs = _levels(target, name), _levels(source, name)
        if ours is None or theirs is None:
            continue
        codes = _better_order(ours, theirs)
        if codes:
            yield _suspect(name, codes, target, source)


def _suspect(name: str, codes: dict[str, str], target: Dataset, source: Dataset) -> Suspect:
    python, typed_option = recode_options(source.name, name, codes)
    pairs = [f"{old!r} as {new!r}" for old, new in codes.items()]
    return Suspect(
        cause="codes",
        table=source.name,
        columns=(name,),
        seen=(
            f"{short(name)} looks coded differently: by their rows, levels of {short(source.name)} fit "
            f"{short(target.name)} if you read {named(pairs, most=3, noun='other codes')}."
        ),
        python=python,
        typed=typed_option,
        mended=lambda one, other: (one, recoded(other, name, codes)),
        asked=ASKED,
    )


def _levels(dataset: Dataset, name: str) -> _Levels | None:
    """Return the levels of a category, or of whole numbers of few values; None for anything else."""
    features = dataset.features
    if name in features.category_names:
        at = features.category_names.index(name)
        names, codes = features.levels[at], features.codes[:, at]
    else:
        column = features.numeric[:, features.numeric_names.index(name)]
        values = np.unique(column[~np.isnan(column)])
        if len(values) > MOST or (values != np.round(values)).any():
            return None
        names = tuple(spelled(value) for value in values)
        codes = np.where(np.isnan(column), MISSING, np.searchsorted(values, column))
    # Rows without a value may differ from all others: they are left out, but must not be most of them.
    is_known = codes != MISSING
    if is_known.mean() < KNOWN:
        return None
    codes, Y = codes[is_known].astype(int), responses(dataset.y, len(dataset.classes))[0][is_known]
    if len(codes) < 2 * ROWS:
        return None
    Y = (Y - Y.mean(axis=0)) / max(float(np.sqrt(np.mean(np.var(Y, axis=0)))), 1e-12)
    counts = np.bincount(codes, minlength=len(names))
    kept = np.flatnonzero(counts >= ROWS)
    if not 2 <= len(kept) <= MOST:
        return None
    means = np.array([Y[codes == k].mean(axis=0) for k in kept])
    spreads = np.array([Y[codes == k].var(axis=0) for k in kept])
    rare = frozenset(names[k] for k in np.flatnonzero((counts > 0) & (counts < ROWS)))
    return _Levels(tuple(names[k] for k in kept), rare, counts[kept], means, spreads, len(codes))


def _better_order(ours: _Levels, theirs: _Levels) -> dict[str, str]:
    """Return which of their levels stand for which of ours, where that is not told by their names."""
    cost = _costs(ours, theirs)
    place = {name: k for k, name in enumerate(ours.names)}
    by_name = sum(
        cost[k, place[name]] if name in place else ABSENT for k, name in enumerate(theirs.names)
    )
    rows, columns = linear_sum_assignment(np.minimum(cost, ABSENT))
    best = float(np.minimum(cost, ABSENT)[rows, columns].sum())
    best += ABSENT * (len(theirs.names) - len(rows))
    n_ways = 2 * lgamma(len(ours.names) + 1)
    if by_name - best < CLEAR + n_ways or best > FITS * by_name:
        return {}
    found = {
        theirs.names[i]: ours.names[j]
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        if cost[i, j] < ABSENT
    }
    # A level that keeps its name while another one takes it would become two.
    taken = set(found.values())
    if any(name not in found and name in taken for name in (*theirs.names, *theirs.rare)):
        return {}
    return {old: new for old, new in found.items() if old != new}


def _costs(ours: _Levels, theirs: _Levels) -> Array:
    """Return squared distances of their levels (rows) and ours (columns), in units of chance."""
    p, q = ours.counts / ours.n, theirs.counts / theirs.n
    chance = q[:, None] * (1 - q[:, None]) / theirs.n + p * (1 - p) / ours.n + SHARES**2
    cost = (q[:, None] - p) ** 2 / chance
    spread = (
        theirs.spreads[:, None] / theirs.counts[:, None, None]
        + ours.spreads[None] / ours.counts[None, :, None]
        + LABELS**2
    )
    apart = (theirs.means[:, None] - ours.means[None]) ** 2 / spread
    return np.asarray(cost + apart.sum(axis=2) * max(1, apart.shape[2] - 1) / apart.shape[2])
