"""Standard output and standard error, which may be closed, full, or end before we do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from datakin._core.exceptions import DatakinError

__all__ = ["is_terminal", "printed", "say"]


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
