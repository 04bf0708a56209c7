"""The paper's numeric tables again, ours beside theirs, with the difference in standard errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from datakin.experiments.deviation import summarise_diff
from datakin.experiments.levels import summarise_levels
from datakin.experiments.runs import (
    FIXED,
    LEVELLED,
    distance_cell,
    extended_cell,
    replicate,
    score_cell,
)
from datakin.experiments.spearman import summarise_spearman
from datakin.experiments.study import Row, Study, Summary

__all__ = ["DIFF_CELLS", "TABLES"]

DIFF_CELLS = [cell for s in (*LEVELLED, *FIXED) for cell in (score_cell(s), extended_cell(s))]


def _table(
    name: str, about: str, cells: list[Row], summarise: Callable[[pd.DataFrame], Summary]
) -> Study:
    return Study(name, about, cells, replicate, summarise, 50)


TABLES: tuple[Study, ...] = (
    *(
        _table(
            f"table-estimates-{s}",
            f"Every estimate of the score against the oracle, setting {s}.",
            [score_cell(s)],
            partial(summarise_levels, s, "estimates"),
        )
        for s in LEVELLED
    ),
    *(
        _table(
            f"table-metrics-{s}",
            f"Scores and rival distances at every level, setting {s}.",
            [score_cell(s), distance_cell(s)],
            partial(summarise_levels, s, "metrics"),
        )
        for s in LEVELLED
    ),
    *(
        _table(
            f"table-{s}",
            f"Every estimate of the score against the oracle, setting {s} (one fixed pair).",
            [score_cell(s)],
            partial(summarise_levels, s, "estimates"),
        )
        for s in FIXED
    ),
    _table(
        "table-spearman",
        "Do the score and its rivals follow the similarity of the tasks?",
        [c for s in LEVELLED for c in (score_cell(s), distance_cell(s))],
        summarise_spearman,
    ),
    _table(
        "table-diff",
        "How far from the oracle is every estimate, in all ten settings?",
        DIFF_CELLS,
        summarise_diff,
    ),
)
