"""Which files a path names, and the one place where they become a table."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.archives import STDIN, TEXT_SUFFIXES
from datakin.data.arrow_files import read_feather, read_parquet
from datakin.data.dataset import Origin
from datakin.data.reading import check_file_columns, choose_rows
from datakin.data.tables import RawTable, frame_of
from datakin.data.text_files import read_text

__all__ = ["TableFiles", "find_files", "find_tables", "open_table", "open_tables", "stem"]

PARQUET = (".parquet", ".pq")
SUFFIXES = (".csv.gz", ".csv", ".parquet", ".feather", ".arrow", ".pq")  # looked for in folders


def _read_text_frame(files: Sequence[str], how: Origin) -> Any:
    read = read_text(files, how)
    frame = pd.DataFrame({name: _typed(read.table[name]) for name in read.table.column_names})
    return frame, read.n_rows, read.columns, read.notes


def _typed(column: Any) -> Any:
    # Until `tables` reads numbers from text for every column and label.
    import pyarrow as pa
    import pyarrow.compute as pc

    text = column.combine_chunks()
    text = pc.if_else(pc.is_in(text, pa.array(["", "NA", "nan", "NaN"])), None, text)
    for kind in (pa.int64(), pa.float64()):
        try:
            return text.cast(kind).to_pandas()
        except pa.ArrowInvalid:
            pass
    return text.to_pandas()


# A reader takes the files of a table and returns the rows it read, the number of all rows, and the
# names of columns that it did not read (or of all). To read another kind of file, add its reader
# here and, for files in folders, its suffix above.
Reader = Callable[[Sequence[str], Origin], Any]
READERS: dict[tuple[str, ...], Reader] = {
    PARQUET: read_parquet,
    (".feather", ".arrow"): read_feather,
    (*TEXT_SUFFIXES, ".gz", ".zip"): _read_text_frame,
}


@dataclass(frozen=True)
class TableFiles(os.PathLike[str]):
    """The file of one table, or its Parquet part files: looked up once, then passed on.

    Parameters
    ----------
    path : str
        The path, folder or glob as it was given.
    files : tuple of str
        The files that it names.
    """

    path: str
    files: tuple[str, ...]

    def __fspath__(self) -> str:
        return self.path


def stem(path: str | os.PathLike[str]) -> str:
    """Return the file's name without folder and suffix; of a glob, the part without wildcards.

    Examples
    --------
    >>> stem("wards/icu.csv.gz")
    'icu'
    >>> stem("sales/*.parquet")
    'sales'
    """
    name = Path(path).name or Path(path).resolve().name
    is_folder = os.path.isdir(path)
    wild = glob.has_magic(name) and not os.path.exists(path)
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
            break
    else:
        name = name if is_folder else Path(name).stem
    if not wild:
        return name
    return re.sub(r"\[[^]]*\]|[*?]", "", name).strip("-_. ") or Path(path).parent.name


def find_files(pattern: str | os.PathLike[str]) -> list[str]:
    """Return the files that a path, folder or glob names, sorted."""
    text = os.fspath(pattern)
    if text == STDIN:
        return [text]
    if os.path.isdir(text):
        visible = (p for p in Path(text).iterdir() if not p.name.startswith("."))
        found = sorted(str(p) for p in visible if p.name.lower().endswith(SUFFIXES))
        if not found:
            raise DatakinError(
                f"The folder {text!r} holds no {', '.join(SUFFIXES[:4])} file{_below(text)}."
            )
        return found
    if os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text))
    if not found:
        folder = os.path.dirname(text) or "."
        known = os.listdir(folder) if os.path.isdir(folder) else []
        near = suggest(os.path.basename(text), known, cutoff=0.8)
        raise DatakinError(f"No file matches {text!r}.{near}")
    return found


def _below(folder: str) -> str:
    deep = glob.glob("**/*.parquet", root_dir=folder, recursive=True)
    if not deep:
        return ""
    pattern = os.path.join(folder, *["*"] * deep[0].count(os.sep), "*.parquet")
    return f" itself; for those in its folders say {pattern!r}"


def _are_parts(files: Sequence[str]) -> bool:
    """Whether the files may be the parts of one table: only Parquet files are."""
    return all(file.lower().endswith(PARQUET) for file in files)


def _find_table(path: str | os.PathLike[str]) -> TableFiles:
    """Return the file, or the Parquet part files, of the one table that a path names."""
    if isinstance(path, TableFiles):
        return path
    files = find_files(path)
    if len(files) > 1 and not _are_parts(files):
        raise DatakinError(
            f"read_table reads one file, or the Parquet part files of one table. "
            f"{os.fspath(path)!r} names {len(files)}: {listed(files)}; use read_tables."
        )
    return TableFiles(os.fspath(path), tuple(files))


def find_tables(
    paths: Sequence[str | os.PathLike[str]], *, together: bool = False
) -> list[TableFiles]:
    """Return the tables that paths, folders and globs name.

    Each file of a glob is a table, and so is each file of a folder that is given alone; a folder of
    Parquet files among several paths is one table in parts. With `together` the Parquet files of
    the only path are one table, too.
    """
    alone = len(paths) == 1
    tables: list[TableFiles] = []
    for path in paths:
        if isinstance(path, TableFiles):
            tables.append(path)
            continue
        files = find_files(path)
        if _are_parts(files) and (together if alone else os.path.isdir(path)):
            tables.append(TableFiles(os.fspath(path), tuple(files)))
        else:
            tables += [_in_glob(file) for file in files]
    return tables


def _in_glob(path: str) -> TableFiles:
    """Return one of the things that a glob names: a file, or a folder of part files."""
    return _find_table(path) if os.path.isdir(path) else TableFiles(path, (path,))


def open_table(source: Any, how: Origin | None = None, name: str | None = None) -> RawTable:
    """Return the one table that a path names, or that an object of any library is."""
    if not isinstance(source, (str, os.PathLike)):
        given = frame_of(source)
        return RawTable(name or "", given, tuple(given.columns))
    found = _find_table(source)
    frame, columns, notes = _load(found.files, how or Origin())
    name = stem(source) if name is None else name
    return RawTable(name, frame_of(frame), columns, notes, os.path.abspath(found.path))


def open_tables(source: Any, how: Origin) -> list[RawTable]:
    """Return the tables of paths, globs, a mapping of names to tables, or one table.

    With a domain column, the Parquet files of one folder or glob are one table.
    """
    if isinstance(source, Mapping):
        return [open_table(table, how, str(name)) for name, table in source.items()]
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if not isinstance(source, (list, tuple)):
        return [open_table(source, how)]
    if not all(isinstance(path, (str, os.PathLike)) for path in source):
        raise DatakinError("Several tables must come as a mapping of name to table, or as paths.")
    together = how.domain is not None
    opened = []
    for found in find_tables(source, together=together):
        table = open_table(found, how)
        if len(found.files) > 1 and not (together and len(source) == 1):
            # Said because each of these files could also be meant as a dataset.
            note = f"{len(found.files)} Parquet files of the folder read as one table"
            table = replace(table, notes=(note, *table.notes))
        opened.append(table)
    return opened


def _load(
    files: Sequence[str], how: Origin
) -> tuple[pd.DataFrame, tuple[str, ...], tuple[str, ...]]:
    """Read the files of one table: rows, names of all columns, and a note if rows were drawn."""
    path = files[0]
    reader = next((READERS[ends] for ends in READERS if path.lower().endswith(ends)), None)
    if path == STDIN:
        reader = _read_text_frame
    if reader is None:
        raise DatakinError(
            f"The file {path!r} must be one of {', '.join(SUFFIXES[:4])}. "
            f"Read it yourself and pass the data frame."
        )
    frame, n_rows, columns, *others = reader(files, how)
    notes = others[0] if others else ()
    frame = _checked(frame, path)
    columns = tuple(dict.fromkeys([*columns, *(str(name) for name in frame.columns)]))
    if how.read_rows is not None and len(frame) > how.read_rows:  # rows drawn keep their order
        frame = frame.iloc[choose_rows(len(frame), how.read_rows)].reset_index(drop=True)
    if len(frame) >= n_rows:
        return frame, columns, notes
    where = "the file" if len(files) == 1 else f"{len(files)} files"
    note = (
        f"{n_rows:,} rows in {where}; {len(frame):,} drawn at random "
        f"(read_rows of read_table, --read-rows)"
    )
    return frame, columns, (note, *notes)


def _checked(frame: pd.DataFrame, path: str) -> pd.DataFrame:
    """Refuse a table without rows, or with columns of the same name; a named index is a column."""
    if not len(frame.columns) or not len(frame):
        raise DatakinError(f"The file {path!r} has {len(frame.columns)} columns and no rows.")
    names = [str(name) for name in frame.columns]
    check_file_columns(names, path)
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(drop=frame.index.name is None or frame.index.name in names)
    return frame
