"""The paper's numeric tables again, ours beside theirs, with the difference in standard errors.

Diff: how far estimates are from the oracle. Spearman: whether scores and distances follow the
similarity of the tasks, and how many neighbouring levels stand in the wrong order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from reproduction.harness import Array, Row, markdown
from reproduction.scores import (
    ESTIMATES,
    FIXED,
    LEVELLED,
    NOISE,
    RIVALS,
    distance_cell,
    extended_cell,
    paper_values,
    replicate,
    replicate_table,
    resampled_means,
    score_cell,
    summarise_levels,
)
from reproduction.study import Study, Summary

LIMITS = ("limit", "limit extended")
# run, name of the column, size of the estimate, name in the table
COLUMNS = (
    *(("scores", name, "paper", name) for name in ESTIMATES),
    ("scores", "ensemble", "matched", "matched"),
    ("scores", "ensemble", "limit", "limit"),
    ("extended", "ensemble", "limit", "limit extended"),
)


def diff(cube: Array, oracle: Array) -> tuple[float, float, float]:
    """Return Diff, its bootstrap standard error, and its noise floor.

    `cube` has a row per replicate and a column per level. The noise floor is what Diff would be if
    every level were unbiased: the mean of E|N(0, se)|.
    """
    n = len(cube)
    found = float(np.abs(cube.mean(axis=0) - oracle).mean())
    drawn = np.abs(resampled_means(cube) - oracle).mean(axis=1)
    floor = float(np.sqrt(2 / np.pi) * (cube.std(axis=0, ddof=1) / np.sqrt(n)).mean())
    return found, float(drawn.std(ddof=1)), floor


def diff_frame(rows: pd.DataFrame) -> pd.DataFrame:
    """Return Diff of every setting: the paper's seven columns, then matched, limit and extended.

    `ratio` and `excess_in_se` set our own estimates against the paper's best, its ensemble.
    """
    table = []
    for setting in (*LEVELLED, *FIXED):
        paper = paper_values("diff", setting).set_index("column")["value"]
        for kind, column, size, name in COLUMNS:
            part = rows[rows["run"] == f"{kind}-{setting}"]
            part = part[(part["column"] == column) & (part["size"] == size)]
            cube, oracle = replicate_table(part)
            found, error, floor = diff(cube.to_numpy(), oracle.to_numpy())
            table.append(
                {
                    "setting": setting,
                    "column": name,
                    "ours": found,
                    "se": error,
                    "noise_floor": floor,
                    "paper": paper.get(name, np.nan),
                    "paper_ensemble": paper["ensemble"],
                    "levels": cube.shape[1],
                    "n": len(cube),
                }
            )
    frame = pd.DataFrame(table)
    frame.insert(6, "difference_in_se", (frame["ours"] - frame["paper"]) / frame["se"])
    alone = frame["paper"].isna()
    ratio = (frame["ours"] / frame["paper_ensemble"]).where(alone)
    excess = ((frame["ours"] - frame["paper_ensemble"]) / frame["se"]).where(alone)
    frame.insert(8, "ratio", ratio)
    frame.insert(9, "excess_in_se", excess)
    return frame


def summarise_diff(rows: pd.DataFrame) -> Summary:
    """Return Diff of every setting and estimate, with a sentence on what it shows."""
    frame = diff_frame(rows)
    text = [
        "Diff: mean over levels of |mean score - oracle|, with its bootstrap standard error over "
        "replicates. `noise_floor` is what an unbiased estimate would show. `matched`, `limit` and "
        "`limit extended` are ours alone: `ratio` divides by the paper's ensemble Diff, `excess_in_se` "
        "is the difference from it in standard errors. The extended models run at three levels: both "
        "ends and the middle.",
        markdown(frame),
        _say_diff(frame),
    ]
    return Summary(frame, "\n\n".join(text))


def _say_diff(frame: pd.DataFrame) -> str:
    known = frame.dropna(subset="paper")
    off = known[known["difference_in_se"].abs() > NOISE]
    lines = [
        f"{len(known) - len(off)} of the paper's {len(known)} cells are reproduced within two standard "
        "errors of the difference (2.8 of ours: the paper's are as noisy)"
        + _named(off, "; not so ")
    ]
    limits = frame[frame["column"].isin(LIMITS)]
    best = limits.loc[limits.groupby("setting", sort=False)["ratio"].idxmin()]
    for name, part in (*((n, limits[limits["column"] == n]) for n in LIMITS), ("the better", best)):
        half = part[part["ratio"] <= 0.5]
        lines.append(
            f"{name}: at most half of the paper's ensemble Diff in {len(half)} of {len(part)} settings"
            + _named(part[part["ratio"] > 0.5], "; not in ")
        )
    worse = best[best["excess_in_se"] > 2]
    lines.append(
        f"Settings where the better limit is worse than the paper's ensemble by more than two standard "
        f"errors: {len(worse)}" + _named(worse, ": ")
    )
    return "\n".join(f"- {line}." for line in lines)


def _named(part: pd.DataFrame, before: str) -> str:
    """Return the settings and columns of some rows, or nothing when there are none."""
    names = [f"{row.setting} {row.column}" for row in part.itertuples()]
    return before + ", ".join(names) if names else ""


# name of the column, size of the estimate, name in the table
RANKED = (
    ("weighted", "paper", "weighted"),
    ("ensemble", "paper", "ensemble"),
    ("ensemble", "matched", "matched ensemble"),
    ("ensemble", "limit", "limit ensemble"),
    *((name, "paper", name) for name in RIVALS),
)


def absolute_spearman(levels: Array, values: Array) -> Array:
    """Return |Spearman| of each row of values with the levels; NaN for a constant row."""
    constant = np.ptp(values, axis=1) <= 1e-12 * np.abs(values).max(axis=1)
    ranks = rankdata(values, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    order = rankdata(levels) - (len(levels) + 1) / 2
    length = np.sqrt((ranks**2).sum(axis=1) * (order**2).sum())
    length[constant] = np.nan
    found: Array = np.abs(ranks @ order) / length
    return found


def inversions(cube: Array, oracle: Array) -> tuple[int, float]:
    """Return how many neighbouring levels stand in the wrong order, and the largest such step.

    The order is the oracle's. A step is measured in standard errors of the paired difference: `cube`
    has a row per replicate, and neighbours share the target's rows.
    """
    steps = np.diff(cube, axis=1) * np.sign(np.diff(oracle))
    mean = steps.mean(axis=0)
    error = steps.std(axis=0, ddof=1) / np.sqrt(len(cube))
    wrong = mean < 0
    with np.errstate(divide="ignore"):  # the same step in every replicate is infinitely sure
        sizes = -mean[wrong] / error[wrong]
    return int(wrong.sum()), float(np.max(sizes, initial=0.0))


def _row(setting: str, name: str, rows: pd.DataFrame, paper: float) -> dict[str, object]:
    values, oracle = replicate_table(rows)
    cube, levels = values.to_numpy(), values.columns.to_numpy(float)
    if name == "oracle":
        cube = np.broadcast_to(oracle.to_numpy(), cube.shape)
    found = float(absolute_spearman(levels, cube.mean(axis=0)[None])[0])
    constant = np.isnan(found)
    count, largest = (np.nan, np.nan) if constant else inversions(cube, oracle.to_numpy())
    return {
        "setting": setting,
        "column": name,
        "ours": found,
        "se": np.nan
        if constant
        else float(absolute_spearman(levels, resampled_means(cube)).std(ddof=1)),
        "paper": paper,
        "inversions": count,
        "largest_inversion_in_se": largest,
        "levels": len(levels),
        "n": len(cube),
    }


def summarise_spearman(rows: pd.DataFrame) -> Summary:
    """Return |Spearman| between each column's means and the level of similarity."""
    table = []
    for setting in LEVELLED:
        paper = paper_values("spearman", setting).set_index("column")["value"]
        part = rows[rows["setting"] == setting]
        for column, size, name in (("ensemble", "paper", "oracle"), *RANKED):
            one = part[(part["column"] == column) & (part["size"] == size)]
            if len(one):
                table.append(_row(setting, name, one, float(paper.get(name, np.nan))))
    frame = pd.DataFrame(table)
    counts = frame["inversions"].map(lambda count: "" if np.isnan(count) else str(int(count)))
    text = [
        "Absolute Spearman correlation between the means and the level of similarity, with its "
        "bootstrap standard error over replicates. It is not defined for a constant column; the "
        "paper prints 0 there. `inversions`: neighbouring levels in the wrong order; the largest is "
        "given in standard errors of the paired difference over replicates.",
        markdown(frame.assign(inversions=counts)),
        _say_spearman(frame),
    ]
    return Summary(frame, "\n\n".join(text))


def _say_spearman(frame: pd.DataFrame) -> str:
    lines = []
    for name in ("oracle", "weighted", "ensemble", "matched ensemble", "limit ensemble"):
        part = frame[frame["column"] == name]
        count = int(part["inversions"].sum())
        largest = part["largest_inversion_in_se"].max()
        wrong = (
            f"{count} inversions, the largest {largest:.1f} standard errors"
            if count
            else "no inversion"
        )
        lines.append(
            f"- {name}: at least {part['ours'].min():.4f} in {len(part)} settings, {wrong}."
        )
    return "\n".join(lines)


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
