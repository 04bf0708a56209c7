"""Do the 90% intervals of the parts of an explanation hold, and do the parts add up?

An interval is about a given source and targets of a given size. For one source, many targets are drawn; the
mean of a part over them is what the intervals should hold.

``python -m reproduction.part_intervals --quick effect classes linear 150 4`` does so for four sources with
seeds of its own, for whoever changes the method; "all" stands for every cause, task or truth.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from datakin import explain
from reproduction.harness import Row, by_group, derive_seed, markdown
from reproduction.planted import MOST_SOURCE, plant
from reproduction.planted_causes import OWN_SEEDS, SAME, SIZES, dataset
from reproduction.population import TASKS, TRUTHS
from reproduction.study import Study, Summary

CAUSES = ("nothing", "base rate", "confidence", "effect")
TARGETS = 20  # for each source
FEWEST = 20  # targets that must have a part for its mean to be known
CLAIMED, GOAL = 0.90, (0.86, 0.94)
WHOLE = "whole"
ORDER = ("coding", "base rate", "confidence", "rule", "rest", WHOLE)
CELL = ["cause", "task", "truth", "n_target"]


def _replicate(cell: Row, seed: int) -> list[Row]:
    """Explain many targets by one source; the seed is the source's, and decides side and kind."""
    cause, task, truth, n_target = (cell[key] for key in CELL)
    made = plant(cause, task=task, truth=truth, seed=seed)
    purpose = ("part intervals", cause, task, truth, n_target)
    drawn = made.source.draw(min(2 * n_target, MOST_SOURCE), derive_seed(seed, *purpose))
    source = dataset(drawn, "source", task)
    rows: list[Row] = []
    for k in range(TARGETS):
        own_seed = derive_seed(seed, *purpose, "target", k)
        target = dataset(made.target.draw(n_target, own_seed), "target", task)
        with threadpool_limits(limits=1):
            found = explain(target, source, random_state=own_seed)
        left_over = sum(part.value for part in found.parts) - found.excess
        whole = (WHOLE, found.excess, found.low, found.high)
        parts = [(part.name, part.value, part.low, part.high) for part in found.parts]
        rows += [
            {"draw": k, "part": SAME.get(name, name), "value": value, "low": low, "high": high}
            | {"left_over": left_over}
            for name, value, low, high in (*parts, whole)
        ]
    return rows


def _summarise(rows: pd.DataFrame) -> Summary:
    rows = _with_means(rows)
    frame = by_group(rows, [*CELL, "part"], _measures)
    parts = rows[rows["part"] != WHOLE]
    page = [
        _text(rows),
        "By part:",
        markdown(_in_order(by_group(rows, ["part"], _measures))),
        "By part and rows of the target:",
        markdown(_in_order(by_group(rows, ["part", "n_target"], _measures))),
        "All parts, by what was planted:",
        markdown(by_group(parts, ["cause", "task", "truth"], _measures)),
        "By part and what was planted:",
        markdown(_in_order(by_group(rows, ["part", "cause", "task"], _measures))),
    ]
    return Summary(frame, "\n\n".join(page))


def _with_means(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the mean over the targets of a source, and whether each interval holds it."""
    values = rows.groupby([*CELL, "seed", "part"])["value"]
    n = values.transform("size")
    rows = rows.assign(mean=values.transform("mean"))[n >= FEWEST]
    n = n[n >= FEWEST]
    # A value is nearer to a mean that it is part of than to the true one, by this factor.
    centre = rows["value"] - (rows["value"] - rows["mean"]) * np.sqrt(n / (n - 1))
    return rows.assign(
        above=(centre > rows["high"]).astype(float), below=(centre < rows["low"]).astype(float)
    )


def _measures(part: pd.DataFrame) -> Row:
    """Return how many intervals hold the mean, and on which side the others miss it.

    The standard error is over sources: intervals of one source share its predictor.
    """
    holds = 1 - part["above"] - part["below"]
    sources = holds.groupby([part[key] for key in (*CELL, "seed")]).mean()
    return {
        "intervals": len(part),
        "holds": holds.mean(),
        "se": sources.sem() if len(sources) > 1 else np.nan,
        "mean_above": part["above"].mean(),
        "mean_below": part["below"].mean(),
        "left_over": part["left_over"].abs().max(),
    }


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values("part", key=lambda part: part.map(ORDER.index), kind="stable")


def _text(rows: pd.DataFrame) -> str:
    parts = rows[rows["part"] != WHOLE]
    every, whole = _measures(parts), _measures(rows[rows["part"] == WHOLE])
    cells = by_group(parts, [*CELL, "part"], _measures)["holds"]
    by_part = by_group(parts, ["part"], _measures)
    said = ", ".join(f"{part} {share:.1%}" for part, share in by_part[["part", "holds"]].to_numpy())
    inside = cells.between(*GOAL).mean()
    text = f"""\
{every["holds"]:.1%} of the 90% intervals of the parts hold the mean of the part over the targets of their
source (goal: {GOAL[0]:.0%} to {GOAL[1]:.0%}; standard error {every["se"]:.1%}): {said}. Of the whole excess
{whole["holds"]:.1%}. Single cells, of {TARGETS} targets for each source, go from {cells.min():.0%} to
{cells.max():.0%}, and {inside:.0%} of them lie within the goal.

The parts add up to the excess up to {rows["left_over"].abs().max():.1e} of the loss's unit in every draw.

For one source, {TARGETS} targets are drawn; the source has twice as many rows as the target. What is planted
is described in [planted-causes](planted-causes.md); seeds of the sources decide in which table it is, and
which kind. The mean is itself of {TARGETS} values, which is corrected for. `mean_above` and `mean_below`:
share of the intervals that lie below and above it.

Constants of the method were set while looking at draws of this kind with other seeds (1,000,000 and
above)."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


PART_INTERVALS = Study(
    "part-intervals",
    "Do the 90% intervals of the parts of an explanation hold, and do the parts add up?",
    [
        # Large tables are dear: half as many sources.
        {
            "cause": cause,
            "task": task,
            "truth": truth,
            "n_target": n,
            "times": 1 if n < 1000 else 0.5,
        }
        for cause in CAUSES
        for task in TASKS
        for truth in TRUTHS
        for n in SIZES
    ],
    _replicate,
    _summarise,
    8,
)


def tally(cause: str, task: str, truth: str, n: int, sources: int = 4) -> pd.DataFrame:
    """Print, and return, how many intervals hold the mean; with seeds that the study does not use."""
    cells = [
        cell
        for cell in PART_INTERVALS.cells
        if cell["n_target"] == n
        and all(
            given in ("all", cell[key])
            for key, given in zip(CELL, (cause, task, truth), strict=False)
        )
    ]
    rows = pd.DataFrame(
        [
            {**cell, "seed": seed, **row}
            for cell in cells
            for seed in range(OWN_SEEDS, OWN_SEEDS + sources)
            for row in _replicate(cell, seed)
        ]
    )
    found = _in_order(by_group(_with_means(rows), ["part", "cause", "task"], _measures))
    print(markdown(found))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Print the tally of one cell, or of several."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.part_intervals")
    titles = ("CAUSE", "TASK", "TRUTH", "ROWS", "SOURCES")
    parser.add_argument("--quick", nargs=5, metavar=titles, required=True)
    cause, task, truth, n, sources = parser.parse_args(arguments).quick
    tally(cause, task, truth, int(n), int(sources))
    return 0


if __name__ == "__main__":
    sys.exit(main())
