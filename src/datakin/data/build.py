"""Draft -> Dataset: one task for all, labels encoded, useless columns dropped, oddities noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data import labels as label_rules
from datakin.data.columns import check_finite
from datakin.data.dataset import Dataset
from datakin.data.features import MISSING, Array, Features
from datakin.data.suspicion import repeated_rows, suspicious_columns

__all__ = ["MIN_ROWS", "Draft", "build"]

MIN_ROWS = 20


@dataclass(frozen=True, eq=False)
class Draft:
    """A table as read, before its labels and columns have been judged."""

    name: str
    label: str
    labels: Array
    columns: dict[str, tuple[Array, tuple[str, ...] | None]]
    groups: Array | None = None
    domains: Array | None = None
    matrix: Any = None

    @property
    def n_rows(self) -> int:
        """Number of rows of the features."""
        if self.matrix is not None:
            return int(self.matrix.shape[0])
        return len(next(iter(self.columns.values()))[0]) if self.columns else len(self.labels)

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"dataset {self.name!r}" if self.name else "the dataset"

    def take(self, rows: Array, name: str | None = None) -> Draft:
        """Return some of the rows."""
        return replace(
            self,
            name=self.name if name is None else name,
            labels=self.labels[rows],
            columns={c: (values[rows], levels) for c, (values, levels) in self.columns.items()},
            groups=None if self.groups is None else self.groups[rows],
            domains=None,
            matrix=None if self.matrix is None else self.matrix[rows],
        )


def build(
    drafts: Sequence[Draft],
    *,
    task: str = "auto",
    label_map: Mapping[Any, Any] | None = None,
    positive: Any = None,
    left_out: dict[str, str] | None = None,
) -> list[Dataset]:
    """Turn drafts into datasets of one task; messages name the dataset at fault.

    With a mapping for `left_out`, drafts that cannot be used go there with the reason, as long as
    one is left.
    """
    if task not in ("auto", *label_rules.TASKS):
        raise DatakinError(
            f"task must be 'auto', 'binary', 'multiclass' or 'regression'. Got {task!r}."
        )
    twice = repeated(draft.name for draft in drafts)
    if twice:
        raise DatakinError(
            f"Datasets must have different names. Got more than one named {listed(twice)}; "
            f"pass a mapping of name to table, or rename the files."
        )
    if not drafts:
        raise DatakinError("There must be at least one table. Got none.")
    if label_map is not None and not isinstance(label_map, Mapping):
        raise DatakinError(
            f"label_map must be a mapping of old label to new label. Got {label_map!r}."
        )
    labelled, datasets = [], []
    faults: dict[str, DatakinError] = {}
    for draft in drafts:
        try:
            labelled.append(_drop_unlabelled(draft))
        except DatakinError as error:
            faults[draft.name] = error
    if faults and (left_out is None or not labelled):
        raise next(iter(faults.values()))
    kind, doubt = _agree_on_task([d for d, _ in labelled], task, label_map, positive)
    for draft, notes in labelled:
        found = [*notes, *([doubt] if doubt else [])]
        try:
            datasets.append(_finish(draft, kind, found, task, label_map, positive))
        except DatakinError as error:
            faults[draft.name] = error
    if faults and (left_out is None or not datasets):
        raise next(iter(faults.values()))
    if left_out is not None:
        left_out |= {name: str(error) for name, error in faults.items()}
    return datasets


def _drop_unlabelled(draft: Draft) -> tuple[Draft, list[str]]:
    missing = label_rules.is_missing(draft.labels)
    if missing.all():
        raise DatakinError(
            f"The label {draft.label!r} of {draft.title} must have a value in some rows. "
            f"Got none in {len(missing)} rows."
        )
    label_rules.check_kind(draft.labels[~missing], draft.label, draft.title)
    if draft.labels.dtype.kind == "f":
        check_finite(draft.label, draft.labels, f" in {draft.title}")
    if not missing.any():
        return draft, []
    note = f"{int(missing.sum())} of {len(missing)} rows have no label and were dropped"
    return draft.take(np.flatnonzero(~missing)), [note]


def _agree_on_task(
    drafts: Sequence[Draft], task: str, label_map: Mapping[Any, Any] | None, positive: Any
) -> tuple[str, str | None]:
    if task == "regression":
        if label_map is not None or positive is not None:
            raise DatakinError("label_map and positive are for classes. Got task='regression'.")
        return "regression", None
    if task != "auto" or label_map is not None or positive is not None:
        return "classification", None
    kind, doubt = label_rules.infer_task([draft.labels for draft in drafts], drafts[0].label)
    if kind == "regression":
        two = [d.title for d in drafts if len(pd.unique(d.labels)) == 2]
        if two:
            raise DatakinError(
                f"All labels must pose the same task. {two[0]} has two classes, others look like "
                f"regression; say which task it is (task)."
            )
    return kind, doubt


def _finish(
    draft: Draft,
    kind: str,
    notes: list[str],
    task: str,
    label_map: Mapping[Any, Any] | None,
    positive: Any,
) -> Dataset:
    if len(draft.labels) < MIN_ROWS:
        raise DatakinError(
            f"A dataset must have at least {MIN_ROWS} labelled rows. "
            f"Got {len(draft.labels)} in {draft.title}."
        )
    classes: tuple[str, ...] = ()
    if kind == "regression":
        y = _response(draft)
    else:
        y, classes = _classes(draft, task, label_map, positive)
    features, dropped = _usable_features(draft)
    notes += dropped
    notes += suspicious_columns(features, y, bool(classes))
    groups = None
    if draft.groups is not None:
        groups = _group_codes(draft)
    dataset = Dataset(draft.name, features, y, classes, groups, draft.label, ())
    return replace(dataset, notes=(*notes, *repeated_rows(dataset)))


def _response(draft: Draft) -> Array:
    numbers = label_rules.as_numbers(draft.labels)
    if numbers is None:
        raise DatakinError(
            f"A regression label must hold numbers. Got {listed(pd.unique(draft.labels))} in the label "
            f"{draft.label!r} of {draft.title}; for classes say task='multiclass'."
        )
    check_finite(draft.label, numbers, f" in {draft.title}")
    if np.ptp(numbers) == 0:
        raise DatakinError(
            f"The label {draft.label!r} of {draft.title} must vary. Got {numbers[0]:g} in every row."
        )
    return numbers


def _classes(
    draft: Draft, task: str, label_map: Mapping[Any, Any] | None, positive: Any
) -> tuple[Array, tuple[str, ...]]:
    codes, classes = label_rules.encode_classes(
        label_rules.canonical_labels(draft.labels, label_map, positive)
    )
    if len(classes) < 2:
        raise DatakinError(
            f"The label {draft.label!r} must have at least two classes. "
            f"Got only {classes[0]!r} in {draft.title} ({len(codes)} rows)."
        )
    if task == "binary" and len(classes) > 2:
        raise DatakinError(
            f"A binary label must have two classes. Got {len(classes)} in {draft.title}: "
            f"{listed(classes)}; name the positive one with positive=, or say task='multiclass'."
        )
    if len(classes) > 50 and len(classes) > len(codes) / 10:
        raise DatakinError(
            f"The label {draft.label!r} of {draft.title} has {len(classes)} classes in {len(codes)} rows "
            f"({listed(classes, limit=3)}); is it the right column?"
        )
    return codes, classes


def _usable_features(draft: Draft) -> tuple[Features, list[str]]:
    if draft.matrix is not None:
        names = tuple(f"x{j}" for j in range(draft.matrix.shape[1]))
        if not names or not (draft.matrix.max(axis=0) != draft.matrix.min(axis=0)).nnz:
            raise _nothing_varies(draft, f"{len(names)} constant")
        empty = np.zeros((draft.matrix.shape[0], 0), dtype=np.int32)
        return Features(draft.matrix, names, empty, (), ()), []
    numeric: dict[str, Array] = {}
    category: dict[str, tuple[Array, tuple[str, ...]]] = {}
    missing, constant = [], []
    for name, (values, levels) in draft.columns.items():
        if levels is None:
            check_finite(name, values, f" in {draft.title}")
        known = values[~np.isnan(values)] if levels is None else values[values != MISSING]
        if not len(known):
            missing.append(name)
        elif np.all(known == known[0]) and len(known) == len(values):
            constant.append(name)
        elif levels is None:
            numeric[name] = values
        else:
            category[name] = _used_levels(values, levels)
    notes = [f"column(s) without any value dropped: {listed(missing)}"] if missing else []
    notes += [f"constant column(s) dropped: {listed(constant)}"] if constant else []
    if not numeric and not category:
        raise _nothing_varies(
            draft, f"{len(missing)} without any value and {len(constant)} constant"
        )
    n = draft.n_rows
    return (
        Features(
            np.column_stack(list(numeric.values())) if numeric else np.zeros((n, 0)),
            tuple(numeric),
            np.column_stack([c for c, _ in category.values()])
            if category
            else np.zeros((n, 0), np.int32),
            tuple(category),
            tuple(levels for _, levels in category.values()),
        ),
        notes,
    )


def _nothing_varies(draft: Draft, got: str) -> DatakinError:
    # Not str.capitalize, which would write the rest, and with it the name, in small letters.
    title = draft.title[0].upper() + draft.title[1:]
    return DatakinError(f"{title} must have a column that varies beside the label. Got {got}.")


def _used_levels(codes: Array, levels: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """Keep only the levels that this dataset has: a split table shares its level list."""
    used = np.unique(codes[codes != MISSING])
    table = np.full(len(levels) + 1, MISSING, dtype=np.int32)
    table[used] = np.arange(len(used))
    return table[codes], tuple(levels[i] for i in used)


def _group_codes(draft: Draft) -> Array:
    assert draft.groups is not None
    codes = pd.factorize(
        np.array(
            [
                None if m else label_rules.canonical_label(v)
                for v, m in zip(draft.groups, label_rules.is_missing(draft.groups), strict=True)
            ],
            dtype=object,
        )
    )[0].astype(np.int64)
    lone = codes < 0  # a row without a group is a group of its own
    codes[lone] = codes.max(initial=-1) + 1 + np.arange(int(lone.sum()))
    return codes
