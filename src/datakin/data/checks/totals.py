"""A last row that holds the totals of the rows above, as spreadsheets and reports have it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datakin._core.exceptions import SERIOUS, Note, listed
from datakin.data.features import MISSING, Array, Features

__all__ = ["note_of_totals"]

MIN_ROWS = 20
MIN_VALUES = 10  # that a sum is of
CLOSE = 1e-6
FIRST = 10  # rows of a first look


def note_of_totals(features: Features, label: str, labels: Array) -> Note | None:
    """Return a note if the last row looks like totals, None otherwise.

    Its texts are missing but for one, such as "Total", and at least one of its numbers is the sum of
    those above.
    """
    n = features.n_rows
    if n <= MIN_ROWS or features.is_sparse or (features.codes[-1] != MISSING).sum() > 1:
        return None
    numbers = dict(zip(features.numeric_names, features.numeric.T, strict=True))
    found = [name for name, column in numbers.items() if _ends_with_sum(column)]
    if _ends_with_sum(_floats(labels)):
        found.append(label)
    if not found:
        return None
    return Note(
        f"the last row (row {n:,}) looks like totals, with the sum of the rows above in {listed(found)}; "
        f"delete that line from the file",
        SERIOUS,
    )


def _ends_with_sum(column: Array) -> bool:
    """Whether the last number is the sum of enough others, and larger than each of them."""
    last = abs(column[-1])
    # Nearly every column ends at the first look, and none has to be copied as a whole.
    for above in (column[:FIRST], column[:-1]):
        above = np.abs(above[np.isfinite(above)])
        if not np.isfinite(last) or not len(above) or last <= above.max():
            return False
    if np.count_nonzero(above) < MIN_VALUES:
        return False
    with np.errstate(invalid="ignore", over="ignore"):  # infinite numbers have no sum
        return bool(abs(np.nansum(column[:-1]) - column[-1]) <= CLOSE * last)


def _floats(labels: Array) -> Array:
    """Return labels as numbers, NaN for those that are none."""
    codes, values = pd.factorize(labels)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float)
    return np.append(numbers, np.nan)[codes]  # code -1 is missing
