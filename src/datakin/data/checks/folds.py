"""Whether rows, classes and groups of a dataset can be split into folds, and groups in several domains.

Rows of one group stay in one fold, since they would train and test the same models otherwise; what
stands in two domains does so all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from datakin._core.exceptions import DatakinError, DatakinWarning, listed, warn
from datakin._core.typed_options import recode_options
from datakin.data.columns.labels import sort_classes
from datakin.data.dataset import Dataset
from datakin.data.features import Array
from datakin.data.origin import Origin

FOLDS = 5  # of scores, unless another number is asked for
LEAST_FOLDS = 3  # of nested folds
ALONE = "; a class of one row may be a total line, a unit or a repeated header"


class SharedGroups(DatakinWarning):
    """A group is in two domains: its rows train one dataset's models and test the other's."""


def fault_of_folds(dataset: Dataset, n_folds: int = FOLDS) -> str:
    """Return why a dataset cannot be split into folds; empty if it can."""
    try:
        check_rows(dataset, dataset.y, n_folds)
        if dataset.groups is not None:
            check_groups(dataset, dataset.groups, n_folds)
    except DatakinError as error:
        return str(error)
    return ""


def check_rows(dataset: Dataset, y: Array, n_folds: int) -> None:
    """Refuse fewer rows, or rows of a class, than folds need."""
    if not dataset.classes:
        if n_folds > len(y) // 2:
            raise DatakinError(
                f"Every fold must have at least two rows. Got {n_folds} folds (cv) for {len(y)} rows in "
                f"{dataset.name!r}; use fewer folds."
            )
        return
    counts = np.bincount(y, minlength=len(dataset.classes)).tolist()
    rare = {name: n for name, n in zip(dataset.classes, counts, strict=True) if n < n_folds}
    if rare:
        shown = listed(f"{name} ({n})" for name, n in rare.items())
        alone = ALONE if 1 in rare.values() and len(counts) > 2 else ""
        raise DatakinError(
            f"Every class must have at least {n_folds} rows, one per fold. Got {shown} in "
            f"{dataset.name!r}{alone}. What helps: {'; '.join(_ways(dataset, rare))}."
        )


def _ways(dataset: Dataset, rare: dict[str, int]) -> list[str]:
    """Return what a user can do about rare classes."""
    ways = []
    how = dataset.origin
    if len(dataset.classes) - len(rare) > 1:
        python, cli = "recode=", "--recode"
        if how is not None and how.label_map is None and how.positive is None:
            python, cli = recode_options(dataset.name, dataset.label, dict.fromkeys(rare, ""))
        ways.append(f"drop these rows ({python} / {cli})")
    if len(dataset.classes) > 2:
        ways.append("merge classes (label_map= / --label-map)")
    ways.append("leave the dataset out (skip_unusable=True / --skip-unusable of rank and matrix)")
    fewest = min(rare.values())
    if fewest >= LEAST_FOLDS:
        ways.append(f"use fewer folds (cv={fewest} / --cv {fewest} of score, rank and matrix)")
    return ways


def check_groups(dataset: Dataset, groups: Array, n_folds: int) -> None:
    """Refuse fewer groups than folds."""
    n_groups = len(np.unique(groups))
    if n_groups < n_folds:
        raise DatakinError(
            f"There must be at least as many groups as folds ({n_folds}). Got {n_groups} group(s) in "
            f"{dataset.name!r}: a group cannot be split over folds. Use fewer folds (cv / --cv) or "
            f"finer groups."
        )


def warn_of_shared_groups(domains: Sequence[Dataset], how: Origin) -> None:
    """Name the groups that have labelled rows in several of these domains."""
    places = Counter(name for domain in domains for name in set(domain.group_names) - {""})
    shared = sort_classes(group for group, n in places.items() if n > 1)
    if shared:
        warn(
            f"Every {how.group!r} should be in one {how.domain!r} only. Otherwise its rows train one "
            f"dataset and test another, and the two look more alike than they are. "
            f"{len(shared)} of {len(places)} stand in several: {listed(shared)}; drop their rows in all but "
            f"one, or split by something coarser.",
            SharedGroups,
        )
