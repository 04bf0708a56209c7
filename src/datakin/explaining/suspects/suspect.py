"""A suspicion: what was seen, the option that would mend it, and how it is done to the tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from datakin.data import Dataset
from datakin.data.features import Array

__all__ = ["Pair", "Suspect", "is_time", "known", "shared_numbers"]

Pair = tuple[Dataset, Dataset]  # target and source
ASKED = 0.3  # share of the excess that a mend must take away, unless its suspect says otherwise


@dataclass(frozen=True, eq=False)
class Suspect:
    """What may be the cause.

    Attributes
    ----------
    cause, table, columns, seen, python, typed
        As in `datakin.results.explanation.Mend`.
    mended : callable
        Returns target and source once mended.
    asked : float
        Share of the excess that the mend must take away to be named: the more, the less sure it was
        from the columns alone.
    changes_target : bool
        Whether the target is mended, too.
    is_plain : bool
        Whether it is plain to see in the columns: it is then named unless its mend does harm.
    """

    cause: str
    table: str
    columns: tuple[str, ...]
    seen: str
    python: str
    typed: str
    mended: Callable[[Dataset, Dataset], Pair]
    asked: float = ASKED
    changes_target: bool = False
    is_plain: bool = False


def known(values: Array) -> Array:
    """Return what is not missing."""
    return np.asarray(values[~np.isnan(values)])


def shared_numbers(target: Dataset, source: Dataset) -> list[str]:
    """Return the columns that are numbers in both, as they stand there; none of sparse tables.

    Dates are read as numbers, too, but are in no units, and nobody would know them by their numbers.
    """
    if target.features.is_sparse or source.features.is_sparse:
        return []
    others = set(source.features.numeric_names)
    return [
        name
        for name in target.features.numeric_names
        if name in others and not any(is_time(each, name) for each in (target, source))
    ]


def is_time(dataset: Dataset, name: str) -> bool:
    """Return whether a column holds dates or durations."""
    return name in dataset.facts and dataset.facts[name].kind in ("date", "duration")
