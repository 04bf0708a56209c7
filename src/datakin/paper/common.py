"""What a target and its sources share: columns and classes, and which rows stand in one of them only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from datakin._core.exceptions import LINES, DatakinError, listed, shown, together, warn
from datakin.data import Dataset, check_names, coerce, pair
from datakin.data.columns.labels import sort_classes
from datakin.data.features import Array
from datakin.data.inputs import for_ranking, unweighted
from datakin.results.gain import refuse_identical

__all__ = ["Common", "are_several", "find_common", "gather"]


@dataclass(frozen=True, eq=False)
class Common:
    """What a target and its sources share.

    Attributes
    ----------
    columns : tuple of str
        Columns that all of them have, sorted by name.
    classes : tuple of str
        All classes; empty for regression.
    usable : tuple of ndarray of bool
        For each dataset, the target first: rows that do not stand in a dataset of the other side.
    told : tuple of (str, str)
        What users should know: the source that it is about (empty if there is one), and the note.
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    usable: tuple[Array, ...]
    told: tuple[tuple[str, str], ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """All notes; with several sources each begins with the source's name."""
        return tuple(f"{name}: {note}" if name else note for name, note in self.told)

    def announce(self) -> None:
        """Give one warning with all notes; with several sources each kind of note has one line."""
        if any(name for name, _ in self.told):
            warn("\n".join(shown(together(self.told), LINES, "see .notes")))
        elif self.told:
            warn("\n".join(self.notes))


def are_several(source: Any) -> bool:
    """Return whether a list or mapping of datasets was given, and not one of them.

    Examples
    --------
    >>> are_several([("X1", "y1")]), are_several(("X", "y"))
    (True, False)
    """
    if isinstance(source, tuple):
        return bool(source) and all(isinstance(each, Dataset) for each in source)
    return isinstance(source, (list, Mapping))


def gather(target: Any, source: Any) -> list[Dataset]:
    """Return the target, then its sources, for what users pass."""
    if source is None or (are_several(source) and not len(source)):
        got = "None" if source is None else f"an empty {type(source).__name__}"
        raise DatakinError(
            f"transfer_gain needs a source, a Dataset or a pair (X, y), or a list or mapping of several. "
            f"Got {got}."
        )
    if are_several(source):
        return for_ranking(target, source)
    datasets = [coerce(target, "target"), coerce(source, "source")]
    check_names(datasets)
    return unweighted(datasets)


def find_common(datasets: Sequence[Dataset], *, several: bool = False) -> Common:
    """Find what all datasets share; refuse sources that are the target, or have no column in common.

    Parameters
    ----------
    datasets : sequence of Dataset
        The target first.
    several : bool
        Whether notes are to name the source that they are about.
    """
    target, *sources = datasets
    pairings = [pair(target, source) for source in sources]
    for pairing, source in zip(pairings, sources, strict=True):
        refuse_identical(pairing, (target, source))
    columns = tuple(
        name for name in pairings[0].columns if all(name in p.columns for p in pairings[1:])
    )
    if not columns:
        raise DatakinError(
            f"The target and all sources must share at least one column. Each source shares some with "
            f"{target.name!r}, but none is in all of {listed(s.name for s in sources)}; leave out the "
            f"source with the fewest columns."
        )
    in_any_source = np.any([pairing.shared_target for pairing in pairings], axis=0)
    told = [
        (source.name if several else "", note)
        for pairing, source in zip(pairings, sources, strict=True)
        for note in pairing.notes
    ]
    return Common(
        columns,
        sort_classes({name for pairing in pairings for name in pairing.classes}),
        (~in_any_source, *(~pairing.shared_source for pairing in pairings)),
        tuple(told),
    )
