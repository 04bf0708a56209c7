"""Parquet and Feather files -> data frames.

Several Parquet files can be the parts of one table. A file with more rows than wanted is sampled
row by row, since it may be sorted by label; one column of some row groups is in memory at a time.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.data.dataset import Origin
from datakin.data.features import Array
from datakin.data.reading import check_file_columns, choose_rows, first_line

__all__ = ["read_feather", "read_parquet"]

STRETCH = 1 << 20  # rows whose values of one column are decoded together
Read = tuple[pd.DataFrame, int, tuple[str, ...]]  # rows read, number of all rows, all columns
INDEX = "__index_level_"  # what pandas calls the columns of an index without a name


@dataclass(frozen=True, eq=False)
class PartFile:
    """What a Parquet file says about itself."""

    path: str
    metadata: Any
    schema: Any

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.metadata.num_rows)


def read_parquet(files: Sequence[str], how: Origin) -> Read:
    """Read one table from its Parquet files, all rows or a sample across the files."""
    import pyarrow as pa

    parts = [_described(file) for file in files]
    names, types = _common_columns(parts, how.unread)
    n_rows = sum(part.n_rows for part in parts)
    size = how.read_rows
    rows = None if size is None or n_rows <= size else choose_rows(n_rows, size)
    pieces: dict[str, list[Any]] = {name: [] for name in types}
    start = 0
    for part in parts:
        within = None if rows is None else _between(rows, start, start + part.n_rows)
        with _readable(part.path):
            _read_part(part, within, pieces)
        start += part.n_rows
    # What pandas wrote about its index in one part does not hold for all of them together.
    about = parts[0].schema.metadata if len(parts) == 1 else None
    with _readable(files[0]):
        columns = {name: _joined(pieces[name], kind) for name, kind in types.items()}
        frame = pa.table(columns, metadata=about).to_pandas()
    return frame, n_rows, names


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turn what a reader raises into a sentence that names the file."""
    try:
        yield
    except DatakinError:
        raise
    except Exception as error:  # pyarrow raises its own types, OSError among them
        raise DatakinError(
            f"The file {path!r} could not be read as a {Path(path).suffix[1:]} table "
            f"({first_line(error)}); is it complete, and does the suffix fit?"
        ) from None


def _described(path: str) -> PartFile:
    import pyarrow.parquet as pq

    if os.path.getsize(path) == 0:
        raise DatakinError(f"The file {path!r} is empty: expected a table with a header line.")
    with _readable(path), pq.ParquetFile(path) as file:
        check_file_columns(file.schema_arrow.names, path)
        return PartFile(path, file.metadata, file.schema_arrow)


def _read_part(part: PartFile, rows: Array | None, pieces: dict[str, list[Any]]) -> None:
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


def read_feather(files: Sequence[str], how: Origin) -> Read:
    """Read a Feather (Arrow IPC) file, all rows or a sample."""
    path, size = files[0], how.read_rows
    sizes = [] if size is None else _batch_sizes(path)
    if size is None or sum(sizes) <= size:
        with _readable(path):
            frame = pd.read_feather(path)
        return frame, len(frame), ()
    return _drawn(path, sizes, size, how.unread)


def _batch_sizes(path: str) -> list[int]:
    """Return the rows of each batch; none for a file that has to be read as a whole."""
    import pyarrow as pa

    try:
        return [batch.num_rows for batch in _batches(path, [0])]
    except (pa.ArrowInvalid, OSError):
        return []  # the first version of Feather, or not a table: the reader of whole files will say


def _drawn(path: str, sizes: list[int], size: int, skip: Collection[str]) -> Read:
    """Draw rows of a file with batches of these sizes."""
    import pyarrow as pa

    n_rows = sum(sizes)
    rows = choose_rows(n_rows, size)
    with _readable(path):
        with pa.OSFile(path) as source:
            schema = pa.ipc.open_file(source).schema
        check_file_columns(schema.names, path)
        wanted = [i for i, name in enumerate(schema.names) if name not in skip]
        step = max(1, 4 * STRETCH // max(sizes))  # columns of a batch in memory together
        pieces: dict[str, list[Any]] = {schema.names[i]: [] for i in wanted}
        for first in range(0, len(wanted), step):
            _read_fields(path, wanted[first : first + step], rows, pieces)
            # The reader asks for room for whole batches: what it filled must not pile up.
            pa.default_memory_pool().release_unused()
        columns = {name: _joined(found, schema.field(name).type) for name, found in pieces.items()}
        frame = pa.table(columns, metadata=schema.metadata).to_pandas()
        return frame, n_rows, tuple(schema.names)


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
            if _is_view(chunk.type):  # what polars writes: pyarrow cannot take rows of it
                chunk = chunk.cast(pa.large_string())
            picked.append(chunk.take(pa.array(within)))
    return picked


def _joined(pieces: Sequence[Any], kind: Any) -> Any:
    """Return the pieces as one column of the type."""
    import pyarrow as pa

    if _is_view(kind):
        kind = pa.large_string()
    return pa.chunked_array([_converted(piece, kind) for piece in pieces], type=kind)


def _converted(piece: Any, kind: Any) -> Any:
    import pyarrow as pa

    if piece.type == kind:
        return piece
    if pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_decode()
    return piece.cast(kind, safe=False)  # a large whole number may lose digits as a float


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
            common = _common_type(kind, here)
            if common is None:
                raise DatakinError(
                    f"The column {name!r} must have one type in all part files. Got {kind} in "
                    f"{origin[name]!r} and {here} in {part.path!r}; convert it, or leave it out "
                    f"with ignore=[{name!r}] (--ignore)."
                )
            if common != kind:
                types[name], origin[name] = common, part.path
    return tuple(dict.fromkeys(n for n in names if not n.startswith(INDEX))), types


def _common_type(one: Any, other: Any) -> Any:
    """Return a type that holds both, None if there is none, as for text and numbers."""
    import pyarrow as pa

    if one == other:
        return one
    one, other = (t.value_type if pa.types.is_dictionary(t) else t for t in (one, other))
    if _is_number(one) and _is_number(other):
        return one if one == other else pa.float64()
    if _is_text(one) and _is_text(other):
        return pa.large_string()
    try:
        both = [pa.schema([("x", kind)]) for kind in (one, other)]
        return pa.unify_schemas(both, promote_options="permissive").field("x").type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def _is_number(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind) or _is_view(kind))


def _is_view(kind: Any) -> bool:
    """Whether it is the type that polars writes texts in."""
    return str(kind) == "string_view"  # pyarrow 16 has no name for it
