"""Two datasets in one plane, with the decision boundary learned on each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError, listed
from datakin.data import Dataset, coerce
from datakin.data import pair as align
from datakin.data.features import Array
from datakin.plots.canvas import CLUSTERS, axes, label

__all__ = ["pair"]

MOST_POINTS = 1500  # drawn of each dataset
MARKERS = "os^Dv<>PX*"


def pair(
    target: Any,
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    estimator: Any = None,
    ax: Any = None,
) -> Any:
    """Draw both datasets with the decision boundary learned on each.

    If the datasets are kin, the boundaries lie close together where the points are. Two numeric
    columns are drawn as they are. More columns are projected on two directions: the horizontal one
    separates the target's classes best; the vertical one is the part of the source's best direction
    that is perpendicular to it. The boundaries are then learned in this plane and show less than
    the score measures.

    Parameters
    ----------
    target, source : Dataset or (X, y)
        With classes.
    columns : two names, optional
        Numeric columns to draw.
    estimator : scikit-learn classifier, optional
        The classifier to fit in the plane; logistic regression by default.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    sets = (coerce(target, "target"), coerce(source, "source"))
    if not all(d.classes for d in sets):
        raise DatakinError("plots.pair draws decision boundaries: both datasets must have classes.")
    common = align(*sets)
    names = _numeric(sets, common.columns, columns)
    points, labels = _plane([_table(d, names) for d in sets], [d.y for d in sets])
    ax = axes(ax, 6.4, 5.2)
    for k, (data, xy) in enumerate(zip(sets, points, strict=True)):
        _scatter(ax, data, xy, common.classes, CLUSTERS[(0, 5)[k]])
    ax.margins(0.03)
    reach = ax.get_xlim(), ax.get_ylim()
    for k, (data, xy) in enumerate(zip(sets, points, strict=True)):
        _boundary(ax, data, xy, estimator, reach, CLUSTERS[(0, 5)[k]], "-" if k == 0 else "--")
    across, upwards = [label(name) for name in names] if len(names) == 2 else labels
    ax.set_xlabel(across)
    ax.set_ylabel(upwards)
    ax.legend(
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize="small"
    )
    both = " and ".join(label(data.name) for data in sets)
    ax.set_title(both, loc="left", fontsize="medium", fontweight="bold", pad=14 * _legend_rows(ax))
    return ax


def _legend_rows(ax: Any) -> int:
    return (len(ax.get_legend_handles_labels()[0]) + 1) // 2 + 1


def _numeric(
    sets: Sequence[Dataset], shared: tuple[str, ...], columns: Sequence[str] | None
) -> list[str]:
    """Return the columns to draw: the two asked for, or all numeric ones."""
    known = [name for name in shared if sets[0].features.kind(name) == "numeric"]
    if any(d.features.is_sparse for d in sets):
        raise DatakinError("plots.pair draws dense columns. Got a sparse dataset.")
    if columns is not None:
        found = [columns] if isinstance(columns, str) else list(columns)
        if len(found) != 2 or not set(found) <= set(known):
            raise DatakinError(
                f"The 'columns' parameter must be two numeric columns of both datasets: "
                f"{listed(known, 20)}. Got {listed(found)}."
            )
        return found
    if len(known) < 2:
        raise DatakinError(
            f"plots.pair needs two numeric columns that both datasets have. Got {listed(known) or 'none'}."
        )
    return known


def _table(dataset: Dataset, names: Sequence[str]) -> Array:
    """Return numeric columns, with missing values replaced by the column's median."""
    at = [dataset.features.numeric_names.index(name) for name in names]
    table = np.asarray(dataset.features.numeric[:, at], dtype=float).copy()
    finite = np.where(np.isfinite(table), table, np.nan)
    some = ~np.isnan(finite).all(axis=0)
    middle = np.zeros(len(names))
    middle[some] = np.nanmedian(finite[:, some], axis=0)
    return np.where(np.isnan(finite), middle, table)


def _plane(tables: list[Array], codes: list[Array]) -> tuple[list[Array], tuple[str, str]]:
    """Return both tables in two dimensions, and the labels of the axes."""
    labels = "direction that separates the target", "direction in which the source differs"
    if tables[0].shape[1] == 2:
        return tables, labels
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    pooled = np.concatenate(tables)
    spread = pooled.std(axis=0)
    spread[spread == 0] = 1.0
    scaled = [(table - pooled.mean(axis=0)) / spread for table in tables]
    ways = []
    for table, y in zip(scaled, codes, strict=True):
        model = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1).fit(table, y)
        way = model.scalings_[:, 0]
        # The sign of an eigenvector is arbitrary: later classes are put to the right.
        ends = [table[y == code].mean(axis=0) @ way for code in (y.min(), y.max())]
        ways.append(way / np.linalg.norm(way) * (1.0 if ends[1] >= ends[0] else -1.0))
    first = ways[0]
    second = ways[1] - (ways[1] @ first) * first
    if np.linalg.norm(second) < 0.05:
        # Both directions agree: use the perpendicular direction in which the rows vary most.
        rest = np.concatenate(scaled)
        rest = rest - np.outer(rest @ first, first)
        second = np.linalg.svd(rest, full_matrices=False)[2][0]
        labels = labels[0], "perpendicular direction of most spread"
    second = second / np.linalg.norm(second)
    return [table @ np.column_stack([first, second]) for table in scaled], labels


def _scatter(ax: Any, data: Dataset, xy: Array, classes: tuple[str, ...], ink: str) -> None:
    rows = np.linspace(0, len(xy) - 1, min(len(xy), MOST_POINTS)).astype(int)
    for code, name in enumerate(data.classes):
        chosen = rows[data.y[rows] == code]
        place = classes.index(name)
        ax.scatter(
            xy[chosen, 0], xy[chosen, 1], s=14, alpha=0.55, linewidths=0.8, zorder=2,
            marker=MARKERS[place % len(MARKERS)], edgecolors=ink,
            facecolors=ink if place % 2 else "none", label=f"{label(data.name)}: {label(name)}",
        )  # fmt: skip


def _boundary(
    ax: Any, data: Dataset, xy: Array, estimator: Any, reach: Any, ink: str, style: str
) -> None:
    """Draw where the prediction changes from one class to another."""
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    learner = LogisticRegression() if estimator is None else clone(estimator)
    model = make_pipeline(StandardScaler(), learner).fit(xy, data.y)
    across, upwards = (np.linspace(low, high, 240) for low, high in reach)
    grid = np.stack(np.meshgrid(across, upwards), axis=-1).reshape(-1, 2)
    for lead in _leads(model, grid, len(data.classes)):
        height = lead.reshape(240, 240)
        if height.min() < 0 < height.max():
            ax.contour(across, upwards, height, [0], colors=[ink], linestyles=style, linewidths=2)
    ax.plot([], [], color=ink, linestyle=style, linewidth=2, label=f"learned on {label(data.name)}")
    ax.set_xlim(*reach[0])
    ax.set_ylim(*reach[1])


def _leads(model: Any, grid: Array, n_classes: int) -> list[Array]:
    """Return by how much each class is ahead of the others; two classes need only one array."""
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(grid)
    else:
        shares = np.eye(n_classes)[model.predict(grid)]
    leads = []
    for code in range(n_classes if n_classes > 2 else 1):
        others = np.delete(shares, code, axis=1).max(axis=1)
        leads.append(shares[:, code] - others)
    return leads
