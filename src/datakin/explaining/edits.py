"""What the options of reading do, done to a dataset that has been read: to try it before it is proposed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from datakin.data import Dataset
from datakin.data.columns.labels import canonical_label
from datakin.data.features import MISSING, Array, Features

__all__ = ["converted", "numbers_of", "recoded", "relabelled", "renamed", "spelled", "without"]


def numbers_of(dataset: Dataset, column: str) -> Array:
    """Return a column of numbers; the label's where it is named."""
    if column == dataset.label and column not in dataset.features.numeric_names:
        return dataset.y
    return np.asarray(
        dataset.features.numeric[:, dataset.features.numeric_names.index(column)], dtype=float
    )


def converted(dataset: Dataset, column: str, slope: float, intercept: float) -> Dataset:
    """Return a dataset with a column of numbers, or a label that is a number, in other units."""
    if column == dataset.label and column not in dataset.features.numeric_names:
        return _fresh(dataset, y=slope * dataset.y + intercept)
    numeric = dataset.features.numeric.copy()
    at = dataset.features.numeric_names.index(column)
    numeric[:, at] = slope * numeric[:, at] + intercept
    return _fresh(dataset, features=replace(dataset.features, numeric=numeric))


def recoded(dataset: Dataset, column: str, values: Mapping[str, str | None]) -> Dataset:
    """Return a dataset with other values in a column; None stands for a missing one."""
    features = dataset.features
    if column in features.category_names:
        return _fresh(dataset, features=_recoded_levels(features, column, values))
    at = features.numeric_names.index(column)
    numeric = features.numeric.copy()
    old = features.numeric[:, at]
    for value, new in values.items():
        numeric[old == float(value), at] = np.nan if new is None else float(new)
    return _fresh(dataset, features=replace(features, numeric=numeric))


def _recoded_levels(features: Features, column: str, values: Mapping[str, str | None]) -> Features:
    at = features.category_names.index(column)
    new = [values.get(level, level) for level in features.levels[at]]
    levels = tuple(sorted({level for level in new if level is not None}))
    table = np.array(
        [*(MISSING if level is None else levels.index(level) for level in new), MISSING],
        dtype=np.int32,
    )
    codes = features.codes.copy()
    codes[:, at] = table[codes[:, at]]  # the code of a missing value picks the last entry
    every = (*features.levels[:at], levels, *features.levels[at + 1 :])
    return replace(features, codes=codes, levels=every)


def without(dataset: Dataset, columns: Collection[str]) -> Dataset:
    """Return a dataset without some columns."""
    kept = [name for name in dataset.columns if name not in columns]
    return _fresh(dataset, features=dataset.features.select(kept))


def renamed(dataset: Dataset, names: Mapping[str, str]) -> Dataset:
    """Return a dataset with other names of columns."""
    features = dataset.features
    numeric, category = (
        tuple(names.get(name, name) for name in each)
        for each in (features.numeric_names, features.category_names)
    )
    features = replace(features, numeric_names=numeric, category_names=category)
    facts = {names.get(name, name): said for name, said in dataset.facts.items()}
    return _fresh(dataset, features=features, facts=facts)


def relabelled(dataset: Dataset, names: Mapping[str, str]) -> Dataset:
    """Return a dataset in which classes have each other's names."""
    place = {name: code for code, name in enumerate(dataset.classes)}
    table = np.array([place[names.get(name, name)] for name in dataset.classes])
    return _fresh(dataset, y=table[dataset.y])


def spelled(value: float) -> str:
    """Return a number as users write it in an option."""
    return canonical_label(value)


def _fresh(dataset: Dataset, **changes: object) -> Dataset:
    """Return a changed dataset; what was kept of the old one does not hold for it."""
    return dataset.edited(**changes)
