"""A progress bar for long work: shown after two seconds, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from datakin._core import files
from datakin._core.files import is_terminal
from datakin._core.warned import unheard

PATIENCE = 2.0  # seconds without a sign before a bar appears
LONG = 10.0  # seconds of work that are worth foretelling
LAYOUT = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}, left {remaining}]"
_hushed = ContextVar("hushed", default=False)
_bars: list[Any] = []  # those of work that is under way
_hearers: list[Callable[[str, float, int], None]] = []  # of fits of the user's estimators


@contextmanager
def hushed(quiet: bool = True) -> Iterator[None]:
    """Show no progress inside this block."""
    before = _hushed.set(quiet)
    try:
        yield
    finally:
        _hushed.reset(before)


@contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each finished step, from any thread.

    Examples
    --------
    >>> with progress("fitting", total=2) as advance:
    ...     advance()
    ...     advance()
    """
    if not _is_watched():
        yield lambda: None
        return
    with unheard():  # a notebook without widgets gets a bar as text
        from tqdm.auto import tqdm
    lock = threading.Lock()  # tqdm counts without one
    bar = tqdm(
        desc=description,
        total=total,
        delay=PATIENCE,
        miniters=1,
        leave=False,
        file=sys.stderr,
        bar_format=LAYOUT,
        dynamic_ncols=True,
    )

    def advance() -> None:
        with lock:
            _tried(bar, bar.update)

    _bars.append(bar)
    try:
        yield advance
    finally:
        _bars.remove(bar)
        _tried(bar, bar.close)


def _tried(bar: Any, step: Callable[[], Any]) -> None:
    """Draw a bar; none is drawn any more on a terminal that was closed meanwhile."""
    try:
        step()
    except (OSError, ValueError):
        bar.disable = True


def say(text: str) -> None:
    """Print a line to standard error; a bar that is shown there makes room until its next step."""
    for bar in _bars:
        _tried(bar, bar.clear)
    files.say(text)


def foretell(seconds: float, what: str) -> None:
    """Say how long work will take, where a bar would be shown: "about 40 s for 20 splits"."""
    if seconds >= LONG and _is_watched():
        say(f"about {duration(seconds)} for {what}")


@contextmanager
def fits_heard(hear: Callable[[str, float, int], None]) -> Iterator[None]:
    """Call a function after each fit of an estimator of the user's inside this block; see `fitted`."""
    _hearers.append(hear)
    try:
        yield
    finally:
        _hearers.remove(hear)


def fitted(name: str, seconds: float, n_rows: int) -> None:
    """Tell that an estimator of the user's was fitted, on how many rows, and how long it took."""
    for hear in _hearers:
        hear(name, seconds, n_rows)


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(38.2), duration(130), duration(9000)
    ('40 s', '2 min', '2.5 h')
    """
    if seconds < 90:
        return f"{5 * round(seconds / 5)} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _is_watched() -> bool:
    """Return whether somebody sees what is written to standard error, and wants to."""
    in_notebook = "ipykernel.zmqshell" in sys.modules
    return not _hushed.get() and (is_terminal(sys.stderr) or in_notebook)
