"""Groups, such as patients, that stand in two datasets: their rows train one and test the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from datakin._core.exceptions import MINOR, SERIOUS, DatakinWarning, Note, listed, warn
from datakin.data.columns.labels import canonical_label, is_missing, sort_classes
from datakin.data.dataset import Dataset
from datakin.data.drafts import Draft

__all__ = ["SharedGroups", "note_on_groups", "warn_of_shared_groups"]

DENSE = 0.8  # share of a range that running numbers fill


class SharedGroups(DatakinWarning):
    """A group is in two domains: its rows train one dataset's models and test the other's."""


def warn_of_shared_groups(drafts: Sequence[Draft]) -> None:
    """Name the groups that have labelled rows in several of these domains."""
    places: Counter[str] = Counter()
    for draft in drafts:
        assert draft.groups is not None
        known = draft.groups[~is_missing(draft.labels) & ~is_missing(draft.groups)]
        places.update({canonical_label(v) for v in pd.unique(known)})
    shared = sort_classes(group for group, n in places.items() if n > 1)
    if shared:
        how = drafts[0].how
        warn(
            f"Every {how.group!r} should be in one {how.domain!r} only. Otherwise its rows train one "
            f"dataset and test another, and the two look more alike than they are. "
            f"{len(shared)} of {len(places)} stand in several: {listed(shared)}; drop their rows in all but "
            f"one, or split by something coarser.",
            SharedGroups,
        )


def note_on_groups(target: Dataset, source: Dataset) -> list[str]:
    """Name the groups that two datasets share.

    Each table may count its own from 1: then equal numbers say little.
    """
    if not target.group_names or not source.group_names:
        return []
    ours, theirs = (set(dataset.group_names) - {""} for dataset in (target, source))
    shared = sort_classes(ours & theirs)
    if not shared:
        return []
    if _are_counted(ours) and _are_counted(theirs):
        text = (
            "groups are numbered from 0 or 1 in both datasets and taken as different ones; if they are "
            "the same, drop their rows in one"
        )
        return [Note(text, MINOR)]
    stand = "group stands" if len(shared) == 1 else "groups stand"
    text = (
        f"{len(shared)} {stand} in both datasets: {listed(shared)}; their rows train one and test the "
        f"other, so that the two look more alike than they are: drop them in one"
    )
    return [Note(text, SERIOUS)]


def _are_counted(names: set[str]) -> bool:
    """Whether these are running numbers from 0 or 1, as each table may have its own."""
    numbers = sorted(int(name) for name in names if name.isdecimal())
    if not numbers or len(numbers) < len(names) or numbers[0] > 1:
        return False
    return len(numbers) >= DENSE * (numbers[-1] - numbers[0] + 1)
