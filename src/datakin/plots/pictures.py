"""A picture for each kind of result, drawn from its frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from datakin._core.exceptions import DatakinError
from datakin.distances import DistanceMatrix, DistanceRanking
from datakin.plots.axes import CLUSTERS, COLOURS, axes, label
from datakin.results import Comparison, Forecast, Gain, Matrix, Ranking
from datakin.scoring.forecast import forecast_gain

__all__ = ["forecast", "gain", "learning_curve", "map", "matrix", "ranking", "zones"]

LABELLED = 60  # names beside a heatmap, or on a map, before they run into each other


def _expect(result: Any, name: str, *kinds: type) -> None:
    if not isinstance(result, kinds):
        *others, last = (kind.__name__ for kind in kinds)
        wanted = f"{', '.join(others)} or {last}" if others else last
        raise DatakinError(f"plots.{name} draws a {wanted}. Got {type(result).__name__}.")


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
        ink = COLOURS.get(row.get("zone", ""), CLUSTERS[0])
        ax.plot([row[low], row[high]], [k, k], color=ink, linewidth=1.6)
        ax.plot(row[value], k, "o", color=ink, markersize=6)


def ranking(result: Any, *, ax: Any = None) -> Any:
    """Draw the scores of a ranking with their intervals, over the zones.

    Parameters
    ----------
    result : Ranking, Comparison or DistanceRanking
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    _expect(result, "ranking", Ranking, Comparison, DistanceRanking)
    frame = result.frame
    ax = axes(ax, height=1.2 + 0.3 * len(frame))
    if isinstance(result, DistanceRanking):
        ax.barh(range(len(frame)), frame["score"], color=CLUSTERS[0], height=0.6)
        ax.set_xlabel("distance")
    else:
        found = _comparisons(result)
        reach = _limits(frame[["low", "high"]].to_numpy(), found)
        for k, comparison in enumerate(found):
            _zone_bands(ax, k, comparison.by_paper or comparison.decision, reach)
        _intervals(ax, frame, "score", "low", "high")
        ax.set_xlim(*reach)
        ax.set_xlabel("Cross-Learning Score (small means kin), 95% interval")
    _zero_line(ax)
    _rows(ax, frame["source"], len(frame))
    return ax


def _limits(values: Any, found: list[Any]) -> tuple[float, float]:
    decisions = [c.by_paper or c.decision for c in found]
    edges = [d.high for d in decisions if d.rule == "paper"]
    low, high = min(0.0, float(np.min(values))), max(0.0, float(np.max(values)), *edges, 1e-6)
    room = 0.05 * (high - low)
    return low - room, high + room


def _zone_bands(ax: Any, k: int, decision: Any, reach: tuple[float, float]) -> None:
    if decision.rule != "paper":
        return
    edges = (reach[0], decision.low, decision.high, reach[1])
    for zone, left, right in zip(COLOURS, edges[:-1], edges[1:], strict=True):
        ax.barh(k, right - left, left=left, height=1, color=COLOURS[zone], alpha=0.13, linewidth=0)


def zones(result: Any, *, ax: Any = None) -> Any:
    """Draw how sure the zones are: the probability of each, were the score measured again.

    Parameters
    ----------
    result : Ranking or Comparison
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    _expect(result, "zones", Ranking, Comparison)
    found = _comparisons(result)
    ax = axes(ax, height=1.4 + 0.3 * len(found))
    left = np.zeros(len(found))
    for zone, ink in COLOURS.items():
        share = np.array([c.zone_probabilities[zone] for c in found])
        ax.barh(range(len(found)), share, left=left, color=ink, height=0.7, label=zone)
        left += share
    _rows(ax, [c.source for c in found], len(found))
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability of each zone")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return ax


def matrix(result: Any, *, ax: Any = None) -> Any:
    """Draw the scores of all pairs, datasets in the order of their tree.

    Parameters
    ----------
    result : Matrix or DistanceMatrix
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    from scipy.cluster.hierarchy import leaves_list

    _expect(result, "matrix", Matrix, DistanceMatrix)
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


def map(result: Any, *, ax: Any = None) -> Any:
    """Draw the map of the datasets, coloured by cluster.

    Parameters
    ----------
    result : Matrix or DistanceMatrix
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    _expect(result, "map", Matrix, DistanceMatrix)
    ax, frame = axes(ax, 6.4, 5.0), result.map
    for cluster, part in frame.groupby("cluster"):
        ink = CLUSTERS[(int(cluster) - 1) % len(CLUSTERS)]
        ax.scatter(part["x"], part["y"], color=ink, label=f"cluster {cluster}", zorder=3)
    if len(frame) <= LABELLED:
        near = 0.08 * max(np.ptp(frame["x"]), np.ptp(frame["y"]))
        for k, (name, x, y) in enumerate(zip(frame["name"], frame["x"], frame["y"], strict=True)):
            # Of two datasets close together, the second has its name below.
            crowded = (np.hypot(frame["x"][:k] - x, frame["y"][:k] - y) < near).any()
            ax.annotate(label(name), (x, y), (5, -11 if crowded else 4), textcoords="offset points")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.25, 0.15)
    if frame["cluster"].nunique() <= len(CLUSTERS):
        ax.legend(frameon=False)
    return ax


def forecast(result: Any, *, ax: Any = None) -> Any:
    """Draw what pooling should bring: per source, or against the share of the only source.

    Parameters
    ----------
    result : Ranking, Comparison or Forecast
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    _expect(result, "forecast", Ranking, Comparison, Forecast)
    if isinstance(result, Comparison):
        result = forecast_gain(result)
    if isinstance(result, Forecast) and result.shares:
        return _share_curve(result, axes(ax))
    if isinstance(result, Forecast):
        frame = result.frame.rename(
            columns={"how": "source", "low": "gain_low", "high": "gain_high"}
        )
    else:
        frame = result.frame
    ax = axes(ax, height=1.2 + 0.3 * len(frame))
    _intervals(ax, frame, "gain", "gain_low", "gain_high")
    _zero_line(ax)
    _rows(ax, frame["source"], len(frame))
    ax.set_xlabel("expected gain of pooling (right of 0 is good), 95% interval")
    return ax


def _share_curve(result: Forecast, ax: Any) -> Any:
    curve = result.curve
    ax.fill_between(curve["share"], curve["low"], curve["high"], color=CLUSTERS[0], alpha=0.15)
    ax.plot(curve["share"], curve["gain"], color=CLUSTERS[0])
    ax.axhline(0, color="#555555", linewidth=0.8)
    ax.axvline(result.kinship, color=CLUSTERS[0], linewidth=0.8, linestyle="--")
    ax.set_xlabel(f"share of {label(result.sources[0])} in the pooled predictor")
    ax.set_ylabel("expected gain, 95% interval")
    return ax


def learning_curve(result: Any, *, ax: Any = None) -> Any:
    """Draw own errors against training rows, carried on to the limit.

    Parameters
    ----------
    result : Ranking or Comparison
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    _expect(result, "learning_curve", Ranking, Comparison)
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


def gain(result: Any, *, ax: Any = None) -> Any:
    """Draw what transfer methods brought, on the target and on the source.

    Parameters
    ----------
    result : Gain
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    _expect(result, "gain", Gain)
    frame = result.frame
    ax = axes(ax, height=1.4 + 0.4 * len(frame))
    for k, (side, shift) in enumerate((("target", -0.13), ("source", 0.13))):
        ax.errorbar(
            frame[f"{side}_rer"], np.arange(len(frame)) + shift, xerr=2 * frame[f"{side}_se"],
            fmt="o", color=CLUSTERS[k], label=f"on the {side}",
        )  # fmt: skip
    _zero_line(ax)
    _rows(ax, frame["method"], len(frame))
    ax.set_xlabel("relative error reduction, two standard errors either way")
    ax.legend(frameon=False)
    return ax
