"""What options of reading do, done to a dataset that has been read: to try a fix before it is proposed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from datakin.data import Dataset
from datakin.data.features import MISSING, Array


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
