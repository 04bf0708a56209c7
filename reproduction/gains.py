"""What transfer brings against the score: the paper's gain and zone figures, tables and statements."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from datakin.paper import relative_reduction, settings
from reproduction.figures import TITLES
from reproduction.gain_runs import (
    METHODS,
    N_TEST,
    ROUNDS,
    SPLITS,
    gain_cell,
    gain_replicate,
    paper_methods,
)
from reproduction.harness import markdown
from reproduction.scores import LEVELLED
from reproduction.study import COLOURS, INK, Study, Summary, blank_figure

HOW = (
    f"Base learner: logistic or linear regression (the nonlinear setting: on squares and products too), "
    f"for the score as well. Errors on {N_TEST:,} test rows; "
    f"boosting runs {ROUNDS} rounds, ART {SPLITS} splits."
)

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


def _reductions(rows: pd.DataFrame) -> pd.DataFrame:
    """Return RER of every method at every level, with the mean score and threshold there."""
    table = []
    for level, part in rows.groupby("level"):
        errors = part.pivot_table(
            index="seed", columns="method", values=["target_error", "source_error"]
        )
        once = part[part["method"] == "alone"]
        for method in [m for m in METHODS if m in set(part["method"])]:
            (to, to_se), (back, back_se) = (
                relative_reduction(
                    errors[side, "alone"].to_numpy(), errors[side, method].to_numpy()
                )
                for side in ("target_error", "source_error")
            )
            table.append(
                {
                    "setting": part["setting"].iloc[0],
                    "level": level,
                    "method": method,
                    "cls": once["cls"].mean(),
                    "cls_se": once["cls"].std(ddof=1) / np.sqrt(len(once)),
                    "threshold": once["threshold"].mean(),
                    "target_rer": to,
                    "target_se": to_se,
                    "source_rer": back,
                    "source_se": back_se,
                    "average_rer": (to + back) / 2,
                    "average_se": np.hypot(to_se, back_se) / 2,
                    "gain": (
                        errors["target_error", "alone"] - errors["target_error", method]
                    ).mean(),
                    "n": len(once),
                }
            )
    frame = pd.DataFrame(table)
    score, high = frame["cls"], frame["threshold"]
    frame["zone"] = np.select([score <= 0, score >= high], ["positive", "negative"], "ambiguous")
    return frame


def _best_of_paper(setting: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return at every level the line of the best of the paper's methods."""
    theirs = frame[frame["method"].isin(paper_methods(settings()[setting].task))]
    return theirs.loc[theirs.groupby("level")["average_rer"].idxmax()]


def summarise_gain(rows: pd.DataFrame) -> Summary:
    """Return RER of concatenation at every level, and its Spearman with the score."""
    frame = _reductions(rows)
    frame = frame[frame["method"] == "concatenate"].drop(columns=["method", "zone"])
    sentences = []
    for name, (label, *_) in RERS.items():
        found = spearmanr(frame["cls"], frame[name])
        sentences.append(f"{label} {found.statistic:.3f} (p = {found.pvalue:.1g})")
    text = (
        f"Direct concatenation: relative error reduction against the mean score, one point per level. "
        f"Spearman: {', '.join(sentences)}. {HOW}\n\n" + markdown(frame)
    )
    return Summary(frame, text)


def summarise_zones(setting: str, rows: pd.DataFrame) -> Summary:
    """Return every method's RER at every level, and what it is in the zones."""
    frame = _reductions(rows)
    best = _best_of_paper(setting, frame)
    negative = best[best["zone"] == "negative"]["average_rer"]
    by_zone = best.groupby("zone")["average_rer"].max()
    said = [
        f"In the paper's NT zone ({len(negative)} levels) the average RER of the best method is "
        + (
            "below 0 throughout."
            if (negative < 0).all()
            else f"below 0 in {int((negative < 0).sum())} levels only; the largest is {negative.max():.4f}."
        )
    ]
    if "positive" in by_zone:
        highest = by_zone["positive"] >= by_zone.max()
        said.append(f"The largest average RER {'is' if highest else 'is NOT'} in the PT zone.")
    else:
        said.append(
            "No level's mean score falls into the PT zone (at or below 0): even equal tasks score "
            "above 0 on average with this learner."
            if best["cls"].min() > 0
            else "No PT level."
        )
    text = " ".join(said) + f" {HOW}\n\n" + markdown(frame)
    return Summary(frame, text)


def summarise_transfer(rows: pd.DataFrame) -> Summary:
    """Return mean target errors over the levels of every setting and method."""
    table = []
    for setting, part in rows.groupby("setting", sort=False):
        errors = part.pivot_table(index=["seed", "level"], columns="method", values="target_error")
        over_levels = errors.groupby("seed").mean()
        by_level = errors.groupby("level").mean()
        others = [m for m in over_levels.columns if m != "kin_weighted"]
        best = over_levels[others].mean().idxmin()
        for method in ("alone", *(m for m in METHODS if m in over_levels.columns)):
            gap = over_levels["kin_weighted"] - over_levels[method]
            worst = (by_level[method] / by_level["alone"] - 1).max()
            table.append(
                {
                    "setting": setting,
                    "method": method,
                    "error": over_levels[method].mean(),
                    "se": over_levels[method].std(ddof=1) / np.sqrt(len(over_levels)),
                    "kin_minus_this": gap.mean(),
                    "paired_se": gap.std(ddof=1) / np.sqrt(len(gap)),
                    "worst_level": worst,
                    "best_other": method == best,
                    "n": len(over_levels),
                }
            )
    frame = pd.DataFrame(table)
    rivals = frame[frame["best_other"]]
    fine = rivals[rivals["kin_minus_this"] <= 2 * rivals["paired_se"]]
    kin = frame[frame["method"] == "kin_weighted"]
    short = sorted(set(rivals["setting"]) - set(fine["setting"]))
    missed = f" (not in {', '.join(short)})" if short else ""
    text = (
        f"Target error averaged over seven levels of similarity, closer together near equal tasks. "
        f"KinWeighted is below the best of the others, or within 2 paired standard errors of it, in "
        f"{len(fine)} of {len(rivals)} settings{missed}. At its "
        f"worst level it is at most {kin['worst_level'].max():.1%} above the target alone. {HOW}\n\n"
        + markdown(frame)
    )
    return Summary(frame, text)


def summarise_claims(rows: pd.DataFrame) -> Summary:
    """Return what the paper says of its gain and zone figures, setting by setting."""
    table = []
    for setting, part in rows.groupby("setting", sort=False):
        frame = _reductions(part)
        pooled = frame[frame["method"] == "concatenate"]
        found: dict[str, float] = {
            f"spearman {label}": float(spearmanr(pooled["cls"], pooled[name]).statistic)
            for name, (label, *_) in RERS.items()
        }
        best = _best_of_paper(str(setting), frame)
        negative = best[best["zone"] == "negative"]
        found["largest average RER in NT"] = float(negative["average_rer"].max())
        found["NT levels below 0"] = float((negative["average_rer"] < 0).mean())
        top = best.sort_values("average_rer")["zone"].iloc[-1]
        found["largest average RER in PT"] = float(top == "positive")
        said = {"NT levels below 0": 1.0, "largest average RER in PT": 1.0}
        said |= {name: -1.0 for name in found if name.startswith("spearman")}
        table += [
            {
                "setting": setting,
                "column": name,
                "ours": value,
                "se": np.nan,
                "paper": said.get(name, np.nan),
            }
            for name, value in found.items()
        ]
    frame = pd.DataFrame(table)
    text = (
        "Spearman between score and relative error reduction of concatenation (the paper: monotone); "
        "average RER of the best of the paper's methods in its zones (the paper: below 0 throughout NT, "
        f"largest in PT). {HOW}\n\n" + markdown(frame)
    )
    return Summary(frame, text)


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
    figure = blank_figure(5.6, 4.2)
    axes = figure.subplots()
    _draw_paper_zones(axes, setting, frame)
    figure.legend(
        handles=axes.get_legend_handles_labels()[0],
        loc="outside lower center",
        ncols=3,
        title=TITLES[setting],
    )
    return figure


def _draw_paper_zones(axes: Any, setting: str, frame: pd.DataFrame) -> None:
    """Draw average RER of every method against the score, over the paper's zones."""
    high = frame["threshold"].mean()
    span = frame["cls"].min(), frame["cls"].max()
    margin = 0.03 * (span[1] - span[0])
    bands = {
        "positive": (min(span[0], 0) - margin, 0),
        "ambiguous": (0, high),
        "negative": (high, span[1] + margin),
    }
    for zone, (low, top) in bands.items():
        axes.axvspan(low, top, color=ZONES[zone], alpha=0.13, linewidth=0)
    axes.axhline(0, color="#888888", linewidth=0.8)
    for method, part in frame.groupby("method", sort=False):
        axes.plot(
            part["cls"], part["average_rer"], STYLES[str(method)], color=PAINT[str(method)],
            markersize=3.5, linewidth=1.2, label=str(method).replace("_", " "),
        )  # fmt: skip
    theirs = frame[frame["method"].isin(paper_methods(settings()[setting].task))]
    best = theirs.groupby("cls")["average_rer"].max()
    axes.plot(
        best.index, best, color=INK, linewidth=5, alpha=0.18, label="best of the paper's", zorder=1
    )
    axes.set_yscale("symlog", linthresh=0.1)  # so that small gains and large losses both show
    axes.set_xlim(bands["positive"][0], bands["negative"][1])
    axes.set_xlabel("Cross-Learning Score (mean)")
    axes.set_ylabel("average RER")
    axes.set_title("The paper's zones: PT | AZ | NT")


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
