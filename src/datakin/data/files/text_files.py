"""Text files (.csv, .tsv, .txt, also .gz, .zip, standard input) -> tables of text.

Nothing is interpreted: every value stays the text that it is in the file. Rows stream by in blocks,
and of a file with more rows than wanted some are drawn, so that memory does not grow with the file.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from datakin._core.exceptions import DatakinError, listed
from datakin.data.files.archives import Source, open_source
from datakin.data.files.dialects import END, check_delimiter, spoken
from datakin.data.files.encodings import Encoding, guess_encoding, recognise_encoding
from datakin.data.files.formats import CONTROLS, name_kind, recognise_kind
from datakin.data.files.headers import HEADS, Layout, find_layout
from datakin.data.files.ragged import MOST, RaggedRows, note_swallowed, refuse_open_quote
from datakin.data.files.reading import DrawnRows, Read, check_file_columns, readable
from datakin.data.files.text_streams import Lent, NotUtf8, Utf8Stream, take_back
from datakin.data.origin import Origin

BLOCKS = (1 << 20, 1 << 23)  # bytes parsed together, as many as it takes; no row may be longer
EXPECTED = "expected text with one header line and the same number of fields in every line."


def read_text(files: Sequence[str], how: Origin) -> Read:
    """Read a text file, ``"-"`` for standard input; of a large one only the rows that are drawn."""
    path = files[0]
    check_delimiter(how.delimiter)
    with readable(path, "a table", EXPECTED), open_source(path, how.table) as source:
        return _read(source, how)


def _read(source: Source, how: Origin) -> Read:
    """Read a text; one that turns out not to be UTF-8 is read again as what it seems to be."""
    head = source.head(HEADS[0])
    if kind := recognise_kind(head):
        raise DatakinError(name_kind(source.path, kind))
    encoding = recognise_encoding(head, how.encoding)
    start = head[:65536]
    n_controls = len(start) - len(start.translate(None, CONTROLS))
    if encoding.origin == "usual" and n_controls > max(2, len(start) / 50):
        raise DatakinError(
            f"The file {source.path!r} could not be read as a table: expected text, and it is binary."
        )
    try:
        return _parse(source, encoding, how)
    except NotUtf8 as bad:
        guess = guess_encoding(head[: head.rfind(b"\n") + 1] + bad.around)
        if guess is None:
            raise DatakinError(
                f"The file {source.path!r} is UTF-8 text but for line {bad.line}, which is damaged. "
                f"Mend that line; encoding='cp1252' (--encoding) reads the file with wrong letters."
            ) from None
        return _parse(source, guess, how)


def _parse(source: Source, encoding: Encoding, how: Origin) -> Read:
    """Read a text of known encoding."""
    layout = find_layout(source, encoding, how)
    found = (_draw(layout, how, block, is_last=block == BLOCKS[-1]) for block in BLOCKS)
    drawn, valued = next(filter(None, found))
    if not drawn.n_rows:
        n = sum(bool(name) for name in layout.names)
        raise DatakinError(f"The file {source.path!r} has {n} columns and no rows.")
    table, notes = _named(drawn.table(), layout, valued)
    notes += note_swallowed(table, layout)
    names = (name or f"Unnamed: {j}" for j, name in enumerate(layout.names))
    there = {*how.unread, *table.column_names}
    columns = tuple(name for name in names if name in there)
    notes = [*source.notes, *encoding.notes, *layout.notes, *notes]
    return Read(table, drawn.n_rows, columns, tuple(notes))


def _draw(
    layout: Layout, how: Origin, block: int, *, is_last: bool
) -> tuple[DrawnRows, set[str]] | None:
    """Return the rows, and which columns without a name hold something.

    None if a row is longer than a block, unless this is the last size of blocks to be tried.
    """
    wanted = [str(j) for j, name in enumerate(layout.names) if name not in how.unread]
    unnamed = [j for j in wanted if not layout.names[int(j)]]
    ragged, drawn = RaggedRows(), DrawnRows(how.read_rows)
    valued: set[str] = set()
    ending = layout.delimiter.join([END] * layout.width) + "\n"
    with Utf8Stream(layout.source, layout.encoding, ending.encode()) as stream:
        stream.skip(layout.n_bytes)
        reader = partial(_open, layout, wanted, ragged, block)
        try:
            with closing(_batches(reader, stream, ragged)) as batches:
                for batch in batches:
                    valued.update(j for j in unnamed if pc.any(pc.not_equal(batch[j], "")).as_py())
                    drawn.add(batch)
        except UnendedRow as row:
            ragged.refuse(layout)
            if row.is_long and not is_last:
                return None
            number = drawn.n_rows + ragged.n_blank + 1
            refuse_open_quote(number, layout, block if row.is_long else None)
    ragged.refuse(layout)
    return drawn, valued


class UnendedRow(Exception):
    """A row has no end; or, if it is long, none within a block."""

    def __init__(self, *, is_long: bool) -> None:
        super().__init__("row without end")
        self.is_long = is_long


def _batches(
    opened: Callable[[Lent], Any], stream: Utf8Stream, ragged: RaggedRows
) -> Generator[pa.RecordBatch, None, None]:
    """Yield blocks of rows; columns are called by their position."""
    held: Any = None
    reader: Any = None
    lent: Any = Lent(stream)
    back = weakref.ref(lent)
    try:
        reader = opened(lent)
        lent = None
        while (batch := _next_batch(reader)) is not None:
            if batch.num_rows:
                if held is not None:
                    yield held
                held = batch
    except BaseException as error:  # Ctrl-C, too
        error.__traceback__ = None  # it holds on to the reader and the stream
        if not isinstance(error, Exception):
            raise
        if stream.fault is not None:
            raise stream.fault.with_traceback(None) from None
        if ragged.n >= MOST:
            return
        if isinstance(error, pa.ArrowInvalid) and "straddl" in str(error):
            if held is not None:
                yield held
            raise UnendedRow(is_long=True) from None
        raise
    finally:
        lent = reader = None
        take_back(back)
    # pyarrow takes a quotation mark that is never closed for a field up to the end of the file:
    # then the row that was added at the end is not there, but is part of the last one.
    is_whole = held is not None and held.column(0)[-1].as_py() == END
    if held is not None:
        yield held if ragged.has_end else held.slice(0, held.num_rows - 1)
    if not is_whole:
        raise UnendedRow(is_long=False)


def _next_batch(reader: Any) -> Any:
    try:
        return reader.read_next_batch()
    except StopIteration:
        return None


def _open(
    layout: Layout, wanted: Sequence[str], ragged: RaggedRows, block: int, stream: Lent
) -> Any:
    names = [str(j) for j in range(layout.width)]
    return csv.open_csv(
        stream,
        # Blocks are read ahead, up to 32 of them, so that they must be small.
        read_options=csv.ReadOptions(column_names=names, block_size=block, use_threads=False),
        parse_options=csv.ParseOptions(
            delimiter=layout.delimiter, newlines_in_values=True, invalid_row_handler=ragged
        ),
        convert_options=csv.ConvertOptions(
            include_columns=wanted,
            column_types=dict.fromkeys(wanted, pa.string()),
            strings_can_be_null=False,
            check_utf8=False,  # the stream has done it
        ),
    )


def _named(table: pa.Table, layout: Layout, valued: Collection[str]) -> tuple[pa.Table, list[str]]:
    """Return the table with the names of its columns, without empty columns that have no name."""
    path = layout.source.path
    empty = {j for j in table.column_names if not layout.names[int(j)] and j not in valued}
    names = {
        j: layout.names[int(j)] or f"Unnamed: {j}" for j in table.column_names if j not in empty
    }
    given = [name for j, name in names.items() if not layout.names[int(j)]]
    if layout.is_padded and given:
        raise DatakinError(
            f"The file {path!r} must have {layout.width - 1} fields in every line, as its header. "
            f"Got {layout.width}: most rows end with {spoken(layout.delimiter)}, but some have a "
            f"value behind it. Give that column a name in the header."
        )
    check_file_columns([*names.values()], path)
    notes = []
    if given:
        notes.append(f"column(s) without a name are called {listed(given)}")
    if empty:
        notes.append(f"{len(empty)} empty column(s) without a name left out")
    return table.select([*names]).rename_columns([*names.values()]), notes
