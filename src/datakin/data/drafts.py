"""From tables to drafts, where each column has its part, and from drafts to checked datasets.

Datasets that are read together get one task. Columns without use are left out and named, and so are
those that look like row ids or copies of the label, unless the user keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeVar

import numpy as np
import pandas as pd

from datakin._core.exceptions import MINOR, SERIOUS, URGENT, DatakinError, Note, listed, suggest
from datakin._core.typed_options import recode_options
from datakin.data.checks import suspicions
from datakin.data.checks.copies import repeated_rows
from datakin.data.checks.leaks import Labels
from datakin.data.checks.spelling import in_one_spelling, spelled_twice
from datakin.data.columns import roles
from datakin.data.columns.labels import (
    check_labels,
    class_codes,
    group_codes,
    infer_task,
    is_missing,
    response,
)
from datakin.data.columns.tables import RawTable
from datakin.data.corrections import convert_numbers
from datakin.data.dataset import ColumnFacts, Dataset, check_unique, rows_of
from datakin.data.features import Array, Features
from datakin.data.origin import Origin

MIN_ROWS = 20
MANY_DROPPED = 0.05  # share of dropped rows from which users should look at them
READ_AS = {"classification": "classes", "regression": "numbers"}
T = TypeVar("T")


@dataclass(frozen=True)
class Decision:
    """What is decided once for a whole table, before it is split.

    `odd` are columns that are left out or named, and what they look like; None if each dataset is looked
    at alone.
    """

    kind: str  # "classification" or "regression"
    doubt: tuple[str, ...] = ()  # a note if the labels could be read either way
    odd: dict[str, str] | None = None


@dataclass(frozen=True, eq=False)
class Draft:
    """A table as read, before its labels and columns have been checked."""

    name: str
    how: Origin  # the options, with the name of the label column
    labels: Array  # floats, or objects with None where the label is missing
    features: Features
    groups: Array | None = None
    domains: Array | None = None
    notes: tuple[str, ...] = ()  # what its user should know about how it was read
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)  # how each column was read
    weights: Array | None = None  # NaN only in rows that will be dropped

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"dataset {self.name!r}" if self.name else "the dataset"

    def take(self, rows: Array) -> Draft:
        """Return some of the rows."""
        arrays = rows_of(self, ("labels", "groups", "domains", "weights"), rows)
        return replace(self, features=self.features.take(rows), **arrays)


def check_known(how: Origin, known: Collection[str]) -> None:
    """Refuse an ignored or kept column that is none of those of all tables; no file must have all."""
    for what, names in (("ignored", how.ignore), ("kept", how.keep)):
        if lacking := [name for name in names if known and name not in known]:
            raise DatakinError(
                f"The {what} column {lacking[0]!r} must be one of the columns: "
                f"{listed(known, limit=12)}.{suggest(lacking[0], known)}"
            )


def check_named(how: Origin, known: Collection[str]) -> None:
    """Refuse ignored and kept columns that no table has, or that are something else already."""
    check_known(how, known)
    both = [name for name in how.keep if name in how.ignore]
    if both:
        raise DatakinError(
            f"A column is either kept or ignored. Got {listed(both)} in keep (--keep) and in ignore "
            f"(--ignore); leave it out of one of them."
        )
    played = {column: role for role, column in how.roles.items()}
    for name in how.keep:
        if name in played:
            raise DatakinError(
                f"A kept column is a feature. Got {name!r}, which is the {played[name]}; leave it "
                f"out of keep (--keep)."
            )


def make_draft(table: RawTable, how: Origin) -> Draft:
    """Read the columns of a table, each for the part it plays."""
    frame, where = table.frame, f" of {table.name!r}" if table.name else ""
    roles.check_label(how.label, frame.columns)
    for role, column in how.roles.items():
        _need(table, column, role, where)
        if role != "label" and column == how.label:
            raise DatakinError(
                f"The {role} column must differ from the label. Got {column!r} for both."
            )
    if how.weight is not None and how.weight in (how.group, how.domain):
        other = "group" if how.weight == how.group else "domain"
        raise DatakinError(
            f"The weight column must differ from the {other} column. Got {how.weight!r} for both."
        )
    taken = {*how.roles.values(), *how.ignore}
    names = [c for c in frame.columns if c not in taken]
    features, labels, facts = roles.read_labelled(frame, names, frame[how.label], how.label)
    groups = domains = weights = None
    used = ~is_missing(labels)
    if how.group is not None:
        groups, facts[how.group] = roles.read_keys(frame[how.group], how.group)
    if how.domain is not None:
        domains, facts[how.domain] = roles.read_keys(frame[how.domain], how.domain)
        used &= ~is_missing(domains)
    if how.weight is not None:
        series = frame[how.weight]
        weights, facts[how.weight] = roles.read_weights(series, how.weight, used, where, facts)
    censored = roles.censoring_note(how.label, labels, features)
    notes = (*table.notes, censored) if censored else table.notes
    how = replace(how, path=table.path)
    draft = Draft(table.name, how, labels, features, groups, domains, notes, facts, weights)
    return draft if how.convert is None else convert_numbers(draft)


def _need(table: RawTable, column: str, role: str, where: str) -> None:
    """Refuse a table without the column that was named for a role."""
    names = table.frame.columns
    if not names:
        raise DatakinError(f"The table {table.name!r} must have columns. Got no column.")
    if column not in names:
        odd = [note for note in table.notes if isinstance(note, Note) and note.rank == SERIOUS]
        hint = "".join(f" Look at this first: {note}." for note in odd)
        raise DatakinError(
            f"The {role} column {column!r} must be one of the columns{where}: "
            f"{listed(names, limit=12)}.{hint or suggest(column, names)}"
        )


def make_datasets(
    drafts: Sequence[Draft],
    left_out: dict[str, str] | None = None,
    *,
    decision: Decision | None = None,
    needed: str | None = None,
) -> list[Dataset]:
    """Turn drafts into datasets of one task; messages name the dataset at fault.

    Drafts that cannot be used go to `left_out` with the reason, as long as one is left, and not the one
    that is `needed`; without it they are errors. A decision is that of the table of which these are parts.
    """
    advice = "pass a mapping of name to table, or rename the files"
    check_unique((draft.name for draft in drafts), advice)
    if not drafts:
        raise DatakinError("There must be at least one table. Got none.")
    faults: dict[str, DatakinError] = {}

    def tried(step: Callable[[Draft], T], some: Sequence[Draft]) -> list[T]:
        """Return what becomes of drafts; raise a fault of one that may not, or that cannot, be left out."""
        made: list[T] = []
        for draft in some:
            try:
                made.append(step(draft))
            except DatakinError as error:
                if left_out is None or draft.name == needed:
                    raise
                faults[draft.name] = error
        if not made:
            raise next(iter(faults.values()))
        return made

    labelled = tried(_drop_unlabelled, drafts)
    enough = [draft for draft in labelled if len(draft.labels) >= MIN_ROWS] or labelled
    agreed = decision or _agree_on_task(enough if left_out is not None else labelled)
    datasets = tried(lambda draft: _checked(draft, agreed, labelled), labelled)
    if left_out is not None:
        left_out |= {name: str(error) for name, error in faults.items()}
    return datasets


def decide(draft: Draft, parts: Array) -> Decision:
    """Decide on the task and the odd columns of a whole table, so that all its parts agree.

    `parts` has the part of each row, -1 for none.
    """
    used = np.flatnonzero(~is_missing(draft.labels) & (parts >= 0))
    if not len(used):
        used = np.arange(len(parts))
    whole = _drop_unlabelled(draft.take(used))
    decision = _agree_on_task([whole])
    y, classes = _codes(whole, decision.kind)
    return replace(decision, odd=_odd(whole, whole.features, y, classes, parts[used]))


def _odd(
    draft: Draft, features: Features, y: Array, classes: Sequence[str], parts: Array | None = None
) -> dict[str, str]:
    labels, keep = Labels(draft.how.label, y, bool(classes)), frozenset(draft.how.keep)
    return suspicions.find_suspicions(features, labels, draft.facts, keep=keep, parts=parts)


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
    labelled = draft.take(np.flatnonzero(~missing))
    note = dropped_note(int(missing.sum()), len(missing), "label")
    return replace(labelled, notes=(*draft.notes, note))


def dropped_note(n_dropped: int, n_rows: int, what: str) -> Note:
    """Say how many rows were dropped, as they have no label or domain; many of them may mislead."""
    text = f"{n_dropped} of {n_rows} rows have no {what} and were dropped"
    return Note(text, SERIOUS if n_dropped > MANY_DROPPED * n_rows else MINOR)


def _agree_on_task(drafts: Sequence[Draft]) -> Decision:
    """Return the kind of task of all datasets, and a note if the labels leave a doubt."""
    how = drafts[0].how
    if how.kind is not None:
        return Decision(how.kind)
    kind, doubt = infer_task([draft.labels for draft in drafts], how.label)
    notes = [] if doubt is None else [doubt]
    alone = {d.name: infer_task([d.labels], how.label)[0] for d in drafts}
    others = [name for name, its in alone.items() if its != kind]
    if others:
        wanted, instead = ("regression", "multiclass")[:: 1 if kind == "regression" else -1]
        notes.append(
            f"the label {how.label!r} is read as {READ_AS[kind]}, as all tables together look; "
            f"{listed(others, limit=3)} alone would have {READ_AS[alone[others[0]]]}. Say "
            f"task={wanted!r} / --task {wanted} if that is right, task={instead!r} / --task {instead} "
            f"if not"
        )
    if kind == "regression":
        two = [d.title for d in drafts if len(pd.unique(d.labels)) == 2]
        if two and len(drafts) > 1:
            raise DatakinError(
                f"All labels must pose the same task. {two[0]} has two classes, others look like "
                f"regression; say which task it is (task='regression' / --task regression)."
            )
    return Decision(kind, tuple(Note(text, URGENT) for text in notes))


def _codes(
    draft: Draft, kind: str, together: Sequence[Draft] = ()
) -> tuple[Array, tuple[str, ...]]:
    """Return class codes and names, or the response and no names."""
    if kind == "regression":
        return response(draft.labels, draft.how.label, draft.title), ()
    codes, classes = class_codes(draft.labels, draft.how, draft.title)
    if draft.how.kind is None and spelled_twice(classes):
        _ask_about_spelling(classes, draft, together)
    return codes, classes


def _ask_about_spelling(
    classes: tuple[str, ...], draft: Draft, together: Sequence[Draft]
) -> NoReturn:
    """Ask whether classes that differ by case or spaces are one, spelled as other tables spell them."""
    known: list[tuple[str, ...]] = []
    for other in together:
        with suppress(DatakinError):
            known.append(class_codes(other.labels, other.how, other.title)[1])
    recoding = in_one_spelling(classes, known)
    table = draft.name if len(together) > 1 else ""
    python, cli = recode_options(table, draft.how.label, recoding)
    raise DatakinError(
        f"The label {draft.how.label!r} of {draft.title} must spell each class in one way. Got "
        f"{listed(classes)}; if they mean the same, say {python} / {cli}, if not, "
        f"task='multiclass' / --task multiclass."
    )


def _checked(draft: Draft, decision: Decision, together: Sequence[Draft]) -> Dataset:
    """Return the dataset, with notes in the order in which things were found."""
    if len(draft.labels) < MIN_ROWS:
        dropped = next((n for n in draft.notes if "have no label" in n), "")
        raise DatakinError(
            f"A dataset must have at least {MIN_ROWS} labelled rows. "
            f"Got {len(draft.labels)} in {draft.title}{f' ({dropped})' if dropped else ''}."
        )
    if draft.weights is not None and not draft.weights.any():
        raise DatakinError(
            f"The weights of {draft.title} must not all be 0. Got 0 in all of its {len(draft.labels)} "
            f"labelled rows; leave it out, or give some of its rows a weight above 0."
        )
    y, classes = _codes(draft, decision.kind, together)
    features, unused = suspicions.usable_features(draft.features, draft.title)
    every = _odd(draft, features, y, classes) if decision.odd is None else decision.odd
    names = frozenset(features.names)
    odd = {name: why for name, why in every.items() if name in names}
    left_out = {name: why for name, why in odd.items() if why in suspicions.LEFT_OUT}
    features = suspicions.without_odd(features, left_out, draft.title)
    groups, group_names = (None, ()) if draft.groups is None else group_codes(draft.groups)
    copies = [] if groups is not None else repeated_rows(features, y, classes)
    notes = [*draft.notes, *decision.doubt, *suspicions.notes_of_odd(odd), *copies]
    notes += [*suspicions.notes_of_facts(draft.facts), *suspicions.notes_of_unused(unused)]
    return Dataset(
        draft.name,
        features,
        y,
        classes,
        groups,
        draft.how.label,
        notes=tuple(notes),
        facts=draft.facts,
        left_out={**left_out, **unused},
        keep=frozenset(draft.how.keep),
        group_names=group_names,
        how=draft.how,
        weights=draft.weights,
    )
