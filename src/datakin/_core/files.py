"""Files that are written: whether they can be, and completely or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from datakin._core.exceptions import DatakinError

__all__ = ["check_file", "written_whole"]


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
