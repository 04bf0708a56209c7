"""What stands under another name: levels recoded or swapped, swapped classes, columns.

Levels are matched by how frequent they are and by the labels of their rows. If the levels of two tables fit
each other much better in another order than by name, that order is a suspect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import lgamma

import numpy as np
from scipy.optimize import linear_sum_assignment

from datakin._core.typed_options import recode_options, typed
from datakin.data import Dataset
from datakin.data.checks.spelling import same_names
from datakin.data.checks.units import distance
from datakin.data.columns.labels import canonical_label
from datakin.data.features import Array, is_known
from datakin.explaining.suspects.suspect import (
    Suspect,
    is_time,
    known,
    numbers_of,
    recoded,
    relabelled,
    renamed,
    shared_numbers,
)
from datakin.explaining.world import World
from datakin.learners.learner import responses
from datakin.results.words import named, short

MOST = 12  # Levels of a column that are compared.
ROWS = 8  # Rows from which a level is compared.
KNOWN = 0.5  # Share of the rows that must have a value.
SHARES, LABELS = 0.05, 0.1  # By how much shares, and means of labels, differ among kin.
ABSENT = 20.0  # What it costs that a level has no partner.
CLEAR = 10.0  # By how much the cost of another order must be lower.
FITS = 0.5  # Share of the cost by name that another order may have.
ASKED = 0.15  # Share of the excess that another order of levels must fix.
ASKED_OF_CLASSES = 0.75  # The same for classes: a rule that is partly reversed is no swap.
FAR = 0.3  # Distance from which two distributions are not those of one column.
NEAR = 0.2  # Distance up to which they may be.
ENOUGH = 30  # Values from which distributions are compared.
MOST_COLUMNS = 40  # Columns that are compared with each other.


def swapped_classes(world: World) -> Iterator[Suspect]:
    """Yield the order of classes in which the source's predictor is right more often, if it is another."""
    target, source = world.target, world.source
    P, rows = world.on_target, world.judged.rows
    classes = target.classes
    if not classes or set(classes) != set(source.classes):
        return
    Y = rows.Y
    if rows.kind == "binary":
        P, Y = np.hstack([1 - P, P]), np.hstack([1 - Y, Y])
    weights = rows.weights[:, None] * Y
    # How probable each class of the source is, beyond its share, among the rows of each class.
    excess = (weights.T @ P) / np.maximum(weights.sum(axis=0), 1e-12)[:, None]
    excess = excess - np.average(P, axis=0, weights=rows.weights)
    ours, theirs = linear_sum_assignment(-excess)
    if excess[ours, theirs].sum() <= max(np.trace(excess), 0.0) or (ours == theirs).all():
        return
    codes = {classes[t]: classes[o] for o, t in zip(ours, theirs, strict=True) if o != t}
    seen = (
        f"The classes look swapped: the rule of {short(source.name)} fits {short(target.name)} if you read "
        f"{_readings(codes, 'other classes')}."
    )
    options = recode_options(source.name, source.label, codes)
    edit = partial(relabelled, names=codes)
    yield Suspect("classes", source.name, (source.label,), seen, *options, edit, ASKED_OF_CLASSES)


def other_codes(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns whose levels may have been recoded."""
    if target.classes and target.classes != source.classes:
        return
    for name in target.columns:
        if name not in source.columns or is_time(name, target, source):
            continue
        ours, theirs = _levels(target, name), _levels(source, name)
        codes = _better_order(ours, theirs) if ours is not None and theirs is not None else {}
        if codes:
            seen = (
                f"{short(name)} looks coded differently: by their rows, levels of {short(source.name)} fit "
                f"{short(target.name)} if you read {_readings(codes, 'other codes')}."
            )
            options = recode_options(source.name, name, codes)
            edit = partial(recoded, column=name, values=codes)
            yield Suspect("codes", source.name, (name,), seen, *options, edit, ASKED)


def _readings(codes: dict[str, str], others: str) -> str:
    return named([f"{old!r} as {new!r}" for old, new in codes.items()], most=3, noun=others)


@dataclass(frozen=True, eq=False)
class _Levels:
    """The levels of a column with enough rows, their shares and the labels of their rows; and the others."""

    names: tuple[str, ...]
    rare: frozenset[str]
    counts: Array
    means: Array
    spreads: Array
    n: int


def _levels(dataset: Dataset, name: str) -> _Levels | None:
    """Return the levels of a category, or of whole numbers of few values; None for anything else."""
    codes, names = dataset.features.column(name)
    # Rows without a value may differ from all others: they are left out, but must not be most of them.
    at = is_known(codes)
    if at.mean() < KNOWN or at.sum() < 2 * ROWS:
        return None
    codes, Y = codes[at], responses(dataset.y, len(dataset.classes))[0][at]
    if names is None:
        values, codes = np.unique(codes, return_inverse=True)
        if len(values) > MOST or (values != np.round(values)).any():
            return None
        names = tuple(canonical_label(value) for value in values)
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
    """Return which of their levels stand for which of ours, where their names do not say so."""
    cost = _costs(ours, theirs)
    places = {name: k for k, name in enumerate(ours.names)}
    by_name = sum(
        cost[k, places[name]] if name in places else ABSENT for k, name in enumerate(theirs.names)
    )
    rows, columns = linear_sum_assignment(np.minimum(cost, ABSENT))
    best = float(np.minimum(cost, ABSENT)[rows, columns].sum())
    best += ABSENT * (len(theirs.names) - len(rows))
    n_ways = 2 * lgamma(len(ours.names) + 1)
    if by_name - best < CLEAR + n_ways or best > FITS * by_name:
        return {}
    partners = {
        theirs.names[i]: ours.names[j]
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        if cost[i, j] < ABSENT
    }
    # A level that keeps its name while another one takes it would become two.
    taken = set(partners.values())
    if any(name not in partners and name in taken for name in (*theirs.names, *theirs.rare)):
        return {}
    return {old: new for old, new in partners.items() if old != new}


def _costs(ours: _Levels, theirs: _Levels) -> Array:
    """Return squared distances of their levels (rows) and ours (columns), in units of noise."""
    p, q = ours.counts / ours.n, theirs.counts / theirs.n
    noise = q[:, None] * (1 - q[:, None]) / theirs.n + p * (1 - p) / ours.n + SHARES**2
    cost = (q[:, None] - p) ** 2 / noise
    spread = (
        theirs.spreads[:, None] / theirs.counts[:, None, None]
        + ours.spreads[None] / ours.counts[None, :, None]
        + LABELS**2
    )
    apart = (theirs.means[:, None] - ours.means[None]) ** 2 / spread
    return np.asarray(cost + apart.sum(axis=2) * max(1, apart.shape[2] - 1) / apart.shape[2])


def other_names(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns that may have another name in the source."""
    alike = list(_alike(target, source))
    yield from alike
    yield from _same_values(target, source, {name for suspect in alike for name in suspect.columns})
    yield from _swapped(target, source)


def _alike(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield names that differ in case or signs only."""
    for theirs, ours in same_names(target.columns, source.columns).items():
        is_same_kind = target.features.kind(ours) == source.features.kind(theirs)
        if ours not in source.columns and is_same_kind:
            seen = f"{short(theirs)} of {short(source.name)} may be {short(ours)} of {short(target.name)}."
            yield _suspect({theirs: ours}, seen, source, is_plain=True)


def _same_values(target: Dataset, source: Dataset, known_names: set[str]) -> Iterator[Suspect]:
    """Yield columns that only the source has, with the values of one that only the target has."""
    ours = [name for name in target.columns if name not in {*source.columns, *known_names}][
        :MOST_COLUMNS
    ]
    theirs = [name for name in source.columns if name not in set(target.columns)][:MOST_COLUMNS]
    distances = {(one, two): _apart(target, one, source, two) for one in ours for two in theirs}
    for (one, two), value in sorted(distances.items(), key=lambda item: item[1]):
        rivals = [far for pair, far in distances.items() if (pair[0] == one) != (pair[1] == two)]
        if value < NEAR and value < min(rivals, default=1.0):
            seen = (
                f"{short(target.name)} has no {short(two)} and {short(source.name)} no {short(one)}: their "
                f"values look like those of one column."
            )
            yield _suspect({two: one}, seen, source)


def _apart(target: Dataset, ours: str, source: Dataset, theirs: str) -> float:
    """Return how far the values of two columns are from each other, from 0 to 1."""
    pairs = ((target, ours), (source, theirs))
    kinds = {table.features.kind(name) for table, name in pairs}
    if len(kinds) > 1 or any(is_time(name, table) for table, name in pairs):
        return 1.0
    if kinds == {"numeric"}:
        both = [np.sort(known(numbers_of(table, name))) for table, name in pairs]
        return distance(*both) if min(map(len, both)) >= ENOUGH else 1.0
    levels = [table.features.column(name)[1] for table, name in pairs]
    return 0.0 if levels[0] == levels[1] else 1.0


def _swapped(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield two columns of numbers whose distributions fit if their names are swapped."""
    ours, theirs = (
        {
            name: np.sort(known(numbers_of(table, name)))
            for name in shared_numbers(target, source)[:MOST_COLUMNS]
        }
        for table in (target, source)
    )
    far = [
        name
        for name, values in ours.items()
        if min(len(values), len(theirs[name])) >= ENOUGH and distance(values, theirs[name]) > FAR
    ]
    for one, two in combinations(far, 2):
        if max(distance(ours[one], theirs[two]), distance(ours[two], theirs[one])) < NEAR:
            seen = (
                f"{short(one)} and {short(two)} look swapped in {short(source.name)}: each has the values "
                f"that the other has in {short(target.name)}."
            )
            yield _suspect({one: two, two: one}, seen, source)


def _suspect(
    names: dict[str, str], seen: str, source: Dataset, *, is_plain: bool = False
) -> Suspect:
    python = f"rename={{{source.name!r}: {names!r}}}"
    options = [typed("rename", old, "=", new, table=source.name) for old, new in names.items()]
    about = "names", source.name, tuple(names.values()), seen
    edit = partial(renamed, names=names)
    return Suspect(*about, python, " ".join(options), edit, is_plain=is_plain)
