"""A column under another name, and two columns that have each other's names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.checks.spelling import same_names
from datakin.data.checks.units import distance
from datakin.explaining.suspects.suspect import (
    Suspect,
    is_time,
    known,
    numbers_of,
    renamed,
    shared_numbers,
)
from datakin.results.words import short

FAR = 0.3  # Distance from which two distributions are not those of one column.
NEAR = 0.2  # Distance up to which they may be.
ENOUGH = 30  # Values from which distributions are compared.
MOST = 40  # Columns that are compared with each other.


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
    ours = [name for name in target.columns if name not in {*source.columns, *known_names}][:MOST]
    theirs = [name for name in source.columns if name not in set(target.columns)][:MOST]
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
            for name in shared_numbers(target, source)[:MOST]
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
