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

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.columns.labels import as_numbers, canonical_label, is_missing
from datakin.data.columns.tables import RawTable
from datakin.data.correction_options import Place, Recode, Requests, describe_line
from datakin.data.dataset import ColumnFacts
from datakin.data.features import Array
from datakin.data.origin import Origin
from datakin.data.recoding import Recoding, rewrite_dates

if TYPE_CHECKING:
    from datakin.data.drafts import Draft

__all__ = ["convert_numbers", "correct"]

Used = set[tuple[str, ...]]


def correct(tables: Sequence[RawTable], how: Origin) -> list[tuple[RawTable, Origin]]:
    """Rename columns, recode values and rewrite dates; return each table with its own options.

    The options that come back hold only what concerns the table, so that it can be read again alone.
    What matches nothing in any table is refused.
    """
    if not (how.rename or how.recode or how.convert):
        return [(table, how) for table in tables]
    asked = Requests.of(how)
    used: Used = set()
    jobs = [_renamed(table, how, asked, used) for table in tables]
    values = [value for job in jobs for value in job.values]
    asked.check_tables([table.name for table in tables], values)
    found = [_correct_one(job, asked, used) for job in jobs]
    _check_used(asked, used, jobs)
    return found


@dataclass(frozen=True, eq=False)
class _Job:
    """A renamed table and its options, with the values of its domain column as it will be recoded.

    `parts` are the rows of those values that something is asked for.
    """

    table: RawTable
    how: Origin
    parts: Mapping[str, Array]
    values: tuple[str, ...] = ()

    def rows(self, part: str) -> Array:
        """Return the rows that a request for a table or part is about."""
        every = np.ones(len(self.table.frame), bool)
        return every if part in ("", self.table.name) else self.parts.get(part, ~every)

    def where(self, part: str) -> str:
        """Return what notes say of the rows."""
        is_whole = part in ("", self.table.name)
        return "" if is_whole else f" where {self.how.domain!r} is {part!r}"


def _renamed(table: RawTable, how: Origin, asked: Requests, used: Used) -> _Job:
    """Rename columns, and find the rows of each value of the domain column."""
    names = asked.renamed(table.name)
    done = {old: new for old, new in names.items() if old in table.columns and old != new}
    used.update(("rename", old) for old in done)
    how = replace(how, rename=done or None)
    if done:
        columns = tuple(done.get(name, name) for name in table.columns)
        twice = sorted({name for name in columns if columns.count(name) > 1})
        if twice:
            raise DatakinError(
                f"A new name must not be that of another column. {table.name!r} would have two columns "
                f"{twice[0]!r}; rename or ignore the other one, too."
            )
        there = {old: new for old, new in done.items() if old in table.frame.columns}
        notes = (*table.notes, f"renamed: {_arrows(done)}")
        table = replace(table, frame=table.frame.rename(there), columns=columns, notes=notes)
    if how.domain is None or how.domain not in table.frame.columns:
        return _Job(table, how, {})
    series = table.frame[how.domain]
    wanted = _for_whole(asked.recode, table.name, how.domain)
    recoding = Recoding(series)
    if wanted:
        recoding.replace(wanted, np.ones(len(series), bool))
        recoding = Recoding(recoding.recoded())
    values = [canonical_label(value) for value in recoding.distinct]
    spelled = np.array([*values, None], dtype=object)[recoding.places]
    named = {part for part, _ in (*asked.recode, *asked.convert)}
    parts = {value: spelled == value for value in values if value in named}
    return _Job(table, how, parts, tuple(values))


def _arrows(pairs: Mapping[str, str], limit: int = 5) -> str:
    shown = [f"{old!r} to {new!r}" for old, new in list(pairs.items())[:limit]]
    more = f" and {len(pairs) - limit} more" if len(pairs) > limit else ""
    return ", ".join(shown) + more


def _for_whole(wanted: Mapping[Place, Any], name: str, column: str) -> Any:
    """Return what is asked for a column of a table: its own above that for all tables."""
    both = [
        wanted[place] for place in dict.fromkeys([("", column), (name, column)]) if place in wanted
    ]
    if both and isinstance(both[0], Mapping):
        return {old: new for codes in both for old, new in codes.items()}
    return both[-1] if both else None


def _scopes(
    wanted: Mapping[Place, Any], name: str, column: str, parts: Mapping[str, Array], n_rows: int
) -> Iterator[tuple[str, Array, Any]]:
    """Yield what is asked for a column and the rows it is for: parts, then all others."""
    rest = np.ones(n_rows, bool)
    whole = _for_whole(wanted, name, column)
    for part, rows in parts.items():
        if part != name and (part, column) in wanted:
            own = wanted[part, column]
            yield part, rows, {**(whole or {}), **own} if isinstance(own, Mapping) else own
            rest &= ~rows
    if whole is not None and rest.any():
        yield "", rest, whole


def _correct_one(job: _Job, asked: Requests, used: Used) -> tuple[RawTable, Origin]:
    notes: list[str] = []
    recode: dict[Place, Any] = {}
    convert: dict[Place, Any] = {}
    frame, name = job.table.frame, job.table.name
    for column, wanted in _mine(job, "recode", asked.recode, used).items():
        recoding = Recoding(frame[column])
        wanted = {
            place: _there(recoding, codes, job.rows(place[0])) for place, codes in wanted.items()
        }
        used.update(("value", *place, old) for place, codes in wanted.items() for old in codes)
        for part, rows, codes in _scopes(wanted, name, column, job.parts, len(frame)):
            said = recoding.replace(codes, rows)
            notes += [said + job.where(part)] if said else []
        frame = frame.with_columns(recoding.recoded()) if any(wanted.values()) else frame
        recode |= {place: codes for place, codes in wanted.items() if codes}
    for column, wanted in _mine(job, "convert", asked.convert, used).items():
        for part, rows, form in _scopes(wanted, name, column, job.parts, len(frame)):
            if isinstance(form, str):
                frame = frame.with_columns(rewrite_dates(frame[column], form, rows))
                notes.append(f"{column!r} read as dates in the format {form!r}{job.where(part)}")
        convert |= wanted
    how = replace(job.how, recode=_own(recode, name) or None, convert=_own(convert, name) or None)
    return replace(job.table, frame=frame, notes=(*job.table.notes, *notes)), how


def _mine(
    job: _Job, option: str, asked: Mapping[Place, Any], used: Used
) -> dict[str, dict[Place, Any]]:
    """Return what is asked for each column of a table, and remember what found its column."""
    found: dict[str, dict[Place, Any]] = {}
    for place, what in asked.items():
        part, column = place
        if column in job.table.columns and part in ("", job.table.name, *job.parts):
            used.add((option, *place))
            if column in job.table.frame.columns:
                found.setdefault(column, {})[place] = what
            elif isinstance(what, Mapping):  # a column that is not even read
                used.update(("value", *place, old) for old in what)
    return found


def _there(recoding: Recoding, codes: Recode, rows: Array) -> Recode:
    return {old: new for old, new in codes.items() if recoding.find(old, rows).any()}


def _own(found: Mapping[Place, Any], name: str) -> dict[str, Any]:
    """Return what was asked for one table as a user would write it for this table alone."""
    flat: dict[str, Any] = {}
    for part, column in found:
        if part in ("", name):
            flat[column] = _for_whole(found, name, column)
        else:
            flat.setdefault(part, {})[column] = found[part, column]
    return flat


def _check_used(asked: Requests, used: Used, jobs: Sequence[_Job]) -> None:
    """Refuse a correction that found no column, or no value, in any table."""
    known = dict.fromkeys(name for job in jobs for name in job.table.columns)
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
                some = _columns_of(part, jobs) or known
                raise DatakinError(
                    f"{option}: no column{where} is called {column!r}. The columns are "
                    f"{listed(some, limit=12)}.{hint or suggest(column, some)}"
                )
    for (part, column), codes in asked.recode.items():
        for old in codes:
            if ("value", part, column, old) not in used:
                raise _no_such_value(old, column, part, jobs)


def _columns_of(part: str, jobs: Sequence[_Job]) -> dict[str, None]:
    """Return the columns of a table, or of those that have such a part."""
    some = [job for job in jobs if part in ("", job.table.name, *job.parts)]
    return dict.fromkeys(name for job in some for name in job.table.columns)


def _no_such_value(old: str, column: str, part: str, jobs: Sequence[_Job]) -> DatakinError:
    known: dict[str, None] = {}
    for job in jobs:
        if column in job.table.frame.columns and part in ("", job.table.name, *job.parts):
            known |= dict.fromkeys(Recoding(job.table.frame[column]).known(job.rows(part)))
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
    asked = Requests.of(how).convert
    parts = _parts_of(draft, asked)
    for column in dict.fromkeys(column for _, column in asked):
        for part, rows, line in _scopes(asked, draft.name, column, parts, features.n_rows):
            if isinstance(line, str):  # dates, which were rewritten
                continue
            if column == how.label:
                labels = _converted_labels(labels, rows, line, draft)
            elif column in features.numeric_names:
                j = features.numeric_names.index(column)
                numeric[rows, j] = _on_line(numeric[rows, j], line)
            elif column in features.category_names:
                levels = features.levels[features.category_names.index(column)]
                raise _not_numbers(column, draft, levels)
            elif column in how.beside:
                raise DatakinError(f"convert is for features and the label. Got {column!r}.")
            else:  # an ignored column
                continue
            known = facts.get(column, ColumnFacts("number"))
            where = f" where {how.domain!r} is {part!r}" if part else ""
            said = filter(None, [known.converted, f"converted: {describe_line(*line)}{where}"])
            # What was asked is answered.
            doubt = "" if "--convert" in known.doubt else known.doubt
            facts[column] = replace(known, converted="; ".join(said), doubt=doubt)
    features = replace(features, numeric=numeric)
    return replace(draft, features=features, labels=labels, facts=facts)


def _parts_of(draft: Draft, asked: Mapping[Place, Any]) -> dict[str, Array]:
    """Return the rows of the values of the domain column that something is asked for."""
    if draft.domains is None:
        return {}
    spelled = np.array([canonical_label(v) for v in draft.domains], dtype=object)
    return {part: spelled == part for part, _ in asked if part}


def _converted_labels(labels: Array, rows: Array, line: tuple[float, float], draft: Draft) -> Array:
    missing = is_missing(labels)
    numbers = as_numbers(labels[~missing])
    if numbers is None:
        raise _not_numbers(draft.how.label, draft, sorted({str(v) for v in labels[~missing]}))
    made = np.full(len(labels), np.nan)
    made[~missing] = numbers
    made[rows] = _on_line(made[rows], line)
    return made


@np.errstate(over="ignore", invalid="ignore")
def _on_line(numbers: Array, line: tuple[float, float]) -> Array:
    """Return converted numbers; what becomes infinite is refused later, with its column."""
    converted: Array = line[0] * numbers + line[1]
    return converted


def _not_numbers(name: str, draft: Draft, levels: Sequence[str]) -> DatakinError:
    return DatakinError(
        f"A column must hold numbers to be converted. {name!r} of {draft.title} holds text "
        f"({listed(levels, limit=3)}); recode what is no number (recode=, --recode), or for dates give "
        f"their format: convert={{{name!r}: '%d/%m/%Y'}} (--convert {name}=%d/%m/%Y)."
    )
