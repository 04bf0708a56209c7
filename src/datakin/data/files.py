"""Files -> data frames, with a sentence instead of a parser's traceback."""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from datakin._core.exceptions import DatakinError, listed, suggest

__all__ = ["find_files", "read_file", "stem"]

SUFFIXES = (".csv.gz", ".csv", ".parquet", ".feather", ".arrow", ".pq")


def stem(path: str | os.PathLike[str]) -> str:
    """Return the file's name without folder and suffix.

    Examples
    --------
    >>> stem("wards/icu.csv.gz")
    'icu'
    """
    name = Path(path).name
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return Path(name).stem


def find_files(pattern: str | os.PathLike[str]) -> list[str]:
    """Return the files a path or glob names, sorted."""
    text = os.fspath(pattern)
    if os.path.isdir(text):
        found = sorted(str(p) for p in Path(text).iterdir() if p.name.lower().endswith(SUFFIXES))
        if not found:
            raise DatakinError(f"The folder {text!r} holds no {', '.join(SUFFIXES[:4])} file.")
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


def read_file(path: str | os.PathLike[str], delimiter: str = ",") -> pd.DataFrame:
    """Read one csv, csv.gz, parquet or feather file."""
    text = os.fspath(path)
    if not os.path.exists(text):
        find_files(text)
    if os.path.getsize(text) == 0:
        raise DatakinError(f"The file {text!r} is empty: expected a table with a header line.")
    lower = text.lower()
    reader: Callable[[str], pd.DataFrame]
    if lower.endswith((".parquet", ".pq")):
        reader = pd.read_parquet
    elif lower.endswith((".feather", ".arrow")):
        reader = pd.read_feather
    elif lower.endswith((".csv", ".csv.gz", ".txt", ".tsv", ".data")):
        return _read_csv(text, delimiter)
    else:
        raise DatakinError(
            f"The file {text!r} must be one of {', '.join(SUFFIXES[:4])}. "
            f"Read it yourself and pass the data frame."
        )
    try:
        frame = reader(text)
    except Exception as error:  # pyarrow raises its own types, OSError among them
        raise DatakinError(
            f"The file {text!r} could not be read as a {Path(text).suffix[1:]} table "
            f"({_first_line(error)}); is it complete, and does the suffix fit?"
        ) from None
    return _checked(frame, text)


def _read_csv(path: str, delimiter: Any) -> pd.DataFrame:
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in "\r\n":
        raise DatakinError(
            f"The 'delimiter' parameter must be one character, such as ',' or ';'. "
            f"Got {delimiter!r} instead."
        )
    options: dict[str, Any] = {"sep": delimiter, "low_memory": False}
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        # Before 3.1 pandas rounded by default, and CSV and Parquet gave different numbers.
        options["float_precision"] = "round_trip"
    try:
        frame = pd.read_csv(path, **options)
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
            f"The file {path!r} could not be read as a table ({_first_line(error)}); "
            f"expected one header line and the same number of {delimiter!r} in every line."
        ) from None
    if any(re.search(r"\.\d+$", str(name)) for name in frame.columns):
        # pandas renames the second "a" to "a.1" without a word: look at the header itself.
        header_line = pd.read_csv(path, sep=delimiter, header=None, nrows=1, dtype=str)
        names = [name for name in header_line.iloc[0] if isinstance(name, str)]
        _check_names(names, path)
    if frame.shape[1] == 1:
        header = str(frame.columns[0])
        for other in (";", "\t", "|", ","):
            if other != delimiter and other in header:
                raise DatakinError(
                    f"The file {path!r} looks separated by {other!r}, not {delimiter!r}: its only "
                    f"column is {header[:60]!r}. Say delimiter={other!r} (--delimiter on the command line)."
                )
    return _checked(frame, path)


def _checked(frame: pd.DataFrame, path: str) -> pd.DataFrame:
    if not len(frame.columns) or not len(frame):
        raise DatakinError(f"The file {path!r} has {len(frame.columns)} columns and no rows.")
    names = [str(name) for name in frame.columns]
    _check_names(names, path)
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(drop=frame.index.name is None or frame.index.name in names)
    return frame


def _check_names(names: list[str], path: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatakinError(f"The file {path!r} has more than one column named {listed(twice)}.")


def _first_line(error: Exception) -> str:
    return next(iter(io.StringIO(str(error).strip())), type(error).__name__).strip()[:120]
