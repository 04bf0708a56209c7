"""Do scores and distances follow the similarity of the tasks? Rank correlation and inversions."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from datakin.data.features import Array
from datakin.experiments.levels import RIVALS, replicate_table, resampled_means
from datakin.experiments.paper import paper_values
from datakin.experiments.runs import LEVELLED
from datakin.experiments.study import Summary, markdown

__all__ = ["absolute_spearman", "inversions", "summarise_spearman"]

# name of the column, size of the estimate, name in the table
COLUMNS = (
    ("weighted", "paper", "weighted"),
    ("ensemble", "paper", "ensemble"),
    ("ensemble", "matched", "matched ensemble"),
    ("ensemble", "limit", "limit ensemble"),
    *((name, "paper", name) for name in RIVALS),
)


def absolute_spearman(levels: Array, values: Array) -> Array:
    """Return |Spearman| of each row of values with the levels; NaN for a constant row.

    Examples
    --------
    >>> import numpy as np
    >>> found = absolute_spearman(np.arange(3.0), np.array([[9.0, 5.0, 4.0], [1.0, 1.0, 1.0]]))
    >>> found.round(6).tolist()
    [1.0, nan]
    """
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
        for column, size, name in (("ensemble", "paper", "oracle"), *COLUMNS):
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
        _conclusion(frame),
    ]
    return Summary(frame, "\n\n".join(text))


def _conclusion(frame: pd.DataFrame) -> str:
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
