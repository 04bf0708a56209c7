"""Columns that cannot or should not be learned from, as far as one table can tell.

Empty and constant columns are left out, and so are row ids and copies of the label unless the user keeps
them. What may give the label away, but may as well be an honest predictor, is only named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from datakin._core.exceptions import MINOR, SERIOUS, DatakinError, Note, first_of, listed
from datakin._core.typed_options import for_table, name_options
from datakin.data.checks.leaks import COPY, NAMED_LEAK, Labels, leak_of, telling_columns
from datakin.data.checks.names import is_called_id, is_called_key, is_called_number, says_quantity
from datakin.data.columns.series import check_finite
from datakin.data.columns.texts import grouped
from datakin.data.dataset import ColumnFacts
from datakin.data.features import MISSING, Array, Features, is_known

EMPTY = "no value"  # why a column is not used
CONSTANT = "constant"
ROW_ID = "looks like a row id"
CODE = "looks like a code, as it is called an id"
FEW_CODES = "called an id, but used as a number (or is it a code?)"
RISES = "only rises or falls from row to row (a row number, or is the table sorted by it?)"
COUNTS = "counts the rows of each dataset (a row number?)"
LEFT_OUT = {  # why a column is left out, and how a note says it of several
    ROW_ID: "look like row ids",
    CODE: "look like codes, as they are called ids",
    COPY: "look like copies of the label",
    NAMED_LEAK: "tell the label of some rows and are named like it",
}
MAY_IGNORE = (FEW_CODES, RISES, COUNTS)  # doubts whose note says how to leave a column out
UNIQUE = 0.9  # share of different values from which a text is a name or a key
OFTEN = 0.5  # the same for a column that is called an id
LONG = 50  # rows from which numbers that only rise are no chance
SHOWN = 5  # things named in one note
PART = 20  # rows that an id needs, and each part of a table in which one is looked for
MANY = 10  # numbers of a column that is called an id from which they are codes


def notes_of_odd(odd: Mapping[str, str]) -> list[str]:
    """Return a note for each kind of odd column, first on what is left out."""
    out: list[str] = []
    named: list[str] = []
    for why, names in grouped(odd, odd.__getitem__).items():
        if why in LEFT_OUT:
            text = f"left out, {LEFT_OUT[why]}: {listed(names)}"
            out.append(Note(f"{text} (to learn from them: {keep_option(names)})", SERIOUS))
        else:
            ignored = " / ".join(name_options("ignore", names))
            how = f" (to leave out: {ignored})" if why in MAY_IGNORE else ""
            named.append(Note(f"{why}: {listed(names)}{how}", SERIOUS))
    return out + named


def keep_option(names: list[str]) -> str:
    """Return what brings columns back, in Python and on the command line."""
    return " / ".join(name_options("keep", names))


def facts_of_one(facts: Mapping[str, ColumnFacts], table: str) -> dict[str, ColumnFacts]:
    """Return what is known of the columns of one of several tables: corrections name the table.

    Examples
    --------
    >>> doubt = "text: say convert={'seen': '%d/%m/%y'} (--convert seen=%d/%m/%y)"
    >>> facts_of_one({"seen": ColumnFacts("category", doubt=doubt)}, "icu")["seen"].doubt
    "text: say convert={'icu': {'seen': '%d/%m/%y'}} (--convert icu::seen=%d/%m/%y)"
    """
    return {name: replace(fact, doubt=for_table(fact.doubt, table)) for name, fact in facts.items()}


def notes_of_facts(facts: Mapping[str, ColumnFacts]) -> list[str]:
    """Return notes on what was converted while columns were read, one for each kind of thing.

    Examples
    --------
    >>> notes_of_facts(
    ...     {"bp": ColumnFacts("number", {".": 3}), "age": ColumnFacts("number", {"-": 1})}
    ... )
    ["read as missing: '.' in 'bp' (3), '-' in 'age' (1)"]
    """
    notes: list[str] = []
    doubts = {name: fact.doubt for name, fact in facts.items() if fact.doubt}
    if doubts:
        some = [
            f"{listed(names)}: {doubt}"
            for doubt, names in grouped(doubts, doubts.__getitem__).items()
        ]
        notes.append(Note(f"look twice at {first_of(some, SHOWN, '; ')}", SERIOUS))
    blanks = [
        f"{word!r} in {name!r} ({count})"
        for name, fact in facts.items()
        for word, count in fact.blanks.items()
    ]
    if blanks:
        notes.append(Note(f"read as missing: {first_of(blanks, SHOWN)}"))
    converted = {name: fact.converted for name, fact in facts.items() if fact.converted}
    for what, names in grouped(converted, converted.__getitem__).items():
        notes.append(Note(f"{what}: {listed(names)}"))
    return notes


def find_suspicions(
    features: Features,
    labels: Labels,
    facts: Mapping[str, ColumnFacts],
    *,
    keep: frozenset[str] = frozenset(),
    parts: Array | None = None,
) -> dict[str, str]:
    """Look at every column of a table but those to keep, and return what those that are odd look like.

    `parts` has a code for each row that tells the datasets apart into which the table will be split: a
    row number may start again in each.
    """
    found: dict[str, str] = {}
    long = [] if parts is None else _long_parts(parts)
    columns = telling_columns(features, labels) if features.is_sparse else features.columns()
    for name, values in columns:
        if name in keep:
            continue
        is_date = name in facts and facts[name].kind == "date"
        reasons = (
            _row_id_of(values, name, is_date, long),
            leak_of(values, name, labels, features.names),
            _code_of(values, name),
            RISES if not is_date and _only_rises(values, name) else None,
        )
        said = [why for why in reasons if why is not None]
        if said:  # what leaves a column out goes before what is only odd
            found[name] = next((why for why in said if why in LEFT_OUT), said[0])
    return found


def is_id(values: Array, name: str, *, is_date: bool = False) -> bool:
    """Whether a column tells rows apart and nothing else, in whatever order they are.

    That is text with hardly a value twice; or whole numbers that are called an id, most of them
    different; or, all of them different, that are called a number or come in steps of one. A date is
    never one, nor is a time or a quantity in steps of one.
    """
    is_number = values.dtype.kind == "f"
    if is_number and is_date:
        return False
    if is_number and not is_called_id(name):
        if is_called_number(name):
            return _are_different(values[is_known(values)])
        if says_quantity(name) or not _are_different(values):
            return False
        return bool(values.max() / 2 - values.min() / 2 == (len(values) - 1) / 2)  # no overflow
    known = values[is_known(values)]
    if len(known) < PART or (is_number and np.any(known != np.round(known))):
        return False
    return len(np.unique(known)) >= (OFTEN if is_called_key(name) else UNIQUE) * len(known)


def _are_different(values: Array) -> bool:
    """Whether no number stands twice, is missing or has a fraction; enough rows to tell."""
    for some in (values[:100], values):  # the first rows settle it for most columns
        if np.any(some != np.round(some)) or len(np.unique(some)) < len(some):
            return False
    return len(values) >= PART


def _long_parts(parts: Array) -> list[Array]:
    """Return the rows of each part that has enough of them."""
    order = np.argsort(parts, kind="stable")
    cuts = np.flatnonzero(np.diff(parts[order])) + 1
    return [rows for rows in np.split(order, cuts) if len(rows) >= PART]


def _row_id_of(values: Array, name: str, is_date: bool, parts: Sequence[Array]) -> str | None:
    """Say so if a column tells rows apart, or a number those of every part."""
    if is_id(values, name, is_date=is_date):
        return ROW_ID
    is_number = bool(parts) and values.dtype.kind == "f"
    if not is_number or not all(is_id(values[rows], name, is_date=is_date) for rows in parts):
        return None
    return ROW_ID if is_called_key(name) else COUNTS


def _code_of(values: Array, name: str) -> str | None:
    """Say so if whole numbers are called an id, as a hospital's number is in each of its rows.

    A few of them may be grades of something that is called so by chance.
    """
    if values.dtype.kind != "f" or not is_called_id(name):
        return None
    known = values[is_known(values)]
    n_different = len(np.unique(known))
    if n_different < 3 or np.any(known != np.round(known)):
        return None
    return CODE if n_different >= MANY else FEW_CODES


def _only_rises(values: Array, name: str) -> bool:
    """Whether whole numbers rise from row to row, or fall, and are not called a time or a quantity."""
    if values.dtype.kind != "f" or len(values) < LONG or says_quantity(name):
        return False
    compare = np.greater if values[0] < values[1] else np.less
    for some in (values[:LONG], values):  # the first rows settle it for most columns
        if not np.all(compare(some[1:], some[:-1])) or np.any(some != np.round(some)):
            return False
    return True


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
