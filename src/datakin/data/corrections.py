"""Corrections that a user asks for: other names of columns, other codes, other units.

Columns are renamed first, so that all other options use the new names. Then values are recoded, and
dates in a format of their own are rewritten. Numbers are converted last, when the columns have been
read. What is asked for one table, or for one value of the domain column, overrides what is asked for
all. Nothing that a user types is ever run as code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from datakin._core.exceptions import DatakinError, first_of, listed, repeated, suggest
from datakin.data.columns.labels import as_numbers, canonical_label, is_missing
from datakin.data.columns.tables import RawTable
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array
from datakin.data.origin import Origin
from datakin.data.recoding import Place, Recoding, describe_line, for_parts, iso_dates, requests_of

if TYPE_CHECKING:
    from datakin.data.drafts import Draft

SHOWN = 5  # new names in a note
Requests = Mapping[str, Mapping[Place, Any]]  # what each option asks for


def correct(tables: Sequence[RawTable], how: Origin) -> list[tuple[RawTable, Origin]]:
    """Rename columns, recode values and rewrite dates; return each table with its own options.

    The options that come back hold only what concerns the table, so that it can be read again alone.
    What matches nothing in any table is refused.
    """
    if not (how.rename or how.recode or how.convert):
        return [(table, how) for table in tables]
    asked = requests_of(how)
    jobs = [_renamed(table, how, asked) for table in tables]
    _check_tables(asked, [table.name for table in tables], [v for job in jobs for v in job.values])
    seen: set[tuple[Place, str]] = set()
    found = [_correct_one(job, asked, seen) for job in jobs]
    _check_used(asked, seen, jobs)
    return found


@dataclass(frozen=True, eq=False)
class _Job:
    """A renamed table and its options, with the values of its domain column as it will be recoded.

    `parts` are the rows that something may be asked for: all of them, under "" and the name of the
    table, and those of such values.
    """

    table: RawTable
    how: Origin
    parts: Mapping[str, Array]
    values: tuple[str, ...] = ()

    def of(self, asked: Mapping[Place, Any]) -> dict[str, dict[Place, Any]]:
        """Return what is asked for each column of the table that is read."""
        found: dict[str, dict[Place, Any]] = {}
        for (part, column), what in asked.items():
            if column in self.table.frame.columns and part in self.parts:
                found.setdefault(column, {})[part, column] = what
        return found


def _check_tables(asked: Requests, names: Sequence[str], values: Sequence[str]) -> None:
    """Refuse the name of a table that is not there; a value of the domain column is one, too."""
    for option, wanted in asked.items():
        known = names if option == "rename" else [*names, *values]
        for part in (part for part, _ in wanted if part and part not in known):
            if option == "rename" and part in values:
                raise DatakinError(
                    f"rename is for whole tables. {part!r} is a value of the domain column, whose "
                    f"rows have the same columns as all others: leave it out."
                )
            raise DatakinError(
                f"{option}: no table is called {part!r}. The tables are "
                f"{listed([n for n in known if n]) or 'without names'}.{suggest(part, known)}"
            )


def _renamed(table: RawTable, how: Origin, asked: Requests) -> _Job:
    """Rename columns, and find the rows of each value of the domain column."""
    names = for_parts(asked["rename"], "", table.name)
    done = {old: new for old, new in names.items() if old in table.columns and old != new}
    how = replace(how, rename=done or None)
    if done:
        columns = tuple(done.get(name, name) for name in table.columns)
        if twice := repeated(columns):
            raise DatakinError(
                f"A new name must not be that of another column. {table.name!r} would have two columns "
                f"{twice[0]!r}; rename or ignore the other one, too."
            )
        there = {old: new for old, new in done.items() if old in table.frame.columns}
        shown = first_of([f"{old!r} to {new!r}" for old, new in done.items()], SHOWN)
        notes = (*table.notes, f"renamed: {shown}")
        table = replace(table, frame=table.frame.rename(there), columns=columns, notes=notes)
    every = np.ones(len(table.frame), bool)
    whole = {"": every, table.name: every}
    if how.domain is None or how.domain not in table.frame.columns:
        return _Job(table, how, whole)
    recoding = Recoding(table.frame[how.domain])
    if wanted := for_parts(asked["recode"], "", table.name).get(how.domain):
        recoding.replace(wanted, every)
        recoding = Recoding(recoding.recoded())
    values = [canonical_label(value) for value in recoding.distinct]
    spelled = np.array([*values, None], dtype=object)[recoding.places]
    named = {part for part, _ in (*asked["recode"], *asked["convert"])}
    parts = {value: spelled == value for value in values if value in named}
    return _Job(table, how, parts | whole, tuple(values))


def _scopes(
    wanted: Mapping[Place, Any], name: str, column: str, parts: Mapping[str, Array]
) -> Iterator[tuple[str, Array, Any]]:
    """Yield what is asked for a column and the rows it is for: parts, then all others."""
    rest = parts[""].copy()
    for part, rows in parts.items():
        if part not in ("", name) and (part, column) in wanted:
            yield part, rows, for_parts(wanted, "", name, part)[column]
            rest &= ~rows
    whole = for_parts(wanted, "", name).get(column)
    if whole is not None and rest.any():
        yield "", rest, whole


def _correct_one(
    job: _Job, asked: Requests, seen: set[tuple[Place, str]]
) -> tuple[RawTable, Origin]:
    """Return a table with other values, and its own options; remember which values were seen."""
    notes: list[str] = []
    recode: dict[Place, Any] = {}
    convert: dict[Place, Any] = {}
    frame, name = job.table.frame, job.table.name
    for column, wanted in job.of(asked["recode"]).items():
        recoding = Recoding(frame[column])
        for place, codes in wanted.items():
            rows = job.parts[place[0]]
            recode[place] = {o: new for o, new in codes.items() if recoding.find(o, rows).any()}
            seen.update((place, old) for old in recode[place])
        for part, rows, codes in _scopes(recode, name, column, job.parts):
            if said := recoding.replace(codes, rows):
                notes.append(said + _where(part, job.how))
        if any(recode[place] for place in wanted):
            frame = frame.with_columns(recoding.recoded())
    for column, wanted in job.of(asked["convert"]).items():
        for part, rows, form in _scopes(wanted, name, column, job.parts):
            if isinstance(form, str):
                frame = frame.with_columns(iso_dates(frame[column], form, rows))
                where = _where(part, job.how)
                notes.append(f"{column!r} read as dates in the format {form!r}{where}")
        convert |= wanted
    recode = {place: codes for place, codes in recode.items() if codes}
    how = replace(job.how, recode=_own(recode, name) or None, convert=_own(convert, name) or None)
    return replace(job.table, frame=frame, notes=(*job.table.notes, *notes)), how


def _where(part: str, how: Origin) -> str:
    """Return what notes say of the rows that a correction is about."""
    return f" where {how.domain!r} is {part!r}" if part else ""


def _own(found: Mapping[Place, Any], name: str) -> dict[str, Any]:
    """Return what was asked for one table as a user would write it for this table alone."""
    flat = for_parts(found, "", name)
    for (part, column), what in found.items():
        if part not in ("", name):
            flat.setdefault(part, {})[column] = what
    return flat


def _check_used(asked: Requests, seen: set[tuple[Place, str]], jobs: Sequence[_Job]) -> None:
    """Refuse a correction that found no column, or no value, in any table."""
    known = _columns_of("", jobs)
    before = {old for _, old in asked["rename"]}
    for option, wanted in asked.items():
        for (part, column), new in wanted.items():
            is_old = option == "rename"  # by now it has its new name
            there = known if is_old else _columns_of(part, jobs)
            if (new if is_old else column) not in there:
                where = f" of {part!r}" if part and not is_old else ""
                renamed = not is_old and column in before
                hint = " It was renamed: give its new name." if renamed else ""
                some = there or known
                raise DatakinError(
                    f"{option}: no column{where} is called {column!r}. The columns are "
                    f"{listed(some, limit=12)}.{hint or suggest(column, some)}"
                )
    for place, codes in asked["recode"].items():
        part, column = place
        tables = [job for job in jobs if part in job.parts and column in job.table.columns]
        is_read = all(column in job.table.frame.columns for job in tables)
        for old in codes if is_read else ():
            if (place, old) not in seen:
                raise _no_such_value(old, column, part, tables)


def _columns_of(part: str, jobs: Sequence[_Job]) -> dict[str, None]:
    """Return the columns of a table, or of those that have such a part."""
    return dict.fromkeys(name for job in jobs if part in job.parts for name in job.table.columns)


def _no_such_value(old: str, column: str, part: str, jobs: Sequence[_Job]) -> DatakinError:
    values = (Recoding(job.table.frame[column]).known(job.parts[part]) for job in jobs)
    known = dict.fromkeys(value for some in values for value in some)
    where = f" of {part!r}" if part else ""
    has = f" It has {listed(known, limit=8)}." if known else ""
    return DatakinError(
        f"recode: {column!r}{where} has no value {old!r}.{has}{suggest(old, known)}"
    )


def convert_numbers(draft: Draft) -> Draft:
    """Return a draft with columns in other units, of which their facts tell."""
    how, features = draft.how, draft.features
    numeric, labels = features.numeric.copy(), draft.labels
    facts = dict(draft.facts)
    asked = requests_of(how)["convert"]
    parts = {"": np.ones(features.n_rows, bool)}
    if draft.domains is not None:
        spelled = np.array([canonical_label(v) for v in draft.domains], dtype=object)
        parts |= {part: spelled == part for part, _ in asked if part}
    for column in dict.fromkeys(column for _, column in asked):
        for part, rows, line in _scopes(asked, draft.name, column, parts):
            if isinstance(line, str):  # dates, which were rewritten
                continue
            if column == how.label:
                labels = _converted_labels(labels, rows, line, draft)
            elif column in features.numeric_names:
                j = features.numeric_names.index(column)
                numeric[rows, j] = on_line(numeric[rows, j], line)
            elif column in features.category_names:
                raise _not_numbers(column, draft, features.column(column)[1] or ())
            elif column in how.beside:
                raise DatakinError(f"convert is for features and the label. Got {column!r}.")
            else:  # an ignored column
                continue
            known = facts.get(column, ColumnFacts("number"))
            done = f"converted: {describe_line(*line)}{_where(part, how)}"
            said = filter(None, [known.converted, done])
            # What was asked is answered.
            doubt = "" if "--convert" in known.doubt else known.doubt
            facts[column] = replace(known, converted="; ".join(said), doubt=doubt)
    features = replace(features, numeric=numeric)
    return replace(draft, features=features, labels=labels, facts=facts)


def _converted_labels(labels: Array, rows: Array, line: tuple[float, float], draft: Draft) -> Array:
    missing = is_missing(labels)
    numbers = as_numbers(np.where(missing, np.nan, labels))
    if numbers is None:
        raise _not_numbers(draft.how.label, draft, sorted({str(v) for v in labels[~missing]}))
    numbers[rows] = on_line(numbers[rows], line)
    return numbers


@np.errstate(over="ignore", invalid="ignore")
def on_line(numbers: Array, line: tuple[float, float] | str | None) -> Array:
    """Return converted numbers, if they are; what becomes infinite is refused later, with its column."""
    if line is None or isinstance(line, str):
        return numbers
    return np.asarray(line[0] * numbers + line[1])


def _not_numbers(name: str, draft: Draft, levels: Sequence[str]) -> DatakinError:
    return DatakinError(
        f"A column must hold numbers to be converted. {name!r} of {draft.title} holds text "
        f"({listed(levels, limit=3)}); recode what is no number (recode=, --recode), or for dates give "
        f"their format: convert={{{name!r}: '%d/%m/%Y'}} (--convert {name}=%d/%m/%Y)."
    )
