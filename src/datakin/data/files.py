"""Files -> data frames, with a sentence instead of a parser's traceback."""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from datakin._core.exceptions import DatakinError, suggest
from datakin.data.arrow import read_feather, read_parquet
from datakin.data.filetable import FileTable, check_names, first_line, readable
from datakin.data.sampling import SampledText, choose_rows, sample_csv

__all__ = ["are_parts", "find_files", "read_files", "stem", "table_paths"]

SUFFIXES = (".csv.gz", ".csv", ".parquet", ".feather", ".arrow", ".pq")
PARQUET = (".parquet", ".pq")
LARGE = 100_000_000  # bytes of a csv file from which it is not read as a whole to be sampled
LARGE_PACKED = 20_000_000  # the same for csv.gz


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
    """Return the files a path or glob names, sorted."""
    text = os.fspath(pattern)
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


def are_parts(files: Sequence[str]) -> bool:
    """Whether the files may be the parts of one table: only Parquet files are."""
    return all(file.lower().endswith(PARQUET) for file in files)


def table_paths(patterns: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return one path per table: each file of a glob, or of the only folder, else a folder of parts."""
    paths = []
    for pattern in patterns:
        found = find_files(pattern)
        whole = len(patterns) > 1 and os.path.isdir(pattern) and are_parts(found)
        paths += [os.fspath(pattern)] if whole else found
    return paths


def read_files(
    files: Sequence[str],
    delimiter: str = ",",
    *,
    max_rows: int | None = None,
    skip: Collection[str] = (),
) -> FileTable:
    """Read a csv, csv.gz, parquet or feather file, or the Parquet parts of one table.

    Parameters
    ----------
    files : sequence of str
    delimiter : str
        Separator of a csv file.
    max_rows : int, optional
        Draw that many rows at random where there are more; they keep their order.
    skip : collection of str
        Columns that need not be read.
    """
    path = files[0]
    if os.path.getsize(path) == 0:
        raise DatakinError(f"The file {path!r} is empty: expected a table with a header line.")
    lower = path.lower()
    if lower.endswith(PARQUET):
        table = read_parquet(files, max_rows, skip)
    elif lower.endswith((".feather", ".arrow")):
        table = read_feather(path, max_rows, skip) or _whole_feather(path)
    elif lower.endswith((".csv", ".csv.gz", ".txt", ".tsv", ".data")):
        table = _read_csv(path, delimiter, max_rows)
    else:
        raise DatakinError(
            f"The file {path!r} must be one of {', '.join(SUFFIXES[:4])}. "
            f"Read it yourself and pass the data frame."
        )
    frame = _checked(table.frame, path)
    columns = tuple(dict.fromkeys([*table.columns, *(str(name) for name in frame.columns)]))
    if max_rows is not None and len(frame) > max_rows:
        frame = frame.iloc[choose_rows(len(frame), max_rows)].reset_index(drop=True)
    return replace(table, frame=frame, columns=columns)


def _whole_feather(path: str) -> FileTable:
    with readable(path):
        return _whole(pd.read_feather(path))


def _whole(frame: pd.DataFrame) -> FileTable:
    return FileTable(frame, (), len(frame))


def _read_csv(path: str, delimiter: Any, max_rows: int | None) -> FileTable:
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in "\r\n":
        raise DatakinError(
            f"The 'delimiter' parameter must be one character, such as ',' or ';'. "
            f"Got {delimiter!r} instead."
        )
    options: dict[str, Any] = {"sep": delimiter, "low_memory": False}
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        # Before 3.1 pandas rounded by default, and CSV and Parquet gave different numbers.
        options["float_precision"] = "round_trip"
    sample: SampledText | None = None
    try:
        # Lines are drawn as they stand and read as a small file would be: the same rules hold.
        if max_rows is not None and _is_large(path) and delimiter.isascii():
            sample = sample_csv(path, delimiter, max_rows)
        frame = pd.read_csv(io.BytesIO(sample.text) if sample else path, **options)
    except pd.errors.EmptyDataError:
        raise DatakinError(
            f"The file {path!r} is empty: expected a table with a header line."
        ) from None
    except UnicodeDecodeError:
        raise DatakinError(
            f"The file {path!r} is not UTF-8 text; if it is a table, save it again as UTF-8 CSV."
        ) from None
    except Exception as error:
        raise DatakinError(
            f"The file {path!r} could not be read as a table ({_fault(error, sample)}); "
            f"expected one header line and the same number of {delimiter!r} in every line."
        ) from None
    if any(re.search(r"\.\d+$", str(name)) for name in frame.columns):
        # pandas renames the second "a" to "a.1" without a word: look at the header itself.
        header_line = pd.read_csv(path, sep=delimiter, header=None, nrows=1, dtype=str)
        names = [name for name in header_line.iloc[0] if isinstance(name, str)]
        check_names(names, path)
    if frame.shape[1] == 1:
        header = str(frame.columns[0])
        for other in (";", "\t", "|", ","):
            if other != delimiter and other in header:
                raise DatakinError(
                    f"The file {path!r} looks separated by {other!r}, not {delimiter!r}: its only "
                    f"column is {header[:60]!r}. Say delimiter={other!r} (--delimiter on the command line)."
                )
    return _whole(frame) if sample is None else replace(_whole(frame), n_rows=sample.n_rows)


def _is_large(path: str) -> bool:
    return os.path.getsize(path) > (LARGE_PACKED if path.lower().endswith(".gz") else LARGE)


def _fault(error: Exception, sample: SampledText | None) -> str:
    """Return the parser's words, with the line's number in the file rather than in the sample."""

    def numbered(line: re.Match[str]) -> str:
        assert sample is not None
        row = int(line[1]) - 2  # after the header, counted from 0
        return f"in line {sample.rows[row] + 2}" if 0 <= row < len(sample.rows) else line[0]

    text = first_line(error)
    return text if sample is None else re.sub(r"in line (\d+)", numbered, text)


def _checked(frame: pd.DataFrame, path: str) -> pd.DataFrame:
    if not len(frame.columns) or not len(frame):
        raise DatakinError(f"The file {path!r} has {len(frame.columns)} columns and no rows.")
    names = [str(name) for name in frame.columns]
    check_names(names, path)
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(drop=frame.index.name is None or frame.index.name in names)
    return frame
