"""A last row that holds the totals or means of the rows above, as spreadsheets and reports have it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datakin._core.exceptions import SERIOUS, Note, listed
from datakin.data.features import MISSING, Array, Features

__all__ = ["note_of_totals"]

MIN_ROWS = 20
MIN_VALUES = 10  # that a sum or mean is of
CLOSE = 1e-6
EXACT = 1e-12
FIRST = 10  # rows of a first look
PLAIN_MEANS = 3  # columns with as many digits in the last row as above that chance does not explain


def note_of_totals(features: Features, label: str, labels: Array) -> Note | None:
    """Return a note if the last row looks like totals or means, None otherwise.

    Its texts are missing but for one, such as "Total", and at least one of its numbers is the sum of
    those above, or two are their means.
    """
    n = features.n_rows
    if n <= MIN_ROWS or features.is_sparse or (features.codes[-1] != MISSING).sum() > 1:
        return None
    columns = dict(zip(features.numeric_names, features.numeric.T, strict=True))
    columns[label] = _floats(labels)
    sums = [name for name, column in columns.items() if _ends_with_sum(column)]
    means = [] if sums else _means(columns)
    said = [f"the last row (row {n:,}) looks like {'totals' if sums else 'means'}"]
    if sums or means:
        said[0] += (
            f", with the {'sum' if sums else 'mean'} of the rows above in {listed(sums or means)}"
        )
    between = _between(columns[label])
    if between:
        said.append(f"its label {between}, and would be learnt as a number")
    elif not sums and not means:
        return None
    return Note("; ".join([*said, "delete that line from the file"]), SERIOUS)


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


def _means(columns: dict[str, Array]) -> list[str]:
    """Return the columns whose last number is the mean of those above; none if it may be chance.

    A mean has more digits than what it is of. Where it has been rounded to the same digits, any row
    may have it in some columns, but not in all of them.
    """
    there = {name: column for name, column in columns.items() if np.isfinite(column[-1])}
    with np.errstate(invalid="ignore", over="ignore"):  # infinite numbers have no mean
        found = [name for name, column in there.items() if _ends_with_mean(column)]
        if len(found) < 2:
            return []
        finer = any(_is_finer(there[name]) for name in found)
    fractions = all(_decimals(there[name][-1]) for name in found)
    whole = len(found) == len(there) >= PLAIN_MEANS and fractions
    return found if finer or whole else []


def _ends_with_mean(column: Array) -> bool:
    """Whether the last number is the mean of enough others that differ, rounded to its digits."""
    last, above = column[-1], column[:-1]
    mean = above.mean()
    if np.isnan(mean):
        above = above[~np.isnan(above)]
        mean = above.mean() if len(above) else np.nan
    half = 0.5 * 10.0 ** -_decimals(last)
    if not abs(mean - last) <= half * (1 + CLOSE) + EXACT * abs(last):
        return False
    return len(above) >= MIN_VALUES and above.min() < above.max()


def _is_finer(column: Array) -> bool:
    """Whether the last number has more digits behind the point than all others."""
    above = column[:-1][~np.isnan(column[:-1])]
    digits = _decimals(column[-1]) - 1
    rest = np.abs(np.round(above, digits) - above)
    return digits >= 0 and bool(np.all(rest <= EXACT * np.maximum(np.abs(above), 1)))


def _decimals(number: float) -> int:
    """Return how many digits a number has behind the point.

    Examples
    --------
    >>> [_decimals(number) for number in (54.0, 54.9, 0.515, 1e-7)]
    [0, 1, 3, 7]
    """
    digits = np.format_float_positional(number, trim="-")
    return len(digits.partition(".")[2])


def _between(labels: Array) -> str:
    """Say that the last label alone lies between two whole numbers, which all others are."""
    last, above = labels[-1], np.unique(labels[:-1][~np.isnan(labels[:-1])])
    if len(above) != 2 or np.any(above != np.round(above)) or last == np.round(last):
        return ""
    if not above[0] < last < above[1]:
        return ""
    return f"{last:g} lies between {above[0]:g} and {above[1]:g}, which all others are"


def _floats(labels: Array) -> Array:
    """Return labels as numbers, NaN for those that are none."""
    codes, values = pd.factorize(labels)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float)
    return np.append(numbers, np.nan)[codes]  # code -1 is missing
