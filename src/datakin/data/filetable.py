"""What was read of a file, and the sentences when it could not be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from datakin._core.exceptions import DatakinError, listed, repeated

__all__ = ["FileTable", "check_names", "first_line", "readable"]


@dataclass(frozen=True, eq=False)
class FileTable:
    """What was read of one or more files.

    Parameters
    ----------
    frame : DataFrame
        The rows and columns that were read.
    columns : tuple of str
        All columns that there are.
    n_rows : int
        All rows that there are.
    n_files : int
    """

    frame: pd.DataFrame
    columns: tuple[str, ...]
    n_rows: int
    n_files: int = 1

    @property
    def note(self) -> str:
        """A sentence for the user when rows were drawn, else empty."""
        if len(self.frame) >= self.n_rows:
            return ""
        where = "the file" if self.n_files == 1 else f"{self.n_files} files"
        return (
            f"{self.n_rows:,} rows in {where}; {len(self.frame):,} drawn at random "
            f"(max_rows of read_table, --read-rows)"
        )


@contextmanager
def readable(path: str) -> Iterator[None]:
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


def check_names(names: Sequence[str], path: str) -> None:
    """Refuse columns of the same name."""
    twice = repeated(names)
    if twice:
        raise DatakinError(f"The file {path!r} has more than one column named {listed(twice)}.")


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, shortened."""
    text = str(error).strip()
    return (text.splitlines()[0] if text else type(error).__name__).strip()[:120]
