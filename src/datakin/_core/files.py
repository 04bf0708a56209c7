"""What is written: files, completely or not at all; and standard output and standard error.

These two may be closed, full, or end before we do.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinError

__all__ = ["check_file", "is_terminal", "printed", "say", "written_whole"]


def check_file(path: str | os.PathLike[str], what: str, *, overwrite: bool) -> Path:
    """Return the path of a file that can be written; refuse any other with the reason."""
    where = Path(path)
    if os.path.isdir(where):
        raise DatakinError(f"{what} must be a file. Got the folder {str(where)!r}.")
    if not os.path.isdir(where.parent):
        raise DatakinError(f"The folder of {what.lower()} must exist. Got {str(where.parent)!r}.")
    there = os.path.exists(where)
    if there and not overwrite:
        raise DatakinError(
            f"{what} {str(where)!r} is already there. Choose another name, or replace it: --force, in Python "
            f"overwrite=True."
        )
    # The folder too: the file is first written under another name and then renamed.
    if not os.access(where.parent, os.W_OK) or (there and not os.access(where, os.W_OK)):
        raise DatakinError(f"{what} must be writable. Got {str(where)!r}.")
    return where


@contextmanager
def written_whole(where: Path) -> Iterator[Path]:
    """Give a temporary path to write to; it becomes the file when the block ends without an error."""
    # In the same folder, so that it can be moved; the name is unique to this process and thread.
    mark = f"{os.getpid()}-{threading.get_ident()}"
    partial = where.with_name(f".datakin-{mark}{where.suffix}")
    try:
        yield partial
        os.replace(partial, where)
    finally:
        partial.unlink(missing_ok=True)


def is_terminal(stream: Any) -> bool:
    """Return whether somebody reads a stream as it is written; a closed one has no reader."""
    try:
        return bool(stream is not None and stream.isatty())
    except (OSError, ValueError):
        return False


def say(text: str) -> None:
    """Print a line to standard error; a run goes on where nobody can read it."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except (OSError, ValueError):
        _discard(stream)


@contextmanager
def printed() -> Iterator[None]:
    """Print what is asked for to standard output, to the last byte.

    Raises
    ------
    DatakinError
        If it could not be written.
    BrokenPipeError
        If its reader has left, as ``head`` does.
    """
    stream = sys.stdout
    if stream is None or stream.closed:
        raise DatakinError(
            "The result could not be printed: standard output is closed. Write it to a file: --out."
        )
    with suppress(AttributeError):  # names of files need not be text: their odd bytes as escapes
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        yield
        stream.flush()
    except BrokenPipeError:
        _discard(stream)
        raise
    except OSError as error:
        _discard(stream)
        raise DatakinError(
            f"The result could not be written to standard output: {error.strerror or error}."
        ) from None


def _discard(stream: Any) -> None:
    """Send what a stream still holds nowhere, so that Python does not fail on it at the end."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
        stream.flush()
