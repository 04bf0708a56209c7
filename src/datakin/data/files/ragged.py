"""Rows of a text file that have too many or too few fields: which, and why."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed
from datakin.data.files.dialects import END, NUMBER
from datakin.data.files.headers import Layout
from datakin.data.files.text_streams import Utf8Stream

SHOWN = 3  # rows that a message names
MOST = 1000  # rows after which the reading stops
LOOKED_AT = 50  # rows that show which fields hold numbers
FAR = 3_000_000  # rows up to which lines are counted; further down a row has only its number


class RaggedRows:
    """What pyarrow calls for every row that does not fit."""

    def __init__(self) -> None:
        self.found: list[Any] = []  # the first few, of pyarrow's type InvalidRow
        self.n = self.n_blank = 0  # how many, and how many rows of spaces, which are no rows
        self.has_end = False  # whether the end of the text is inside such a row

    def __call__(self, row: Any) -> str:
        """Note the row; tell pyarrow to go on, or to stop."""
        if not row.text.strip():
            self.n_blank += 1
            return "skip"
        if END in row.text:
            self.has_end = True
            return "skip"
        self.n += 1
        if len(self.found) < SHOWN:
            self.found.append(row)
        return "skip" if self.n < MOST else "error"

    def refuse(self, layout: Layout) -> None:
        """Raise an error that names the rows with too many or too few fields, if there are any."""
        if not self.n:
            return
        lines = _lines_of([row.number for row in self.found], layout)
        both = zip(self.found, lines, strict=True)
        shown = ", ".join(f"{row.actual_columns} in {line}" for row, line in both)
        more = self.n - len(self.found)
        at_least = "at least " if self.n >= MOST else ""
        others = f" and {at_least}{more:,} more" if more else ""
        raise DatakinError(
            f"The file {layout.source.path!r} must have {layout.width} fields in every line, as "
            f"{'its header' if layout.n_lines else 'most lines'}. Got {shown}{others}; the first is "
            f"{self.found[0].text[:60]!r}. {_cause(self.found[0], layout)}"
        )


def _cause(row: Any, layout: Layout) -> str:
    """Return the likely reason, and what to do."""
    if row.actual_columns < layout.width:
        return "Is the file complete, or does a text have a line end that is not in quotes?"
    has_texts = re.search(r"(^|,)[^,\d]+,[^,\d]+(,|$)", row.text)  # one beside the other
    has_pair = re.search(r"(^|,)\s*[-+]?\d+,\d+\s*(,|$)", row.text)
    if layout.delimiter == "," and has_pair and not has_texts:
        return (
            "Decimal or thousands commas? Save the file with ';' between fields (then "
            "delimiter=';', --delimiter ';'), or with decimal points."
        )
    return (
        f"Does a text hold {layout.delimiter!r}? Put such fields in quotes, or save the file with "
        f"another separator (then delimiter=, --delimiter)."
    )


def refuse_open_quote(row: int, layout: Layout, longest: int | None = None) -> NoReturn:
    """Raise an error about a row that does not end, or not within `longest` bytes."""
    line = _lines_of([row], layout)[0]
    what = "a quotation mark is opened and never closed"
    if longest is not None:
        what += f", or a row is longer than {longest // 2**20} MB"
    raise DatakinError(
        f"The file {layout.source.path!r} could not be read as a table: {what}, in the row that begins in "
        f"{line}. Close the quotation mark, or double it if it is part of a text."
    )


def note_swallowed(table: pa.Table, layout: Layout) -> list[str]:
    """Say so if fields hold what looks like a whole row.

    A quotation mark that is not closed swallows rows up to the next one, and what comes out may
    have the right number of fields.
    """
    if layout.width < 2:
        return []
    names: list[str] = []
    numeric: list[int] | None = None
    for name in table.column_names:
        broken = table[name].filter(pc.match_substring(table[name], "\n"))
        if not len(broken):
            continue
        # What stands in front of the first line end began in the middle of a row.
        lines = pc.list_flatten(pc.list_slice(pc.split_pattern(broken, "\n"), 1))
        n_marks = pc.count_substring(lines, layout.delimiter)
        rows = lines.filter(pc.equal(n_marks, layout.width - 1)).slice(0, MOST).to_pylist()
        if rows and numeric is None:
            numeric = _numeric_fields(table, layout)
        fields = [row.split(layout.delimiter) for row in rows]
        # Mostly numbers where rows have numbers; two fields may be any line of a text with one comma.
        if any(
            sum(bool(NUMBER.fullmatch(row[j].strip())) for j in numeric) >= 0.5 * len(numeric)
            if numeric
            else len(row) > 2
            for row in fields
        ):
            names.append(name)
    if not names:
        return []
    text = (
        f"column(s) {listed(names)}: a field holds whole rows of the file; is a quotation mark not "
        f"closed? Close it, or double it if it is part of a text"
    )
    return [Note(text, SERIOUS)]


def _numeric_fields(table: pa.Table, layout: Layout) -> list[int]:
    """Return which fields of a row hold numbers, by the first rows."""
    found = []
    for j, name in enumerate(layout.names):
        if name in table.column_names:
            values = [value.strip() for value in table[name].slice(0, LOOKED_AT).to_pylist()]
            plain = [value for value in values if value and "\n" not in value]
            if plain and sum(bool(NUMBER.fullmatch(v)) for v in plain) > 0.5 * len(plain):
                found.append(j)
    return found


def _lines_of(rows: Sequence[int], layout: Layout) -> list[str]:
    """Return in which lines rows (counted from 1, sorted) begin; far down, only their numbers."""
    names = [f"row {row:,}" for row in rows]
    number = 0
    with Utf8Stream(layout.source, layout.encoding) as stream:
        lines = io.TextIOWrapper(io.BufferedReader(stream), encoding="utf-8", newline="")
        for _ in islice(lines, layout.n_lines):
            pass
        reader = csv.reader(lines, delimiter=layout.delimiter)
        # The text may end before a row, or a field be too long for the reader (128 kB).
        with suppress(StopIteration, csv.Error):
            for i, row in enumerate(row for row in rows if row <= FAR):
                while number < row:
                    if number == row - 1:
                        names[i] = f"line {layout.n_lines + reader.line_num + 1:,}"
                    number += bool(next(reader))
    return names
