"""From what users pass to datasets: opened, corrected, each column in its part, checked.

Every reader takes this way. Readers differ only in what may be left out because it cannot be used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datakin._core.addresses import without_password
from datakin._core.exceptions import DatakinError, listed, warn
from datakin.data.checks.folds import warn_of_shared_groups
from datakin.data.checks.suspicions import facts_of_one
from datakin.data.columns.labels import canonical_labels, encode_classes, is_missing
from datakin.data.columns.tables import RawTable
from datakin.data.corrections import correct
from datakin.data.dataset import Dataset
from datakin.data.drafts import Draft, check_named, decide, dropped_note, make_datasets, make_draft
from datakin.data.features import Array
from datakin.data.files.addresses import find_tables, stem
from datakin.data.files.opening import open_tables
from datakin.data.origin import Origin

NEEDS_TARGET = ("sources", "others")


@dataclass
class Reading:
    """Tables on their way to datasets.

    What may be left out with a reason is "none", "sources", "others" or "all"; the rest are errors. The
    target is the first. Of the sources one must remain, of the others none need to.
    """

    how: Origin  # the options
    may_miss: str = "none"
    left_out: dict[str, str] = field(default_factory=dict)  # what cannot be used, and why
    opened: list[RawTable] = field(default_factory=list)
    # Each table as its user wants it, with the options that concern it.
    corrected: list[tuple[RawTable, Origin]] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    datasets: list[Dataset] = field(default_factory=list)

    def open(self, source: Any) -> Reading:
        """Open tables; where some cannot be, one by one."""
        try:
            self.opened = open_tables(source, self.how)
        except DatakinError:
            one = _one_by_one(source)
            if self.may_miss == "none" or len(one) < 2:
                raise
            for i, (name, each) in enumerate(one.items()):
                with self._trying(name, is_first=i == 0):
                    self.opened += open_tables(each, self.how)
            if not self.opened:
                raise
        return self

    def correct(self) -> Reading:
        """Rename, recode and convert, and check what the options name."""
        if self.how.domain is not None and len(self.opened) != 1:
            raise DatakinError(
                f"domain={self.how.domain!r} splits one table. Got {len(self.opened)} tables; "
                f"leave domain out, or put the tables into one."
            )
        self.corrected = correct(self.opened, self.how)
        names = (name for table, _ in self.corrected for name in table.columns)
        check_named(self.how, dict.fromkeys(names))
        return self

    def draft(self) -> Reading:
        """Read the columns of all tables, each for the part it plays."""
        for i, (table, how) in enumerate(self.corrected):
            with self._trying(table.name, is_first=i == 0):
                draft = make_draft(table, how)
                if len(self.corrected) > 1:
                    draft = replace(draft, facts=facts_of_one(draft.facts, table.name))
                self.drafts.append(draft)
        return self

    def finish(self) -> Reading:
        """Make the datasets, and warn of what is odd about all of them together."""
        if self.how.domain is not None:
            self.datasets, values = _split_table(self.drafts[0])
            self.left_out |= values
            return self
        left_out = None if self.may_miss == "none" else self.left_out
        needed = self.drafts[0].name if self.drafts and self.may_miss in NEEDS_TARGET else None
        self.datasets = make_datasets(self.drafts, left_out, needed=needed)
        if self.may_miss == "sources" and self.left_out:
            self._tell_skipped()
        return self

    @contextmanager
    def _trying(self, name: str, *, is_first: bool) -> Iterator[None]:
        try:
            yield
        except DatakinError as error:
            if self.may_miss == "none" or (is_first and self.may_miss in NEEDS_TARGET):
                raise
            self.left_out[name] = str(error)

    def _tell_skipped(self) -> None:
        """Warn of what was left out, or refuse if only the target remains."""
        if len(self.datasets) < 2:
            raise DatakinError(
                f"Besides {self.datasets[0].name!r} at least one table must be usable. Got none: "
                f"{_reasons(self.left_out)}"
            )
        warn(
            f"{len(self.left_out)} table{'s' * (len(self.left_out) > 1)} left out (skip_unusable=True "
            f"/ --skip-unusable): {listed(self.left_out)}. {_reasons(self.left_out)}"
        )


def _one_by_one(source: Any) -> dict[str, Any]:
    """Return the tables of a source by what messages call them, each as a source of its own."""
    if isinstance(source, Mapping):
        return {str(name): {name: table} for name, table in source.items()}
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if not isinstance(source, (list, tuple)) or not all(
        isinstance(path, (str, os.PathLike)) for path in source
    ):
        return {}
    found: Sequence[Any] = source
    with suppress(DatakinError):  # where one of them is not there, each is taken as it was given
        found = find_tables(source)
    named: dict[str, Any] = {}
    for path in found:
        name = getattr(path, "name", None) or stem(os.fspath(path))
        named[without_password(os.fspath(path)) if name in named else name] = [path]
    return named


def _split_table(draft: Draft) -> tuple[list[Dataset], dict[str, str]]:
    """Return a dataset for each value of the domain column, and the values that cannot be used, and why."""
    assert draft.domains is not None
    domain = draft.how.domain
    names, parts = _parts(draft.domains)
    if len(names) < 2:
        read = draft.facts.get(str(domain))
        doubt = f" Look at this first: {read.doubt}." if read is not None and read.doubt else ""
        raise DatakinError(
            f"The domain column {domain!r} must have at least two values. "
            f"Got {listed(names) or 'none'}.{doubt}"
        )
    left_out: dict[str, str] = {}
    decision = decide(draft, parts)
    order = np.argsort(parts, kind="stable")
    cuts = np.searchsorted(parts[order], np.arange(len(names) + 1))
    drafts = []
    for i, value in enumerate(names):
        part = draft.take(order[cuts[i] : cuts[i + 1]])
        drafts.append(replace(part, name=value, how=replace(draft.how, value=value)))
    datasets = make_datasets(drafts, left_out, decision=decision)
    if draft.groups is not None:
        warn_of_shared_groups(datasets, draft.how)
    if cuts[0]:
        warn(dropped_note(int(cuts[0]), len(parts), repr(domain)))
    if left_out:
        warn(
            f"{len(left_out)} of {len(drafts)} values of {domain!r} were left out: "
            f"{_reasons(left_out)}"
        )
    return datasets, left_out


def _reasons(left_out: Mapping[str, str]) -> str:
    """Return the first few reasons why something was left out."""
    return " ".join(list(left_out.values())[:3]) + (" ..." if len(left_out) > 3 else "")


def _parts(domains: Array) -> tuple[tuple[str, ...], Array]:
    """Return the values of a domain column, and the place of each row's value, -1 for none."""
    known = ~is_missing(domains)
    parts = np.full(len(known), -1)
    parts[known], names = encode_classes(canonical_labels(domains[known], None, None))
    return names, parts
