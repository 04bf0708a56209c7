"""One picture per setting: the score follows similarity, and what its rivals do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from datakin.experiments.canvas import COLOURS, INK, blank_figure
from datakin.experiments.levels import RIVALS, beside_paper
from datakin.experiments.paper import paper_values
from datakin.experiments.spearman import absolute_spearman
from datakin.experiments.study import Summary

__all__ = ["TITLES", "draw_similarity", "summarise_similarity"]

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
