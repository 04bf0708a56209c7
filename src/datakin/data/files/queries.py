"""What readers of databases share: which table is meant, what a query may be, rows, and errors."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from datakin._core.addresses import without_password, without_secrets
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.files.cells import draw_rows, table_of
from datakin.data.files.reading import Read, check_file_columns, first_line
from datakin.data.origin import Origin

__all__ = ["choose_table", "only_one", "quoted", "rows_read", "sentences"]


def only_one(query: str, what: str) -> DatakinError:
    """Return the error of a query that is something else than one SELECT."""
    return DatakinError(
        f"query= (--query) must be one SELECT statement: it can only read. Got {what}: {query[:80]!r}."
    )


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
            f"table={known[0]!r} (--table {shlex.quote(known[0])}) or with '#{known[0]}' behind the "
            f"address; or say what to read, with query= (--query)."
        )
    if wanted in known:
        return wanted
    found = None if find is None else find(wanted)
    if found is None:
        there = f"It holds {listed(known, limit=12)}." if known else "It holds no table."
        raise DatakinError(f"{where} has no table {wanted!r}. {there}{suggest(wanted, known)}")
    return found


def quoted(name: str) -> str:
    """Return a name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def rows_read(names: list[str], batches: Any, path: str, how: Origin) -> Read:
    """Draw rows of batches as they pass."""
    check_file_columns(names, without_password(path))
    rows, n_rows = draw_rows(batches, how.read_rows)
    return Read(table_of(rows, names, how.unread), n_rows, tuple(names))


@contextmanager
def sentences(where: str, *kinds: type[Exception], secrets: Sequence[str] = ()) -> Iterator[None]:
    """Turn what a driver raises into a sentence without passwords."""
    try:
        yield
    except DatakinError:
        raise
    except kinds as error:
        text = without_secrets(" ".join(str(error).split()), secrets)
        raise DatakinError(f"{where} could not be read: {first_line(Exception(text))}.") from None
