"""The names of a text file's columns, and where its rows begin."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from datakin._core.exceptions import SERIOUS, DatakinError, Note, listed, repeated
from datakin.data.files import dialects
from datakin.data.files.archives import Source
from datakin.data.files.dialects import NUMBER, Record
from datakin.data.files.encodings import Encoding
from datakin.data.files.reading import check_file_columns
from datakin.data.files.text_streams import read_head
from datakin.data.origin import Origin

HEADS = (1 << 18, 1 << 22, 1 << 25)  # bytes from which names are found, as many as it takes
ENOUGH = 50  # lines that show what the others are like

EXCEL_LINE = re.compile(r'"?sep=([^\r\n"])"?\r?\n')  # how Excel notes the separator
COMMENTS = ("#", "%", "//")
PADDED = (
    "every row ends with a comma that the header does not have: if a column has decimal commas, all columns "
    "behind it are shifted; look at the values, or save the file with ';' between fields"
)
NO_HEADER = "header=False (--no-header)"


@dataclass(frozen=True)
class Layout:
    """How the rows of a text file are laid out."""

    source: Source
    encoding: Encoding
    delimiter: str
    names: tuple[str, ...]  # one for each field of a row; "" for a field without a name
    n_lines: int  # above the first row
    n_bytes: int  # which these lines take in UTF-8
    notes: tuple[str, ...]  # what its user should know
    is_padded: bool  # whether every row ends with a separator that the header does not have

    @property
    def width(self) -> int:
        """How many fields a row has."""
        return len(self.names)


def find_layout(source: Source, encoding: Encoding, how: Origin) -> Layout:
    """Return the layout of a text, from a beginning that holds at least some lines."""
    for n in HEADS:
        text, is_all = read_head(source, encoding, n)
        if is_all or text.count("\n") > ENOUGH or text.count("\r") > ENOUGH:
            break
    path, name = source.path, source.name
    excel = EXCEL_LINE.match(text)
    rest = text[excel.end() :] if excel else text
    delimiter, notes = how.delimiter, []
    if delimiter is None:
        delimiter = excel[1] if excel else dialects.recognise_delimiter(rest, name, is_all=is_all)
        if delimiter != "," and not (delimiter == "\t" and name.lower().endswith(dialects.TABBED)):
            notes.append(
                f"fields separated by {dialects.spoken(delimiter)} (recognised; delimiter=, --delimiter)"
            )
    records = dialects.first_records(rest, delimiter, is_all=is_all)
    if not records and not rest.strip():
        raise DatakinError(f"The file {path!r} is empty: expected a table with a header line.")
    if not records:
        raise DatakinError(
            f"The file {path!r} has no end of its first line, or opens a quotation mark there that is "
            f"never closed; expected a header line of at most a few MB."
        )
    if max(len(record.fields) for record in records) == 1:
        _check_one_column(records, rest, path, how.delimiter)
    n_lines, is_padded = 0, False
    if how.header:
        names, is_padded, more = _named(records, path, delimiter)
        notes += more
        n_lines = records[0].line
    else:
        notes += notes_of_first_row([record.fields for record in records])
        widths = Counter(len(record.fields) for record in records)
        names = [f"x{j}" for j in range(widths.most_common(1)[0][0])]
    start = "".join(islice(io.StringIO(rest, newline=""), n_lines))
    above = (excel[0] if excel else "") + start
    size = n_lines + bool(excel), len(above.encode())
    return Layout(source, encoding, delimiter, tuple(names), *size, tuple(notes), is_padded)


def notes_of_first_row(rows: Sequence[Sequence[str]]) -> list[str]:
    """Say so if the first row, which was read as one of the others, looks like a header."""
    if not _is_header(rows):
        return []
    shown = f"the first row looks like a header ({listed(rows[0], 3)})"
    return [Note(f"{shown}: if it is, leave out {NO_HEADER}", SERIOUS)]


def notes_of_names(names: Sequence[str]) -> list[str]:
    """Say so if at least half of the names are numbers, and they do not just count the columns."""
    numbers = [name.strip() for name in names if NUMBER.fullmatch(name.strip())]
    if not numbers or len(numbers) < 0.5 * len(names):
        return []
    are_counts = len(numbers) > 1 and all(n.isdecimal() and len(n) < 10 for n in numbers)
    if are_counts and all(int(b) - int(a) == 1 for a, b in pairwise(numbers)):
        return []
    shown = f"the names of columns look like data ({listed(names, 3)})"
    return [Note(f"{shown}: if the first line is no header, say {NO_HEADER}", SERIOUS)]


def _check_one_column(
    records: Sequence[Record], text: str, path: str, delimiter: str | None
) -> None:
    """Refuse one column that is several: its name has a delimiter that was not given, or spaces align it."""
    header = records[0].fields[0]
    for other in dialects.DELIMITERS if delimiter is not None else ():
        if other != delimiter and other in header:
            raise DatakinError(
                f"The file {path!r} looks separated by {other!r}, not {delimiter!r}: its only "
                f"column is {header[:60]!r}. Say delimiter={other!r} (--delimiter on the command line)."
            )
    widths = {len(record.fields[0].split()) for record in records}
    are_aligned = len(records) > 1 and len(widths) == 1 and widths.pop() > 1
    if are_aligned and re.search(r"\S {2,}\S", text):
        raise DatakinError(
            f"The file {path!r} must have one character between fields, such as a comma. Its columns "
            f"are aligned by spaces; save it as CSV (pandas.read_fwf reads it)."
        )


def _named(
    records: Sequence[Record], path: str, delimiter: str
) -> tuple[list[str], bool, list[str]]:
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
    notes += notes_of_names(header)
    names = [name if name.strip() else "" for name in header]
    twice = repeated(filter(None, names))
    if twice and all(NUMBER.fullmatch(name.strip()) for name in twice):
        raise DatakinError(
            f"The file {path!r} has more than one column named {listed(twice)}. If its first line is "
            f"no header, say {NO_HEADER}."
        )
    check_file_columns([*filter(None, names)], path)
    return names, is_padded, notes


def _one_name_short(records: Sequence[Record], path: str, delimiter: str) -> str:
    """Say why one name too few is refused: a guess may give a table with all columns shifted."""
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
    under = [record.fields for record in records[next(below, len(records)) :]]
    if len(first.fields) == 1 or _is_header(under):
        what = "a comment" if is_comment else "a title"
        raise DatakinError(
            f"The file {path!r} must begin with the names of its columns. Line {first.line} looks like "
            f"{what} ({' '.join(first.fields).strip()[:60]!r}, over {width} columns); remove the lines "
            f"above the header."
        )


def _is_comment(record: Record) -> bool:
    return record.fields[0].lstrip().startswith(COMMENTS)


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has text where all others have numbers."""
    for j, name in enumerate(rows[0] if rows else ()):
        below = [row[j].strip() for row in rows[1:] if j < len(row) and row[j].strip()]
        is_text = bool(name.strip()) and not NUMBER.fullmatch(name.strip())
        if below and is_text and all(NUMBER.fullmatch(value) for value in below):
            return True
    return False
