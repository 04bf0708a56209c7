"""From a table to a draft: which column is the label, the group, the domain, a feature."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, DatakinWarning, listed, suggest
from datakin.data.build import Draft
from datakin.data.columns import read_column, read_labels
from datakin.data.frames import Opened, Opener
from datakin.data.labels import canonical_label, is_missing, sort_classes

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "Roles",
    "SharedGroups",
    "check_ignored",
    "make_draft",
    "split_by_domain",
    "warn_of_shared_groups",
]


@dataclass(frozen=True)
class Roles:
    """Which column plays which part."""

    label: str
    ignore: tuple[str, ...] = ()
    group: str | None = None
    domain: str | None = None

    def opener(self, delimiter: str, max_rows: Any) -> Opener:
        """Return how to open tables: ignored columns of a Parquet file are not even read."""
        if max_rows is not None and (
            isinstance(max_rows, bool) or not isinstance(max_rows, Integral) or max_rows < 1
        ):
            raise DatakinError(
                f"The 'max_rows' parameter must be a whole number above 0, or None for all rows. "
                f"Got {max_rows!r} instead."
            )
        skip = frozenset(self.ignore) - {self.label, self.group, self.domain}
        return Opener(delimiter, None if max_rows is None else int(max_rows), skip)


def check_ignored(roles: Roles, tables: Sequence[Opened]) -> None:
    """Refuse an ignored column that no table has; not every file need have it."""
    known = dict.fromkeys(name for table in tables for name in table.columns)
    for name in roles.ignore:
        if known and name not in known:
            raise DatakinError(
                f"The ignored column {name!r} must be one of the columns: "
                f"{listed(known, limit=12)}.{suggest(name, known)}"
            )


def make_draft(frame: nw.DataFrame[Any], name: str, roles: Roles) -> Draft:
    """Read the columns of a table, each for the part it plays."""
    _need(frame, roles.label, "label", name)
    for role, column in (("group", roles.group), ("domain", roles.domain)):
        if column is not None:
            _need(frame, column, role, name)
            if column == roles.label:
                raise DatakinError(
                    f"The {role} column must differ from the label. Got {column!r} for both."
                )
    taken = {roles.label, roles.group, roles.domain, *roles.ignore}
    columns = {c: read_column(frame[c], c) for c in frame.columns if c not in taken}
    return Draft(
        name,
        roles.label,
        read_labels(frame[roles.label]),
        columns,
        groups=None if roles.group is None else read_labels(frame[roles.group]),
        domains=None if roles.domain is None else read_labels(frame[roles.domain]),
    )


def _need(frame: nw.DataFrame[Any], name: str, role: str, table: str) -> None:
    if not frame.columns:
        raise DatakinError(f"The table {table!r} must have columns. Got no column.")
    if name not in frame.columns:
        where = f" of {table!r}" if table else ""
        raise DatakinError(
            f"The {role} column {name!r} must be one of the columns{where}: "
            f"{listed(frame.columns, limit=12)}.{suggest(name, frame.columns)}"
        )


class SharedGroups(DatakinWarning):
    """A group stands in two domains: what is learned from one is tested on the other."""


def split_by_domain(draft: Draft, roles: Roles) -> list[Draft]:
    """Return a draft for each value of the domain column."""
    assert draft.domains is not None
    missing = is_missing(draft.domains)
    spelled = np.array([canonical_label(v) for v in draft.domains], dtype=object)
    names = list(pd.unique(spelled[~missing]))
    if missing.any():
        warnings.warn(
            f"{int(missing.sum())} of {len(missing)} rows have no {roles.domain!r} and were dropped.",
            DatakinWarning,
            stacklevel=3,
        )
    if len(names) < 2:
        raise DatakinError(
            f"The domain column {roles.domain!r} must have at least two values. "
            f"Got {listed(names) or 'none'}."
        )
    rows = [np.flatnonzero(~missing & (spelled == v)) for v in sort_classes(names)]
    return [draft.take(r, name=v) for r, v in zip(rows, sort_classes(names), strict=True)]


def warn_of_shared_groups(drafts: Sequence[Draft], roles: Roles, stacklevel: int) -> None:
    """Name the groups whose labelled rows stand in several of these domains."""
    places: Counter[str] = Counter()
    for draft in drafts:
        if draft.groups is None:
            return
        known = draft.groups[~is_missing(draft.labels) & ~is_missing(draft.groups)]
        places.update({canonical_label(v) for v in pd.unique(known)})
    shared = sort_classes([group for group, n in places.items() if n > 1])
    if shared:
        warnings.warn(
            f"Every {roles.group!r} should stand in one {roles.domain!r}, or its rows are learned from in "
            f"one dataset and tested on in another, and the two look more alike than they are. "
            f"{len(shared)} of {len(places)} stand in several: {listed(shared)}; drop their rows in all but "
            f"one, or split by something coarser.",
            SharedGroups,
            stacklevel=stacklevel,
        )
