"""A progress bar for long work: shown after two seconds, and only on a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from datakin._core.exceptions import DatakinError

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["check_callback", "hushed", "is_hushed", "progress"]

PATIENCE = 2.0  # seconds of silence before a bar appears
_hushed = ContextVar("hushed", default=False)


@contextmanager
def hushed(quiet: bool = True) -> Iterator[None]:
    """Show no progress inside this block."""
    before = _hushed.set(quiet)
    try:
        yield
    finally:
        _hushed.reset(before)


def is_hushed() -> bool:
    """Return whether progress is not to be shown."""
    return _hushed.get()


class _Bar:
    """Counts finished steps; becomes visible once the work has proved to be long."""

    def __init__(self, description: str, total: int) -> None:
        self.description, self.total, self.done = description, total, 0
        self.started = time.monotonic()
        self.bar: Progress | None = None
        self.lock = threading.Lock()

    def advance(self) -> None:
        with self.lock:
            self.done += 1
            if self.bar is None and time.monotonic() - self.started > PATIENCE:
                self.bar = self._show()
            if self.bar is not None:
                self.bar.update(self.bar.task_ids[0], completed=self.done)

    def _show(self) -> Progress:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.start()
        bar.add_task(self.description, total=self.total, completed=self.done)
        return bar

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


@contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each finished step, from any thread.

    Examples
    --------
    >>> with progress("fitting", total=2) as advance:
    ...     advance()
    ...     advance()
    """
    if is_hushed() or not sys.stderr.isatty():
        yield lambda: None
        return
    bar = _Bar(description, total)
    try:
        yield bar.advance
    finally:
        bar.close()


def check_callback(on_result: Any) -> None:
    """Refuse what cannot be called with a result, before hours of work rather than after."""
    if on_result is not None and not callable(on_result):
        raise DatakinError(
            f"The 'on_result' parameter must be a function of one result, or None. "
            f"Got {type(on_result).__name__} instead."
        )
