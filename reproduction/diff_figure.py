"""One picture of Diff: is the paper reproduced, and how near the oracle do we come?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from datakin.experiments.canvas import COLOURS, INK, blank_figure
from datakin.experiments.deviation import diff_frame
from datakin.experiments.similarity_figure import TITLES
from datakin.experiments.study import Summary

__all__ = ["draw_diff", "summarise_diff_figure"]

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
