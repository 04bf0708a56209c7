"""Csv files -> data frames; of files that are too large to be read whole, some rows."""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.data.dataset import Origin
from datakin.data.features import Array
from datakin.data.reading import Lottery, check_file_columns, first_line

__all__ = ["read_csv", "sample_csv"]

LARGE = 100_000_000  # bytes of a csv file from which it is not read as a whole to be sampled
LARGE_PACKED = 20_000_000  # the same for csv.gz
BLOCK = 1 << 24  # bytes of a csv file looked at together
LONGEST = 1 << 26  # bytes; a longer record is a quotation mark that is never closed
UNCLOSED = "a quotation mark is opened and never closed"


def read_csv(files: Sequence[str], how: Origin) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """Read a csv or csv.gz file; of a large one only the rows that are drawn."""
    path, delimiter = files[0], "," if how.delimiter is None else how.delimiter
    _check_delimiter(delimiter)
    form: dict[str, Any] = {"sep": delimiter, "low_memory": False}
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        # Before 3.1 pandas rounded by default, and CSV and Parquet gave different numbers.
        form["float_precision"] = "round_trip"
    sample: SampledText | None = None
    try:
        # Drawn records are parsed as a small file would be, so that the same rules hold.
        if how.read_rows is not None and _is_large(path) and delimiter.isascii():
            sample = sample_csv(path, delimiter, how.read_rows)
        frame = pd.read_csv(io.BytesIO(sample.text) if sample else path, **form)
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
    _check_header(frame, path, delimiter)
    return frame, len(frame) if sample is None else sample.n_rows, ()


def _check_delimiter(delimiter: Any) -> None:
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in "\r\n":
        raise DatakinError(
            f"The 'delimiter' parameter must be one character, such as ',' or ';'. "
            f"Got {delimiter!r} instead."
        )


def _check_header(frame: pd.DataFrame, path: str, delimiter: str) -> None:
    """Refuse columns of the same name, and a file that has another delimiter."""
    if any(re.search(r"\.\d+$", str(name)) for name in frame.columns):
        # pandas renames a second "a" to "a.1" without saying so: look at the header itself.
        header_line = pd.read_csv(path, sep=delimiter, header=None, nrows=1, dtype=str)
        check_file_columns([name for name in header_line.iloc[0] if isinstance(name, str)], path)
    if frame.shape[1] != 1:
        return
    header = str(frame.columns[0])
    for other in (";", "\t", "|", ","):
        if other != delimiter and other in header:
            raise DatakinError(
                f"The file {path!r} looks separated by {other!r}, not {delimiter!r}: its only "
                f"column is {header[:60]!r}. Say delimiter={other!r} (--delimiter on the command line)."
            )


def _is_large(path: str) -> bool:
    return os.path.getsize(path) > (LARGE_PACKED if path.lower().endswith(".gz") else LARGE)


def _fault(error: Exception, sample: SampledText | None) -> str:
    """Return the parser's message, with the line's number in the file rather than in the sample."""

    def numbered(line: re.Match[str]) -> str:
        assert sample is not None
        row = int(line[1]) - 2  # after the header, counted from 0
        return f"in line {sample.rows[row] + 2}" if 0 <= row < len(sample.rows) else line[0]

    text = first_line(error)
    return text if sample is None else re.sub(r"in line (\d+)", numbered, text)


@dataclass(frozen=True, eq=False)
class SampledText:
    """The header and some records of a csv file, as they stand there.

    Parameters
    ----------
    text : bytes
    rows : ndarray
        The number of each record, without the header.
    n_rows : int
        How many records the file has.
    """

    text: bytes
    rows: Array
    n_rows: int


def sample_csv(path: str, delimiter: str, size: int) -> SampledText:
    """Draw records of a csv or csv.gz file; only where they begin and end is looked at."""
    lottery = Lottery(size)
    header: bytes | None = None
    drawn: list[bytes] = []
    opened = gzip.open if path.lower().endswith(".gz") else open
    with cast(BinaryIO, opened(path, "rb")) as stream:
        for block, starts, ends in _records(stream, delimiter.encode()):
            if header is None:
                if not len(starts):
                    continue
                header, starts, ends = block[starts[0] : ends[0]], starts[1:], ends[1:]
            new = lottery.offer(len(starts))
            drawn += [block[a:b] for a, b in zip(starts[new], ends[new], strict=True)]
            if len(drawn) > 1.25 * size:
                drawn = [drawn[i] for i in lottery.settle()]
    drawn = [drawn[i] for i in lottery.settle()]
    return SampledText(b"".join([header or b"", *drawn]), lottery.rows, lottery.n_seen)


def _records(stream: BinaryIO, delimiter: bytes) -> Iterator[tuple[bytes, Array, Array]]:
    """Yield blocks of whole records, and where in the block each record starts and ends."""
    record = _record_pattern(delimiter)
    blank = b" \t\r\n".replace(delimiter, b"")
    rest = b""
    while new := stream.read(BLOCK):
        block = rest + new
        ends = _ends(block, record)
        rest = block[ends[-1] :] if len(ends) else block
        if len(rest) > LONGEST:
            raise ValueError(UNCLOSED)
        yield block, *_without_blanks(block, ends, blank)
    if rest:
        block = rest + b"\n"
        if not record.fullmatch(block):
            raise ValueError(UNCLOSED)
        yield block, *_without_blanks(block, np.array([len(block)]), blank)


def _record_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    """Return a pattern of one record, by the rules of the parser that reads it afterwards.

    A quotation mark counts only where a field begins; within quotes line ends are text.
    """
    d = re.escape(delimiter)
    quoted = rb'"(?:[^"]|"")*+"'
    plain = rb"[^" + d + rb"\r\n]*+"
    field = rb"(?:" + quoted + plain + rb'|(?!")' + plain + rb")"
    # A carriage return at the end of a block may be the first half of a line end.
    return re.compile(field + rb"(?:" + d + field + rb")*+(?:\n|\r\n|\r(?=[^\n]))")


def _ends(block: bytes, record: re.Pattern[bytes]) -> Array:
    lone = b"\r" in block and block.count(b"\r") > block.count(b"\r\n")
    if not lone and b'"' not in block:
        return np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
    ends = [0]
    for match in record.finditer(block):
        if match.start() != ends[-1]:  # the last record of the block is not complete
            break
        ends.append(match.end())
    return np.array(ends[1:], dtype=np.int64)


def _without_blanks(block: bytes, ends: Array, blank: bytes) -> tuple[Array, Array]:
    """Return starts and ends without blank lines, which are no rows to the parser either."""
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64) if len(ends) else ends
    first = np.frombuffer(block, dtype=np.uint8)[starts]
    suspects = np.flatnonzero(np.isin(first, np.frombuffer(blank, dtype=np.uint8)))
    empty = [i for i in suspects if not block[starts[i] : ends[i]].strip(blank)]
    return np.delete(starts, empty), np.delete(ends, empty)
