"""From a table to a draft: which column is the label, the group, the domain, a feature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, DatakinWarning, listed, suggest, warn
from datakin.data.columns import Block, Column, read_columns, read_labels
from datakin.data.dataset import Origin
from datakin.data.features import Array
from datakin.data.labels import canonical_label, is_missing, sort_classes
from datakin.data.tables import Table

if TYPE_CHECKING:
    import narwhals as nw

__all__ = [
    "Draft",
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

    @property
    def unread(self) -> frozenset[str]:
        """Columns that need not even be read."""
        return frozenset(self.ignore) - {self.label, self.group, self.domain}


@dataclass(frozen=True, eq=False)
class Draft:
    """A table as read, before its labels and columns have been checked.

    Parameters
    ----------
    name : str
    label : str
        Name of the label column.
    labels : ndarray
        Floats, or objects with None where the label is missing.
    columns : dict of str to Column, or Block
        The features, column by column or as one matrix.
    groups, domains : ndarray or None
        Values of the group and the domain column.
    notes : tuple of str
        What its user should know about how it was read.
    origin : Origin or None
        Where it was read from.
    """

    name: str
    label: str
    labels: Array
    columns: dict[str, Column] | Block
    groups: Array | None = None
    domains: Array | None = None
    notes: tuple[str, ...] = ()
    origin: Origin | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows of the features."""
        if isinstance(self.columns, Block):
            return int(self.columns.matrix.shape[0])
        return len(next(iter(self.columns.values()))[0]) if self.columns else len(self.labels)

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"dataset {self.name!r}" if self.name else "the dataset"

    def take(self, rows: Array, name: str | None = None) -> Draft:
        """Return some of the rows."""
        columns: dict[str, Column] | Block
        if isinstance(self.columns, Block):
            columns = Block(self.columns.matrix[rows], self.columns.names)
        else:
            columns = {c: (values[rows], levels) for c, (values, levels) in self.columns.items()}
        return replace(
            self,
            name=self.name if name is None else name,
            labels=self.labels[rows],
            columns=columns,
            groups=None if self.groups is None else self.groups[rows],
            domains=None,
        )


def make_draft(table: Table, name: str, roles: Roles, origin: Origin | None = None) -> Draft:
    """Read the columns of a table, each for the part it plays."""
    frame = table.frame
    _need(frame, roles.label, "label", name)
    for role, column in (("group", roles.group), ("domain", roles.domain)):
        if column is not None:
            _need(frame, column, role, name)
            if column == roles.label:
                raise DatakinError(
                    f"The {role} column must differ from the label. Got {column!r} for both."
                )
    taken = {roles.label, roles.group, roles.domain, *roles.ignore}
    columns = read_columns(frame, [c for c in frame.columns if c not in taken])
    return Draft(
        name,
        roles.label,
        read_labels(frame[roles.label]),
        columns,
        groups=None if roles.group is None else read_labels(frame[roles.group]),
        domains=None if roles.domain is None else read_labels(frame[roles.domain]),
        notes=table.notes,
        origin=origin,
    )


def _need(frame: nw.DataFrame[Any], name: str, role: str, table: str) -> None:
    """Refuse a table without the column that was named for a role."""
    if not frame.columns:
        raise DatakinError(f"The table {table!r} must have columns. Got no column.")
    if name not in frame.columns:
        where = f" of {table!r}" if table else ""
        raise DatakinError(
            f"The {role} column {name!r} must be one of the columns{where}: "
            f"{listed(frame.columns, limit=12)}.{suggest(name, frame.columns)}"
        )


def check_ignored(roles: Roles, tables: Sequence[Table]) -> None:
    """Refuse an ignored column that no table has; it need not be in every file."""
    known = dict.fromkeys(name for table in tables for name in table.columns)
    for name in roles.ignore:
        if known and name not in known:
            raise DatakinError(
                f"The ignored column {name!r} must be one of the columns: "
                f"{listed(known, limit=12)}.{suggest(name, known)}"
            )


def split_by_domain(draft: Draft, domain: str) -> list[Draft]:
    """Return a draft for each value of the domain column."""
    assert draft.domains is not None
    missing = is_missing(draft.domains)
    spelled = np.array([canonical_label(v) for v in draft.domains], dtype=object)
    names = list(pd.unique(spelled[~missing]))
    if missing.any():
        warn(f"{int(missing.sum())} of {len(missing)} rows have no {domain!r} and were dropped.")
    if len(names) < 2:
        raise DatakinError(
            f"The domain column {domain!r} must have at least two values. "
            f"Got {listed(names) or 'none'}."
        )
    parts = []
    for value in sort_classes(names):
        origin = None if draft.origin is None else replace(draft.origin, value=value)
        part = draft.take(np.flatnonzero(~missing & (spelled == value)), name=value)
        parts.append(replace(part, origin=origin))
    return parts


class SharedGroups(DatakinWarning):
    """A group is in two domains: its rows train one dataset's models and test the other's."""


def warn_of_shared_groups(drafts: Sequence[Draft], roles: Roles) -> None:
    """Name the groups that have labelled rows in several of these domains."""
    places: Counter[str] = Counter()
    for draft in drafts:
        if draft.groups is None:
            return
        known = draft.groups[~is_missing(draft.labels) & ~is_missing(draft.groups)]
        places.update({canonical_label(v) for v in pd.unique(known)})
    shared = sort_classes([group for group, n in places.items() if n > 1])
    if shared:
        warn(
            f"Every {roles.group!r} should be in one {roles.domain!r} only. Otherwise its rows train one "
            f"dataset and test another, and the two look more alike than they are. "
            f"{len(shared)} of {len(places)} stand in several: {listed(shared)}; drop their rows in all but "
            f"one, or split by something coarser.",
            SharedGroups,
        )
