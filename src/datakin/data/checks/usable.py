"""The columns of a table that can be used, and why the others cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from datakin._core.exceptions import MINOR, DatakinError, Note, listed
from datakin.data.checks.suspicions import LEFT_OUT, keep_option
from datakin.data.columns.series import check_finite
from datakin.data.features import MISSING, Array, Features

EMPTY = "no value"  # why a column is not used
CONSTANT = "constant"


def usable_features(features: Features, title: str) -> tuple[Features, dict[str, str]]:
    """Return the columns that have values and vary, and why the others are not used."""
    numeric, codes = features.numeric, features.codes
    is_finite = features.is_sparse or bool(np.isfinite(numeric).all())
    for name, values in () if is_finite else zip(features.numeric_names, numeric.T, strict=True):
        check_finite(name, values, f" in {title}")
    empty = np.zeros(numeric.shape[1], bool) if is_finite else np.isnan(numeric).all(axis=0)
    missing = np.concatenate([empty, (codes == MISSING).all(axis=0)])
    # A number that is missing equals nothing, so that its column is not constant.
    constant = np.concatenate([_is_constant(block) for block in (numeric, codes)]) & ~missing
    used, names = ~(missing | constant), np.array(features.names, dtype=object)
    unused = dict.fromkeys(names[missing], EMPTY) | dict.fromkeys(names[constant], CONSTANT)
    if not used.any():
        raise _nothing_varies(
            title, f"{int(missing.sum())} without any value and {int(constant.sum())} constant"
        )
    if unused:
        features = _selected(features, list(names[used]))
    return (_with_used_levels(features) if features.levels else features), unused


def _is_constant(block: Any) -> Array:
    """Whether each column has one value in all rows."""
    if isinstance(block, np.ndarray):
        return np.asarray((block == block[0]).all(axis=0))
    return np.ravel((block.min(axis=0) - block.max(axis=0)).toarray() == 0)


def _selected(features: Features, names: list[str]) -> Features:
    features = features.select(names)
    if features.is_sparse:
        return features
    # Indexing by column may turn the order in memory, on which last bits depend.
    return replace(features, numeric=np.ascontiguousarray(features.numeric))


def without_odd(features: Features, odd: Mapping[str, str], title: str) -> Features:
    """Return the features without odd columns, of which it is known why; refuse if none remains."""
    used = [name for name in features.names if name not in odd]
    if not used:
        reasons = " or ".join(LEFT_OUT[why] for why in dict.fromkeys(odd.values()))
        raise _nothing_varies(
            title,
            f"none but {listed(odd)}, which {reasons}; to use them say {keep_option(list(odd))}",
        )
    return features if len(used) == len(features.names) else _selected(features, used)


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


def notes_of_unused(unused: Mapping[str, str]) -> list[str]:
    """Return notes on columns that are empty or constant."""
    notes: list[str] = []
    for why, what in ((EMPTY, "column(s) without any value"), (CONSTANT, "constant column(s)")):
        names = [name for name, reason in unused.items() if reason == why]
        if names:
            notes.append(Note(f"{what} dropped: {listed(names)}", MINOR))
    return notes


def _nothing_varies(title: str, got: str) -> DatakinError:
    # Not str.capitalize, which would write the rest, and with it the name, in small letters.
    title = title[0].upper() + title[1:]
    return DatakinError(f"{title} must have a column that varies beside the label. Got {got}.")
