"""Pictures of matrices: every pair as a heatmap, and the datasets on a map."""

from __future__ import annotations

from typing import Any

import numpy as np

from datakin.distances import DistanceMatrix
from datakin.plots.canvas import CLUSTERS, LABELLED, axes, entitle, label, picture
from datakin.results import Matrix

__all__ = ["map", "matrix"]

NAMED = 3  # members that name a group


@picture(Matrix, DistanceMatrix)
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
    entitle(ax, f"{len(result)} datasets: the {result.word} of every pair")
    return ax


@picture(Matrix, DistanceMatrix)
def map(result: Any, *, ax: Any = None) -> Any:
    """Draw the map of the datasets, coloured by group."""
    ax, frame = axes(ax, 6.4, 5.0), result.map
    for cluster, part in frame.groupby("cluster"):
        ink = CLUSTERS[(int(cluster) - 1) % len(CLUSTERS)]
        ax.scatter(part["x"], part["y"], color=ink, label=_members(part["name"]), zorder=3)
    if len(frame) <= LABELLED:
        near = 0.08 * max(np.ptp(frame["x"]), np.ptp(frame["y"]))
        middle = (frame["x"].min() + frame["x"].max()) / 2
        for k, (name, x, y) in enumerate(zip(frame["name"], frame["x"], frame["y"], strict=True)):
            # Of two datasets close together, the name of the second is below its point.
            crowded = (np.hypot(frame["x"][:k] - x, frame["y"][:k] - y) < near).any()
            place, side = (5, "left") if x <= middle else (-5, "right")
            ax.annotate(
                label(name), (x, y), (place, -11 if crowded else 4), ha=side, textcoords="offset points"
            )  # fmt: skip
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.25, 0.15)
    ax.set_xlabel(f"near on the map means a small {result.word}")
    ax.set_xticks([])
    ax.set_yticks([])
    if frame["cluster"].nunique() <= len(CLUSTERS):
        ax.legend(frameon=False, fontsize="small", title="groups")
    ax.set_title(f"Map of {len(result)} datasets", loc="left", fontsize="medium", fontweight="bold")
    return ax


def _members(names: Any) -> str:
    """Return the name of a group: its members, at most three of them."""
    found = [label(name) for name in names]
    rest = len(found) - NAMED
    return ", ".join(found[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
