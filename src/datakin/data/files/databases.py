"""Tables of SQLite and DuckDB files -> pyarrow tables, and what all readers of databases share.

Everything is opened to be read only; nothing in the folder of a file is changed, or left there. Rows
are streamed and drawn, so that memory is bounded.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from datakin._core.addresses import without_password
from datakin._core.exceptions import DatakinError, listed, require, suggest
from datakin.data.files.arrow_columns import converted, plain_type, table_of
from datakin.data.files.reading import DrawnRows, Read, check_file_columns, draw_rows, first_line
from datakin.data.origin import Origin

BATCH = 10_000  # rows fetched together
WITH_LOG = b"\2\2"  # bytes 18 and 19 of a SQLite file whose changes go to a log first
UNSETTLED = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PROTOCOL")
READING = {
    *(sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ),
    *(sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE),
}


def choose_table(wanted: str | None, known: Sequence[str], where: str, usual: str = "") -> str:
    """Return the name of the table that is wanted, or of the only one that is there.

    `known` are tables and views by the names to type; `where` is what messages call the database, and
    `usual` what may be typed before a name without a schema, such as "main.".
    """
    if wanted is None:
        if len(known) == 1:
            return known[0]
        if not known:
            raise DatakinError(f"{where} holds no table.")
        raise DatakinError(
            f"{where} holds {len(known)} tables: {listed(known, limit=12)}. Say which, with "
            f"table={known[0]!r} (--table {shlex.quote(known[0])}) or with '#{known[0]}' behind the "
            f"address; or say what to read, with query= (--query)."
        )
    if wanted in known:
        return wanted
    lower = {name.lower(): name for name in known}
    found = lower.get(wanted.lower()) or lower.get(wanted.lower().removeprefix(usual))
    if found is None:
        there = f"It holds {listed(known, limit=12)}." if known else "It holds no table."
        raise DatakinError(f"{where} has no table {wanted!r}. {there}{suggest(wanted, known)}")
    return found


def rows_read(names: list[str], batches: Any, path: str, how: Origin) -> Read:
    """Draw rows of batches as they pass."""
    check_file_columns(names, without_password(path))
    rows, n_rows = draw_rows(batches, how.read_rows)
    return Read(table_of(rows, names, how.unread), n_rows, tuple(names))


@contextmanager
def _sentences(where: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn what a driver raises into a sentence."""
    try:
        yield
    except DatakinError:
        raise
    except kinds as error:
        text = without_password(" ".join(str(error).split()))
        raise DatakinError(f"{where} could not be read: {first_line(Exception(text))}.") from None


def _only_one(query: str, what: str) -> DatakinError:
    """Return the error of a query that is something else than one SELECT."""
    return DatakinError(
        f"query= (--query) must be one SELECT statement: it can only read. Got {what}: {query[:80]!r}."
    )


def _quoted(name: str) -> str:
    """Return a name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def read_sqlite(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a SQLite file."""
    path = files[0]
    where = f"The SQLite database {path!r}"
    kinds = (sqlite3.Error, sqlite3.Warning, OSError, UnicodeDecodeError)
    with _sentences(where, *kinds), _opened_sqlite(path, where) as connection:
        if how.query is not None:
            cursor = _run(connection, how.query)
        else:
            cursor = connection.execute(f"SELECT * FROM {_sqlite_table(connection, how, where)}")
        names = [str(about[0]) for about in cursor.description]
        batches = iter(lambda: cursor.fetchmany(BATCH), [])
        return rows_read(names, batches, path, how)


def _run(connection: sqlite3.Connection, query: str) -> sqlite3.Cursor:
    """Run what must be one statement that reads."""
    try:
        cursor = connection.execute(query)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if "one statement" in str(error):
            raise _only_one(query, "several") from None
        if "authoriz" in str(error):
            raise _only_one(query, "something else") from None
        raise
    if cursor.description is None:
        raise _only_one(query, "none")
    return cursor


def _sqlite_table(connection: sqlite3.Connection, how: Origin, where: str) -> str:
    """Return the quoted name of a table or view."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
    )
    wanted = None if how.table is None else how.table.removeprefix("main.")
    return _quoted(choose_table(wanted, [str(name) for (name,) in found], where))


@contextmanager
def _opened_sqlite(path: str, where: str) -> Iterator[sqlite3.Connection]:
    """Open a file for reading alone; nothing beside it is made or changed.

    A file with a log (WAL) is read together with it while others have it open. If its log is empty,
    the file says everything and is read as one that stays as it is: otherwise SQLite would make a
    new log, and leave it there.
    """
    path = os.path.realpath(path)  # the log lies beside the file, not beside a link to it
    log = os.path.getsize(f"{path}-wal") if os.path.exists(f"{path}-wal") else 0
    if log and not os.path.exists(f"{path}-shm"):
        raise _in_use(where)
    with open(path, "rb") as file:
        stays = file.read(20)[18:] == WITH_LOG and not log
    before = os.stat(path)
    place = f"file:{quote(os.fsencode(path))}?mode=ro"
    try:
        with closing(sqlite3.connect(place + "&immutable=1" * stays, uri=True)) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.set_authorizer(_authorized)
            yield connection
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "").startswith(UNSETTLED):
            raise _in_use(where) from None
        raise
    after = os.stat(path)
    if stays and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _in_use(where)


def _authorized(action: int, first: str | None, *others: str | None) -> int:
    """Allow what reads; tables of extensions, such as full text, name two things more."""
    allowed = (
        action in READING
        or (action == sqlite3.SQLITE_UPDATE and first in ("sqlite_master", "sqlite_schema"))
        or (action == sqlite3.SQLITE_PRAGMA and (first, others[0]) == ("data_version", None))
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _in_use(where: str) -> DatakinError:
    return DatakinError(
        f"{where} must hold settled data. It is being written to, or a program left it half written; "
        f"wait for that program to end, or open and close the file once with sqlite3."
    )


def read_duckdb(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a DuckDB file."""
    duckdb = require("duckdb", "duckdb", "Reading a DuckDB file")
    path = files[0]
    where = f"The DuckDB database {path!r}"
    kinds = (duckdb.Error, RuntimeError, OSError, ValueError, UnicodeError)
    with _sentences(where, *kinds), _opened_duckdb(duckdb, path) as connection:
        if how.query is not None:
            statement = _select(duckdb, connection, how.query)
        else:
            statement = f"SELECT * FROM {_duckdb_table(connection, how.table, where)}"
        relation = connection.sql(statement)
        names = tuple(relation.columns)
        check_file_columns(names, path)
        typed = zip(names, relation.types, strict=True)
        wanted = [_duckdb_column(name, kind) for name, kind in typed if name not in how.unread]
        relation = relation.project(", ".join(wanted))
        newer = getattr(relation, "to_arrow_reader", None)
        reader = (newer or relation.fetch_arrow_reader)(BATCH)
        drawn = DrawnRows(how.read_rows)
        for batch in reader:
            drawn.add(batch)
        return Read(_plain(drawn.table(reader.schema)), drawn.n_rows, names)


@contextmanager
def _opened_duckdb(duckdb: Any, path: str) -> Iterator[Any]:
    """Open a file for reading alone: no other files, no network, no extensions."""
    settings = {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "lock_configuration": "true",
    }
    # What does not fit into memory would otherwise lie beside the file.
    with tempfile.TemporaryDirectory(prefix="datakin-") as folder:
        settings["temp_directory"] = os.path.join(folder, "duckdb")
        place = os.path.abspath(path)
        with closing(duckdb.connect(place, read_only=True, config=settings)) as connection:
            yield connection


def _select(duckdb: Any, connection: Any, query: str) -> Any:
    """Return a query as the one statement that it must be; DuckDB itself says what stands there.

    To read only is not enough: COPY ... TO may still write over the very file.
    """
    found = connection.extract_statements(query)
    if len(found) != 1 or found[0].type != duckdb.StatementType.SELECT:
        kinds = ", ".join(statement.type.name for statement in found)
        raise _only_one(query, kinds or "none")
    return found[0]


def _duckdb_column(name: str, kind: Any) -> str:
    """Return how to select a column; times of day with a zone as text, or the zone is lost."""
    column = _quoted(name)
    has_zone = str(kind) == "TIME WITH TIME ZONE"
    return f"CAST({column} AS VARCHAR) AS {column}" if has_zone else column


def _duckdb_table(connection: Any, wanted: str | None, where: str) -> str:
    """Return the quoted name of a table or view."""
    found = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database() ORDER BY ALL"
    ).fetchall()
    names = {
        name if schema == "main" else f"{schema}.{name}": f"{_quoted(schema)}.{_quoted(name)}"
        for schema, name in found
    }
    return names[choose_table(wanted, list(names), where, "main.")]


def _plain(table: Any) -> Any:
    """Return the table with types that every later step knows; times of day are text, as in CSV."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = pa.string() if pa.types.is_time(column.type) else plain_type(column.type)
        columns[name] = pa.chunked_array([converted(c, kind) for c in column.chunks], type=kind)
    return pa.table(columns)
