"""The names of a text file's columns, and where its rows begin."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed, repeated
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
COMMENTS = ("#", "%", "//")
PADDED = (
    "every row ends with a comma that the header does not have: if a column has decimal commas, all columns "
    "behind it are shifted; look at the values, or save the file with ';' between fields"
)
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
        if _is_header(records):
            text = (
                f"the first row looks like a header ({listed(records[0].fields, 3)}): if it is, leave "
                f"out {NO_HEADER}"
            )
            notes.append(Note(text, SERIOUS))
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
    _check_title(records, path)
    widths = {len(fields) for fields in body}
    notes: list[str] = []
    is_padded = False
    if len(widths) == 1 and len(header) not in widths:
        if len(header) + 1 in widths and not any(fields[-1].strip() for fields in body):
            header, is_padded = [*header, ""], True
            if delimiter == ",":
                notes.append(Note(PADDED, SERIOUS))
        elif len(header) + 1 in widths:
            raise DatakinError(_one_name_short(records, path, delimiter))
        elif len(header) - 1 in widths and not header[-1].strip():
            header = header[:-1]
    if _looks_like_data(header):
        text = (
            f"the names of columns look like data ({listed(header, 3)}): if the first line is no "
            f"header, say {NO_HEADER}"
        )
        notes.append(Note(text, SERIOUS))
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


def _one_name_short(records: Sequence[Record], path: str, delimiter: str) -> str:
    """Say why a file with one name too few is refused.

    R's row names look like this, but so does a column with decimal commas, or a name left out: what
    a guess would give is a table with all columns shifted.
    """
    n, first = len(records[0].fields), records[1]
    commas = "If a column has decimal commas, save the file with ';' between fields; if"
    return (
        f"The file {path!r} must have as many fields in every line as its header has names, "
        f"{n}. Got {n + 1} in line {first.line} and all others looked at: "
        f"{delimiter.join(first.fields)[:60]!r}. {commas if delimiter == ',' else 'If'} the first "
        f"field is a row's name, or another name was left out, add it to the header."
    )


def _check_title(records: Sequence[Record], path: str) -> None:
    """Refuse a title or comments above the header."""
    first, filled = records[0], [sum(map(bool, map(str.strip, r.fields))) for r in records]
    width = Counter(filled[1:]).most_common(1)[0][0] if filled[1:] else 0
    is_comment = _is_comment(first)
    if width < 2 or (filled[0] >= width and not is_comment):
        return
    below = (i for i, n in enumerate(filled) if i and n >= width and not _is_comment(records[i]))
    if len(first.fields) == 1 or _is_header(records[next(below, len(records)) :]):
        what = "a comment" if is_comment else "a title"
        raise DatakinError(
            f"The file {path!r} must begin with the names of its columns. Line {first.line} looks like "
            f"{what} ({' '.join(first.fields).strip()[:60]!r}, over {width} columns); remove the lines "
            f"above the header."
        )


def _is_comment(record: Record) -> bool:
    return record.fields[0].lstrip().startswith(COMMENTS)


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


def _is_header(records: Sequence[Record]) -> bool:
    """Whether the first record has text where all others have numbers."""
    others = [record.fields for record in records[1:]]
    for j, name in enumerate(records[0].fields if records else ()):
        below = [fields[j].strip() for fields in others if j < len(fields) and fields[j].strip()]
        is_text = bool(name.strip()) and not NUMBER.fullmatch(name.strip())
        if below and is_text and all(NUMBER.fullmatch(value) for value in below):
            return True
    return False
