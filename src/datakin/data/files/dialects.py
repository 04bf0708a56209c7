"""What separates the fields of a text file, from its first lines.

`benchmarks/dialects.py` compares this rule with those of the standard library, clevercsv and DuckDB.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from datakin._core.exceptions import DatakinError

__all__ = ["END", "Record", "check_delimiter", "first_records", "recognise_delimiter", "spoken"]

END = "\0"  # what stands in no text
DELIMITERS = (",", ";", "\t", "|")
LINES = 200  # records that are looked at
NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*%?([eE][-+]?\d+)?")
POINTED = re.compile(NUMBER.pattern.replace(",", ""))
CLEAN = re.compile(r"[^,;\t|]*")
TABBED = (".tsv", ".tab")
SPACED = (".txt", ".data", ".dat")


class Record(NamedTuple):
    """The fields of a record, and the line where it ends."""

    fields: list[str]
    line: int


def check_delimiter(delimiter: Any) -> None:
    """Refuse what is not one character that can stand between fields."""
    is_one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if delimiter is not None and not (is_one and delimiter not in '\r\n\0"'):
        raise DatakinError(
            f"The 'delimiter' parameter must be one character, such as ',' or ';'. "
            f"Got {delimiter!r} instead."
        )


def first_records(text: str, delimiter: str, *, is_all: bool = True) -> list[Record]:
    """Return the first records of a text without blank lines.

    Left out is a last record that may not be complete: because the text goes on (not `is_all`), or
    because of a quotation mark that is never closed.
    """
    if is_all:
        text += f"\n{END}"  # inside such quotes, this is not a record of its own
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    found: list[Record] = []
    try:
        # Blank lines count, too, so that a file of blank lines alone does not take long.
        for fields in islice(reader, 10 * LINES):
            if len(fields) > 1 or "".join(fields).strip():
                found.append(Record(fields, reader.line_num))
            if len(found) > LINES:
                break
        if found:
            found.pop()  # perhaps not complete, or the end
    except csv.Error:  # a field of more than 128 kB: nearly always a quotation mark left open
        pass
    return found


def recognise_delimiter(text: str, name: str, *, is_all: bool = True) -> str:
    r"""Return what separates the fields of a text.

    The candidate under which most records have equally many fields, and most fields hold one
    thing; between equals the one that gives more fields.

    Examples
    --------
    >>> recognise_delimiter("a;b\n1,5;2\n2,5;3\n", "t.csv")
    ';'
    """
    usual = "\t" if name.lower().endswith(TABBED) else ","
    best, score = usual, (0.0, 0)
    for delimiter in (usual, *(d for d in DELIMITERS if d != usual)):
        rows = [r.fields for r in first_records(text, delimiter, is_all=is_all)]
        found = _fit(rows, delimiter, 0.9)
        if found > score:
            best, score = delimiter, found
    if not score[1] and name.lower().endswith(SPACED):
        rows = [r.fields for r in first_records(text, " ", is_all=is_all)]
        numbers = [bool(NUMBER.fullmatch(cell)) for row in rows for cell in row]
        if _fit(rows, " ", 1.0)[1] and sum(numbers) >= 0.5 * len(numbers):
            return " "
    return best


def _fit(rows: Sequence[Sequence[str]], delimiter: str, least: float) -> tuple[float, int]:
    """Return how well rows are a table, and how many fields they have; zeros for no table.

    `least` is the share of rows that must agree if the first have one field only, as titles have.
    """
    n_above = next((i for i, row in enumerate(rows) if len(row) > 1), len(rows))
    if n_above > len(rows) / 4 or not rows:
        return 0.0, 0
    below = rows[n_above:]
    width, n = Counter(len(row) for row in below).most_common(1)[0]
    share = n / len(below)
    if width < 2 or (n_above and share < least):
        return 0.0, 0
    cells = [cell.strip() for row in below for cell in row]
    number = POINTED if _is_comma_header(rows[0], delimiter) else NUMBER
    clean = sum(bool(CLEAN.fullmatch(cell) or number.fullmatch(cell)) for cell in cells)
    return round(share * clean / len(cells), 3), width


def _is_comma_header(header: Sequence[str], delimiter: str) -> bool:
    """Whether names stand between commas, so that a comma below is no decimal comma."""
    if len(header) > 1 and delimiter != "|":  # what such a header is split by is no part of names
        return False
    return any(re.search(r"\S,\S", name) and not NUMBER.fullmatch(name.strip()) for name in header)


def spoken(delimiter: str) -> str:
    """Return a delimiter as messages call it."""
    return {"\t": "a tab", " ": "a space", ",": "a comma"}.get(delimiter, repr(delimiter))
