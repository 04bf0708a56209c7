"""Parquet and Feather files -> data frames, one column of a stretch of rows in memory at a time.

Several Parquet files can be the parts of one table. Files with more rows than wanted are sampled row
by row: they may be sorted by label, so that whole row groups would be no sample.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin.data.features import Array
from datakin.data.filetable import FileTable, check_names, readable
from datakin.data.sampling import choose_rows
from datakin.data.schemas import Part, common_columns, is_view

__all__ = ["read_feather", "read_parquet"]

STRETCH = 1 << 20  # rows whose values of one column are decoded together


def read_parquet(
    files: Sequence[str], max_rows: int | None = None, skip: Collection[str] = ()
) -> FileTable:
    """Read one table from its Parquet files, all rows or a sample across the files.

    Parameters
    ----------
    files : sequence of str
    max_rows : int, optional
        Draw that many rows where there are more.
    skip : collection of str
        Columns to leave unread.
    """
    import pyarrow as pa

    parts = [_described(file) for file in files]
    names, types = common_columns(parts, skip)
    n_rows = sum(part.n_rows for part in parts)
    rows = None if max_rows is None or n_rows <= max_rows else choose_rows(n_rows, max_rows)
    pieces: dict[str, list[Any]] = {name: [] for name in types}
    start = 0
    for part in parts:
        within = None if rows is None else _between(rows, start, start + part.n_rows)
        with readable(part.path):
            _read_part(part, within, pieces)
        start += part.n_rows
    # What pandas wrote about its index in one part does not hold for all of them together.
    about = parts[0].schema.metadata if len(parts) == 1 else None
    with readable(files[0]):
        columns = {name: _joined(pieces[name], kind) for name, kind in types.items()}
        frame = pa.table(columns, metadata=about).to_pandas()
    return FileTable(frame, names, n_rows, len(files))


def _described(path: str) -> Part:
    import pyarrow.parquet as pq

    if os.path.getsize(path) == 0:
        raise DatakinError(f"The file {path!r} is empty: expected a table with a header line.")
    with readable(path), pq.ParquetFile(path) as file:
        check_names(file.schema_arrow.names, path)
        return Part(path, file.metadata, file.schema_arrow)


def _read_part(part: Part, rows: Array | None, pieces: dict[str, list[Any]]) -> None:
    """Append the part's values, for all or some of its rows, to the pieces of each column."""
    import pyarrow.parquet as pq

    if rows is not None and not len(rows):
        return
    # Reading ahead holds all columns of a row group in memory; one after the other is no slower.
    with pq.ParquetFile(part.path, metadata=part.metadata, pre_buffer=False) as file:
        if rows is None:
            table = file.read(columns=list(pieces))
            for name, found in pieces.items():
                found += table.column(name).chunks
            return
        for groups, start, stop in _stretches(part.metadata):
            within = _between(rows, start, stop)
            for name, found in pieces.items() if len(within) else ():
                # A column named "a" also brings one named "a.b": take the one that was meant.
                table = file.read_row_groups(groups, columns=[name], use_threads=False)
                found += _picked(table.column(name).chunks, within)


def _stretches(metadata: Any) -> Iterator[tuple[list[int], int, int]]:
    """Yield row groups that are read together, and the rows from which to which they go."""
    groups: list[int] = []
    start = stop = 0
    for group in range(metadata.num_row_groups):
        n = metadata.row_group(group).num_rows
        if groups and stop + n - start > STRETCH:
            yield groups, start, stop
            groups, start = [], stop
        groups.append(group)
        stop += n
    if groups:
        yield groups, start, stop


def read_feather(
    path: str, max_rows: int | None = None, skip: Collection[str] = ()
) -> FileTable | None:
    """Draw rows of a Feather (Arrow IPC) file; None when it is to be read as a whole."""
    import pyarrow as pa

    if max_rows is None:
        return None
    try:
        sizes = [batch.num_rows for batch in _batches(path, [0])]
    except (pa.ArrowInvalid, OSError):
        return None  # the first version of Feather, or no table: the whole-file reader will tell
    n_rows = sum(sizes)
    if n_rows <= max_rows:
        return None
    rows = choose_rows(n_rows, max_rows)
    with readable(path):
        with pa.OSFile(path) as source:
            schema = pa.ipc.open_file(source).schema
        check_names(schema.names, path)
        wanted = [i for i, name in enumerate(schema.names) if name not in skip]
        step = max(1, 4 * STRETCH // max(sizes))  # columns of a batch in memory together
        pieces: dict[str, list[Any]] = {schema.names[i]: [] for i in wanted}
        for first in range(0, len(wanted), step):
            _read_fields(path, wanted[first : first + step], rows, pieces)
            # The reader asks for room for whole batches: what it filled must not pile up.
            pa.default_memory_pool().release_unused()
        columns = {name: _joined(found, schema.field(name).type) for name, found in pieces.items()}
        frame = pa.table(columns, metadata=schema.metadata).to_pandas()
        return FileTable(frame, tuple(schema.names), n_rows)


def _read_fields(path: str, fields: list[int], rows: Array, pieces: dict[str, list[Any]]) -> None:
    start = 0
    for batch in _batches(path, fields):
        within = _between(rows, start, start + batch.num_rows)
        for name in batch.schema.names:
            pieces[name] += _picked([batch.column(name)], within)
        start += batch.num_rows


def _batches(path: str, fields: list[int]) -> Iterator[Any]:
    import pyarrow as pa

    options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
    with pa.OSFile(path) as source, pa.ipc.open_file(source, options=options) as reader:
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)


def _between(rows: Array, start: int, stop: int) -> Array:
    """Return the sorted row numbers in [start, stop), counted from start."""
    low, high = np.searchsorted(rows, [start, stop])
    within: Array = rows[low:high] - start
    return within


def _picked(chunks: Sequence[Any], rows: Array) -> list[Any]:
    """Return the rows of an array in chunks; taken together, long texts would overflow."""
    import pyarrow as pa

    picked = []
    start = 0
    for chunk in chunks:
        within = _between(rows, start, start + len(chunk))
        start += len(chunk)
        if len(within):
            if is_view(chunk.type):  # what polars writes: pyarrow cannot take rows of it
                chunk = chunk.cast(pa.large_string())
            picked.append(chunk.take(pa.array(within)))
    return picked


def _joined(pieces: Sequence[Any], kind: Any) -> Any:
    """Return the pieces as one column of the type."""
    import pyarrow as pa

    if is_view(kind):
        kind = pa.large_string()
    return pa.chunked_array([_converted(piece, kind) for piece in pieces], type=kind)


def _converted(piece: Any, kind: Any) -> Any:
    import pyarrow as pa

    if piece.type == kind:
        return piece
    if pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_decode()
    return piece.cast(kind, safe=False)  # a large whole number may lose digits as a float
