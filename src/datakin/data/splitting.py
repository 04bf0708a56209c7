"""One table split into datasets by the values of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, listed
from datakin.data.checks.folds import warn_of_shared_groups
from datakin.data.columns.labels import canonical_label, is_missing, sort_classes
from datakin.data.dataset import Dataset
from datakin.data.drafts import Draft, decide, make_datasets, note_of_dropped
from datakin.data.features import Array

__all__ = ["reasons", "split_table"]


def split_table(draft: Draft, left_out: dict[str, str]) -> tuple[list[Dataset], list[str]]:
    """Return a dataset for each value of the domain column that can be used, and what to say.

    The other values go to `left_out` with the reason.
    """
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
    decision = decide(draft, parts)
    order = np.argsort(parts, kind="stable")
    cuts = np.searchsorted(parts[order], np.arange(len(names) + 1))
    drafts = []
    for i, value in enumerate(names):
        part = draft.take(order[cuts[i] : cuts[i + 1]])
        drafts.append(replace(part, name=value, how=replace(draft.how, value=value)))
    datasets = make_datasets(drafts, left_out, decision=decision)
    said: list[str] = []
    if cuts[0]:
        said.append(note_of_dropped(int(cuts[0]), len(parts), repr(domain)))
    if left_out:
        said.append(
            f"{len(left_out)} of {len(drafts)} values of {domain!r} were left out: "
            f"{reasons(left_out)}"
        )
    if draft.groups is not None:
        warn_of_shared_groups([part for part in drafts if part.name not in left_out])
    return datasets, said


def reasons(left_out: Mapping[str, str]) -> str:
    """Return the first few reasons why something was left out."""
    return " ".join(list(left_out.values())[:3]) + (" ..." if len(left_out) > 3 else "")


def _parts(domains: Array) -> tuple[tuple[str, ...], Array]:
    """Return the values of a domain column, and the place of each row's value, -1 for none."""
    missing = is_missing(domains)
    codes, values = pd.factorize(domains[~missing])
    spelled = [canonical_label(value) for value in values]
    names = sort_classes(spelled)
    place = {name: i for i, name in enumerate(names)}
    parts = np.full(len(missing), -1)
    parts[~missing] = np.array([place[name] for name in spelled], dtype=np.int64)[codes]
    return names, parts
