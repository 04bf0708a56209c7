"""Hears the warnings that a block of code causes, and leaves those of other threads alone.

Python's own `warnings.catch_warnings` changes the filters of the whole process: two threads that use
it at once can leave them changed for good, and meanwhile it swallows what other threads warn of. Here
one entry stands in front of the filters. It matches in threads that are listening and nowhere else.
What it lets through reaches `warnings.showwarning`, which tells the listener of the thread; warnings
of other threads go where they went before.

Learners and pandas use `catch_warnings` too, scikit-learn in every check of an array. So the filters
are noted before the first block begins, and put back after the last one if blocks ran side by side.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar

Heard = Callable[[type[Warning], str], None]
_listener: ContextVar[Heard | None] = ContextVar("listener", default=None)


class _ByThread(type):
    def __subclasscheck__(cls, category: type) -> bool:
        """Say whether this thread listens."""
        return _listener.get() is not None


class _Heard(Warning, metaclass=_ByThread):
    """Stands where a filter has a kind of warning: any, in a thread that listens."""


_ENTRY: Any = ("always", None, _Heard, None, 0)
_lock = threading.Lock()


class _Before:
    """The filters as they were before the first of the blocks that are open now."""

    threads: ClassVar[list[int]] = []  # of the open blocks
    filters: Any = None
    show: Any = None
    entries: tuple[Any, ...] = ()
    is_shared = False  # whether blocks ran side by side
    unheard: Any = None  # the list of filters that stands when no thread listens
    n_listening = 0


@contextmanager
def filters_kept() -> Iterator[None]:
    """Put back the filters of warnings after blocks that ran in several threads at once.

    What other code sets meanwhile is then lost, for nobody can tell it from what learners left.
    """
    with _lock:
        if not _Before.threads:
            _Before.filters, _Before.entries = warnings.filters, tuple(warnings.filters)
            _Before.show = warnings.showwarning
            _Before.is_shared = False
        _Before.threads.append(threading.get_ident())
        _Before.is_shared |= len(set(_Before.threads)) > 1
    try:
        yield
    finally:
        with _lock:
            _Before.threads.remove(threading.get_ident())
            if not _Before.threads:
                if _Before.is_shared:
                    _put(_Before.filters, _Before.entries)
                    warnings.showwarning = _Before.show
                _Before.filters = None


@contextmanager
def heard(listener: Heard) -> Iterator[None]:
    """Tell a listener of each warning that this thread causes in this block; nothing else sees them.

    Examples
    --------
    >>> found = []
    >>> with heard(lambda category, text: found.append(text)):
    ...     warnings.warn("too few rows")
    >>> found
    ['too few rows']
    """
    with filters_kept():
        with _lock:
            _Before.n_listening += 1
            if _ENTRY not in warnings.filters:
                _Before.unheard = warnings.filters
                warnings.filters = list(warnings.filters)
                warnings.simplefilter("always", _Heard)
            if not isinstance(warnings.showwarning, _Show):
                warnings.showwarning = _Show(warnings.showwarning)
        before = _listener.set(listener)
        try:
            yield
        finally:
            _listener.reset(before)
            with _lock:
                _Before.n_listening -= 1
                if not _Before.n_listening:
                    _stop()


@contextmanager
def unheard(category: type[Warning] = Warning) -> Iterator[None]:
    """Leave out warnings of a kind in a block; others are warned of when it ends."""
    others: list[tuple[type[Warning], str]] = []
    try:
        with heard(lambda kind, text: others.append((kind, text))):
            yield
    finally:
        for kind, text in others:
            if not issubclass(kind, category):
                warnings.warn(text, kind, stacklevel=3)


def _stop() -> None:
    """Take the entry away; no thread listens any more."""
    if _ENTRY in warnings.filters:
        _put(_Before.unheard, tuple(e for e in warnings.filters if e != _ENTRY))
    if isinstance(warnings.showwarning, _Show):
        warnings.showwarning = warnings.showwarning.others


def _put(filters: Any, entries: tuple[Any, ...]) -> None:
    """Make a list the filters, with these entries.

    Other threads may be going through the filters right now. They would miss an entry if one before it
    were taken out, so a list is changed only where its entries are others.
    """
    if tuple(filters) != entries:
        filters[:] = entries
    warnings.filters = filters


class _Show:
    """Shows a warning: to the listener of this thread, or as it was shown before."""

    def __init__(self, others: Any) -> None:
        self.others = others

    def __call__(self, message: Any, category: Any, *place: Any, **more: Any) -> None:
        listener = _listener.get()
        if listener is None:
            self.others(message, category, *place, **more)
        else:
            listener(category, str(message))
