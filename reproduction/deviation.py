"""How far estimates are from the oracle: the paper's Diff, with its noise."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datakin.data.features import Array
from datakin.experiments.levels import ESTIMATES, NOISE, replicate_table, resampled_means
from datakin.experiments.paper import paper_values
from datakin.experiments.runs import FIXED, LEVELLED
from datakin.experiments.study import Summary, markdown

__all__ = ["LIMITS", "diff", "diff_frame", "summarise_diff"]

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
        _conclusion(frame),
    ]
    return Summary(frame, "\n\n".join(text))


def _conclusion(frame: pd.DataFrame) -> str:
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
