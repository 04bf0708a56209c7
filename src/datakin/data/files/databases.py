"""Tables of SQLite and DuckDB files, and of databases on servers -> pyarrow tables.

Everything is opened to be read only. Rows are streamed and drawn, so that memory is bounded.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import quote

from datakin._core.addresses import secrets_of, without_password, without_secrets
from datakin._core.exceptions import DatakinError, require
from datakin.data.files.arrow_types import converted, plain_type
from datakin.data.files.cells import draw_rows, table_of
from datakin.data.files.queries import choose_table, wrapped
from datakin.data.files.reading import DrawnRows, Read, check_file_columns, first_line
from datakin.data.files.servers import open_server
from datakin.data.origin import Origin

__all__ = ["read_database", "read_duckdb", "read_sqlite"]

BATCH = 10_000  # rows fetched together


def read_sqlite(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a SQLite file."""
    path = files[0]
    where = f"The SQLite database {path!r}"
    with (
        _sentences(where, sqlite3.Error, OSError, UnicodeDecodeError),
        closing(_open_sqlite(path)) as connection,
    ):
        if how.query is not None:
            sql = wrapped(how.query)
        else:
            found = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%' ORDER BY name"
            )
            known = [str(name) for (name,) in found]
            lower = {name.lower(): name for name in known}
            wanted = None if how.table is None else how.table.removeprefix("main.")
            table = choose_table(wanted, known, where, lambda name: lower.get(name.lower()))
            sql = f"SELECT * FROM {_quoted(table)}"
        cursor = connection.execute(sql)
        names = [str(about[0]) for about in cursor.description]
        return _rows_read(names, _fetched(cursor), path, how)


def _open_sqlite(path: str) -> sqlite3.Connection:
    """Open a file for reading; one in a folder that cannot be written to as a file that stays as it is."""
    place = f"file:{quote(os.fsencode(os.path.abspath(path)))}"
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        connection = sqlite3.connect(f"{place}?{mode}", uri=True)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        except sqlite3.OperationalError:
            connection.close()
            if "immutable" in mode:
                raise
        except sqlite3.Error:
            connection.close()
            raise
    raise AssertionError


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _fetched(cursor: Any) -> Iterator[Sequence[Sequence[Any]]]:
    while batch := cursor.fetchmany(BATCH):
        yield batch


def _rows_read(names: list[str], batches: Any, path: str, how: Origin) -> Read:
    check_file_columns(names, without_password(path))
    rows, n_rows = draw_rows(batches, how.read_rows)
    return Read(table_of(rows, names, how.unread), n_rows, tuple(names))


@contextmanager
def _sentences(where: str, *kinds: type[Exception], secrets: Sequence[str] = ()) -> Iterator[None]:
    """Turn what a driver raises into a sentence without passwords."""
    try:
        yield
    except DatakinError:
        raise
    except kinds as error:
        text = without_secrets(" ".join(str(error).split()), secrets)
        raise DatakinError(f"{where} could not be read: {first_line(Exception(text))}.") from None


def read_duckdb(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a DuckDB file."""
    duckdb = require("duckdb", "duckdb", "Reading a DuckDB file")
    path = files[0]
    where = f"The DuckDB database {path!r}"
    # Nothing but the file itself: no other files, no network, no extensions.
    settings = {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "lock_configuration": "true",
    }
    with (
        _sentences(where, duckdb.Error, RuntimeError, OSError, ValueError, UnicodeError),
        closing(
            duckdb.connect(os.path.abspath(path), read_only=True, config=settings)
        ) as connection,
    ):
        if how.query is not None:
            sql = wrapped(how.query)
        else:
            sql = f"SELECT * FROM {_duckdb_table(connection, how.table, where)}"
        relation = connection.sql(sql)
        check_file_columns(relation.columns, path)
        wanted = [_quoted(name) for name in relation.columns if name not in how.unread]
        names = tuple(relation.columns)
        relation = relation.project(", ".join(wanted))
        newer = getattr(relation, "to_arrow_reader", None)
        reader = (newer or relation.fetch_arrow_reader)(BATCH)
        return _batches_read(reader, names, how.read_rows)


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
    longer = {f"main.{name}".lower(): name for name in names} | {n.lower(): n for n in names}
    return names[choose_table(wanted, list(names), where, lambda name: longer.get(name.lower()))]


def _batches_read(reader: Any, names: tuple[str, ...], size: int | None) -> Read:
    """Draw rows of Arrow batches as they pass."""
    drawn = DrawnRows(size)
    for batch in reader:
        drawn.add(batch)
    return Read(_plain(drawn.table(reader.schema)), drawn.n_rows, names)


def _plain(table: Any) -> Any:
    """Return the table with types that every later step knows; times of day are text, as in CSV."""
    import pyarrow as pa

    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = pa.string() if pa.types.is_time(column.type) else plain_type(column.type)
        columns[name] = pa.chunked_array([converted(c, kind) for c in column.chunks], type=kind)
    return pa.table(columns)


def read_database(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a database on a server, in one transaction that only reads."""
    url = files[0]
    secrets = secrets_of(url)
    where = f"The database {without_password(url)!r}"
    with open_server(url, where, secrets, table=how.table, query=how.query) as (names, batches):
        return _rows_read(names, batches, url, how)
