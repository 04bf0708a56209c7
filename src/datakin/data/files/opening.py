"""The one place where an address becomes a table: which reader it needs, and what is said of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from datakin._core.addresses import is_url, printable, without_password
from datakin._core.exceptions import DatakinError, repeated
from datakin.data.columns.tables import RawTable, frame_of
from datakin.data.files.addresses import TableFiles, find_table, find_tables, stem
from datakin.data.files.archives import STDIN
from datakin.data.files.arrow_files import read_feather, read_parquet
from datakin.data.files.databases import read_duckdb, read_sqlite
from datakin.data.files.encodings import rank_guesses
from datakin.data.files.formats import CONTAINERS, DATABASES, KINDS, format_of
from datakin.data.files.reading import Read
from datakin.data.files.servers import read_database
from datakin.data.files.text_files import read_text
from datakin.data.files.workbooks import read_workbook
from datakin.data.origin import Origin

# A reader takes the files of a table and returns what it read. To read another kind of file, add
# its reader here, and in `formats` its suffixes and how it begins.
READERS: dict[str, Callable[[Sequence[str], Origin], Read]] = {
    "text": read_text,
    "parquet": read_parquet,
    "feather": read_feather,
    "workbook": read_workbook,
    "sqlite": read_sqlite,
    "duckdb": read_duckdb,
    "database": read_database,
}


def open_table(source: Any, how: Origin | None = None, name: str | None = None) -> RawTable:
    """Return the one table that a path or URL names, or that an object of any library is."""
    if not isinstance(source, (str, os.PathLike)):
        given = frame_of(source)
        return RawTable(printable(name or ""), given, tuple(given.columns))
    found, how = find_table(source), how or Origin()
    read = _read(found, _with_table(found, how))
    name = printable(_name(found, how) if name is None else name)
    return RawTable(name, frame_of(read.table), read.columns, read.notes, found.kept_path)


def open_tables(source: Any, how: Origin) -> list[RawTable]:
    """Return the tables of paths, globs, a mapping of names to tables, or one table.

    With a domain column, the Parquet files of one folder or glob are one table.
    """
    if isinstance(source, Mapping):
        return [open_table(table, how, str(name)) for name, table in source.items()]
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if not isinstance(source, (list, tuple)):
        return [open_table(source, how)]
    if not all(isinstance(path, (str, os.PathLike)) for path in source):
        raise DatakinError("Several tables must come as a mapping of name to table, or as paths.")
    together = how.domain is not None
    tables = find_tables(source, together=together)
    opened = []
    for found, own, name in zip(tables, _options(tables, how), _names(tables, how), strict=True):
        table = open_table(found, own, name)
        if len(found.files) > 1 and not (together and len(source) == 1):
            # Said because each of these files could also be meant as a dataset.
            note = f"{len(found.files)} Parquet files of the folder read as one table"
            table = replace(table, notes=(note, *table.notes))
        opened.append(table)
    notes = rank_guesses([table.notes for table in opened])
    return [replace(table, notes=said) for table, said in zip(opened, notes, strict=True)]


def _options(tables: Sequence[TableFiles], how: Origin) -> list[Origin]:
    """Return the options for each table: query= and table= are for those that take them."""
    if how.query is None and how.table is None:
        return [how] * len(tables)
    kinds = [(found.files[0], _kind_of(found.files[0])[0]) for found in tables]
    by_query = [kind in DATABASES for _, kind in kinds]
    by_name = [_has_tables(path, kind) for path, kind in kinds]
    return [
        replace(
            how,
            query=how.query if takes_query or not any(by_query) else None,
            table=how.table if takes_table or not any(by_name) else None,
        )
        for takes_query, takes_table in zip(by_query, by_name, strict=True)
    ]


def _has_tables(path: str, kind: str) -> bool:
    """Whether there may be several tables at a path."""
    return kind in CONTAINERS or (kind == "text" and path.lower().endswith("zip"))


def _name(found: TableFiles, how: Origin) -> str:
    """Return what results call a table: as its user does, or its own name where the address has it."""
    name = found.table if found.name is None else found.name
    if name is None and found.is_server:
        name = how.table
    return stem(found.path) if name is None else name


def _names(tables: Sequence[TableFiles], how: Origin) -> list[str]:
    """Return the names of tables; the same sheet of two workbooks has the workbook's name, too."""
    names = [_name(found, how) for found in tables]
    twice = set(repeated(names))
    return [
        f"{stem(found.files[0])} {name}"
        if name in twice and found.table is not None and found.name is None
        else name
        for found, name in zip(tables, names, strict=True)
    ]


def _with_table(found: TableFiles, how: Origin) -> Origin:
    """Return the options with the table that stands in the address."""
    if found.table is None:
        return how
    if how.table not in (None, found.table) or how.query is not None:
        # The end of a password may stand behind the # of a server's address.
        first = "one" if found.is_server else repr(found.table)
        place = found.files[0] if found.is_server else found.path
        raise DatakinError(
            f"A table must be named once. Got {first} behind the # of "
            f"{without_password(place)!r}, and {how.table or how.query!r} as an option."
        )
    return replace(how, table=found.table)


def _read(found: TableFiles, how: Origin) -> Read:
    """Read the files of one table, which must have rows; a note says so if they were drawn."""
    path = found.files[0]
    kinds = [_kind_of(file) for file in found.files]  # none of which may be empty
    kind, note = kinds[0]
    _check_options(path, kind, how)
    read = READERS[kind](found.files, how)
    n_read, n_columns = read.table.num_rows, read.table.num_columns
    if not n_columns or not n_read:
        shown = without_password(path)
        raise DatakinError(f"The file {shown!r} has {n_columns} columns and no rows.")
    notes = (note, *read.notes) if note else read.notes
    if n_read < read.n_rows:
        where = "the file" if len(found.files) == 1 else f"{len(found.files)} files"
        drawn = (
            f"{read.n_rows:,} rows in {'the table' if kind in CONTAINERS else where}; {n_read:,} drawn "
            f"at random (read_rows of read_table, --read-rows)"
        )
        notes = (drawn, *notes)
    return read._replace(notes=notes)


def _kind_of(path: str) -> tuple[str, str]:
    if path == STDIN:
        return "text", ""
    if is_url(path) and not os.path.exists(path):
        return "database", ""
    if os.path.isfile(path) and os.path.getsize(path) == 0:
        raise DatakinError(f"The file {path!r} is empty: expected a table with a header line.")
    return format_of(path)


def _check_options(path: str, kind: str, how: Origin) -> None:
    """Refuse the name of a table for what holds only one, and SQL for what is no database."""
    shown = without_password(path)
    if how.query is not None and kind not in DATABASES:
        raise DatakinError(
            f"query= (--query) reads from a database. Got {shown!r}, {KINDS[kind]}; leave it out."
        )
    if how.query is not None and how.table is not None:
        raise DatakinError(
            "Either table= (--table) or query= (--query) says what to read. Got both; leave one out."
        )
    if how.table is not None and not _has_tables(path, kind):
        raise DatakinError(
            f"table= (--table, --sheet) names a table inside a workbook, database or archive. "
            f"Got {how.table!r} for {shown!r}, {KINDS[kind]}; leave it out."
        )
