"""Databases on servers, by SQLAlchemy: one transaction that only reads and is rolled back.

A URL may hold a password, and so may the words of a driver. Every message from here goes through
`without_secrets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from datakin._core.addresses import secrets_of, without_password, without_secrets
from datakin._core.exceptions import DatakinError, listed, require
from datakin.data.files.databases import choose_table, rows_read
from datakin.data.files.reading import Read
from datakin.data.origin import Origin

BATCH = 10_000  # rows fetched together
# What to do, by what stands in the words of a driver.
ADVICE = {
    "check the user's name and password": ("password", "authentication", "access denied"),
    "check host and port, and that the server runs": (
        "timeout",
        "refused",
        "resolve",
        "no such file",
    ),
    "leave that column out with query= (--query), or cast it there to text": (
        "year",
        "too large (after",
    ),
}
PATIENCE = 15  # seconds until a server that does not answer is given up
# What each kind of server is told first; one that knows no way to read only is not asked. In
# PostgreSQL a table has no order of its own: a plain scan by one process gives its rows in the order
# in which they are stored.
FIRST = {
    "postgresql": (
        "SET LOCAL synchronize_seqscans = off",
        "SET LOCAL max_parallel_workers_per_gather = 0",
    ),
    "mysql": ("SET SESSION TRANSACTION READ ONLY",),
    "mariadb": ("SET SESSION TRANSACTION READ ONLY",),
}


def read_database(files: Sequence[str], how: Origin) -> Read:
    """Read a table, view or query of a database on a server, in one transaction that only reads."""
    url = files[0]
    where = f"The database {without_password(url)!r}"
    sql = require("sqlalchemy", "sql", "Reading from a database")
    engine = None
    try:
        engine = _engine(sql, url, where, how.query)
        with engine.connect() as connection:
            names, batches = _selected(sql, connection, how, where)
            read = rows_read(names, batches, url, how)
            connection.rollback()
            return read
    except DatakinError:
        raise
    except Exception as error:  # drivers raise what they like, beside the types of SQLAlchemy
        raise _fault(error, where, url, how.query) from None
    finally:
        if engine is not None:
            engine.dispose()


def _engine(sql: Any, url: str, where: str, query: str | None) -> Any:
    """Return the engine for a URL; PostgreSQL means psycopg 3."""
    try:
        address = sql.make_url(url)
    except Exception:  # its message may hold the password
        raise DatakinError(
            f"{where} must be given as dialect://user:password@host:port/database, such as "
            f"postgresql://ann@localhost/clinic; letters such as @ or / in a password as %40 or %2F."
        ) from None
    options: dict[str, Any] = {}
    kind = "postgresql" if address.drivername == "postgres" else address.get_backend_name()
    _check_kind(kind, where, query)
    if kind == "postgresql":
        # Other drivers send a query as it is, and with it further statements that may stand in it.
        require("psycopg", "postgresql", "Reading from PostgreSQL")
        address = address.set(drivername="postgresql+psycopg")
        if "connect_timeout" not in address.query:
            options["connect_args"] = {"connect_timeout": PATIENCE}
    try:
        return sql.create_engine(address, poolclass=sql.pool.NullPool, **options)
    except (sql.exc.NoSuchModuleError, ImportError) as error:
        raise DatakinError(
            f"{where} needs a driver that is not installed: "
            f"{getattr(error, 'name', None) or address.drivername!r}. Install it, or name another one "
            f"as in mysql+pymysql://."
        ) from None


def _check_kind(kind: str, where: str, query: str | None) -> None:
    """Refuse a kind of server that could be written to."""
    if kind not in FIRST:
        raise DatakinError(
            f"{where} must be of a kind that can be opened for reading alone: {listed(FIRST)}. Got "
            f"{kind!r}; write the table to a CSV or Parquet file and read that."
        )
    if query is not None and kind != "postgresql":
        # There a SELECT may write files (INTO OUTFILE), whatever the transaction.
        raise DatakinError(
            f"query= (--query) is for SQLite, DuckDB and PostgreSQL. {where} is of the kind {kind!r}; "
            f"make a view of the query there, and name it with table= (--table)."
        )


def _selected(sql: Any, connection: Any, how: Origin, where: str) -> tuple[list[str], Any]:
    """Return the names of columns, and batches of the rows of a table, or of a query."""
    kind = connection.dialect.name
    if kind == "postgresql":
        connection.execution_options(postgresql_readonly=True)
    for statement in FIRST[kind]:
        connection.exec_driver_sql(statement)
    stream = connection.execution_options(stream_results=True, max_row_buffer=BATCH)
    if how.query is not None:
        stream = stream.execution_options(no_parameters=True)  # a % in it means itself
        result = stream.exec_driver_sql(how.query)
    else:
        schema, name = _found_table(sql, connection, how.table, where)
        quoted = sql.sql.quoted_name
        schema = None if schema is None else quoted(schema, True)
        place = sql.table(quoted(name, True), schema=schema)
        result = stream.execute(sql.select(sql.text("*")).select_from(place))
    return [str(name) for name in result.keys()], result.partitions(BATCH)  # noqa: SIM118


def _found_table(
    sql: Any, connection: Any, wanted: str | None, where: str
) -> tuple[str | None, str]:
    """Return schema (None for the usual one) and name of a table or view."""
    about = sql.inspect(connection)
    usual = about.default_schema_name
    known: dict[str, tuple[str | None, str]] = {name: (None, name) for name in _tables(about, None)}
    if wanted is not None and wanted not in known and "." in wanted:
        schema, _, _ = wanted.partition(".")
        if schema in about.get_schema_names():
            known |= {f"{schema}.{n}": (schema, n) for n in _tables(about, schema)}
    if wanted is None and not known:
        for schema in about.get_schema_names():
            if schema not in (usual, "information_schema", "sys"):
                known |= {f"{schema}.{n}": (schema, n) for n in _tables(about, schema)}
    return known[choose_table(wanted, list(known), where)]


def _tables(about: Any, schema: str | None) -> list[str]:
    """Return tables and views, also those that are stored."""
    names = [*about.get_table_names(schema=schema), *about.get_view_names(schema=schema)]
    with suppress(NotImplementedError):
        names += about.get_materialized_view_names(schema=schema)
    return sorted(dict.fromkeys(names))


def _fault(error: Exception, where: str, url: str, query: str | None) -> DatakinError:
    """Return a sentence with the driver's own words, if they hold no password."""
    cause = getattr(error, "orig", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    text = without_secrets(lines[0] if lines else type(cause).__name__, secrets_of(url))[:200]
    lower = " ".join(lines).lower()
    known = (advice for advice, words in ADVICE.items() if any(word in lower for word in words))
    usual = "check the address and the table"
    if query is not None:
        usual = "check the query: it must be one SELECT statement, which can only read"
    advice = next(known, usual)
    return DatakinError(f"{where} could not be read ({text.rstrip('.')}); {advice}.")
