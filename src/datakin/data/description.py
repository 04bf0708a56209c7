"""How tables are read: everything that could be found out, on the way that scores use, too.

A table that cannot be used is described as far as it could be read, with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datakin._core.addresses import without_password
from datakin._core.exceptions import DatakinError, collecting, warn
from datakin.data.checks.difference_kinds import Difference
from datakin.data.checks.differences import differences
from datakin.data.checks.suspicions import ROW_ID, is_id
from datakin.data.checks.usable import CONSTANT, EMPTY
from datakin.data.columns.tables import RawTable, read_columns
from datakin.data.corrections import correct
from datakin.data.dataset import ColumnFacts, Dataset, Origin
from datakin.data.described import (
    ColumnDescription,
    describe_feature,
    describe_values,
    examples_of,
)
from datakin.data.drafts import Draft, check_named, make_datasets, make_draft
from datakin.data.files.opening import open_table, open_tables
from datakin.data.pairing import pair
from datakin.data.splitting import split_table

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
        How the file was read.
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
        Columns that are used.
    fingerprint : str
        That of the dataset which `read_table` gives with the same options; empty if there is none.
    notes : tuple of str
        What was dropped or looked odd.
    problem : str
        Why it cannot be used; empty if it can.
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
    notes : tuple of str
        What `read_tables` would warn of, beside the notes of datasets.
    """

    tables: tuple[TableDescription, ...]
    datasets: tuple[DatasetDescription, ...]
    differences: dict[str, tuple[Difference, ...]]
    refusals: dict[str, str] = field(default_factory=dict)
    shared: dict[str, tuple[str, ...]] = field(default_factory=dict)
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
    opened, unread = _open(source, how)
    corrected = correct(opened, how)
    check_named(how, [table for table, _ in corrected])
    if how.domain is not None and len(opened) != 1:
        raise DatakinError(
            f"domain={how.domain!r} splits one table. Got {len(opened)} tables; "
            f"leave domain out, or put the tables into one."
        )
    drafts: list[Draft | str] = [
        _draft(table, own) if has_label else "" for table, own in corrected
    ]
    usable = [draft for draft in drafts if isinstance(draft, Draft)]
    parts, faults = _datasets(usable)
    by_table = {d.name: [d] for d in parts} if how.domain is None else {opened[0].name: parts}
    tables = [
        _describe_table(before, table, own, draft, by_table.get(table.name, []), has_label)
        for before, (table, own), draft in zip(opened, corrected, drafts, strict=True)
    ]
    described = [_describe_dataset(part, usable) for part in parts]
    rows = {table.name: table.n_rows for table in tables}
    whole = (*tables, *unread)
    faults |= {table.name: table.problem for table in whole if table.problem}
    described += [
        DatasetDescription(name, rows.get(name, 0), problem=text) for name, text in faults.items()
    ]
    order = {table.name: k for k, table in enumerate(whole)}
    described.sort(key=lambda each: order.get(each.name, 0))
    return _compare(parts, whole, described)


def _open(source: Any, how: Origin) -> tuple[list[RawTable], list[TableDescription]]:
    """Return the tables that can be opened, and the reasons for the others."""
    try:
        return open_tables(source, how), []
    except DatakinError:
        if isinstance(source, Mapping):
            items = [(str(name), table) for name, table in source.items()]
        elif isinstance(source, (list, tuple)) and len(source) > 1:
            items = [(os.fspath(path), path) for path in source]
        else:
            raise
        opened: list[RawTable] = []
        unread = []
        for name, each in items:
            try:
                if isinstance(source, Mapping):
                    opened.append(open_table(each, how, name))
                else:
                    opened += open_tables([each], how)
            except DatakinError as error:
                shown = without_password(name)
                unread.append(TableDescription(shown, 0, (), problem=str(error)))
        if not opened:
            raise
        return opened, unread


def _draft(table: RawTable, how: Origin) -> Draft | str:
    try:
        return make_draft(table, how)
    except DatakinError as error:
        return str(error)


def _datasets(drafts: Sequence[Draft]) -> tuple[list[Dataset], dict[str, str]]:
    """Return the datasets of drafts, and for those that cannot be used the reason."""
    if not drafts:
        return [], {}
    faults: dict[str, str] = {}
    if drafts[0].how.domain is not None:
        try:
            datasets, said = split_table(drafts[0], faults)
            for text in said:
                warn(text)
            return datasets, faults
        except DatakinError as error:
            return [], faults or {drafts[0].name: str(error)}
    try:
        return make_datasets(drafts, faults), faults
    except DatakinError as error:
        alone = {draft.name: _fault(draft) for draft in drafts}
        found = {name: text for name, text in alone.items() if text}
        return [], found or {drafts[0].name: str(error)}


def _fault(draft: Draft) -> str:
    """Return why a draft alone cannot be used; empty if it can."""
    try:
        make_datasets([draft])
    except DatakinError as error:
        return str(error)
    return ""


def _describe_table(
    before: RawTable,
    table: RawTable,
    how: Origin,
    draft: Draft | str,
    parts: Sequence[Dataset],
    has_label: bool,
) -> TableDescription:
    """Describe all columns of a table, also of one that cannot be used."""
    problem, facts = draft if isinstance(draft, str) else "", _facts(draft)
    roles = {how.label: "label", how.group: "group", how.domain: "domain"}
    if not has_label:
        del roles[how.label]
    examples = {
        name: examples_of(before.frame[old])
        for old, name in zip(before.frame.columns, table.frame.columns, strict=True)
    }
    columns = []
    for name in table.columns:
        role, more = roles.get(name, "feature"), {"examples": examples.get(name, ())}
        if name not in table.frame.columns:
            columns.append(ColumnDescription(name, "left out", "not read", why="ignored"))
        elif isinstance(draft, Draft) and role in ("label", "group", "domain"):
            values = {"label": draft.labels, "group": draft.groups, "domain": draft.domains}[role]
            assert values is not None
            spread = role == "label" and not any(part.classes for part in parts)
            known = facts.get(name)
            columns.append(describe_values(name, role, values, known, spread=spread, **more))
        elif isinstance(draft, Draft) and name in draft.features.names:
            role, reason = _use(name, parts)
            column = describe_feature(name, role, draft.features, facts, **more)
            columns.append(_with_reason(column, reason))
        else:
            why = "ignored" if name in how.ignore else ""
            columns.append(_alone(table, name, "left out" if why else role, more, why))
    return TableDescription(table.name, len(table.frame), tuple(columns), table.notes, problem)


def _facts(draft: Draft | str) -> Mapping[str, ColumnFacts]:
    return draft.facts if isinstance(draft, Draft) else {}


def _use(name: str, parts: Sequence[Dataset]) -> tuple[str, str]:
    """Return the role of a column that could be a feature, and why it is not used everywhere."""
    reasons = [part.left_out[name] for part in parts if name in part.left_out]
    if parts and len(reasons) == len(parts):
        each = " in each of them" if len(parts) > 1 and reasons[0] in (EMPTY, CONSTANT) else ""
        return "left out", reasons[0] + each
    if reasons:
        return "feature", f"left out in {len(reasons)} of {len(parts)}: {reasons[0]}"
    return "feature", ""


def _with_reason(column: ColumnDescription, reason: str) -> ColumnDescription:
    return replace(column, why=reason) if reason else column


def _alone(
    table: RawTable, name: str, role: str, more: dict[str, Any], why: str
) -> ColumnDescription:
    """Describe a column of a table that has no draft, or one that is ignored."""
    try:
        features, facts = read_columns(table.frame, [name])
    except DatakinError as error:
        return ColumnDescription(name, role, "not read", why=why or str(error), **more)
    found = describe_feature(name, role, features, facts, why=why, **more)
    values = (features.numeric if features.numeric_names else features.codes)[:, 0]
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
    )


def _compare(
    datasets: Sequence[Dataset], tables: tuple[TableDescription, ...], described: list[Any]
) -> Gathered:
    """Compare the first dataset with each of the others, as a score would."""
    apart: dict[str, tuple[Difference, ...]] = {}
    refusals: dict[str, str] = {}
    shared: dict[str, tuple[str, ...]] = {}
    for source in datasets[1:]:
        found = differences(datasets[0], source)
        try:
            shared[source.name] = pair(datasets[0], source, found=found).asides
        except DatakinError as error:
            refusals[source.name] = str(error)
        apart[source.name] = tuple(found)
    return Gathered(_without_codes(tables, apart), tuple(described), apart, refusals, shared)


def _without_codes(
    tables: tuple[TableDescription, ...], apart: Mapping[str, Sequence[Difference]]
) -> tuple[TableDescription, ...]:
    """Return the tables with columns marked that no comparison uses, since they are codes."""
    each = [{d.column for d in found if d.leaves_out} for found in apart.values()]
    codes = set.intersection(*each) if each else set()
    return tuple(
        replace(table, columns=tuple(
            replace(column, role="left out", why="no value in common")
            if column.name in codes and column.role == "feature" else column
            for column in table.columns
        ))
        for table in tables
    )  # fmt: skip
