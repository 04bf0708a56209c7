"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["written_whole"]


@contextmanager
def written_whole(where: Path) -> Iterator[Path]:
    """Give a place to write to that becomes the file in the end; a full disk leaves no half of it."""
    # Beside its place, so that it can be moved there; of this process and thread alone.
    mark = f"{os.getpid()}-{threading.get_ident()}"
    partial = where.with_name(f".datakin-{mark}{where.suffix}")
    try:
        yield partial
        os.replace(partial, where)
    finally:
        partial.unlink(missing_ok=True)
