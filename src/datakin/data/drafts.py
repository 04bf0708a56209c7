"""From tables to drafts, where each column has its part, and from drafts to checked datasets.

Datasets that are read together get one task. Columns without use are dropped and named; columns
that look like row ids or copies of the label are kept and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated, suggest
from datakin.data.columns import check_finite
from datakin.data.dataset import ColumnFacts, Dataset, Origin, hash_labels, hash_rows, task_of
from datakin.data.features import MISSING, Array, Features
from datakin.data.labels import (
    check_labels,
    class_codes,
    group_codes,
    infer_task,
    is_missing,
    response,
)
from datakin.data.roles import censoring_note, check_label, read_keys, read_labels
from datakin.data.tables import RawTable, read_columns

__all__ = ["Draft", "check_ignored", "make_datasets", "make_draft"]

MIN_ROWS = 20
MANY = 0.1  # share of rows with a copy in the same dataset from which they are noted
RICH = 20  # a column with more different values than this is not a code


@dataclass(frozen=True, eq=False)
class Draft:
    """A table as read, before its labels and columns have been checked.

    Parameters
    ----------
    name : str
    how : Origin
        How it was read, with the name of the label column.
    labels : ndarray
        Floats, or objects with None where the label is missing.
    features : Features
    groups, domains : ndarray or None
        Values of the group and the domain column.
    notes : tuple of str
        What its user should know about how it was read.
    facts : mapping of str to ColumnFacts
        How each column was read.
    """

    name: str
    how: Origin
    labels: Array
    features: Features
    groups: Array | None = None
    domains: Array | None = None
    notes: tuple[str, ...] = ()
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"dataset {self.name!r}" if self.name else "the dataset"

    def take(self, rows: Array) -> Draft:
        """Return some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        domains = None if self.domains is None else self.domains[rows]
        labels, features = self.labels[rows], self.features.take(rows)
        return replace(self, labels=labels, features=features, groups=groups, domains=domains)


def check_ignored(ignore: Sequence[str], tables: Sequence[RawTable]) -> None:
    """Refuse an ignored column that no table has; it need not be in every file."""
    known = dict.fromkeys(name for table in tables for name in table.columns)
    for name in ignore:
        if known and name not in known:
            raise DatakinError(
                f"The ignored column {name!r} must be one of the columns: "
                f"{listed(known, limit=12)}.{suggest(name, known)}"
            )


def make_draft(table: RawTable, how: Origin) -> Draft:
    """Read the columns of a table, each for the part it plays."""
    frame = table.frame
    check_label(how.label, frame.columns)
    parts = {"label": how.label, "group": how.group, "domain": how.domain}
    for role, column in parts.items():
        if column is not None:
            _need(table, column, role)
            if role != "label" and column == how.label:
                raise DatakinError(
                    f"The {role} column must differ from the label. Got {column!r} for both."
                )
    taken = {*parts.values(), *how.ignore}
    features, facts = read_columns(frame, [c for c in frame.columns if c not in taken])
    labels, facts[how.label] = read_labels(frame[how.label], how.label)
    keys: dict[str, Array] = {}
    for role, column in (("group", how.group), ("domain", how.domain)):
        if column is not None:
            keys[role], facts[column] = read_keys(frame[column], column)
    note = censoring_note(how.label, labels, features)
    notes = (*table.notes, note) if note else table.notes
    how = replace(how, path=table.path)
    return Draft(
        table.name, how, labels, features, keys.get("group"), keys.get("domain"), notes, facts
    )


def _need(table: RawTable, column: str, role: str) -> None:
    """Refuse a table without the column that was named for a role."""
    names = table.frame.columns
    if not names:
        raise DatakinError(f"The table {table.name!r} must have columns. Got no column.")
    if column not in names:
        where = f" of {table.name!r}" if table.name else ""
        raise DatakinError(
            f"The {role} column {column!r} must be one of the columns{where}: "
            f"{listed(names, limit=12)}.{suggest(column, names)}"
        )


def make_datasets(drafts: Sequence[Draft], left_out: dict[str, str] | None = None) -> list[Dataset]:
    """Turn drafts into datasets of one task; messages name the dataset at fault.

    With a mapping for `left_out`, drafts that cannot be used go there with the reason, as long as
    one is left.
    """
    twice = repeated(draft.name for draft in drafts)
    if twice:
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; "
            f"pass a mapping of name to table, or rename the files."
        )
    if not drafts:
        raise DatakinError("There must be at least one table. Got none.")
    labelled: list[Draft] = []
    datasets: list[Dataset] = []
    faults: dict[str, DatakinError] = {}
    for draft in drafts:
        try:
            labelled.append(_drop_unlabelled(draft))
        except DatakinError as error:
            faults[draft.name] = error
    if faults and (left_out is None or not labelled):
        raise next(iter(faults.values()))
    kind, doubt = _agree_on_task(labelled)
    for draft in labelled:
        try:
            datasets.append(_checked(draft, kind, doubt))
        except DatakinError as error:
            faults[draft.name] = error
    if faults and (left_out is None or not datasets):
        raise next(iter(faults.values()))
    if left_out is not None:
        left_out |= {name: str(error) for name, error in faults.items()}
    return datasets


def _drop_unlabelled(draft: Draft) -> Draft:
    missing = is_missing(draft.labels)
    if missing.all():
        raise DatakinError(
            f"The label {draft.how.label!r} of {draft.title} must have a value in some rows. "
            f"Got none in {len(missing)} rows."
        )
    check_labels(draft.labels, missing, draft.how.label, draft.title)
    if not missing.any():
        return draft
    note = f"{int(missing.sum())} of {len(missing)} rows have no label and were dropped"
    return replace(draft.take(np.flatnonzero(~missing)), notes=(*draft.notes, note))


def _agree_on_task(drafts: Sequence[Draft]) -> tuple[str, tuple[str, ...]]:
    """Return the kind of task of all datasets, and a note if the labels leave a doubt."""
    how = drafts[0].how
    if how.kind is not None:
        return how.kind, ()
    kind, doubt = infer_task([draft.labels for draft in drafts], how.label)
    if kind == "regression":
        two = [d.title for d in drafts if len(pd.unique(d.labels)) == 2]
        if two:
            raise DatakinError(
                f"All labels must pose the same task. {two[0]} has two classes, others look like "
                f"regression; say which task it is (task)."
            )
    return kind, () if doubt is None else (doubt,)


def _checked(draft: Draft, kind: str, doubt: tuple[str, ...]) -> Dataset:
    """Return the dataset, with notes in the order in which things were found."""
    if len(draft.labels) < MIN_ROWS:
        raise DatakinError(
            f"A dataset must have at least {MIN_ROWS} labelled rows. "
            f"Got {len(draft.labels)} in {draft.title}."
        )
    classes: tuple[str, ...] = ()
    if kind == "regression":
        y = response(draft.labels, draft.how.label, draft.title)
    else:
        y, classes = class_codes(draft.labels, draft.how, draft.title)
    features, dropped = _usable_features(draft)
    groups = None if draft.groups is None else group_codes(draft.groups)
    odd = _suspicious_columns(features, y, bool(classes))
    copies = [] if groups is not None else _repeated_rows(features, y, classes)
    return Dataset(
        draft.name,
        features,
        y,
        classes,
        groups,
        draft.how.label,
        notes=(*draft.notes, *doubt, *dropped, *odd, *copies),
        origin=None if draft.how.path is None else draft.how.with_task(task_of(classes)),
    )


def _usable_features(draft: Draft) -> tuple[Features, list[str]]:
    """Return the columns that have values and vary, and notes on the others."""
    features = draft.features
    numeric, codes = features.numeric, features.codes
    if features.is_sparse:  # as it is: a column of zeros costs nothing
        if not features.names or not (numeric.max(axis=0) != numeric.min(axis=0)).nnz:
            raise _nothing_varies(draft, f"{len(features.names)} constant")
        return features, []
    is_finite = bool(np.isfinite(numeric).all())
    for name, values in () if is_finite else zip(features.numeric_names, numeric.T, strict=True):
        check_finite(name, values, f" in {draft.title}")
    empty = np.zeros(numeric.shape[1], bool) if is_finite else np.isnan(numeric).all(axis=0)
    missing = np.concatenate([empty, (codes == MISSING).all(axis=0)])
    # A number that is missing equals nothing, so that its column is not constant.
    constant = np.concatenate([(block == block[0]).all(axis=0) for block in (numeric, codes)])
    constant &= ~missing
    used, names = ~(missing | constant), np.array(features.names, dtype=object)
    notes = _dropped(draft, list(names[missing]), list(names[constant]), n_left=int(used.sum()))
    if not used.all():
        features = features.select(list(names[used]))
        # Indexing by column may turn the order in memory, on which last bits depend.
        features = replace(features, numeric=np.ascontiguousarray(features.numeric))
    return (_with_used_levels(features) if features.levels else features), notes


def _with_used_levels(features: Features) -> Features:
    """Keep only the levels that this dataset has: a split table shares its level list."""
    columns, kept = [], []
    for codes, levels in zip(features.codes.T, features.levels, strict=True):
        used = np.unique(codes[codes != MISSING])
        table = np.full(len(levels) + 1, MISSING, dtype=np.int32)
        table[used] = np.arange(len(used))
        columns.append(table[codes])
        kept.append(tuple(levels[i] for i in used))
    return replace(features, codes=np.column_stack(columns), levels=tuple(kept))


def _dropped(draft: Draft, missing: list[str], constant: list[str], n_left: int) -> list[str]:
    """Return notes on the columns that are not used, or refuse a table that has no others."""
    if not n_left:
        raise _nothing_varies(
            draft, f"{len(missing)} without any value and {len(constant)} constant"
        )
    notes = [f"column(s) without any value dropped: {listed(missing)}"] if missing else []
    return notes + ([f"constant column(s) dropped: {listed(constant)}"] if constant else [])


def _nothing_varies(draft: Draft, got: str) -> DatakinError:
    # Not str.capitalize, which would write the rest, and with it the name, in small letters.
    title = draft.title[0].upper() + draft.title[1:]
    return DatakinError(f"{title} must have a column that varies beside the label. Got {got}.")


def _suspicious_columns(features: Features, y: Array, is_class: bool) -> list[str]:
    """Return a note on columns that look like row ids, and one on copies of the label."""
    if features.is_sparse:
        return []
    ids, copies = [], []
    n_classes = int(y.max()) + 1 if is_class else 0
    for name, values in zip(features.numeric_names, features.numeric.T, strict=True):
        if _is_id(values, name):
            ids.append(name)
        elif _is_copy(values, y, n_classes):
            copies.append(name)
    for j, name in enumerate(features.category_names):
        codes = features.codes[:, j]
        if len(features.levels[j]) >= 0.95 * len(codes):
            ids.append(name)
        elif is_class and _is_one_to_one(codes, y):
            copies.append(name)
    found = {"row ids": ids, "copies of the label": copies}
    return [
        f"look like {what} (consider ignore=, --ignore): {listed(names)}"
        for what, names in found.items()
        if names
    ]


def _is_id(values: Array, name: str) -> bool:
    """Whole numbers, all different, and either in steps of one or called an id."""
    for some in (values[:100], values):  # the first rows settle it for most columns
        if np.any(some != np.round(some)):  # a missing value differs, too
            return False
    with np.errstate(over="ignore"):
        steps = np.diff(np.sort(values))
    if np.any(steps == 0):
        return False
    named = name.lower() in ("id", "index", "unnamed: 0") or name.lower().endswith(("id", "_no"))
    return named or bool(np.all(steps == 1))


def _is_copy(values: Array, y: Array, n_classes: int) -> bool:
    """Whether a column tells each class, or is a linear function of a response (no classes)."""
    if n_classes:
        for some in (values[:100], values[:1000]):
            # More values among the first rows than there are classes settle it.
            if len(np.unique(some[~np.isnan(some)])) > n_classes:
                return False
        return _is_one_to_one(pd.factorize(values)[0], y)
    known = ~np.isnan(values)
    if known.sum() < 10:
        return False
    # A constant has no correlation, and huge numbers overflow: neither is a copy.
    with np.errstate(all="ignore"):
        return bool(abs(np.corrcoef(values[known], y[known])[0, 1]) > 1 - 1e-9)


def _is_one_to_one(codes: Array, y: Array) -> bool:
    """Whether each class has its own code."""
    known = codes != MISSING
    if known.sum() < 10:
        return False
    n_classes = len(np.unique(y))
    if len(np.unique(codes[known])) != n_classes:
        return False
    return len(np.unique(np.column_stack([codes[known], y[known]]), axis=0)) == n_classes


def _repeated_rows(features: Features, y: Array, classes: tuple[str, ...]) -> list[str]:
    """Return a note when rows repeat in a table with so many values that it is not chance."""
    if features.is_sparse or not any(len(np.unique(v)) > RICH for v in features.numeric.T):
        return []
    hashes = hash_rows(features, features.names, hash_labels(y, classes))
    counts = np.unique(hashes, return_counts=True)[1]
    copies = int(counts[counts > 1].sum())
    if copies < MANY * len(y):
        return []
    return [
        f"{copies} of {len(y)} rows have a copy in the same dataset, so that its own error "
        f"looks smaller than it is (consider group=, or drop copies)"
    ]
