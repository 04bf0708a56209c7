"""Write a file completely or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["written_whole"]


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
