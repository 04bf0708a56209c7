"""Parquet and Feather files -> pyarrow tables, as stored.

Several Parquet files can be the parts of one table. A file with more rows than wanted is sampled
row by row, since it may be sorted by label; a stretch of one column is in memory at a time.
What a file says about itself is not believed: numbers of rows are held against its size, and values
are checked before anything looks at them, since damaged ones can end the whole process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.data.files.arrow_columns import common_type, converted, plain_type
from datakin.data.files.reading import Read, check_file_columns, choose_rows, readable
from datakin.data.origin import Origin

STRETCH = 1 << 20  # rows whose values of one column are decoded together
ROWS_PER_BYTE = 100_000  # more rows than this no file holds, however well it is packed
HINT = "is it complete, and does the suffix fit?"
INDEX = "__index_level_"  # what pandas calls the columns of an index without a name


class PartFile(NamedTuple):
    """One file of a table: what it says about itself, and how its values are read."""

    path: str
    what: str
    schema: Any
    n_rows: int
    blocks: Callable[[list[str]], Iterator[pa.RecordBatch]]  # of the columns of these names
    together: int = 1  # columns of a sample that are read at a time


def read_parquet(files: Sequence[str], how: Origin) -> Read:
    """Read one table from its Parquet files, all rows or a sample across the files."""
    return _read([_parquet(file) for file in files], how)


def read_feather(files: Sequence[str], how: Origin) -> Read:
    """Read a Feather (Arrow IPC) file, all rows or a sample."""
    return _read([_feather(files[0], how.unread)], how)


def _parquet(path: str) -> PartFile:
    """Return what a file says about itself; refuse numbers of rows that contradict each other.

    pyarrow itself refuses columns that end behind the end of the file; to ask for their places here
    would end the process where what a file says of their sizes is damaged.
    """
    with readable(path, "a parquet table", HINT), _opened(path) as file:
        check_file_columns(file.schema_arrow.names, path)
        about = file.metadata
        n_rows = int(about.num_rows)
        groups = [about.row_group(i).num_rows for i in range(about.num_row_groups)]
        if sum(groups) != n_rows or min(groups, default=0) < 0:
            raise ValueError(f"its footer promises {n_rows:,} rows, its row groups do not")
        _check_size(n_rows, path)
        blocks = partial(_parquet_blocks, path, about)
        return PartFile(path, "a parquet table", file.schema_arrow, n_rows, blocks)


def _parquet_blocks(path: str, about: Any, names: list[str]) -> Iterator[pa.RecordBatch]:
    # Reading ahead holds all columns of a row group in memory; one after the other is no slower.
    with _opened(path, metadata=about, pre_buffer=False) as file:
        yield from file.iter_batches(STRETCH, columns=names)


@contextmanager
def _opened(path: str, **options: Any) -> Iterator[Any]:
    """Open a Parquet file whose name may be in no encoding at all."""
    with pa.OSFile(os.fsencode(path)) as source, pq.ParquetFile(source, **options) as file:
        yield file


def _feather(path: str, skip: Collection[str]) -> PartFile:
    """Return what a file says about itself."""
    with readable(path, "a feather table", HINT):
        with open(path, "rb") as file:
            if file.read(4) == b"FEA1":
                # pyarrow believes every number in such a file, and will drop it some day.
                raise DatakinError(
                    f"The file {path!r} is of the first version of Feather, which cannot be read "
                    f"safely; load it with pandas.read_feather and save it again, or pass the data frame."
                )
        with pa.OSFile(os.fsencode(path)) as source, pa.ipc.open_file(source) as reader:
            schema = reader.schema
        check_file_columns(schema.names, path)
        blocks = partial(_feather_blocks, path, schema)
        first = [name for name in schema.names if name not in skip][:1]
        sizes = [block.num_rows for block in blocks(first)]
        _check_size(sum(sizes), path)
        together = max(1, 4 * STRETCH // max([1, *sizes]))
        return PartFile(path, "a feather table", schema, sum(sizes), blocks, together)


def _feather_blocks(path: str, schema: Any, names: list[str]) -> Iterator[pa.RecordBatch]:
    fields = [schema.get_field_index(name) for name in names]
    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
    with (
        pa.OSFile(os.fsencode(path)) as source,
        pa.ipc.open_file(source, options=options) as reader,
    ):
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)


def _read(parts: Sequence[PartFile], how: Origin) -> Read:
    """Read all rows of a table, or a sample across its parts."""
    names, types = _common_columns(parts, how.unread)
    n_rows = sum(part.n_rows for part in parts)
    size = n_rows if how.read_rows is None else how.read_rows
    rows = None if n_rows <= size else choose_rows(n_rows, size)
    pieces: dict[str, list[Any]] = {name: [] for name in types}
    step = parts[0].together if rows is not None else max(1, len(types))
    for first in range(0, len(types), step):
        start, some = 0, [*types][first : first + step]
        for part in parts:
            with readable(part.path, part.what, HINT):
                _read_part(part, _between(rows, start, start + part.n_rows), some, pieces)
            start += part.n_rows
        # Readers ask for room for whole blocks: what they filled must not pile up.
        pa.default_memory_pool().release_unused()
    # What pandas wrote about its index in one part does not hold for all of them together.
    about = parts[0].schema.metadata if len(parts) == 1 else None
    with readable(parts[0].path, parts[0].what, HINT):
        columns = {name: _joined(pieces.pop(name), kind, name) for name, kind in types.items()}
        return Read(_with_index_first(pa.table(columns), about), n_rows, names)


def _read_part(
    part: PartFile, rows: Array | None, names: list[str], pieces: dict[str, list[Any]]
) -> None:
    """Append the part's values, for all or some of its rows, to the pieces of the named columns."""
    if rows is not None and not len(rows):
        return
    start = 0
    for block in part.blocks(names):
        # Before anything follows offsets into memory that is not there.
        block.validate(full=True)
        within = _between(rows, start, start + block.num_rows)
        start += block.num_rows
        for name in names if within is None or len(within) else ():
            values = block.column(name)
            if within is not None:  # pyarrow cannot take rows of some types, as polars writes them
                values = converted(values, plain_type(values.type)).take(pa.array(within))
            pieces[name].append(values)
    if start != part.n_rows:
        raise ValueError(f"its footer promises {part.n_rows:,} rows, and {start:,} were found")


def _between(rows: Array | None, start: int, stop: int) -> Any:
    """Return the sorted row numbers in [start, stop), counted from start; None for all rows."""
    if rows is None:
        return None
    low, high = np.searchsorted(rows, [start, stop])
    return rows[low:high] - start


def _check_size(n_rows: int, path: str) -> None:
    n_bytes = os.path.getsize(path)
    if not 0 <= n_rows <= ROWS_PER_BYTE * n_bytes:
        raise ValueError(f"it promises {n_rows:,} rows in {n_bytes:,} bytes")


def _with_index_first(table: pa.Table, about: dict[bytes, bytes] | None) -> pa.Table:
    """Return columns as pandas shows them: a named index first, one without a name not at all."""
    try:
        index = json.loads((about or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, AttributeError):  # what the file says about pandas is damaged, or not of it
        index = []
    first = [name for name in index if isinstance(name, str) and name in table.column_names]
    names = dict.fromkeys([*first, *table.column_names])
    return table.select([name for name in names if not name.startswith(INDEX)])


def _joined(pieces: Sequence[Any], kind: Any, name: str) -> Any:
    """Return the pieces as one column of the type."""
    kind = plain_type(kind)
    try:
        column = pa.chunked_array([converted(piece, kind) for piece in pieces], type=kind)
        # In one piece, while the memory of the pieces can be used for the next column; texts of many
        # pieces may not fit one.
        is_short = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        return pa.chunked_array([column.combine_chunks()]) if is_short else column
    except pa.ArrowInvalid:
        kinds = sorted({str(piece.type) for piece in pieces})
        raise DatakinError(
            f"The column {name!r} must have one type in all part files. Got {' and '.join(kinds)}, and "
            f"values that would lose digits as {kind}; convert it, or leave it out with "
            f"ignore=[{name!r}] (--ignore {name})."
        ) from None


def _common_columns(
    parts: Sequence[PartFile], skip: Collection[str]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of all columns, and the types of those to read that all parts agree on."""
    first, *others = parts
    names = [n for n in first.schema.names if not (others and n.startswith(INDEX))]
    types = {name: first.schema.field(name).type for name in names if name not in skip}
    names += [name for part in others for name in part.schema.names]
    origin = dict.fromkeys(types, first.path)
    for part in others:
        found = {n for n in part.schema.names if n not in skip and not n.startswith(INDEX)}
        for name in sorted(found ^ set(types)):
            one, other = (part, first) if name in found else (first, part)
            raise DatakinError(
                f"Part files of one table must have the same columns. {one.path!r} has a column "
                f"{name!r}, {other.path!r} has none; leave it out with ignore=[{name!r}] (--ignore), "
                f"or read the files apart with read_tables."
            )
        for name, kind in types.items():
            here = part.schema.field(name).type
            common = common_type(kind, here)
            if common is None:
                raise DatakinError(
                    f"The column {name!r} must have one type in all part files. Got {kind} in "
                    f"{origin[name]!r} and {here} in {part.path!r}; convert it, or leave it out "
                    f"with ignore=[{name!r}] (--ignore)."
                )
            if common != kind:
                types[name], origin[name] = common, part.path
    return tuple(dict.fromkeys(n for n in names if not n.startswith(INDEX))), types
