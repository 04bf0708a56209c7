"""A measurement run to its end, or to Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Protocol

from datakin._core.exceptions import DatakinError, Interrupted
from datakin.cross_errors.records import PairFacts
from datakin.cross_errors.table import ErrorTable
from datakin.execution.agreement import Names


class Runs(Protocol):
    """A measurement, of tables or with encoders, that is ready to run."""

    finished: dict[Names, PairFacts]

    def run(self) -> Iterator[Names]:
        """Yield each pair when it is finished."""

    def table(self, *, complete: bool = True) -> ErrorTable:
        """Return what is finished."""


def measured(
    measurement: Runs,
    said: Callable[[int], str],
    look: Callable[[ErrorTable], Any] | None = None,
    on_pair: Callable[[Names], None] | None = None,
) -> ErrorTable:
    """Run a measurement to its end and return the table.

    Ctrl-C during any measurement becomes `Interrupted` here: ``said(n)`` is its message with n pairs
    finished, ``look(table)`` makes the partial result of a table with at least one pair. `on_pair` is
    called with the names of each pair as soon as it is finished.
    """
    try:
        for names in measurement.run():
            if on_pair is not None:
                on_pair(names)
    except KeyboardInterrupt:
        n_finished, partial = len(measurement.finished), None
        if n_finished and look is not None:
            with suppress(DatakinError):  # too little is finished for such a look
                partial = look(measurement.table(complete=False))
        raise Interrupted(said(n_finished), partial) from None
    return measurement.table()
