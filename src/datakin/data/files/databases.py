"""Tables of DuckDB files, and of databases on servers -> pyarrow tables.

Everything is opened to be read only. Rows are streamed and drawn, so that memory is bounded.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import pyarrow as pa

from datakin._core.addresses import secrets_of, without_password
from datakin._core.exceptions import require
from datakin.data.files.arrow_types import converted, plain_type
from datakin.data.files.queries import choose_table, only_one, quoted, rows_read, sentences
from datakin.data.files.reading import DrawnRows, Read, check_file_columns
from datakin.data.files.servers import open_server
from datakin.data.origin import Origin

__all__ = ["read_database", "read_duckdb"]

BATCH = 10_000  # rows fetched together


def read_duckdb(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a DuckDB file."""
    duckdb = require("duckdb", "duckdb", "Reading a DuckDB file")
    path = files[0]
    where = f"The DuckDB database {path!r}"
    kinds = (duckdb.Error, RuntimeError, OSError, ValueError, UnicodeError)
    with sentences(where, *kinds), _opened_duckdb(duckdb, path) as connection:
        if how.query is not None:
            statement = _select(duckdb, connection, how.query)
        else:
            statement = f"SELECT * FROM {_duckdb_table(connection, how.table, where)}"
        relation = connection.sql(statement)
        names = tuple(relation.columns)
        check_file_columns(names, path)
        kept = [_duckdb_column(*about) for about in zip(names, relation.types, strict=True)]
        wanted = [text for name, text in zip(names, kept, strict=True) if name not in how.unread]
        relation = relation.project(", ".join(wanted))
        newer = getattr(relation, "to_arrow_reader", None)
        reader = (newer or relation.fetch_arrow_reader)(BATCH)
        return _batches_read(reader, names, how.read_rows)


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
        raise only_one(query, kinds or "none")
    return found[0]


def _duckdb_column(name: str, kind: Any) -> str:
    """Return how to select a column; times of day with a zone as text, or the zone is lost."""
    column = quoted(name)
    has_zone = str(kind) == "TIME WITH TIME ZONE"
    return f"CAST({column} AS VARCHAR) AS {column}" if has_zone else column


def _duckdb_table(connection: Any, wanted: str | None, where: str) -> str:
    """Return the quoted name of a table or view."""
    found = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database() ORDER BY ALL"
    ).fetchall()
    names = {
        name if schema == "main" else f"{schema}.{name}": f"{quoted(schema)}.{quoted(name)}"
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
        return rows_read(names, batches, url, how)
