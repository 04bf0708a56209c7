"""How tables are read: everything that could be found out, on the way that scores use, too.

A table that cannot be used is described as far as it could be read, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, collecting
from datakin.data.checks.difference_kinds import Difference
from datakin.data.checks.differences import differences
from datakin.data.checks.folds import fault_of_folds
from datakin.data.checks.suspicions import ROW_ID, facts_of_one, is_id, notes_of_facts
from datakin.data.checks.usable import CONSTANT, EMPTY
from datakin.data.columns.labels import canonical_labels, is_missing
from datakin.data.columns.tables import RawTable, read_columns
from datakin.data.dataset import ColumnFacts, Dataset
from datakin.data.described import (
    ColumnDescription,
    describe_feature,
    describe_values,
    examples_of,
)
from datakin.data.drafts import Draft, make_datasets
from datakin.data.features import Array, Features
from datakin.data.origin import Origin
from datakin.data.pairing import pair
from datakin.data.reading import Reading
from datakin.data.used_columns import unused_columns, with_roles

__all__ = ["DatasetDescription", "Gathered", "TableDescription", "gather"]


@dataclass(frozen=True)
class TableDescription:
    """One table, as it was read.

    Attributes
    ----------
    name : str
    n_rows : int
        Rows that were read.
    columns : tuple of ColumnDescription
        All columns, in the order of the file.
    notes : tuple of str
        How the file was read, and its columns.
    problem : str
        Why it could not be read as asked; empty if it could.
    """

    name: str
    n_rows: int
    columns: tuple[ColumnDescription, ...]
    notes: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class DatasetDescription:
    """One dataset that scores would compare: a table, or the rows of one value of the domain column.

    Attributes
    ----------
    name : str
    n_rows : int
        Rows that are used.
    n_dropped : int
        Rows without a label.
    task : str
        "binary", "multiclass" or "regression"; empty if it cannot be used.
    classes : dict of str to int
        The classes and their rows; empty for numbers.
    low, high : float or None
        The range of a label of numbers.
    n_columns : int
        Columns that are used: by at least one comparison, if there are several datasets.
    fingerprint : str
        That of the dataset which `read_table` gives with the same options; empty if there is none.
    notes : tuple of str
        What was dropped or looked odd.
    problem : str
        Why it cannot be used as it is; empty if it can.
    folds : str
        Why scores, which need rows of every class in every fold, cannot be computed; empty if they can.
    """

    name: str
    n_rows: int
    n_dropped: int = 0
    task: str = ""
    classes: dict[str, int] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    n_columns: int = 0
    fingerprint: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""
    folds: str = ""


@dataclass(frozen=True)
class Gathered:
    """All that is known of some tables.

    Attributes
    ----------
    tables : tuple of TableDescription
    datasets : tuple of DatasetDescription
        Empty without a label.
    differences : dict of str to tuple of Difference
        Source -> what differs from the first dataset, the target.
    refusals : dict of str to str
        Source -> why it cannot be compared with the target.
    shared : dict of str to tuple of str
        Source -> what a score would note of its rows, groups and classes beside those of the target.
    unused : dict of str to dict of str to str
        Dataset -> columns that no comparison uses -> why.
    notes : tuple of str
        What `read_tables` would warn of, beside the notes of datasets.
    """

    tables: tuple[TableDescription, ...]
    datasets: tuple[DatasetDescription, ...]
    differences: dict[str, tuple[Difference, ...]]
    refusals: dict[str, str] = field(default_factory=dict)
    shared: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unused: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def gather(source: Any, how: Origin, *, has_label: bool) -> Gathered:
    """Read tables as `read_tables` does, and say what was found.

    Parameters
    ----------
    source : path, glob, list of paths, mapping of name to table, or one table
    how : Origin
        The options.
    has_label : bool
        Whether the options name a label; otherwise only columns are described.
    """
    with collecting() as said:
        found = _gather(source, how, has_label)
    return replace(found, notes=tuple(said))


def _gather(source: Any, how: Origin, has_label: bool) -> Gathered:
    read = Reading(how, "all").open(source).correct()
    unread = [TableDescription(name, 0, (), problem=why) for name, why in read.left_out.items()]
    if has_label:
        read.draft()
    problems = dict(read.left_out)
    _finish(read)
    parts = read.datasets
    by_table = {d.name: [d] for d in parts} if how.domain is None else {read.opened[0].name: parts}
    drafts = {draft.name: draft for draft in read.drafts}
    tables = []
    for before, (table, own) in zip(read.opened, read.corrected, strict=True):
        use = _Use(own, has_label, drafts.get(table.name), by_table.get(table.name, []))
        alone = _read_alone(table, use.draft)
        if len(read.opened) > 1:
            alone = {
                name: each
                if isinstance(each, str)
                else (each[0], facts_of_one(each[1], table.name))
                for name, each in alone.items()
            }
        tables.append(_describe_table(before, table, use, alone, problems.get(table.name, "")))
    whole = (*tables, *unread)
    rows = {table.name: table.n_rows for table in tables}
    described = [_describe_dataset(part, read.drafts) for part in parts]
    described += [
        DatasetDescription(name, rows.get(name, 0), problem=why)
        for name, why in read.left_out.items()
    ]
    order = {table.name: k for k, table in enumerate(whole)}
    described.sort(key=lambda each: order.get(each.name, 0))
    return _compare(parts, whole, described)


def _finish(read: Reading) -> None:
    """Make the datasets; where all are at fault, find the reason of each."""
    if not read.drafts:
        return
    known = dict(read.left_out)
    try:
        read.finish()
    except DatakinError as error:
        if read.how.domain is None:
            read.left_out |= {d.name: why for d in read.drafts if (why := _fault(d))}
        if read.left_out == known:
            read.left_out[read.drafts[0].name] = str(error)


def _fault(draft: Draft) -> str:
    """Return why a draft alone cannot be used; empty if it can."""
    try:
        make_datasets([draft])
    except DatakinError as error:
        return str(error)
    return ""


@dataclass(frozen=True)
class _Use:
    """What is made of a table: its options, its draft if there is one, and its datasets."""

    how: Origin
    has_label: bool
    draft: Draft | None
    parts: Sequence[Dataset]

    def role(self, name: str) -> str:
        """Return the part that a column plays."""
        roles = {self.how.group: "group", self.how.domain: "domain", self.how.weight: "weight"}
        if self.has_label:
            roles[self.how.label] = "label"
        return roles.get(name, "feature")


def _describe_table(
    before: RawTable, table: RawTable, use: _Use, alone: Mapping[str, _Read], problem: str
) -> TableDescription:
    """Describe all columns of a table, also of one that cannot be used."""
    names = zip(before.frame.columns, table.frame.columns, strict=True)
    examples = {new: examples_of(before.frame[old]) for old, new in names}
    columns = []
    for name in table.columns:
        if name in examples:
            columns.append(_describe_column(name, use, alone, examples=examples[name]))
        else:
            columns.append(ColumnDescription(name, "left out", "not read", why="ignored"))
    facts = {} if use.draft is None else dict(use.draft.facts)
    for name, read in alone.items():
        if name not in use.how.ignore and not isinstance(read, str):
            facts |= {name: read[1][name]} if name in read[1] else {}
    notes = (*table.notes, *notes_of_facts(facts))
    return TableDescription(table.name, len(table.frame), tuple(columns), notes, problem)


def _describe_column(
    name: str, use: _Use, alone: Mapping[str, _Read], **more: Any
) -> ColumnDescription:
    role, draft = use.role(name), use.draft
    if draft is not None and role != "feature":
        values = {
            "label": draft.labels,
            "group": draft.groups,
            "domain": draft.domains,
            "weight": draft.weights,
        }[role]
        assert values is not None
        if role == "label" and any(part.classes for part in use.parts):
            values = _as_used(values, draft.how)
        spread = role == "weight" or (
            role == "label" and not any(part.classes for part in use.parts)
        )
        known = draft.facts.get(name)
        return describe_values(name, role, values, known, spread=spread, **more)
    if draft is not None and name in draft.features.names:
        role, why = _use(name, use.parts)
        column = describe_feature(name, role, draft.features, draft.facts, **more)
        return replace(column, why=why) if why else column
    why = "ignored" if name in use.how.ignore else ""
    return _alone(name, "left out" if why else role, alone[name], why, more)


def _as_used(labels: Array, how: Origin) -> Array:
    """Return the labels as classes are called after `label_map` and `positive`."""
    if how.label_map is None and how.positive is None:
        return labels
    used = labels.astype(object)
    known = ~is_missing(labels)
    used[known] = canonical_labels(labels[known], how.label_map, how.positive)
    return used


def _use(name: str, parts: Sequence[Dataset]) -> tuple[str, str]:
    """Return the role of a column that could be a feature, and why it is not used everywhere."""
    reasons = [part.left_out[name] for part in parts if name in part.left_out]
    if parts and len(reasons) == len(parts):
        each = " in each of them" if len(parts) > 1 and reasons[0] in (EMPTY, CONSTANT) else ""
        return "left out", reasons[0] + each
    if reasons:
        return "feature", f"left out in {len(reasons)} of {len(parts)}: {reasons[0]}"
    return "feature", ""


_Read = tuple[Features, Mapping[str, ColumnFacts]] | str  # or why it cannot be read


def _read_alone(table: RawTable, draft: Draft | None) -> dict[str, _Read]:
    """Read the columns that no draft holds: together, since they tell of each other's decimal sign."""
    known = {} if draft is None else draft.facts
    names = [name for name in table.frame.columns if name not in known]
    try:
        return dict.fromkeys(names, read_columns(table.frame, names))
    except DatakinError as error:
        if len(names) == 1:
            return {names[0]: str(error)}
    found: dict[str, _Read] = {}
    for name in names:
        found |= _read_alone(replace(table, frame=table.frame.select(name)), None)
    return found


def _alone(name: str, role: str, read: _Read, why: str, more: dict[str, Any]) -> ColumnDescription:
    """Describe a column of a table that has no draft, or one that is ignored."""
    if isinstance(read, str):
        return ColumnDescription(name, role, "not read", why=why or read, **more)
    found = describe_feature(name, role, *read, why=why, **more)
    one = read[0].select([name])
    values = (one.numeric if one.numeric_names else one.codes)[:, 0]
    if role == "feature" and is_id(values, name, is_date=found.kind == "date"):
        found = replace(found, doubt="; ".join(filter(None, [found.doubt, ROW_ID])))
    return found


def _describe_dataset(dataset: Dataset, drafts: Sequence[Draft]) -> DatasetDescription:
    draft = next((d for d in drafts if d.name == dataset.name), None)
    dropped = 0 if draft is None else len(draft.labels) - dataset.n_rows
    classes: dict[str, int] = {}
    low = high = None
    if dataset.classes:
        counts = np.bincount(dataset.y, minlength=len(dataset.classes)).tolist()
        classes = dict(zip(dataset.classes, counts, strict=True))
    else:
        low, high = float(dataset.y.min()), float(dataset.y.max())
    return DatasetDescription(
        dataset.name,
        dataset.n_rows,
        dropped,
        dataset.task,
        classes,
        low,
        high,
        len(dataset.columns),
        dataset.fingerprint,
        dataset.notes,
        folds=fault_of_folds(dataset),
    )


def _compare(
    datasets: Sequence[Dataset], tables: tuple[TableDescription, ...], described: list[Any]
) -> Gathered:
    """Compare the first dataset with each of the others, as a score would."""
    apart: dict[str, tuple[Difference, ...]] = {}
    refusals: dict[str, str] = {}
    shared: dict[str, tuple[str, ...]] = {}
    used: dict[str, tuple[str, ...]] = {}
    for source in datasets[1:]:
        found = differences(datasets[0], source)
        try:
            common = pair(datasets[0], source, found=found)
            shared[source.name], used[source.name] = common.asides, common.columns
        except DatakinError as error:
            refusals[source.name] = str(error)
        apart[source.name] = tuple(found)
    unused = unused_columns(datasets, used)
    tables = with_roles(tables, datasets, unused)
    counted = tuple(
        replace(each, n_columns=each.n_columns - len(unused.get(each.name, {})))
        for each in described
    )
    return Gathered(tables, counted, apart, refusals, shared, unused)
