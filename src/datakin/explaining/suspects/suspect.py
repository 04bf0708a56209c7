"""A suspicion: what was seen, the option that would fix it, and how the tables are fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.features import Array
from datakin.explaining.edits import without

ASKED = 0.3  # Share of the excess that a fix must take away, unless its suspect says otherwise.


@dataclass(frozen=True, eq=False)
class Suspect:
    """What may be the cause.

    Attributes
    ----------
    cause, table, columns, seen, python, typed
        As in `datakin.results.explanation.Mend`.
    edit : callable or None
        Returns a table once fixed; None of what is only reported.
    asked : float
        Share of the excess that the fix must take away to be named: the more, the less sure it was
        from the columns alone.
    is_plain : bool
        Whether it is plain to see in the columns: it is then named unless its fix does harm.
    """

    cause: str
    table: str
    columns: tuple[str, ...]
    seen: str
    python: str = ""
    typed: str = ""
    edit: Callable[[Dataset], Dataset] | None = None
    asked: float = ASKED
    is_plain: bool = False

    def fixed(self, target: Dataset, source: Dataset) -> list[Dataset]:
        """Return target and source, of which the one that is meant, or both, are fixed."""
        tables = [target, source]
        if self.edit is None:
            return tables
        are_both = not self.table or self.cause == "lacking"
        return [self.edit(t) if are_both or t.name == self.table else t for t in tables]


Search = Callable[[Dataset, Dataset], Iterator[Suspect]]  # in the target and the source


def leaving_out(
    cause: str, table: str, columns: Sequence[str], seen: str, *, is_proposed: bool = True
) -> Suspect:
    """Return the suspicion that some columns should be left out of both tables."""
    names = list(columns)
    python = f"ignore={names!r}" if is_proposed else ""
    options = " ".join(typed("ignore", name) for name in names) if is_proposed else ""
    edit = partial(without, columns=names)
    return Suspect(cause, table, tuple(names), seen, python, options, edit)


def known(values: Array) -> Array:
    """Return what is not missing."""
    return np.asarray(values[~np.isnan(values)])


def shared_numbers(target: Dataset, source: Dataset) -> list[str]:
    """Return the columns that are numbers in both tables, and no times.

    Dates are read as numbers, too, but are in no units, and nobody would know them by their numbers.
    """
    both = set(target.features.numeric_names) & set(source.features.numeric_names)
    return [
        name
        for name in target.features.numeric_names
        if name in both and not is_time(name, target, source)
    ]


def is_time(name: str, *datasets: Dataset) -> bool:
    """Return whether a column holds dates or durations in one of some datasets."""
    facts = [dataset.facts.get(name) for dataset in datasets]
    return any(fact is not None and fact.kind in ("date", "duration") for fact in facts)
