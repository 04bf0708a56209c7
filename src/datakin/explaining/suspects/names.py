"""A column under another name, and two columns that have each other's names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.checks.spelling import same_names
from datakin.data.checks.units import distance
from datakin.explaining.edits import numbers_of, renamed
from datakin.explaining.suspects.suspect import Suspect, known, shared_numbers
from datakin.results.words import short

__all__ = ["other_names"]

FAR, NEAR = 0.5, 0.2  # distances of two distributions that are not, and may be, those of one column
ENOUGH = 30  # values from which distributions are compared
MOST = 40  # columns that are compared with each other


def other_names(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns that may stand under another name in the source."""
    if target.features.is_sparse or source.features.is_sparse:
        return
    yield from _alike(target, source)
    yield from _swapped(target, source)


def _alike(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield names that differ in case or signs only."""
    for theirs, ours in same_names(target.columns, source.columns).items():
        kinds = [each.features.kind(n) for each, n in ((target, ours), (source, theirs))]
        if ours not in source.columns and kinds[0] == kinds[1]:
            seen = f"{short(theirs)} of {short(source.name)} may be {short(ours)} of {short(target.name)}."
            yield _suspect({theirs: ours}, seen, source, is_plain=True)


def _swapped(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield two columns of numbers whose distributions fit if their names are swapped."""
    columns = {}
    for name in shared_numbers(target, source)[:MOST]:
        both = [np.sort(known(numbers_of(each, name))) for each in (target, source)]
        if min(map(len, both)) >= ENOUGH:
            columns[name] = both
    far = [name for name, (ours, theirs) in columns.items() if distance(ours, theirs) > FAR]
    for one, two in combinations(far, 2):
        crossed = (
            distance(columns[one][0], columns[two][1]),
            distance(columns[two][0], columns[one][1]),
        )
        if max(crossed) < NEAR:
            seen = (
                f"{short(one)} and {short(two)} look swapped in {short(source.name)}: each has the values "
                f"that the other has in {short(target.name)}."
            )
            yield _suspect({one: two, two: one}, seen, source)


def _suspect(
    names: dict[str, str], seen: str, source: Dataset, *, is_plain: bool = False
) -> Suspect:
    options = (typed("rename", old, "=", new, table=source.name) for old, new in names.items())
    return Suspect(
        cause="names",
        table=source.name,
        columns=tuple(names.values()),
        seen=seen,
        python=f"rename={{{source.name!r}: {names!r}}}",
        typed=" ".join(options),
        mended=lambda one, other: (one, renamed(other, names)),
        is_plain=is_plain,
    )
