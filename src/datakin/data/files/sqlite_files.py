"""Tables of SQLite files -> pyarrow tables; nothing in the folder is changed, or left there."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import quote

from datakin._core.exceptions import DatakinError
from datakin.data.files.queries import choose_table, only_one, quoted, rows_read, sentences
from datakin.data.files.reading import Read
from datakin.data.origin import Origin

__all__ = ["read_sqlite"]

BATCH = 10_000  # rows fetched together
WITH_LOG = b"\2\2"  # bytes 18 and 19 of a SQLite file whose changes go to a log first
UNSETTLED = ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PROTOCOL")
READING = {
    *(sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ),
    *(sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE),
}


def read_sqlite(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a SQLite file."""
    path = files[0]
    where = f"The SQLite database {path!r}"
    kinds = (sqlite3.Error, sqlite3.Warning, OSError, UnicodeDecodeError)
    with sentences(where, *kinds), _opened(path, where) as connection:
        if how.query is not None:
            cursor = _run(connection, how.query)
        else:
            table = _table(connection, how.table, where)
            cursor = connection.execute(f"SELECT * FROM {table}")
        names = [str(about[0]) for about in cursor.description]
        return rows_read(names, _fetched(cursor), path, how)


def _run(connection: sqlite3.Connection, query: str) -> sqlite3.Cursor:
    """Run what must be one statement that reads."""
    try:
        cursor = connection.execute(query)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if "one statement" in str(error):
            raise only_one(query, "several") from None
        if "authoriz" in str(error):
            raise only_one(query, "something else") from None
        raise
    if cursor.description is None:
        raise only_one(query, "none")
    return cursor


def _table(connection: sqlite3.Connection, wanted: str | None, where: str) -> str:
    """Return the quoted name of a table or view."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
    )
    known = [str(name) for (name,) in found]
    lower = {name.lower(): name for name in known}
    wanted = None if wanted is None else wanted.removeprefix("main.")
    return quoted(choose_table(wanted, known, where, lambda name: lower.get(name.lower())))


@contextmanager
def _opened(path: str, where: str) -> Iterator[sqlite3.Connection]:
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


def _fetched(cursor: Any) -> Iterator[Sequence[Sequence[Any]]]:
    while batch := cursor.fetchmany(BATCH):
        yield batch
