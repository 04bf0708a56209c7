"""The process that reads a workbook (`workbook_process`): started, limited, and listened to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin.data.origin import Origin

__all__ = ["MOST_CELLS", "messages_of"]

MEMORY = 6_000_000_000  # bytes that the reading process may ask for
MEMORY_XLS = 1_500_000_000  # the same for .xls, whose sheets are small
MOST_CELLS = 100_000_000  # of a sheet, empty ones between others too
MOST_CELLS_XLS = 1 << 24  # the format has no more: more are damage
PATIENCE = 600  # seconds that reading may take


@contextmanager
def messages_of(path: str, is_old: bool, how: Origin) -> Iterator[Iterator[tuple[str, Any]]]:
    """Start the process that reads, and give what it sends."""
    script = Path(__file__).with_name("workbook_process.py")
    memory, most_cells = _memory(is_old), MOST_CELLS_XLS if is_old else MOST_CELLS
    # As JSON, in which names may hold every letter.
    words = json.dumps([os.path.abspath(path), how.table, memory, most_cells, how.header])
    folders = os.pathsep.join(folder for folder in sys.path if folder)
    process = subprocess.Popen(
        [sys.executable, "-P", str(script), words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": folders, "RUST_BACKTRACE": "0"},
    )
    clock = threading.Timer(PATIENCE, process.kill)
    clock.start()
    try:
        yield _received(process.stdout, path, memory)
    finally:
        clock.cancel()
        process.kill()
        process.communicate()


def _memory(is_old: bool) -> int:
    """Return how much memory reading may take: at most half of what there is."""
    most = MEMORY_XLS if is_old else MEMORY
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return most
    return min(most, there // 2)


def _received(stream: Any, path: str, memory: int) -> Iterator[tuple[str, Any]]:
    while True:
        try:
            kind, content = json.loads(stream.readline(), object_hook=_untagged)
        except ValueError:  # the process has ended in the middle
            raise DatakinError(
                f"The workbook {path!r} could not be read: it is damaged, or asks for more than "
                f"{memory / 1e9:.1f} GB of memory or {PATIENCE / 60:g} minutes. Open it in a spreadsheet "
                f"and save its table as CSV."
            ) from None
        if kind == "end":
            return
        if kind == "error":
            raise _fault(path, *content)
        yield kind, content


def _untagged(found: dict[str, Any]) -> Any:
    """Return the date or time that `tagged` sent."""
    for kind in (datetime, date, time):
        if kind.__name__ in found:
            return kind.fromisoformat(found[kind.__name__])
    return timedelta(**found)


def _fault(path: str, kind: str, message: str) -> DatakinError:
    if kind == "PasswordError" or "password" in message.lower() or "encrypt" in message.lower():
        return DatakinError(
            f"The workbook {path!r} is protected by a password. Open it in a spreadsheet and save it "
            f"without one."
        )
    return DatakinError(
        f"The file {path!r} could not be read as a workbook ({' '.join(message.split())[:120]}); is it "
        f"complete, and does the suffix fit?"
    )
