"""The options of an explanation, written once for the command line."""

from __future__ import annotations

from dataclasses import dataclass, field

from datakin.learners.stack.preparation import MOST_ROWS

__all__ = ["ExplainOptions"]


@dataclass(frozen=True)
class ExplainOptions:
    """Options of `explain`.

    Parameters
    ----------
    learner : str
        What predicts on both sides: auto, linear, trees or kernel.
    loss : str
        What is explained: auto, log or brier for classes, squared for numbers.
    max_rows : int or None
        Rows to draw from a table with more; 0 for all.
    random_state : int
        Seed of folds and samples.
    """

    learner: str = "auto"
    loss: str = "auto"
    max_rows: int | None = field(default=MOST_ROWS, metadata={"none": 0})
    random_state: int = 0
