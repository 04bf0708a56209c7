"""Missing values that are coded as a value, such as -99, in one of two tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.columns.placeholders import is_placeholder
from datakin.data.features import Array
from datakin.explaining.edits import numbers_of, recoded, spelled
from datakin.explaining.suspects.suspect import Suspect, known, shared_numbers
from datakin.results.words import number, percent, short

__all__ = ["blank_values"]

OFTEN = 0.02  # share of the rows that a code for missing values has,
ROWS = 5  # and how many rows
RARE = 0.2  # of that share it has in the other table
FEWEST = 8  # other values that there must be, or the column may be a code itself
TIMES = 5  # more frequent than any other value
GAP = 0.5  # distance from all other values, in ranges of their middle half


def blank_values(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield values that may stand for a missing one in one of the tables."""
    for name in shared_numbers(target, source):
        columns = numbers_of(target, name), numbers_of(source, name)
        for side, table in enumerate((target, source)):
            here, there = columns[side], columns[1 - side]
            value = _blank(here, there)
            if value is not None:
                other = source if side == 0 else target
                yield _suspect(name, value, here, table, other, is_target=side == 0)


def _suspect(
    name: str, value: float, here: Array, table: Dataset, other: Dataset, *, is_target: bool
) -> Suspect:
    text = spelled(value)
    rest = known(here[here != value])
    share = float(np.mean(here == value))

    def mended(target: Dataset, source: Dataset) -> tuple[Dataset, Dataset]:
        if is_target:
            return recoded(target, name, {text: None}), source
        return target, recoded(source, name, {text: None})

    return Suspect(
        cause="blanks",
        table=table.name,
        columns=(name,),
        seen=(
            f"{short(name)} is {text} in {percent(share)}% of the rows of {short(table.name)}, beside values "
            f"from {number(float(rest.min()))} to {number(float(rest.max()))}: it may stand for a missing "
            f"value."
        ),
        python=f"recode={{{table.name!r}: {{{name!r}: {{{text!r}: ''}}}}}}",
        typed=typed("recode", name, ":", text, "=", "", table=table.name),
        mended=mended,
        changes_target=is_target,
        is_plain=True,
    )


def _blank(here: Array, there: Array) -> float | None:
    """Return the value of a column that may stand for a missing one, if there is one."""
    values, counts = np.unique(known(here), return_counts=True)
    if len(values) <= FEWEST:
        return None
    for k in np.argsort(-counts)[:3]:
        value, share = float(values[k]), counts[k] / len(here)
        if share < OFTEN or counts[k] < ROWS:
            break
        elsewhere = float(np.mean(there == value))
        if elsewhere <= RARE * share and _is_apart(value, k, values, counts, there):
            return value
    return None


def _is_apart(value: float, k: int, values: Array, counts: Array, there: Array) -> bool:
    """Whether a value lies outside all others, or is the one that the other table has as missing."""
    others = np.delete(counts, k)
    rest = np.delete(values, k)
    middle = np.repeat(rest, others)
    low, high = np.quantile(middle, [0.25, 0.75])
    gap = max(float(rest.min()) - value, value - float(rest.max()))
    is_outside = gap > 0
    if is_outside and (gap > GAP * (high - low) or is_placeholder(value)):
        return True
    is_frequent = counts[k] > TIMES * others.max(initial=0)
    missing_there = float(np.mean(np.isnan(there)))
    return is_frequent and is_outside and missing_there > RARE * counts[k] / counts.sum()
