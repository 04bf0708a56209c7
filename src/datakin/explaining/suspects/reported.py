"""What is reported and not tried: ranges that are cut off, rows with copies in their table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from datakin.data import Dataset
from datakin.data.checks.copies import copied_share
from datakin.data.checks.units import distance
from datakin.data.features import Array
from datakin.explaining.edits import numbers_of
from datakin.explaining.suspects.suspect import Suspect, known, shared_numbers
from datakin.results.words import number, percent, short

ENOUGH = 30  # Values from which ranges are compared.
RICH = 20  # Different values from which the range of a column is looked at.
OUTSIDE = 0.1  # Share of the other table's values that must be beyond the cut.
RARE = 0.01  # Probability of such a cut among all columns, below which it is one.
KINKED = 0.3  # Share of the other table's density at the cut, from which it is a cut and no tail.
ALIKE = 0.12  # Distance up to which two distributions inside the cut are alike.
SHARE = 0.1  # Share of the rows with a copy, from which they are reported.


def cut_ranges(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns of numbers of which one table has only a part of the range."""
    names = shared_numbers(target, source)
    for name in names:
        for table, other in ((target, source), (source, target)):
            part, whole = columns = [known(numbers_of(each, name)) for each in (table, other)]
            if min(map(len, columns)) < ENOUGH or min(len(np.unique(c)) for c in columns) < RICH:
                break
            cut = _cut(part, whole)
            if cut is None or _p_value(part, whole) * len(names) >= RARE:
                continue
            bound, outside = cut
            seen = (
                f"{short(name)} is {bound} in {short(table.name)}, where {percent(outside, 0)}% of the rows "
                f"of {short(other.name)} lie beyond."
            )
            yield Suspect("range", table.name, (name,), seen)


def _p_value(part: Array, whole: Array) -> float:
    """Return how often one of two draws of the same column ends so early, at either of its ends.

    The values beyond are the outermost of both; all of them come from the same table.
    """
    n, m = len(part), len(whole)
    beyond = max(int(np.sum(whole > part.max())), int(np.sum(whole < part.min())))
    k = np.arange(beyond)
    return 4 * float(np.exp(np.sum(np.log((m - k) / (n + m - k)))))


def _cut(part: Array, whole: Array) -> tuple[str, float] | None:
    """Return where a table is cut off, in words, and how much of one that is not is beyond."""
    for words, end, sign, quantile in (
        ("never above", float(part.max()), 1, 0.9),
        ("never below", float(part.min()), -1, 0.1),
    ):
        beyond = sign * whole > sign * end
        outside, inside = float(beyond.mean()), whole[~beyond]
        if outside < OUTSIDE or len(inside) < ENOUGH:
            continue
        # A tail thins out; a cut ends where there are still as many rows as elsewhere.
        edge = np.mean(sign * part > sign * np.quantile(inside, quantile))
        noise = 1.63 * np.sqrt(1 / len(inside) + 1 / len(part))
        if edge > KINKED * 0.1 and distance(np.sort(part), np.sort(inside)) < max(ALIKE, noise):
            return f"{words} {number(end)}", outside
    return None


def repeated_rows(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield tables many of whose rows have a copy, and not by chance."""
    for table, other in ((target, source), (source, target)):
        share = copied_share(table)
        if share > SHARE and share > 3 * copied_share(other):
            seen = (
                f"{percent(share, 0)}% of the rows of {short(table.name)} have a copy there: leave "
                f"copies out, or give rows that belong together as groups."
            )
            yield Suspect("copies", table.name, (), seen)
