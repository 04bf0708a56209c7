"""The names of a text file's columns, and where its rows begin."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from datakin._core.exceptions import DatakinError, listed, repeated
from datakin.data.files.dialects import (
    DELIMITERS,
    NUMBER,
    TABBED,
    Record,
    first_records,
    recognise_delimiter,
    spoken,
)
from datakin.data.files.reading import check_file_columns
from datakin.data.origin import Origin

__all__ = ["Layout", "find_layout"]

EXCEL_LINE = re.compile(r'"?sep=([^\r\n"])"?\r?\n')  # how Excel notes the separator
NO_HEADER = "header=False (--no-header)"


@dataclass(frozen=True)
class Layout:
    """How the rows of a text file are laid out.

    Parameters
    ----------
    delimiter : str
    names : tuple of str
        One name for each field of a row; ``""`` for a field without a name.
    n_lines, n_bytes : int
        Lines above the first row, and the bytes they take in UTF-8.
    notes : tuple of str
        What its user should know.
    is_padded : bool
        Whether every row ends with a separator that the header does not have.
    """

    delimiter: str
    names: tuple[str, ...]
    n_lines: int
    n_bytes: int
    notes: tuple[str, ...] = ()
    is_padded: bool = False

    @property
    def width(self) -> int:
        """How many fields a row has."""
        return len(self.names)


def find_layout(text: str, path: str, name: str, how: Origin, *, is_all: bool) -> Layout:
    """Return the layout of a text from its beginning.

    Parameters
    ----------
    text : str
    path, name : str
        What messages call the file; the name whose suffix says what separators are usual.
    how : Origin
    is_all : bool
        Whether this is the whole text.
    """
    excel = EXCEL_LINE.match(text)
    rest = text[excel.end() :] if excel else text
    delimiter, notes = how.delimiter, []
    if delimiter is None:
        delimiter = excel[1] if excel else recognise_delimiter(rest, name, is_all=is_all)
        if delimiter != "," and not (delimiter == "\t" and name.lower().endswith(TABBED)):
            notes.append(
                f"fields separated by {spoken(delimiter)} (recognised; delimiter=, --delimiter)"
            )
    records = first_records(rest, delimiter, is_all=is_all)
    if not records:
        raise DatakinError(_no_records(rest, path))
    if how.delimiter is not None:
        _check_other_delimiters(records, path, delimiter)
    _check_aligned(records, rest, path)
    if not how.header:
        width = _usual_width(records)
        notes += _note_missed_header(records)
        names: tuple[str, ...] = tuple(f"x{j}" for j in range(width))
        n_lines, is_padded = 0, False
    else:
        names, is_padded, more = _named(records, path, delimiter)
        notes += more
        n_lines = records[0].line
    start = "".join(islice(io.StringIO(rest, newline=""), n_lines))
    n_bytes = len((text[: excel.end()] if excel else "").encode()) + len(start.encode())
    return Layout(delimiter, names, n_lines + bool(excel), n_bytes, tuple(notes), is_padded)


def _no_records(text: str, path: str) -> str:
    if not text.strip():
        return f"The file {path!r} is empty: expected a table with a header line."
    return (
        f"The file {path!r} has no end of its first line, or opens a quotation mark there that is "
        f"never closed; expected a header line of at most a few MB."
    )


def _usual_width(records: Sequence[Record]) -> int:
    return Counter(len(record.fields) for record in records).most_common(1)[0][0]


def _check_other_delimiters(records: Sequence[Record], path: str, delimiter: str) -> None:
    """Refuse one column whose name shows that it is several."""
    if max(len(record.fields) for record in records) > 1:
        return
    header = records[0].fields[0]
    for other in DELIMITERS:
        if other != delimiter and other in header:
            raise DatakinError(
                f"The file {path!r} looks separated by {other!r}, not {delimiter!r}: its only "
                f"column is {header[:60]!r}. Say delimiter={other!r} (--delimiter on the command line)."
            )


def _check_aligned(records: Sequence[Record], text: str, path: str) -> None:
    """Refuse columns that stand below each other, with any number of spaces in between."""
    if len(records) < 2 or max(len(record.fields) for record in records) > 1:
        return
    widths = {len(record.fields[0].split()) for record in records}
    if len(widths) == 1 and widths.pop() > 1 and re.search(r"\S {2,}\S", text):
        raise DatakinError(
            f"The file {path!r} must have one character between fields, such as a comma. Its columns "
            f"are aligned by spaces; save it as CSV (pandas.read_fwf reads it)."
        )


def _named(
    records: Sequence[Record], path: str, delimiter: str
) -> tuple[tuple[str, ...], bool, list[str]]:
    """Return a name for each field, whether rows end with a separator, and notes."""
    header, body = records[0].fields, [record.fields for record in records[1:]]
    widths = {len(fields) for fields in body}
    notes: list[str] = []
    is_padded = False
    if body and len(header) not in widths:
        width = _usual_width(records[1:])
        if len(widths) == 1 and width == len(header) + 1:
            if not any(fields[-1].strip() for fields in body):
                header, is_padded = [*header, ""], True
            elif len(header) == 1:
                raise DatakinError(_title(records, path, width))
            elif delimiter == ",":
                raise DatakinError(_one_name_short(header, body, path, records[1].line))
            else:
                header = ["row" if "row" not in header else "row name", *header]
                notes.append(
                    f"the first column has no name in the header and is called {header[0]!r}"
                )
        elif len(widths) == 1 and width == len(header) - 1 and not header[-1].strip():
            header = header[:-1]
        elif len(header) < width:
            raise DatakinError(_title(records, path, width))
    if _looks_like_data(header):
        notes.append(
            f"the names of columns look like data ({listed(header, 3)}): if the first line is no "
            f"header, say {NO_HEADER}"
        )
    _check_names([name for name in header if name.strip()], path)
    return tuple(name if name.strip() else "" for name in header), is_padded, notes


def _check_names(names: Sequence[str], path: str) -> None:
    twice = repeated(names)
    if twice and all(NUMBER.fullmatch(name.strip()) for name in twice):
        raise DatakinError(
            f"The file {path!r} has more than one column named {listed(twice)}. If its first line is "
            f"no header, say {NO_HEADER}."
        )
    check_file_columns(names, path)


def _one_name_short(header: list[str], body: list[list[str]], path: str, line: int) -> str:
    """Say why a comma file with one name too few is refused.

    R's row names look like this, but so does a column with decimal commas: what a guess would
    give is a table with all columns shifted.
    """
    return (
        f"The file {path!r} must have as many fields in every line as its header has names, "
        f"{len(header)}. Got {len(body[0])} in line {line} and all others looked at: "
        f"{','.join(body[0])[:60]!r}. If a column has decimal commas, save the file with ';' between "
        f"fields; if the first field is a row's name, give it a name in the header."
    )


def _title(records: Sequence[Record], path: str, width: int) -> str:
    n = next(i for i, record in enumerate(records) if len(record.fields) >= width)
    line = records[n - 1].line
    above = "Line 1 has" if line == 1 else f"Lines 1 to {line} have"
    return (
        f"The file {path!r} must begin with the names of its columns. {above} fewer fields than the "
        f"{width} of the lines below: {','.join(records[0].fields)[:60]!r}. Remove what stands above "
        f"the header, such as a title or comments; if a name is missing, add it."
    )


def _looks_like_data(names: Sequence[str]) -> bool:
    """Whether at least half of the names are numbers, and they do not just count the columns."""
    numbers = [name.strip() for name in names if NUMBER.fullmatch(name.strip())]
    if not numbers or len(numbers) < 0.5 * len(names):
        return False
    return not _counted(numbers)


def _counted(numbers: Sequence[str]) -> bool:
    """Whether the texts are whole numbers that go up one by one."""
    if not all(number.isdecimal() and len(number) < 10 for number in numbers):
        return False
    values = [int(number) for number in numbers]
    return len(values) > 1 and values == list(range(values[0], values[0] + len(values)))


def _note_missed_header(records: Sequence[Record]) -> list[str]:
    """Say so if the first row has text where all others have numbers."""
    first, others = records[0].fields, [record.fields for record in records[1:]]
    for j, name in enumerate(first):
        below = [fields[j].strip() for fields in others if j < len(fields) and fields[j].strip()]
        is_text = bool(name.strip()) and not NUMBER.fullmatch(name.strip())
        if below and is_text and all(NUMBER.fullmatch(value) for value in below):
            return [
                f"the first row looks like a header ({listed(first, 3)}): if it is, leave out "
                f"{NO_HEADER}"
            ]
    return []
