"""Corrections that a user asks for: other names of columns, other codes, other units.

Columns are renamed first, so that all other options use the new names. Then values are recoded, and
dates in a format of their own are rewritten. Numbers are converted last, when the columns have been
read. Nothing that a user types is ever run as code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.columns.labels import as_numbers, canonical_label, is_missing, sort_classes
from datakin.data.columns.tables import RawTable
from datakin.data.columns.texts import BLANKS, SOFT_BLANKS
from datakin.data.correction_options import Recode, Requests, as_text, describe_line
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array
from datakin.data.origin import Origin

if TYPE_CHECKING:
    import narwhals as nw

    from datakin.data.drafts import Draft

__all__ = ["convert_numbers", "correct"]


def correct(tables: Sequence[RawTable], how: Origin) -> list[tuple[RawTable, Origin]]:
    """Rename columns, recode values and rewrite dates; return each table with its own options.

    The options that come back hold only what concerns the table, so that it can be read again alone.
    What matches nothing in any table is refused.
    """
    if not (how.rename or how.recode or how.convert):
        return [(table, how) for table in tables]
    asked = Requests.of(how)
    values = _domain_values(tables, how, asked)
    asked.check_tables([table.name for table in tables], values)
    used: set[tuple[str, ...]] = set()
    found = [_correct_one(table, how, asked, used) for table in tables]
    _check_used(asked, used, [table for table, _ in found])
    return found


def _domain_values(tables: Sequence[RawTable], how: Origin, asked: Requests) -> list[str]:
    """Return the values of the domain column, which name tables too, if they are needed."""
    if how.domain is None or len(tables) != 1:
        return []
    names = asked.renamed(tables[0].name)
    old = next((o for o, new in names.items() if new == how.domain), how.domain)
    if old not in tables[0].frame.columns:
        return []
    found = {canonical_label(v) for v in tables[0].frame[old].unique().to_list() if v is not None}
    recoded = asked.recode.get(("", how.domain), {})
    return sorted(found | {as_text(new) for new in recoded.values() if new is not None})


def _correct_one(
    table: RawTable, how: Origin, asked: Requests, used: set[tuple[str, ...]]
) -> tuple[RawTable, Origin]:
    names = asked.renamed(table.name)
    table, done = _renamed(table, names)
    used.update(("rename", old) for old in done)
    mine = replace(how, rename=done or None)
    recoded = _apply(table, how, asked.recode, _recode_column, used, "recode")
    dates = {key: form for key, form in asked.convert.items() if isinstance(form, str)}
    dated = _apply(recoded[0], how, dates, _rewrite_dates, used, "convert")
    numbers = {
        key: line
        for key, line in asked.convert.items()
        if key not in dates and key[0] in ("", table.name, *_values(dated[0], how))
        and key[1] in table.columns
    }  # fmt: skip
    used.update(("convert", *key) for key in numbers)
    mine = replace(
        mine,
        recode=_own(recoded[1], table.name) or None,
        convert=_own(dated[1] | numbers, table.name) or None,
    )
    return dated[0], mine


def _own(found: Mapping[tuple[str, str], Any], name: str) -> dict[str, Any]:
    """Return what was asked for one table as a user would write it for this table alone."""
    flat: dict[str, Any] = {}
    for (part, column), what in found.items():
        if part in ("", name):
            old = flat.get(column)
            flat[column] = {**old, **what} if isinstance(old, Mapping) else what
        else:
            flat.setdefault(part, {})[column] = what
    return flat


def _renamed(table: RawTable, names: Mapping[str, str]) -> tuple[RawTable, dict[str, str]]:
    """Return the table with new names of its columns, and those that were there to rename."""
    done = {old: new for old, new in names.items() if old in table.columns and old != new}
    if not done:
        return table, {}
    columns = tuple(done.get(name, name) for name in table.columns)
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise DatakinError(
            f"A new name must not be that of another column. {table.name!r} would have two columns "
            f"{twice[0]!r}; rename or ignore the other one, too."
        )
    there = {old: new for old, new in done.items() if old in table.frame.columns}
    note = "renamed: " + _arrows(done)
    frame = table.frame.rename(there)
    return replace(table, frame=frame, columns=columns, notes=(*table.notes, note)), done


def _arrows(pairs: Mapping[str, str], limit: int = 5) -> str:
    shown = [f"{old!r} to {new!r}" for old, new in list(pairs.items())[:limit]]
    more = f" and {len(pairs) - limit} more" if len(pairs) > limit else ""
    return ", ".join(shown) + more


Change = Callable[[Any, Any, Array, str], "tuple[Any, str, Any] | None"]


def _apply(
    table: RawTable,
    how: Origin,
    wanted: Mapping[tuple[str, str], Any],
    change: Change,
    used: set[tuple[str, ...]],
    option: str,
) -> tuple[RawTable, dict[tuple[str, str], Any]]:
    """Change columns of the frame, all rows or those of one value of the domain column."""
    done: dict[tuple[str, str], Any] = {}
    notes: list[str] = []
    for (part, column), what in wanted.items():
        is_part = part not in ("", table.name)
        if column not in table.frame.columns or (is_part and part not in _values(table, how)):
            if column in table.columns and not is_part:  # a column that is not even read
                used.update({(option, part, column), *_each(part, column, what)})
            continue
        used.add((option, part, column))
        rows = _rows(table, how, part) if is_part else np.ones(len(table.frame), bool)
        made = change(table.frame[column], what, rows, column)
        if made is not None:
            series, note, kept = made
            table = replace(table, frame=table.frame.with_columns(series))
            done[part, column] = kept
            used.update(_each(part, column, kept))
            notes.append(f"{note}{_where(how, part if is_part else '')}")
    return replace(table, notes=(*table.notes, *notes)), done


def _each(part: str, column: str, codes: Any) -> set[tuple[str, ...]]:
    return {("value", part, column, old) for old in codes} if isinstance(codes, dict) else set()


def _values(table: RawTable, how: Origin) -> set[str]:
    if how.domain is None or how.domain not in table.frame.columns:
        return set()
    return {canonical_label(v) for v in table.frame[how.domain].unique().to_list() if v is not None}


def _rows(table: RawTable, how: Origin, value: str) -> Array:
    assert how.domain is not None
    return np.array(
        [v is not None and canonical_label(v) == value for v in table.frame[how.domain].to_list()]
    )


def _recode_column(
    series: nw.Series[Any], codes: Recode, rows: Array, name: str
) -> tuple[Any, str, Recode] | None:
    """Return a column with new values, what was done, and the codes that were there."""
    values = _objects(series)
    missing = is_missing(values)
    spelled = {v: canonical_label(v) for v in set(values[rows & ~missing])}
    new = {v: codes[text] for v, text in spelled.items() if text in codes}
    if not new:
        return None
    counts: dict[str, int] = {}
    for i in np.flatnonzero(rows & ~missing):
        if values[i] in new:
            counts[spelled[values[i]]] = counts.get(spelled[values[i]], 0) + 1
            values[i] = new[values[i]]
    done = ", ".join(
        f"{old!r} to {'missing' if codes[old] is None else repr(codes[old])} ({n} value{'s' * (n > 1)})"
        for old, n in sorted(counts.items(), key=lambda item: -item[1])[:5]
    )
    kept = {old: codes[old] for old in counts}
    return _series(series, values), f"{name!r} recoded: {done}", kept


def _rewrite_dates(
    series: nw.Series[Any], form: str, rows: Array, name: str
) -> tuple[Any, str, str] | None:
    """Return a column of text with its dates in ISO spelling, which is read as dates later."""
    import narwhals as nw

    if series.dtype in (nw.Date, nw.Datetime):
        raise DatakinError(
            f"Column {name!r} is a column of dates already; leave out convert={{{name!r}: {form!r}}} "
            f"(--convert {name}={form})."
        )
    values = _objects(series)
    wrong: dict[str, None] = {}
    for i in np.flatnonzero(rows & ~is_missing(values)):
        text = canonical_label(values[i])
        if text in BLANKS or text.lower() in SOFT_BLANKS:
            continue
        try:
            values[i] = datetime.strptime(text, form).isoformat()
        except ValueError as error:
            if "bad directive" in str(error) or "stray %" in str(error):
                raise DatakinError(
                    f"The date format of {name!r} must be like '%d/%m/%Y' (%Y year, %m month, %d day). "
                    f"Got {form!r}."
                ) from None
            wrong[text] = None
    if wrong:
        raise DatakinError(
            f"The dates of {name!r} must look like {form!r}. Got {listed(wrong, limit=3)}; correct the "
            f"format, or recode={{{name!r}: {{{next(iter(wrong))!r}: ''}}}} (--recode) for a missing value."
        )
    return _series(series, values), f"{name!r} read as dates in the format {form!r}", form


def _objects(series: nw.Series[Any]) -> Array:
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def _series(old: nw.Series[Any], values: Array) -> nw.Series[Any]:
    """Return new values as numbers if the column had fractions and they are numbers, else as text."""
    import narwhals as nw

    missing = is_missing(values)
    if old.dtype.is_float():
        numbers = as_numbers(np.where(missing, np.nan, values))
        if numbers is not None:
            return nw.new_series(old.name, numbers.tolist(), nw.Float64, backend=old.implementation)
    texts = [
        None if gone else value if isinstance(value, str) else canonical_label(value)
        for value, gone in zip(values, missing, strict=True)
    ]
    return nw.new_series(old.name, texts, nw.String, backend=old.implementation)


def _check_used(asked: Requests, used: set[tuple[str, ...]], tables: list[RawTable]) -> None:
    """Refuse a correction that found no column, or no value, in any table."""
    known = dict.fromkeys(name for table in tables for name in table.columns)
    before = {old for names in asked.rename.values() for old in names}
    for names in asked.rename.values():
        for old, new in names.items():
            if ("rename", old) not in used and new not in known:
                raise DatakinError(
                    f"rename: no column is called {old!r}. The columns are {listed(known, limit=12)}."
                    f"{suggest(old, known)}"
                )
    for option, wanted in (("recode", asked.recode), ("convert", asked.convert)):
        for part, column in wanted:
            if (option, part, column) not in used:
                where = f" of {part!r}" if part else ""
                hint = " It was renamed: give its new name." if column in before else ""
                raise DatakinError(
                    f"{option}: no column{where} is called {column!r}. The columns are "
                    f"{listed(known, limit=12)}.{hint or suggest(column, known)}"
                )
    for (part, column), codes in asked.recode.items():
        for old in codes:
            if ("value", part, column, old) not in used:
                raise _no_such_value(old, column, part, tables)


def _no_such_value(old: str, column: str, part: str, tables: list[RawTable]) -> DatakinError:
    known: dict[str, None] = {}
    for table in tables:
        if column in table.frame.columns and part in ("", table.name):
            values = table.frame[column].unique().to_list()
            known |= dict.fromkeys(canonical_label(v) for v in values if v is not None)
    where = f" of {part!r}" if part else ""
    has = f" It has {listed(sort_classes(known), limit=8)}." if known else ""
    return DatakinError(
        f"recode: {column!r}{where} has no value {old!r}.{has}{suggest(old, known)}"
    )


def convert_numbers(draft: Draft) -> Draft:
    """Return a draft with columns in other units, of which their facts tell."""
    how, features = draft.how, draft.features
    numeric, labels = features.numeric.copy(), draft.labels
    facts = dict(draft.facts)
    for (part, column), (slope, intercept) in Requests.of(how).lines.items():
        rows = np.ones(features.n_rows, bool)
        if part and draft.domains is not None:
            rows = np.array([canonical_label(v) == part for v in draft.domains])
        if column == how.label:
            labels = _converted_labels(labels, rows, slope, intercept, draft)
        elif column in features.numeric_names:
            j = features.numeric_names.index(column)
            numeric[rows, j] = slope * numeric[rows, j] + intercept
        elif column in features.category_names:
            raise _not_numbers(
                column, draft, features.levels[features.category_names.index(column)]
            )
        elif column in (how.group, how.domain):
            raise DatakinError(f"convert is for features and the label. Got {column!r}.")
        else:  # an ignored column
            continue
        known = facts.get(column, ColumnFacts("number"))
        line = f"converted: {describe_line(slope, intercept)}{_where(how, part)}"
        facts[column] = replace(known, converted="; ".join(filter(None, [known.converted, line])))
    features = replace(features, numeric=numeric)
    return replace(draft, features=features, labels=labels, facts=facts)


def _where(how: Origin, part: str) -> str:
    return f" where {how.domain!r} is {part!r}" if part else ""


def _converted_labels(
    labels: Array, rows: Array, slope: float, intercept: float, draft: Draft
) -> Array:
    missing = is_missing(labels)
    numbers = as_numbers(labels[~missing])
    if numbers is None:
        raise _not_numbers(draft.how.label, draft, sorted({str(v) for v in labels[~missing]}))
    made = np.full(len(labels), np.nan)
    made[~missing] = numbers
    made[rows] = slope * made[rows] + intercept
    return made


def _not_numbers(name: str, draft: Draft, levels: Sequence[str]) -> DatakinError:
    return DatakinError(
        f"A column must hold numbers to be converted. {name!r} of {draft.title} holds text "
        f"({listed(levels, limit=3)}); recode what is no number (recode=, --recode), or for dates give "
        f"their format: convert={{{name!r}: '%d/%m/%Y'}} (--convert {name}=%d/%m/%Y)."
    )
