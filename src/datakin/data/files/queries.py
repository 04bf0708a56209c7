"""What to read from a database: the table that is named, the only one there, or a query that reads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from datakin._core.exceptions import DatakinError, listed, suggest

__all__ = ["choose_table", "wrapped"]

# Quoted text, quoted names, and comments: a semicolon in them ends nothing.
QUIET = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$""",
    re.DOTALL,
)


def wrapped(query: str) -> str:
    r"""Return a query as part of a SELECT, so that all it can do is read.

    Examples
    --------
    >>> wrapped("SELECT * FROM visits WHERE age > 17;")
    'SELECT * FROM (\nSELECT * FROM visits WHERE age > 17\n) AS datakin_query'
    """
    # Comments count as space, quoted text and names as letters.
    bare = QUIET.sub(lambda it: (" " if it[0][:1] in "-/" else "x") * len(it[0]), query)
    body = bare.rstrip().rstrip(";").rstrip()
    if not body.strip():
        raise DatakinError(f"query= (--query) must be a SELECT statement. Got {query!r}.")
    if ";" in body:
        raise DatakinError(
            f"query= (--query) must be one SELECT statement. Got several, separated by ';': {query[:80]!r}."
        )
    first = body.split(None, 1)[0].lstrip("(").upper()
    if first not in ("SELECT", "WITH", "VALUES", "TABLE", "FROM", ""):
        raise DatakinError(
            f"query= (--query) must be a SELECT statement: it can only read. Got {query[:80]!r}."
        )
    depth = 0
    for sign in re.findall(r"[()]", body):
        depth += 1 if sign == "(" else -1
        if depth < 0:
            raise DatakinError(f"query= (--query) has a ')' without its '('. Got {query[:80]!r}.")
    return f"SELECT * FROM (\n{query[: len(body)]}\n) AS datakin_query"


def choose_table(
    wanted: str | None,
    known: Sequence[str],
    where: str,
    find: Callable[[str], str | None] | None = None,
) -> str:
    """Return the name of the table that is wanted, or of the only one that is there.

    Parameters
    ----------
    wanted : str or None
    known : sequence of str
        Tables and views, by the names to type.
    where : str
        What messages call the database.
    find : callable, optional
        Returns the known name for one that may be typed differently, None if there is none.
    """
    if wanted is None:
        if len(known) == 1:
            return known[0]
        if not known:
            raise DatakinError(f"{where} holds no table.")
        raise DatakinError(
            f"{where} holds {len(known)} tables: {listed(known, limit=12)}. Say which, with "
            f"table={known[0]!r} (--table {shlex.quote(known[0])}), or what to read, with query= (--query)."
        )
    if wanted in known:
        return wanted
    found = None if find is None else find(wanted)
    if found is None:
        there = f"It holds {listed(known, limit=12)}." if known else "It holds no table."
        raise DatakinError(f"{where} has no table {wanted!r}. {there}{suggest(wanted, known)}")
    return found
