"""A picture for each kind of result, drawn from its frame; blank axes, labels and saving."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError, require
from datakin.distances import DistanceMatrix, DistanceRanking
from datakin.results import SCREENED, Choice, Comparison, Forecast, Gain, Matrix, Ranking
from datakin.results.words import COLOURS as CALLS
from datakin.results.words import percent
from datakin.results.zones import Zone
from datakin.scoring.forecast import forecast_gain

__all__ = [
    "CLUSTERS",
    "COLOURS",
    "axes",
    "choice",
    "forecast",
    "gain",
    "label",
    "learning_curve",
    "map",
    "matrix",
    "ranking",
    "save",
    "zones",
]

# From Okabe and Ito's palette, which colour-blind readers can tell apart.
COLOURS = {
    "positive": "#009E73",
    "harmless": "#56B4E9",
    "ambiguous": "#E69F00",
    "negative": "#D55E00",
}
CLUSTERS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7A6FC0", "#666666")
CHANCES = {"positive": "a gain", "harmless": "a cost up to 2%", "negative": "a larger cost"}
DIM = "#999999"  # of sources that were screened out
LONGEST = 32  # characters of a name beside an axis
LABELLED = 60  # most names beside a heatmap or on a map; more would overlap
ARGUMENTS = """

    Parameters
    ----------
    result : {kinds}
    ax : Axes, optional
        Where to draw; by default on new axes.

    Returns
    -------
    Axes
"""


def _picture(*kinds: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a picture what all pictures share: a check of the result and the rest of the docstring."""
    *others, last = (kind.__name__ for kind in kinds)
    wanted = f"{', '.join(others)} or {last}" if others else last

    def decorate(draw: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(draw)
        def checked(result: Any, *, ax: Any = None) -> Any:
            if not isinstance(result, kinds):
                got = type(result).__name__
                raise DatakinError(f"plots.{draw.__name__} draws a {wanted}. Got {got}.")
            return draw(result, ax=ax)

        checked.__doc__ = f"{draw.__doc__}{ARGUMENTS.format(kinds=wanted)}"
        return checked

    return decorate


def axes(ax: Any, width: float = 6.4, height: float = 4.0) -> Any:
    """Return the given axes, or new ones."""
    if ax is not None:
        return ax
    # Imported here only: it is an optional package.
    require("matplotlib", "report", "Drawing")
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def label(name: object) -> str:
    r"""Return a name as a label: on one line, not too long, with $ escaped for matplotlib.

    Examples
    --------
    >>> label("price in $\nand €")
    'price in \\$ and €'
    """
    line = " ".join(str(name).split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return line.replace("$", r"\$")


def save(ax: Any, path: str | os.PathLike[str], *, dpi: int = 150) -> Path:
    """Save the figure of some axes; the ending of the file name decides the format.

    Parameters
    ----------
    ax : Axes
        As returned by any function of `datakin.plots`.
    path : str or path
        Such as "ranking.png", "ranking.svg" or "ranking.pdf".
    dpi : int
        Dots per inch of a PNG file.
    """
    where = Path(path)
    try:
        ax.figure.savefig(where, dpi=dpi)
    except ValueError:
        known = ", ".join(sorted(ax.figure.canvas.get_supported_filetypes()))
        raise DatakinError(f"A picture must end in one of {known}. Got {str(where)!r}.") from None
    except OSError as error:
        raise DatakinError(
            f"The picture could not be written to {str(where)!r}: {error.strerror}."
        ) from None
    return where


def _rows(ax: Any, names: Any, n: int) -> None:
    """Put names beside rows, the first on top."""
    ax.set_yticks(range(n), [label(name) for name in names])
    ax.set_ylim(n - 0.4, -0.6)


def _comparisons(result: Any) -> list[Any]:
    return [result] if isinstance(result, Comparison) else list(result)


def _zero_line(ax: Any) -> None:
    ax.axvline(0, color="#555555", linewidth=0.8)


def _intervals(ax: Any, frame: pd.DataFrame, value: str, low: str, high: str) -> None:
    """Draw a dot and a line for each row, coloured by its zone if it has one."""
    for k, row in enumerate(frame.to_dict("records")):
        zone = row.get("zone", "")
        ink = DIM if zone == SCREENED else COLOURS.get(zone, CLUSTERS[0])
        ax.plot([row[low], row[high]], [k, k], color=ink, linewidth=1.6)
        ax.plot(row[value], k, "o", color=ink, markersize=6)


@_picture(Ranking, Comparison, DistanceRanking)
def ranking(result: Any, *, ax: Any = None) -> Any:
    """Draw the scores of a ranking with their intervals, over the zones."""
    frame = result.frame
    ax = axes(ax, height=1.2 + 0.3 * len(frame))
    if isinstance(result, DistanceRanking):
        ax.barh(range(len(frame)), frame["score"], color=CLUSTERS[0], height=0.6)
        ax.set_xlabel("distance")
    else:
        found = _comparisons(result)
        reach = _limits(frame[["low", "high"]].to_numpy()[: len(found)], found)
        for k, comparison in enumerate(found):
            _draw_zones(ax, k, comparison, reach)
        _intervals(ax, frame.head(len(found)), "score", "low", "high")
        for k in range(len(found), len(frame)):  # below the others, without a score
            ax.text(0, k, f" {SCREENED}", color=DIM, va="center")
            ax.axhspan(k - 0.5, k + 0.5, color=DIM, alpha=0.1, linewidth=0)
        ax.set_xlim(*reach)
        ax.set_xlabel("Cross-Learning Score (small means kin), 95% interval")
    _zero_line(ax)
    _rows(ax, frame["source"], len(frame))
    return ax


def _score_zones(comparison: Comparison) -> tuple[tuple[float, float, Zone], ...]:
    """Return where zones begin and end on the axis of scores; nothing if only gains decided."""
    return (comparison.by_paper or comparison.decision).bands


def _limits(values: Any, found: list[Comparison]) -> tuple[float, float]:
    edges = [edge for c in found for edge, _, _ in _score_zones(c) if isfinite(edge)]
    low, high = min(0.0, float(np.min(values))), max(0.0, float(np.max(values)), *edges, 1e-6)
    room = 0.05 * (high - low)
    return low - room, high + room


def _draw_zones(ax: Any, k: int, comparison: Comparison, reach: tuple[float, float]) -> None:
    for low, high, zone in _score_zones(comparison):
        left, right = max(low, reach[0]), min(high, reach[1])
        ink = COLOURS[zone.value]
        ax.barh(k, right - left, left=left, height=1, color=ink, alpha=0.13, linewidth=0)


@_picture(Ranking, Comparison)
def zones(result: Any, *, ax: Any = None) -> Any:
    """Draw how probable a gain, a cost up to 2% and a larger cost are; or each of the paper's zones.

    Where sources were not tried: the probability of each call, or zone, if measured again.
    """
    found = _comparisons(result)
    ax = axes(ax, height=1.4 + 0.3 * len(found))
    left = np.zeros(len(found))
    of_trials = any(c.trial is not None for c in found)
    of_gain = found[0].decision.is_about_gain
    for zone, ink in COLOURS.items():
        share = np.array([c.zone_probabilities.get(zone, 0.0) for c in found])
        if share.any():
            name = Zone(zone).call if of_gain else zone
            name = CHANCES.get(zone, name) if of_trials else name
            ax.barh(range(len(found)), share, left=left, color=ink, height=0.7, label=name)
        left += share
    _rows(ax, [c.source for c in found], len(found))
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability" if of_gain else "probability of each zone")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return ax


@_picture(Matrix, DistanceMatrix)
def matrix(result: Any, *, ax: Any = None) -> Any:
    """Draw the scores of all pairs, with datasets in the order of their tree."""
    from scipy.cluster.hierarchy import leaves_list

    order = leaves_list(result.tree) if len(result) > 1 else np.array([0])
    square = result.square.iloc[order, order]
    side = min(9.0, 3.0 + 0.25 * len(result))
    ax = axes(ax, side + 1, side)
    shown = ax.imshow(np.maximum(square.to_numpy(), 0), cmap="Blues_r", interpolation="nearest")
    if len(result) <= LABELLED:
        names = [label(name) for name in square.index]
        ax.set_xticks(range(len(names)), names, rotation=90)
        ax.set_yticks(range(len(names)), names)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    ax.figure.colorbar(shown, ax=ax, label=f"{result.word} (small means near)", shrink=0.8)
    return ax


@_picture(Matrix, DistanceMatrix)
def map(result: Any, *, ax: Any = None) -> Any:
    """Draw the map of the datasets, coloured by cluster."""
    ax, frame = axes(ax, 6.4, 5.0), result.map
    for cluster, part in frame.groupby("cluster"):
        ink = CLUSTERS[(int(cluster) - 1) % len(CLUSTERS)]
        ax.scatter(part["x"], part["y"], color=ink, label=f"cluster {cluster}", zorder=3)
    if len(frame) <= LABELLED:
        near = 0.08 * max(np.ptp(frame["x"]), np.ptp(frame["y"]))
        for k, (name, x, y) in enumerate(zip(frame["name"], frame["x"], frame["y"], strict=True)):
            # Of two datasets close together, the name of the second is below its point.
            crowded = (np.hypot(frame["x"][:k] - x, frame["y"][:k] - y) < near).any()
            ax.annotate(label(name), (x, y), (5, -11 if crowded else 4), textcoords="offset points")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.25, 0.15)
    if frame["cluster"].nunique() <= len(CLUSTERS):
        ax.legend(frameon=False)
    return ax


@_picture(Ranking, Comparison, Forecast)
def forecast(result: Any, *, ax: Any = None) -> Any:
    """Draw the gain of each source of a ranking; or that of pooling, by the formula, against the share."""
    if isinstance(result, Comparison):
        result = forecast_gain(result)
    if isinstance(result, Forecast) and result.shares:
        return _share_curve(result, axes(ax))
    axis = "gain as a share of the target's own loss (right of 0 is good), 90% interval"
    if isinstance(result, Forecast):
        names = {"how": "source", "low": "gain_low", "high": "gain_high"}
        frame = result.frame.rename(columns=names)
        axis = "gain of pooling by the formula (right of 0 is good), 95% interval"
    else:
        frame = result.frame
    ax = axes(ax, height=1.2 + 0.3 * len(frame))
    _intervals(ax, frame, "gain", "gain_low", "gain_high")
    _zero_line(ax)
    _rows(ax, frame["source"], len(frame))
    ax.set_xlabel(axis)
    return ax


def _share_curve(result: Forecast, ax: Any) -> Any:
    curve = result.curve
    ax.fill_between(curve["share"], curve["low"], curve["high"], color=CLUSTERS[0], alpha=0.15)
    ax.plot(curve["share"], curve["gain"], color=CLUSTERS[0])
    ax.axhline(0, color="#555555", linewidth=0.8)
    ax.axvline(result.kinship, color=CLUSTERS[0], linewidth=0.8, linestyle="--")
    ax.set_xlabel(f"share of {label(result.sources[0])} in the pooled predictor")
    ax.set_ylabel("gain by the formula, 95% interval")
    return ax


@_picture(Ranking, Comparison)
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
    ax.set_ylabel("error (dashed: the limit)")
    ax.legend(frameon=False)
    return ax


def _has_curves(result: Any) -> bool:
    return any(c.curves for c in _comparisons(result))


@_picture(Gain)
def gain(result: Any, *, ax: Any = None) -> Any:
    """Draw the realised gain of transfer methods, on the target and on the source (if it is one)."""
    frame = result.frame
    ax = axes(ax, height=1.4 + 0.4 * len(frame))
    shifts = (-0.13, 0.13) if len(result.sides) > 1 else (0.0,)
    for k, (side, shift) in enumerate(zip(result.sides, shifts, strict=True)):
        ax.errorbar(
            frame[f"{side}_rer"], np.arange(len(frame)) + shift, xerr=2 * frame[f"{side}_se"],
            fmt="o", color=CLUSTERS[k], label=f"on the {side}",
        )  # fmt: skip
    _zero_line(ax)
    _rows(ax, frame["method"], len(frame))
    ax.set_xlabel("relative error reduction, two standard errors either way")
    ax.legend(frameon=False)
    return ax


@_picture(Choice)
def choice(result: Any, *, ax: Any = None) -> Any:
    """Draw the gain of each source with its 90% interval and its share, and that of the choice."""
    found = result.choices
    ax = axes(ax, height=1.4 + 0.32 * len(found))
    _zero_line(ax)
    for k, each in enumerate(found):
        ax.plot([100 * each.low, 100 * each.high], [k, k], color=CALLS[each.call], linewidth=1.6)
        ax.plot(100 * each.gain, k, "o", color=CALLS[each.call], markersize=6)
    names = [each.source for each in found]
    shares = [f"{percent(each.share, 0)}%" if each.share else "not used" for each in found]
    if result.used:
        low, high = result.gain_interval
        ax.plot([100 * low, 100 * high], [len(found)] * 2, color="#333333", linewidth=1.6)
        ax.plot(100 * result.gain, len(found), "D", color="#333333", markersize=6)
        names.append("The choice")
        shares.append(f"{percent(sum(each.share for each in found), 0)}%")
    for k, share in enumerate(shares):  # beside the axes, where no line reaches
        ax.text(1.01, k, share, transform=ax.get_yaxis_transform(), va="center", fontsize="small")
    if found:
        ax.text(1.01, -0.85, "share", transform=ax.get_yaxis_transform(), fontsize="small")
    for call in dict.fromkeys(each.call for each in found):
        ax.plot([], [], "o", color=CALLS[call], label=call)
    _rows(ax, names, len(names))
    ax.set_xlabel("gain: fall of the loss in % of the target's own, 90% interval")
    if found:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)
    else:
        ax.text(0.5, 0.5, "no source to try", transform=ax.transAxes, ha="center", color=DIM)
    return ax
