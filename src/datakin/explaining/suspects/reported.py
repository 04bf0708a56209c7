"""What is reported and not tried: ranges that are cut off, rows that stand there several times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from datakin.data import Dataset
from datakin.data.checks.copies import copied_share
from datakin.data.checks.units import distance
from datakin.data.features import Array
from datakin.explaining.edits import numbers_of
from datakin.explaining.suspects.suspect import Pair, Suspect, known, shared_numbers
from datakin.results.words import number, percent, short

__all__ = ["cut_ranges", "repeated_rows"]

ENOUGH = 30  # values from which ranges are compared
OUTSIDE = 0.1  # share of the other table's values that lie beyond the cut
RARE = 0.01  # chance of such a cut among all columns
KINKED = 0.3  # of the density of the other table at the cut, from which it is a cut and no tail
ALIKE = 0.12  # distance of the two distributions inside, beside chance
SHARE = 0.1  # of rows with a copy, from which they are reported
RICH = 20  # different values of a column whose range is looked at


def cut_ranges(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns of numbers of which one table has only a part of the range."""
    names = shared_numbers(target, source)
    for name in names:
        columns = known(numbers_of(target, name)), known(numbers_of(source, name))
        if min(map(len, columns)) < ENOUGH or min(len(np.unique(c)) for c in columns) < RICH:
            continue
        for side, table in enumerate((target, source)):
            other = source if side == 0 else target
            found = _cut(columns[side], columns[1 - side])
            if (
                found is not None
                and _by_chance(columns[side], columns[1 - side]) * len(names) < RARE
            ):
                sign, at, outside = found
                yield _reported(
                    "range",
                    table,
                    (name,),
                    f"{short(name)} is {sign} {number(at)} in {short(table.name)}, where "
                    f"{percent(outside, 0)}% of the rows of {short(other.name)} lie beyond.",
                )


def _by_chance(part: Array, whole: Array) -> float:
    """Return how often one of two draws of the same column ends so early, at either of its ends.

    The values beyond are the outermost of both; all of them come from the same table.
    """
    n, m = len(part), len(whole)
    beyond = max(int(np.sum(whole > part.max())), int(np.sum(whole < part.min())))
    k = np.arange(beyond)
    return 4 * float(np.exp(np.sum(np.log((m - k) / (n + m - k)))))


def _cut(part: Array, whole: Array) -> tuple[str, float, float] | None:
    """Return where a table is cut off, seen from one that is not, and how much lies beyond."""
    for sign, at, beyond in (
        ("never above", float(part.max()), whole > part.max()),
        ("never below", float(part.min()), whole < part.min()),
    ):
        outside = float(beyond.mean())
        inside = whole[~beyond]
        if outside < OUTSIDE or len(inside) < ENOUGH:
            continue
        # A tail thins out; a cut ends where there are still as many rows as elsewhere.
        last = np.quantile(inside, 0.9 if sign == "never above" else 0.1)
        edge = np.mean(part > last) if sign == "never above" else np.mean(part < last)
        chance = 1.63 * np.sqrt(1 / len(inside) + 1 / len(part))
        if edge > KINKED * 0.1 and distance(np.sort(part), np.sort(inside)) < max(ALIKE, chance):
            return sign, at, outside
    return None


def repeated_rows(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield tables many of whose rows have a copy, and not by chance."""
    if target.features.is_sparse or source.features.is_sparse:
        return
    shares = [copied_share(table) for table in (target, source)]
    for side, table in enumerate((target, source)):
        if shares[side] > SHARE and shares[side] > 3 * shares[1 - side]:
            yield _reported(
                "copies",
                table,
                (),
                f"{percent(shares[side], 0)}% of the rows of {short(table.name)} have a copy there: leave "
                f"copies out, or give rows that belong together as groups.",
            )


def _reported(cause: str, table: Dataset, columns: tuple[str, ...], seen: str) -> Suspect:
    return Suspect(cause, table.name, columns, seen, "", "", _unchanged)


def _unchanged(target: Dataset, source: Dataset) -> Pair:
    return target, source
