"""The paper's numeric tables again, ours beside theirs, with the difference in standard errors."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from datakin.data.features import Array
from datakin.experiments.paper import paper_values
from datakin.experiments.runs import (
    FIXED,
    LEVELLED,
    distance_cell,
    extended_cell,
    replicate,
    score_cell,
)
from datakin.experiments.study import Study, Summary, markdown

__all__ = ["TABLES"]

ESTIMATES = ("glm", "linear_svm", "rbf_svm", "xgboost", "unweighted", "weighted", "ensemble")
RIVALS = ("kl", "wasserstein", "otdd")
RESAMPLES = 500


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard error over replicates of every column at every level."""
    grouped = rows.groupby(["run", "setting", "level", "column", "size"], dropna=False, sort=False)
    table = grouped.agg(
        ours=("value", "mean"), sd=("value", "std"), n=("value", "size"), oracle=("oracle", "first")
    ).reset_index()
    table["se"] = table["sd"] / np.sqrt(table["n"])
    return table.drop(columns="sd")


def _beside_paper(table: pd.DataFrame, kind: str, setting: str) -> pd.DataFrame:
    """Add the paper's values, and the difference in standard errors of ours."""
    paper = paper_values(kind, setting).rename(columns={"value": "paper"})
    merged = table.merge(paper, on=["level", "column"], how="left")
    merged["difference_in_se"] = (merged["ours"] - merged["paper"]) / merged["se"]
    return merged


def _summarise_levels(setting: str, kind: str, rows: pd.DataFrame) -> Summary:
    """Return the estimates or metrics of one setting, level by level."""
    means = _means(rows)
    wanted = ESTIMATES if kind == "estimates" else ("unweighted", "weighted", "ensemble", *RIVALS)
    ours = means[(means["size"] == "paper") & means["column"].isin(wanted)]
    oracle = ours.drop_duplicates("level").assign(column="oracle", se=np.nan)
    oracle["ours"] = oracle["oracle"]
    further = means[(means["size"] != "paper") & (means["column"] == "ensemble")]
    further = further.assign(column=further["size"] + " ensemble")
    table = pd.concat([oracle, ours, further], ignore_index=True)
    frame = _beside_paper(table, kind, setting)
    frame = frame[["setting", "level", "column", "ours", "se", "paper", "difference_in_se", "n"]]
    text = (
        f"{setting}: mean over replicates (`ours`) with its standard error, beside the paper's value. "
        "Columns without a paper value are ours alone.\n\n" + markdown(frame)
    )
    return Summary(frame, text)


def _diff(cube: Array, oracle: Array, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return Diff, its bootstrap standard error, and its noise floor.

    `cube` has a row per replicate and a column per level. The noise floor is what Diff would be if
    every level were unbiased: the mean of E|N(0, se)|.
    """
    n = len(cube)
    found = float(np.abs(cube.mean(axis=0) - oracle).mean())
    draws = [
        np.abs(cube[rng.integers(0, n, n)].mean(axis=0) - oracle).mean() for _ in range(RESAMPLES)
    ]
    floor = float(np.sqrt(2 / np.pi) * (cube.std(axis=0, ddof=1) / np.sqrt(n)).mean())
    return found, float(np.std(draws, ddof=1)), floor


def _summarise_diff(rows: pd.DataFrame) -> Summary:
    """Return Diff of every setting: the paper's seven columns, then matched, limit and extended."""
    rng = np.random.default_rng(0)
    wanted = [("scores", name, "paper", name) for name in ESTIMATES]
    wanted += [("scores", "ensemble", size, size) for size in ("matched", "limit")]
    wanted += [("extended", "ensemble", "limit", "limit extended")]
    table = []
    for setting in (*LEVELLED, *FIXED):
        paper = paper_values("diff", setting).set_index("column")["value"]
        for kind, column, size, name in wanted:
            part = rows[rows["run"] == f"{kind}-{setting}"]
            part = part[(part["column"] == column) & (part["size"] == size)].fillna({"level": 0.0})
            cube = part.pivot_table(index="seed", columns="level", values="value")
            oracle = part.groupby("level")["oracle"].first().loc[cube.columns]
            found, error, floor = _diff(cube.to_numpy(), oracle.to_numpy(), rng)
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
    text = (
        "Diff: mean over levels of |mean score - oracle|. `noise_floor` is what an unbiased estimate "
        "would show. The extended models run at every fourth level.\n\n" + markdown(frame)
    )
    return Summary(frame, text)


def _summarise_spearman(rows: pd.DataFrame) -> Summary:
    """Return |Spearman| between each column's means and the level of similarity."""
    means = _means(rows)
    means = means[means["size"] == "paper"]
    table = []
    for setting in LEVELLED:
        paper = paper_values("spearman", setting).set_index("column")["value"]
        part = means[means["setting"] == setting]
        oracle = part.drop_duplicates("level")
        columns = {"oracle": (oracle["level"], oracle["oracle"])}
        for name in ("weighted", "ensemble", *RIVALS):
            one = part[part["column"] == name]
            if len(one):
                columns[name] = (one["level"], one["ours"])
        for name, (levels, values) in columns.items():
            constant = bool(np.ptp(values) <= 1e-12 * np.abs(values).max())
            table.append(
                {
                    "setting": setting,
                    "column": name,
                    "ours": np.nan if constant else abs(float(spearmanr(levels, values).statistic)),
                    "paper": paper.get(name, np.nan),
                    "levels": len(values),
                }
            )
    frame = pd.DataFrame(table)
    text = (
        "Absolute Spearman correlation between the means and the level of similarity. It is not "
        "defined for a constant column; the paper prints 0 there.\n\n" + markdown(frame)
    )
    return Summary(frame, text)


def _table(name: str, about: str, cells: list[dict[str, object]], summarise: object) -> Study:
    return Study(name, about, cells, replicate, summarise, 50)  # type: ignore[arg-type]


TABLES: tuple[Study, ...] = (
    *(
        _table(
            f"table-estimates-{s}",
            f"Every estimate of the score against the oracle, setting {s}.",
            [score_cell(s)],
            partial(_summarise_levels, s, "estimates"),
        )
        for s in LEVELLED
    ),
    *(
        _table(
            f"table-metrics-{s}",
            f"Scores and rival distances at every level, setting {s}.",
            [score_cell(s), distance_cell(s)],
            partial(_summarise_levels, s, "metrics"),
        )
        for s in LEVELLED
    ),
    *(
        _table(
            f"table-{s}",
            f"Every estimate of the score against the oracle, setting {s} (one fixed pair).",
            [score_cell(s)],
            partial(_summarise_levels, s, "estimates"),
        )
        for s in FIXED
    ),
    _table(
        "table-spearman",
        "Do the score and its rivals follow the similarity of the tasks?",
        [c for s in LEVELLED for c in (score_cell(s), distance_cell(s))],
        _summarise_spearman,
    ),
    _table(
        "table-diff",
        "How far from the oracle is every estimate, in all ten settings?",
        [c for s in (*LEVELLED, *FIXED) for c in (score_cell(s), extended_cell(s))],
        _summarise_diff,
    ),
)
