"""Realised gain against the score: the paper's gain and zone figures."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from datakin.experiments.canvas import COLOURS, INK, blank_figure
from datakin.experiments.gain_runs import METHODS, gain_cell, gain_replicate, paper_methods
from datakin.experiments.gain_tables import (
    summarise_claims,
    summarise_gain,
    summarise_transfer,
    summarise_zones,
)
from datakin.experiments.runs import LEVELLED
from datakin.experiments.similarity_figure import TITLES
from datakin.experiments.study import Study
from datakin.synthetic import settings

__all__ = ["GAINS"]

ZONES = {"positive": "#009E73", "ambiguous": "#E69F00", "negative": "#D55E00"}
RERS = {
    "target_rer": ("target", COLOURS["blue"], "o-"),
    "source_rer": ("source", COLOURS["orange"], "s-"),
    "average_rer": ("average", INK, "D-"),
}
STYLES = dict(zip(METHODS, ("o-", "s-", "^-", "s-", "v-", "D--"), strict=True))
PAINT = dict(
    zip(METHODS, (COLOURS[c] for c in ("blue", "orange", "green", "orange", "purple", "vermilion")),
        strict=True)
)  # fmt: skip


def _draw_gain(setting: str, frame: pd.DataFrame) -> Any:
    figure = blank_figure(5.6, 3.6)
    axes = figure.subplots()
    axes.axhline(0, color="#888888", linewidth=0.8)
    for name, (label, colour, style) in RERS.items():
        rho = spearmanr(frame["cls"], frame[name]).statistic
        error = 2 * frame[name.replace("rer", "se")]
        axes.errorbar(
            frame["cls"], frame[name], yerr=error, fmt=style, color=colour, markersize=3.5,
            linewidth=1.2, label=rf"{label} ($\rho_s$ = {rho:.3f})",
        )  # fmt: skip
    axes.set_xlabel("Cross-Learning Score (mean)")
    axes.set_ylabel("relative error reduction")
    axes.set_title(f"{TITLES[setting]}: gain by concatenation falls as the score rises")
    axes.legend()
    return figure


def _draw_zones(setting: str, frame: pd.DataFrame) -> Any:
    figure = blank_figure(8.4, 3.8)
    left, right = figure.subplots(1, 2)
    high = frame["threshold"].mean()
    span = frame["cls"].min(), frame["cls"].max()
    margin = 0.03 * (span[1] - span[0])
    bands = {
        "positive": (min(span[0], 0) - margin, 0),
        "ambiguous": (0, high),
        "negative": (high, span[1] + margin),
    }
    for zone, (low, top) in bands.items():
        left.axvspan(low, top, color=ZONES[zone], alpha=0.13, linewidth=0)
    left.axhline(0, color="#888888", linewidth=0.8)
    for method, part in frame.groupby("method", sort=False):
        left.plot(
            part["cls"], part["average_rer"], STYLES[str(method)], color=PAINT[str(method)],
            markersize=3.5, linewidth=1.2, label=str(method).replace("_", " "),
        )  # fmt: skip
    theirs = frame[frame["method"].isin(paper_methods(settings()[setting].task))]
    best = theirs.groupby("cls")["average_rer"].max()
    left.plot(
        best.index, best, color=INK, linewidth=5, alpha=0.18, label="best of the paper's", zorder=1
    )
    left.set_yscale("symlog", linthresh=0.1)  # so that small gains and large losses both show
    left.set_xlim(bands["positive"][0], bands["negative"][1])
    left.set_xlabel("Cross-Learning Score (mean)")
    left.set_ylabel("average RER")
    left.set_title("The paper's zones: PT | AZ | NT")
    pooled = frame[frame["method"] == "concatenate"].sort_values("level")
    base = np.zeros(len(pooled))
    width = 0.8 * float(np.diff(pooled["level"]).min())
    for zone, colour in ZONES.items():
        share = pooled[f"gain_{zone}"].to_numpy()
        right.bar(
            pooled["level"], share, width, base, color=colour, alpha=0.35, label=f"forecast {zone}"
        )
        base = base + share
    right.set_ylim(0, 1)
    right.set_ylabel("share of replicates (bars)")
    right.set_xlabel("level of similarity")
    right.grid(False)
    twin = right.twinx()
    twin.plot(
        pooled["level"], pooled["target_rer"], "D-", color=INK, markersize=3.5, label="target RER"
    )
    twin.set_yscale("symlog", linthresh=0.1)
    twin.axhline(0, color=INK, linewidth=0.8, linestyle=":")
    twin.grid(False)
    twin.set_ylabel("target RER of concatenation (line)")
    right.set_title("Gain zones, and what pooling brought")
    figure.legend(
        handles=[*left.get_legend_handles_labels()[0], *right.get_legend_handles_labels()[0]],
        loc="outside lower center",
        ncols=5,
        title=TITLES[setting],
    )
    return figure


GAINS: tuple[Study, ...] = (
    *(
        Study(
            f"figure-gain-{s}",
            f"Does the gain by pooling fall as the score rises? Setting {s}.",
            [gain_cell(s)],
            gain_replicate,
            summarise_gain,
            50,
            partial(_draw_gain, s),
        )
        for s in LEVELLED
    ),
    *(
        Study(
            f"figure-zones-{s}",
            f"What transfer brings in each zone, setting {s}.",
            [gain_cell(s)],
            gain_replicate,
            partial(summarise_zones, s),
            50,
            partial(_draw_zones, s),
        )
        for s in LEVELLED
    ),
    Study(
        "table-gain",
        "Does gain fall as the score rises, and do the paper's zones hold it?",
        [gain_cell(s) for s in LEVELLED],
        gain_replicate,
        summarise_claims,
        50,
    ),
    Study(
        "table-transfer",
        "Which transfer method errs least over all levels of similarity?",
        [gain_cell(s) for s in LEVELLED],
        gain_replicate,
        summarise_transfer,
        50,
    ),
)
