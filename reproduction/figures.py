"""The paper's figures again, drawn from the runs of the tables."""

from __future__ import annotations

from functools import partial

from datakin.experiments.diff_figure import draw_diff, summarise_diff_figure
from datakin.experiments.runs import LEVELLED, distance_cell, replicate, score_cell
from datakin.experiments.similarity_figure import draw_similarity, summarise_similarity
from datakin.experiments.study import Study
from datakin.experiments.tables import DIFF_CELLS

__all__ = ["FIGURES"]

FIGURES: tuple[Study, ...] = (
    *(
        Study(
            f"figure-similarity-{s}",
            f"Score and rival distances against the similarity of the tasks, setting {s}.",
            [score_cell(s), distance_cell(s)],
            replicate,
            partial(summarise_similarity, s),
            50,
            draw_similarity,
        )
        for s in LEVELLED
    ),
    Study(
        "figure-diff",
        "How far from the oracle is every estimate, in all ten settings: our run and the paper's.",
        DIFF_CELLS,
        replicate,
        summarise_diff_figure,
        50,
        draw_diff,
    ),
)
