"""A suspicion: what was seen, the option that would fix it, and what that option does, done to a dataset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.features import MISSING, Array

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


def numbers_of(dataset: Dataset, column: str) -> Array:
    """Return a column of numbers; the label's where it is named."""
    if _is_label(dataset, column):
        return dataset.y
    return np.asarray(dataset.features.column(column)[0], dtype=float)


def converted(dataset: Dataset, column: str, slope: float, intercept: float) -> Dataset:
    """Return a dataset with a column of numbers, or a label that is a number, in other units."""
    values = slope * numbers_of(dataset, column) + intercept
    if _is_label(dataset, column):
        return dataset.edited(y=values)
    return _with_numbers(dataset, column, values)


def recoded(dataset: Dataset, column: str, values: Mapping[str, str | None]) -> Dataset:
    """Return a dataset with other values in a column; None stands for a missing one."""
    features = dataset.features
    if column in features.numeric_names:
        old = numbers_of(dataset, column)
        numbers = old.copy()
        for value, new in values.items():
            numbers[old == float(value)] = np.nan if new is None else float(new)
        return _with_numbers(dataset, column, numbers)
    at = features.category_names.index(column)
    new_names = [values.get(level, level) for level in features.levels[at]]
    levels = tuple(sorted({level for level in new_names if level is not None}))
    places = [MISSING if level is None else levels.index(level) for level in new_names]
    codes = features.codes.copy()
    # The code of a missing value picks the last entry.
    codes[:, at] = np.array([*places, MISSING], dtype=np.int32)[codes[:, at]]
    every = (*features.levels[:at], levels, *features.levels[at + 1 :])
    return dataset.edited(features=replace(features, codes=codes, levels=every))


def without(dataset: Dataset, columns: Collection[str]) -> Dataset:
    """Return a dataset without some columns."""
    kept = [name for name in dataset.columns if name not in columns]
    return dataset.edited(features=dataset.features.select(kept))


def renamed(dataset: Dataset, names: Mapping[str, str]) -> Dataset:
    """Return a dataset with other names of columns."""
    features = dataset.features
    numeric, category = (
        tuple(names.get(name, name) for name in old_names)
        for old_names in (features.numeric_names, features.category_names)
    )
    features = replace(features, numeric_names=numeric, category_names=category)
    facts = {names.get(name, name): known for name, known in dataset.facts.items()}
    return dataset.edited(features=features, facts=facts)


def relabelled(dataset: Dataset, names: Mapping[str, str]) -> Dataset:
    """Return a dataset in which classes have each other's names."""
    codes = {name: code for code, name in enumerate(dataset.classes)}
    table = np.array([codes[names.get(name, name)] for name in dataset.classes])
    return dataset.edited(y=table[dataset.y])


def _is_label(dataset: Dataset, column: str) -> bool:
    return column == dataset.label and column not in dataset.features.numeric_names


def _with_numbers(dataset: Dataset, column: str, values: Array) -> Dataset:
    numeric = dataset.features.numeric.copy()
    numeric[:, dataset.features.numeric_names.index(column)] = values
    return dataset.edited(features=replace(dataset.features, numeric=numeric))
