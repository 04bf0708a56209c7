"""The paper's figures again, drawn from the runs of the tables.

One picture per setting: the score follows similarity, and what its rivals do. One picture of Diff: is
the paper reproduced, and how near the oracle do we come?
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from reproduction.scores import (
    LEVELLED,
    RIVALS,
    beside_paper,
    distance_cell,
    paper_values,
    replicate,
    score_cell,
)
from reproduction.study import COLOURS, INK, Study, Summary, blank_figure
from reproduction.tables import DIFF_CELLS, absolute_spearman, diff_frame

TITLES = {
    "logistic": "Logistic regression",
    "probit": "Probit",
    "lda": "LDA",
    "mixture": "Gaussian mixture",
    "linear": "Linear regression",
    "nonlinear": "Nonlinear regression",
    "fourclass": "Four classes",
    "qda": "QDA",
    "plr": "Polynomial logistic",
    "radial": "Radial",
}
RIVAL_TITLES = {"kl": "KL divergence", "wasserstein": "Wasserstein distance", "otdd": "OTDD"}
# name in the frame: what the legend says, colour, line
LINES = {
    "weighted": ("weighted average", COLOURS["green"], "-"),
    "ensemble": ("ensemble", COLOURS["blue"], "-"),
    "matched ensemble": ("matched ensemble (ours)", COLOURS["purple"], "--"),
    "limit ensemble": ("limit ensemble (ours)", COLOURS["vermilion"], "-"),
}
RHO = r"$|\rho_s|$"
RING = {"markerfacecolor": "none", "markersize": 4.2}
DRAWN = ("oracle", *LINES, *RIVALS)


def summarise_similarity(setting: str, rows: pd.DataFrame) -> Summary:
    """Return what the picture of a setting shows."""
    frame = beside_paper(setting, "metrics", rows)
    frame = frame[frame["column"].isin(DRAWN)].drop(columns="difference_in_se")
    text = (
        "Above: the Cross-Learning Score at every level of similarity, and its difference from the "
        "oracle (the paper's from the paper's own oracle). Below: the rival distances on the same "
        "data. Bands are two standard errors; rings are the paper's values. The numbers drawn are in "
        f"`figure-similarity-{setting}.csv`."
    )
    return Summary(frame.reset_index(drop=True), text)


def draw_similarity(frame: pd.DataFrame) -> Any:
    """Draw scores and their errors over the rivals, against the level of similarity."""
    setting = str(frame["setting"].iloc[0])
    columns = {
        str(name): part.set_index("level") for name, part in frame.groupby("column", sort=False)
    }
    rivals = [name for name in RIVALS if name in columns]
    figure = blank_figure(8.4, 6.2)
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.55, 1.0])
    scores, errors = upper.subplots(1, 2)
    _draw_scores(scores, columns)
    _draw_errors(errors, columns)
    for axes, name in zip(lower.subplots(1, len(rivals), squeeze=False)[0], rivals, strict=True):
        _draw_rival(axes, columns[name], setting, name)
    alpha = setting == "mixture"
    label = "mixing coefficient (0: equal)" if alpha else "cosine of parameters (1: equal)"
    levels = columns["oracle"].index
    for axes in figure.get_axes():
        axes.set_xlabel(label)
        axes.margins(x=0.02)
        axes.set_xticks(np.linspace(levels.min(), levels.max(), 5))
    scores.plot([], [], "o", color="#777777", **RING, label="the paper's values")
    figure.legend(
        handles=scores.get_legend_handles_labels()[0],
        loc="outside upper center",
        ncols=3,
        title=f"{TITLES[setting]}: does a measure follow the similarity of the tasks?",
        title_fontproperties={"size": 11, "weight": "bold"},
        alignment="left",
    )
    return figure


def _draw_scores(axes: Any, columns: dict[str, pd.DataFrame]) -> None:
    oracle = columns["oracle"]
    axes.plot(oracle.index, oracle["ours"], color=INK, linewidth=3.2, alpha=0.85, label="oracle")
    for name, (label, colour, style) in LINES.items():
        part = columns[name]
        axes.plot(part.index, part["ours"], style, color=colour, linewidth=1.5, label=label)
    for name in ("oracle", "weighted", "ensemble"):
        colour = INK if name == "oracle" else LINES[name][1]
        _rings(axes, columns[name].index, columns[name]["paper"], colour)
    levels = oracle.index.to_numpy(float)
    curves = np.array([columns[name]["ours"] for name in ("oracle", *LINES)])
    least = absolute_spearman(levels, curves).min()
    floor = "= 1" if least > 1 - 1e-9 else f"≥ {np.floor(1000 * least) / 1000:.3f}"
    axes.set_title(f"Cross-Learning Score\nevery curve: {RHO} {floor} (paper 1)")


def _draw_errors(axes: Any, columns: dict[str, pd.DataFrame]) -> None:
    oracle = columns["oracle"]
    axes.axhline(0, color=INK, linewidth=3.2, alpha=0.85)
    for name, (_, colour, style) in LINES.items():
        part = columns[name]
        gap = part["ours"] - oracle["ours"]
        axes.plot(part.index, gap, style, color=colour, linewidth=1.5)
        if name in ("ensemble", "limit ensemble"):
            band = 2 * part["se"]
            axes.fill_between(
                part.index, gap - band, gap + band, color=colour, alpha=0.15, linewidth=0
            )
    for name in ("weighted", "ensemble"):
        gap = columns[name]["paper"] - oracle["paper"]
        _rings(axes, gap.index, gap, LINES[name][1])
    axes.set_title("Score minus oracle\n(the paper's: minus its own oracle)")


def _draw_rival(axes: Any, part: pd.DataFrame, setting: str, name: str) -> None:
    levels, ours = part.index.to_numpy(float), part["ours"].to_numpy(float)
    band = 2 * part["se"].to_numpy(float)
    colour = "#666666"
    axes.plot(levels, ours, color=colour, linewidth=1.5)
    axes.fill_between(levels, ours - band, ours + band, color=colour, alpha=0.18, linewidth=0)
    _rings(axes, levels, part["paper"], colour)
    low = float(np.nanmin([ours - band, part["paper"]]))
    high = float(np.nanmax([ours + band, part["paper"]]))
    middle, half = (low + high) / 2, max(0.6 * (high - low), 0.1 * high)
    axes.set_ylim(middle - half, middle + half)  # so that a constant looks constant
    paper = paper_values("spearman", setting).set_index("column")["value"].get(name, np.nan)
    found = absolute_spearman(levels, ours[None])[0]
    shown = f"constant: no {RHO}" if np.isnan(found) else f"{RHO} = {found:.3f}"
    axes.set_title(f"{RIVAL_TITLES[name]}\n{shown} (paper {paper:g})")


def _rings(axes: Any, x: Any, y: Any, colour: str) -> None:
    axes.plot(x, y, "o", color=colour, alpha=0.5, **RING)


# column of the frame: legend, marker, colour, size, lane within the row
POINTS = {
    "ensemble": ("ensemble, our run", "s", COLOURS["blue"], 30, 0.24),
    "matched": ("matched ensemble", "v", COLOURS["purple"], 34, 0.08),
    "limit": ("limit ensemble", "D", COLOURS["vermilion"], 44, -0.08),
    "limit extended": ("limit, extended models", "o", COLOURS["orange"], 56, -0.24),
}
MARKS = {
    "glm": ("linear model", "o", COLOURS["sky"]),
    "linear_svm": ("linear SVM", "P", COLOURS["green"]),
    "rbf_svm": ("radial SVM", "X", COLOURS["orange"]),
    "xgboost": ("XGBoost", "D", COLOURS["vermilion"]),
    "unweighted": ("unweighted average", "^", "#999999"),
    "weighted": ("weighted average", "v", COLOURS["purple"]),
    "ensemble": ("ensemble", "s", COLOURS["blue"]),
}
LEAST = 1 / 48  # left end of the axis; bars of error that would go below 0 end here


def summarise_diff_figure(rows: pd.DataFrame) -> Summary:
    """Return what the picture of Diff shows."""
    text = (
        "Diff is the mean over levels of |mean score - oracle|. Left: ours as a multiple of the "
        "paper's ensemble Diff in the same setting, so that classes and regressions share one axis; "
        "grey bars end at the noise floor of the limit, what an unbiased estimate would show with as "
        "many replicates. Right: the paper's seven estimates, our Diff as a multiple of the paper's "
        "for the same estimate. Bars are two standard errors of ours. The numbers drawn are in "
        "`figure-diff.csv`."
    )
    return Summary(diff_frame(rows), text)


def draw_diff(frame: pd.DataFrame) -> Any:
    """Draw our estimates relative to the paper's ensemble, and our run against the paper's."""
    figure = blank_figure(9.6, 6.4)
    left, right = figure.subplots(1, 2, width_ratios=[1.15, 1.0], sharey=True)
    settings = list(dict.fromkeys(frame["setting"]))
    row = {setting: len(settings) - 1 - i for i, setting in enumerate(settings)}
    _draw_ratios(left, frame.assign(row=frame["setting"].map(row)))
    _draw_agreement(right, frame.assign(row=frame["setting"].map(row)))
    figure.suptitle(
        "Diff, the mean distance from the oracle, in ten settings", x=0.01, ha="left", weight="bold"
    )
    left.set_yticks(list(row.values()), [TITLES[name] for name in row])
    left.set_ylim(-0.6, len(row) - 0.4)
    for axes in (left, right):
        axes.axvline(1, color=INK, linewidth=1.2, zorder=1)
        axes.grid(False, axis="y")
        axes.tick_params(axis="y", length=0)
        for height in range(len(row) - 1):
            axes.axhline(height + 0.5, color="#e6e6e6", linewidth=0.6, zorder=0)
        axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.06), ncols=2, fontsize=8.5)
    return figure


def _draw_ratios(axes: Any, frame: pd.DataFrame) -> None:
    limit = frame[frame["column"] == "limit"]
    floor = limit["noise_floor"] / limit["paper_ensemble"]
    axes.barh(limit["row"], floor, height=0.8, color="#e2e2e2", label="noise floor of the limit")
    for name, (label, marker, colour, size, lane) in POINTS.items():
        part = frame[frame["column"] == name]
        _points(axes, part, "paper_ensemble", lane, (label, marker, colour, size))
    axes.axvline(
        0.5, color=INK, linewidth=0.9, linestyle=":", zorder=1, label="half of the paper's"
    )
    _scale(axes, [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4])
    axes.set_title("Ours, as a multiple of\nthe paper's ensemble Diff")


def _draw_agreement(axes: Any, frame: pd.DataFrame) -> None:
    lanes = np.linspace(0.33, -0.33, len(MARKS))
    for (name, mark), lane in zip(MARKS.items(), lanes, strict=True):
        _points(axes, frame[frame["column"] == name], "paper", float(lane), (*mark, 26))
    _scale(axes, [1 / 4, 1 / 2, 1, 2, 4])
    axes.set_title("The same estimates: our Diff\nas a multiple of the paper's")


def _points(
    axes: Any, part: pd.DataFrame, reference: str, lane: float, mark: tuple[str, str, str, int]
) -> None:
    label, marker, colour, size = mark
    ratio, error = part["ours"] / part[reference], 2 * part["se"] / part[reference]
    y = part["row"] + lane
    low = np.maximum(ratio - error, LEAST)
    axes.hlines(y, low, ratio + error, color=colour, linewidth=1.1, alpha=0.6, zorder=2)
    area = 1.5 * size if marker in "PX" else size
    axes.scatter(
        ratio, y, s=area, marker=marker, color=colour, label=label, edgecolor="white", linewidth=0.6,
        zorder=3,
    )  # fmt: skip


def _scale(axes: Any, ticks: list[float]) -> None:
    axes.set_xscale("log")
    axes.set_xlim(max(LEAST, 0.72 * ticks[0]), 1.35 * ticks[-1])
    axes.set_xticks(ticks, [f"{t:g}" if t >= 1 else f"1/{1 / t:.0f}" for t in ticks])
    axes.minorticks_off()


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
