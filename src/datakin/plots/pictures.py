"""A picture for each kind of result, drawn from its frame; those of matrices are in `squares`."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.distances import DistanceRanking
from datakin.plots.canvas import (
    CALLS,
    CLUSTERS,
    COLOURS,
    DIM,
    axes,
    entitle,
    label,
    name_rows,
    picture,
    zero_line,
)
from datakin.results import SCREENED, Choice, Comparison, Gain, Ranking
from datakin.results.gain import NORMAL
from datakin.results.words import gain_loss, percent
from datakin.results.zones import Zone

__all__ = ["choice", "gain", "learning_curve", "ranking", "zones"]

CHANCES = {"positive": "a gain", "harmless": "a cost up to 2%", "negative": "a larger cost"}
WHOLE = "#333333"  # of the choice as a whole


def _comparisons(result: Any) -> list[Any]:
    return [result] if isinstance(result, Comparison) else list(result)


def _intervals(ax: Any, frame: pd.DataFrame, value: str, low: str, high: str) -> None:
    """Draw a dot and a line for each row, coloured by its zone if it has one."""
    for k, row in enumerate(frame.to_dict("records")):
        zone = row.get("zone", "")
        ink = DIM if zone == SCREENED else COLOURS.get(zone, CLUSTERS[0])
        ax.plot([row[low], row[high]], [k, k], color=ink, linewidth=1.6)
        ax.plot(row[value], k, "o", color=ink, markersize=6)


def _inks(found: list[Comparison]) -> dict[str, str]:
    """Return what the colours of sources mean: calls, or the paper's zones where they decided."""
    zones = dict.fromkeys(c.zone for c in found)
    of_gain = found[0].decision.is_about_gain
    return {zone.call if of_gain else zone.value: COLOURS[zone.value] for zone in zones}


@picture(Ranking, Comparison, DistanceRanking)
def ranking(result: Any, *, ax: Any = None) -> Any:
    """Draw the scores of a ranking with their intervals; over the zones where the paper's rule decided."""
    frame = result.frame
    ax = axes(ax, height=1.6 + 0.3 * len(frame))
    zero_line(ax)
    name_rows(ax, frame["source"], len(frame))
    if isinstance(result, DistanceRanking):
        ax.barh(range(len(frame)), frame["score"], color=CLUSTERS[0], height=0.6)
        ax.set_xlabel(f"distance by {result.method} (small means near)")
        entitle(ax, f"Sources for {label(result.target)}")
        return ax
    found = _comparisons(result)
    reach = _limits(frame[["low", "high"]].to_numpy()[: len(found)], found)
    for k, comparison in enumerate(found):
        _draw_zones(ax, k, comparison, reach)
    _intervals(ax, frame.head(len(found)), "score", "low", "high")
    for k in range(len(found), len(frame)):  # below the others, without a score
        ax.text(0, k, f" {SCREENED}", color=DIM, va="center")
        ax.axhspan(k - 0.5, k + 0.5, color=DIM, alpha=0.1, linewidth=0)
    ax.set_xlim(*reach)
    ax.set_xlabel("Cross-Learning Score (0 means kin), 95% interval")
    entitle(ax, f"How kin the sources are to {label(result.target)}", _inks(found))
    return ax


def _bands(comparison: Comparison) -> tuple[tuple[float, float, Zone], ...]:
    """Return where zones begin and end on the axis of scores; nothing if gains decided."""
    return comparison.decision.bands


def _limits(values: Any, found: list[Comparison]) -> tuple[float, float]:
    edges = [edge for c in found for edge, _, _ in _bands(c) if isfinite(edge)]
    low, high = min(0.0, float(np.min(values))), max(0.0, float(np.max(values)), *edges, 1e-6)
    room = 0.05 * (high - low)
    return low - room, high + room


def _draw_zones(ax: Any, k: int, comparison: Comparison, reach: tuple[float, float]) -> None:
    for low, high, zone in _bands(comparison):
        left, right = max(low, reach[0]), min(high, reach[1])
        ink = COLOURS[zone.value]
        ax.barh(k, right - left, left=left, height=1, color=ink, alpha=0.13, linewidth=0)


@picture(Ranking, Comparison)
def zones(result: Any, *, ax: Any = None) -> Any:
    """Draw how probable a gain, a cost up to 2% and a larger cost are; or each of the paper's zones.

    The paper's zones: the probability of each if measured again.
    """
    found = _comparisons(result)
    if not any(c.zone_probabilities for c in found):
        raise DatakinError(
            "plots.zones draws how sources that were tried help. None was tried here."
        )
    ax = axes(ax, height=1.4 + 0.3 * len(found))
    left = np.zeros(len(found))
    of_gain = found[0].decision.is_about_gain
    for zone, ink in COLOURS.items():
        share = np.array([c.zone_probabilities.get(zone, 0.0) for c in found])
        if share.any():
            name = CHANCES[zone] if of_gain else zone
            ax.barh(range(len(found)), share, left=left, color=ink, height=0.7, label=name)
        left += share
    name_rows(ax, [c.source for c in found], len(found))
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability" if of_gain else "probability of each zone")
    entitle(ax, f"How likely sources help {label(result.target)}")
    return ax


@picture(Ranking, Comparison)
def learning_curve(result: Any, *, ax: Any = None) -> Any:
    """Draw each dataset's own error against its training rows, extrapolated to the limit."""
    frame = result.learning_curve if _has_curves(result) else pd.DataFrame()
    if frame.empty:
        raise DatakinError("plots.learning_curve needs learning curves. This result has none.")
    ax = axes(ax)
    for k, (name, part) in enumerate(frame.groupby("dataset", sort=False)):
        ink, finite = CLUSTERS[k % len(CLUSTERS)], part[np.isfinite(part["n_train"])]
        measured = finite[finite["kind"] == "measured"]
        ax.errorbar(
            measured["n_train"], measured["error"], measured["standard_error"],
            fmt="o", color=ink, capsize=2, label=label(name),
        )  # fmt: skip
        limit = float(part.loc[~np.isfinite(part["n_train"]), "error"].iloc[0])
        last = finite.iloc[-1]
        slope = (last["error"] - limit) * last["n_train"]
        rows = np.linspace(float(finite["n_train"].min()), 1.6 * float(last["n_train"]), 80)
        ax.plot(rows, limit + slope / rows, color=ink)
        ax.axhline(limit, color=ink, linestyle="--", linewidth=0.8)
    ax.set_xlabel("training rows")
    ax.set_ylabel("own error (dashed: the limit)")
    entitle(ax, "Would more rows help?")
    return ax


def _has_curves(result: Any) -> bool:
    return any(c.curves for c in _comparisons(result))


@picture(Gain)
def gain(result: Any, *, ax: Any = None) -> Any:
    """Draw the realised gain of transfer methods, on the target and on the source (if it is one)."""
    frame = result.frame
    ax = axes(ax, height=1.6 + 0.4 * len(frame))
    shifts = (-0.13, 0.13) if len(result.sides) > 1 else (0.0,)
    for k, (side, shift) in enumerate(zip(result.sides, shifts, strict=True)):
        reach = 100 * NORMAL * frame[f"{side}_se"]
        ax.errorbar(
            100 * frame[f"{side}_rer"], np.arange(len(frame)) + shift, xerr=reach,
            fmt="o", color=CLUSTERS[k], label=f"on the {side}",
        )  # fmt: skip
    zero_line(ax)
    name_rows(ax, frame["method"], len(frame))
    ax.set_xlabel("gain: fall of the error in % of the error alone, 90% interval")
    entitle(ax, f"What transfer methods brought {label(result.target)}")
    return ax


@picture(Choice)
def choice(result: Any, *, ax: Any = None) -> Any:
    """Draw the gain of each source with its 90% interval and its share, and that of the choice.

    Of a source that hurts, the gain of one pool with the target's rows is drawn, which decides that.
    """
    found = result.choices
    ax = axes(ax, height=1.8 + 0.32 * len(found))
    zero_line(ax)
    for k, each in enumerate(found):
        is_pool = each.call == "hurts" and isfinite(each.pooled)
        ends = (each.pooled_low, each.pooled_high) if is_pool else (each.low, each.high)
        value = each.pooled if is_pool else each.gain
        ax.plot([100 * end for end in ends], [k, k], color=CALLS[each.call], linewidth=1.6)
        ax.plot(100 * value, k, "o", color=CALLS[each.call], markersize=6)
    names = [each.source for each in found]
    shares = [f"{percent(each.share, 0)}%" if each.share else "not used" for each in found]
    if result.used:
        low, high = result.gain_interval
        ax.plot([100 * low, 100 * high], [len(found)] * 2, color=WHOLE, linewidth=1.6)
        ax.plot(100 * result.gain, len(found), "D", color=WHOLE, markersize=6)
        names.append("The choice")
        shares.append(f"{percent(sum(each.share for each in found), 0)}%")
    for k, share in enumerate(shares):  # beside the axes, where no line reaches
        ax.text(1.01, k, share, transform=ax.get_yaxis_transform(), va="center", fontsize="small")
    if found:
        ax.text(1.01, -0.85, "share", transform=ax.get_yaxis_transform(), fontsize="small")
    name_rows(ax, names, len(names))
    loss = gain_loss(result.task)
    ax.set_xlabel(f"gain: fall of the {loss} in % of the target's own, 90% interval", loc="right")
    if not found:
        ax.text(0.5, 0.5, "no source to try", transform=ax.transAxes, ha="center", color=DIM)
    inks = {_called(call): CALLS[call] for call in dict.fromkeys(each.call for each in found)}
    entitle(ax, f"What each source brings {label(result.target)}", inks)
    return ax


def _called(call: str) -> str:
    return "hurts (if pooled)" if call == "hurts" else call
