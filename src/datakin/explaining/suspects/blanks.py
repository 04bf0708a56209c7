"""Missing values that are coded as a value, such as -99 or "unknown", in one of two tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from datakin._core.typed_options import recode_options
from datakin.data import Dataset
from datakin.data.columns.labels import canonical_label
from datakin.data.columns.placeholders import is_placeholder
from datakin.data.columns.texts import SOFT_BLANKS
from datakin.data.features import Array
from datakin.explaining.suspects.suspect import (
    Suspect,
    is_time,
    known,
    numbers_of,
    recoded,
    shared_numbers,
)
from datakin.results.words import number, percent, short

OFTEN, ROWS = 0.02, 5  # Share of the rows, and number of them, that a code for missing values has.
RARE = 0.2  # Share of its frequency that it may have in the other table.
FEWEST = 8  # Other values that there must be, or the column may be a code itself.
TIMES = 5  # It is so many times more frequent than any other value.
GAP = 0.5  # Its distance from all other values, in ranges of their middle half.


def blank_values(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield values that may stand for a missing one in one of the tables."""
    for name in shared_numbers(target, source):
        for table, other in ((target, source), (source, target)):
            here, there = numbers_of(table, name), numbers_of(other, name)
            value = _blank(here, there)
            if value is not None:
                others = known(here[here != value])
                text = canonical_label(value)
                seen = (
                    f"{short(name)} is {text} in {percent(float(np.mean(here == value)))}% of the "
                    f"rows of {short(table.name)}, beside values from {number(float(others.min()))} to "
                    f"{number(float(others.max()))}: it may stand for a missing value."
                )
                yield _suspect(name, text, seen, table)
    yield from _blank_levels(target, source)


def _blank_levels(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield levels of one table that may stand for the missing values of the other.

    Only one of the tables has the level, and only the other one has missing values. Words such as "unknown"
    are plain; of others there must be just one, and its fix has to pay.
    """
    for name in target.features.category_names:
        if name not in source.features.category_names or is_time(name, target, source):
            continue
        for table, other in ((target, source), (source, target)):
            here, there = _counts(table, name), _counts(other, name)
            n, m = sum(here.values()), sum(there.values())
            gaps, missing = here.pop(None, 0) / n, there.pop(None, 0) / m
            if missing < OFTEN or gaps > RARE * missing:
                continue
            own = [
                level
                for level, count in here.items()
                if count >= max(ROWS, OFTEN * n) and there.get(level, 0) / m <= RARE * count / n
            ]
            words = [level for level in own if str(level).casefold() in SOFT_BLANKS]
            if len(words or own) != 1:
                continue
            (level,) = words or own
            seen = (
                f"{short(name)} is {short(str(level))!r} in {percent(here[level] / n)}% of the rows of "
                f"{short(table.name)}, and missing in {percent(missing)}% of those of the other table: it "
                f"may stand for a missing value."
            )
            yield _suspect(name, str(level), seen, table, is_plain=bool(words))


def _counts(dataset: Dataset, name: str) -> dict[str | None, int]:
    """Return how many rows each level of a column has; None for a missing one."""
    codes, levels = dataset.features.column(name)
    pairs = zip(*np.unique(codes, return_counts=True), strict=True)
    names = (*(levels or ()), None)  # The code of a missing value picks the last.
    return {names[code]: int(count) for code, count in pairs}


def _suspect(name: str, text: str, seen: str, table: Dataset, *, is_plain: bool = True) -> Suspect:
    options = recode_options(table.name, name, {text: ""})
    edit = partial(recoded, column=name, values={text: None})
    return Suspect("blanks", table.name, (name,), seen, *options, edit, is_plain=is_plain)


def _blank(here: Array, there: Array) -> float | None:
    """Return the value of a column that may stand for a missing one, if there is one."""
    values, counts = np.unique(known(here), return_counts=True)
    if len(values) <= FEWEST:
        return None
    for k in np.argsort(-counts)[:3]:
        value, share = float(values[k]), counts[k] / len(here)
        if share < OFTEN or counts[k] < ROWS:
            break
        if np.mean(there == value) <= RARE * share and _is_apart(k, values, counts, there):
            return value
    return None


def _is_apart(k: int, values: Array, counts: Array, there: Array) -> bool:
    """Return whether a value is outside all others, or is the one that the other table has as missing."""
    value, others, other_counts = float(values[k]), np.delete(values, k), np.delete(counts, k)
    gap = max(float(others.min()) - value, value - float(others.max()))
    if gap <= 0:
        return False
    low, high = np.quantile(np.repeat(others, other_counts), [0.25, 0.75])
    is_frequent = counts[k] > TIMES * other_counts.max(initial=0)
    is_missing_there = float(np.mean(np.isnan(there))) > RARE * counts[k] / counts.sum()
    return bool(
        gap > GAP * (high - low) or is_placeholder(value) or (is_frequent and is_missing_there)
    )
