"""How tables are read: everything that could be found out, on the way that scores use, too.

A table that cannot be used is described as far as it could be read, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, collecting
from datakin.data.checks import suspicions
from datakin.data.checks.difference_kinds import Difference
from datakin.data.checks.differences import differences
from datakin.data.checks.folds import fault_of_folds
from datakin.data.checks.suspicions import CONSTANT, EMPTY, ROW_ID, is_id
from datakin.data.columns.labels import canonical_labels, is_missing
from datakin.data.columns.tables import RawTable, read_columns
from datakin.data.dataset import ColumnFacts, Dataset
from datakin.data.described import ColumnDescription, describe_feature, describe_values, examples_of
from datakin.data.drafts import Draft, make_datasets
from datakin.data.features import Features
from datakin.data.origin import Origin
from datakin.data.pairing import Pairing, pair
from datakin.data.reading import Reading


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
    """All that is known of some tables; the first dataset is the target, the others are sources.

    `shared` is what a score would note of the rows, groups and classes of a source beside those of the
    target, and `notes` is what `read_tables` would warn of, beside the notes of datasets.
    """

    tables: tuple[TableDescription, ...]
    datasets: tuple[DatasetDescription, ...]  # empty without a label
    differences: list[Difference]  # between the target and each source
    refusals: dict[str, str]  # source -> why it cannot be compared with the target
    shared: dict[str, tuple[str, ...]]
    unused: dict[str, dict[str, str]]  # dataset -> columns that no comparison uses -> why
    notes: tuple[str, ...]


def gather(source: Any, how: Origin, *, has_label: bool) -> Gathered:
    """Read tables as `read_tables` does, and say what was found; without a label only of columns."""
    with collecting() as notes:
        read = Reading(how, "all").open(source).correct()
        unread = dict(read.left_out)
        if has_label:
            read.draft()
        problems = dict(read.left_out)
        _finish(read)
        found, refusals, pairings = _compare(read.datasets)
        unused = _unused_columns(read.datasets, pairings)
        drafts = {draft.name: draft for draft in read.drafts}
        tables = []
        for before, (raw, own) in zip(read.opened, read.corrected, strict=True):
            parts = [d for d in read.datasets if how.domain is not None or d.name == raw.name]
            table = _Table(raw, own, has_label, drafts.get(raw.name), parts, unused)
            problem = problems.get(raw.name, "")
            tables.append(table.described(before, problem, alone=len(read.opened) == 1))
    tables += [TableDescription(name, 0, (), problem=why) for name, why in unread.items()]
    rows = {table.name: table.n_rows for table in tables}
    datasets = [
        _describe_dataset(part, drafts.get(part.name), len(unused.get(part.name, ())))
        for part in read.datasets
    ]
    datasets += [
        DatasetDescription(name, rows.get(name, 0), problem=why)
        for name, why in read.left_out.items()
    ]
    order = {name: k for k, name in enumerate(rows)}
    datasets.sort(key=lambda each: order.get(each.name, 0))
    shared = {name: pairing.asides for name, pairing in pairings.items()}
    return Gathered(tuple(tables), tuple(datasets), found, refusals, shared, unused, tuple(notes))


def _finish(read: Reading) -> None:
    """Make the datasets; where all are at fault, find the reason of each."""
    if not read.drafts:
        return
    known = dict(read.left_out)
    try:
        read.finish()
    except DatakinError as error:
        for draft in read.drafts if read.how.domain is None else ():
            try:
                make_datasets([draft])
            except DatakinError as fault:
                read.left_out[draft.name] = str(fault)
        if read.left_out == known:
            read.left_out[read.drafts[0].name] = str(error)


_Read = tuple[Features, Mapping[str, ColumnFacts]] | str  # or why it cannot be read


@dataclass(frozen=True)
class _Table:
    """A table, its options, its draft, the datasets made of it, and what no comparison uses of them."""

    raw: RawTable
    how: Origin
    has_label: bool
    draft: Draft | None
    parts: Sequence[Dataset]
    unused: Mapping[str, Mapping[str, str]]

    def described(self, before: RawTable, problem: str, *, alone: bool) -> TableDescription:
        """Describe all columns, also of a table that cannot be used because of a problem.

        Examples are taken from the table before it was corrected. If it is `alone`, corrections need not
        name it.
        """
        frame = self.raw.frame
        facts = {} if self.draft is None else dict(self.draft.facts)
        others = _read_alone(self.raw, [name for name in frame.columns if name not in facts], alone)
        names = zip(before.frame.columns, frame.columns, strict=True)
        examples = {new: examples_of(before.frame[old]) for old, new in names}
        columns = [
            self._column(name, others, examples=examples[name])
            if name in examples
            else ColumnDescription(name, "left out", "not read", why="ignored")
            for name in self.raw.columns
        ]
        for name, read in others.items():
            if name not in self.how.ignore and not isinstance(read, str):
                facts[name] = read[1][name]
        notes = (*self.raw.notes, *suspicions.notes_of_facts(facts))
        return TableDescription(self.raw.name, len(frame), tuple(columns), notes, problem)

    def _column(self, name: str, others: Mapping[str, _Read], **more: Any) -> ColumnDescription:
        how, draft = self.how, self.draft
        roles = {column: part for part, column in how.roles.items() if part != "label"}
        role = "label" if self.has_label and name == how.label else roles.get(name, "feature")
        if draft is not None and role != "feature":
            return self._with_a_part(name, role, draft, **more)
        if draft is not None and name in draft.features.names:
            role, why = self._use(name)
            column = describe_feature(name, role, draft.features, draft.facts, **more)
            return replace(column, why=why) if why else column
        if name in how.ignore:
            role, more["why"] = "left out", "ignored"
        read = others[name]
        if isinstance(read, str):
            return ColumnDescription(name, role, "not read", **{"why": read, **more})
        column = describe_feature(name, role, *read, **more)
        values = read[0].column(name)[0]
        if role == "feature" and is_id(values, name, is_date=column.kind == "date"):
            column = replace(column, doubt="; ".join(filter(None, [column.doubt, ROW_ID])))
        return column

    def _with_a_part(self, name: str, role: str, draft: Draft, **more: Any) -> ColumnDescription:
        """Describe the label, the group, the domain or the weight column."""
        values, how = getattr(draft, f"{role}s"), draft.how
        has_classes = any(part.classes for part in self.parts)
        renames = how.label_map is not None or how.positive is not None
        if role == "label" and has_classes and renames:
            known = ~is_missing(values)
            values = values.astype(object)
            values[known] = canonical_labels(values[known], how.label_map, how.positive)
        spread = role == "weight" or (role == "label" and not has_classes)
        return describe_values(name, role, values, draft.facts.get(name), spread=spread, **more)

    def _use(self, name: str) -> tuple[str, str]:
        """Return the role of a column that could be a feature, and why it is not used everywhere."""
        left_out = [part.left_out.get(name, "") for part in self.parts]
        alone = [self.unused.get(part.name, {}).get(name, "") for part in self.parts]
        if any(alone) and all(out or why for out, why in zip(left_out, alone, strict=True)):
            return "left out", next(filter(None, alone))
        reasons, n_parts = list(filter(None, left_out)), len(self.parts)
        if reasons and len(reasons) == n_parts:
            each = " in each of them" if n_parts > 1 and reasons[0] in (EMPTY, CONSTANT) else ""
            return "left out", reasons[0] + each
        why = f"left out in {len(reasons)} of {n_parts}: {reasons[0]}" if reasons else ""
        return "feature", why


def _read_alone(table: RawTable, names: Sequence[str], alone: bool) -> dict[str, _Read]:
    """Read the columns that no draft holds: together, since they tell of each other's decimal sign."""
    try:
        features, facts = read_columns(table.frame, names)
        facts = facts if alone else suspicions.facts_of_one(facts, table.name)
        return dict.fromkeys(names, (features, facts))
    except DatakinError as error:
        if len(names) == 1:
            return {names[0]: str(error)}
    found: dict[str, _Read] = {}
    for name in names:
        found |= _read_alone(table, [name], alone)
    return found


def _describe_dataset(dataset: Dataset, draft: Draft | None, n_unused: int) -> DatasetDescription:
    dropped = 0 if draft is None else len(draft.labels) - dataset.n_rows
    counts = np.bincount(dataset.y, minlength=len(dataset.classes)) if dataset.classes else ()
    low, high = (None, None) if dataset.classes else map(float, (dataset.y.min(), dataset.y.max()))
    return DatasetDescription(
        dataset.name,
        dataset.n_rows,
        dropped,
        dataset.task,
        dict(zip(dataset.classes, map(int, counts), strict=True)),
        low,
        high,
        len(dataset.columns) - n_unused,
        dataset.fingerprint,
        dataset.notes,
        folds=fault_of_folds(dataset),
    )


def _compare(
    datasets: Sequence[Dataset],
) -> tuple[list[Difference], dict[str, str], dict[str, Pairing]]:
    """Compare the first dataset with each of the others, as a score would."""
    every: list[Difference] = []
    refusals: dict[str, str] = {}
    pairings: dict[str, Pairing] = {}
    for source in datasets[1:]:
        found = differences(datasets[0], source)
        every += found
        try:
            pairings[source.name] = pair(datasets[0], source, found=found)
        except DatakinError as error:
            refusals[source.name] = str(error)
    return every, refusals, pairings


def _unused_columns(
    datasets: Sequence[Dataset], pairings: Mapping[str, Pairing]
) -> dict[str, dict[str, str]]:
    """Return dataset -> columns that no comparison uses -> why; without what cannot be compared."""
    if not pairings:
        return {}
    target, *others = datasets
    sources = [source for source in others if source.name in pairings]
    used = {column for pairing in pairings.values() for column in pairing.columns}
    found = {target.name: {c: _why(c, sources) for c in target.columns if c not in used}}
    for source in sources:
        unused = [c for c in source.columns if c not in pairings[source.name].columns]
        found[source.name] = {c: _why(c, [target]) for c in unused}
    return found


def _why(column: str, others: Sequence[Dataset]) -> str:
    """Return why a column cannot be compared with any of some datasets."""
    reasons = {}
    for other in others:
        if column in other.columns:
            reasons["apart"] = "no value in common"
        elif column in other.left_out:
            reasons["unused"] = f"{other.left_out[column]} in {other.name!r}"
        else:
            several = "any other table" if len(others) > 1 else repr(other.name)
            reasons["absent"] = f"not in {several}"
    if len(reasons) > 1:
        reasons.pop("absent", None)
    return "; ".join(reasons.values())
