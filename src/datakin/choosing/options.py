"""The options of a choice, written once for Python and the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from datakin.learners.stack.preparation import MOST_ROWS

__all__ = ["ChoiceOptions"]


@dataclass(frozen=True)
class ChoiceOptions:
    """Options of `choose`.

    Parameters
    ----------
    learners : list of str, optional
        Names separated by commas: linear, trees, kernel.
    loss : str
        What the error is stated in: auto, zero_one, balanced, brier, log, squared or absolute.
    max_rows : int or None
        Rows to draw from the target and from each source with more; 0 for all.
    pools : bool
        Whether tables are also learned from together.
    random_state : int
        Seed of folds and samples.
    n_jobs : int, optional
        Threads; -1 for all cores.
    checkpoint : str, optional
        A folder that keeps finished draws of the folds, to go on from after a stop.
    """

    learners: Any = field(default=None, metadata={"kind": "names"})
    loss: str = "auto"
    max_rows: int | None = field(default=MOST_ROWS, metadata={"none": 0})
    pools: bool = True
    random_state: int = 0
    n_jobs: int | None = None
    checkpoint: Any = field(default=None, metadata={"kind": "path"})
