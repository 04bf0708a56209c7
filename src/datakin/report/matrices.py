"""The report of a matrix. Its squares of numbers are read from the embedded result."""

from __future__ import annotations

from typing import Any

import numpy as np

from datakin.report.sections import column, origin, records, section, view
from datakin.report.words import ZONES, enumerated, plural, shortened, verdict
from datakin.results import Matrix

__all__ = ["matrix_view"]


def matrix_view(matrix: Matrix) -> dict[str, Any]:
    """Return the sections of a matrix."""
    clusters = matrix.clusters()
    order = leaves(matrix)
    return view(
        "matrix",
        f"{len(matrix)} datasets",
        _verdict(matrix, clusters),
        [_heat(matrix, order), _tree(matrix, order), _map(matrix), _members(matrix, clusters),
         _pairs(matrix)],
        tiles=_tiles(matrix, clusters),
        notes=[*([] if matrix.complete else ["The run was interrupted: not all datasets are here."]),
               *matrix.notes],
        clusters=list(clusters.values()),
        selects="dataset",
        provenance=origin(matrix.provenance, Fits=str(matrix.n_fits)),
    )  # fmt: skip


def leaves(matrix: Matrix) -> list[int]:
    """Return the datasets in the order of the tree's leaves."""
    from scipy.cluster.hierarchy import leaves_list

    return [int(i) for i in leaves_list(matrix.tree)] if len(matrix) > 1 else [0]


def _verdict(matrix: Matrix, clusters: dict[str, int]) -> dict[str, Any]:
    groups: dict[int, list[str]] = {}
    for name, cluster in clusters.items():
        groups.setdefault(cluster, []).append(shortened(name))
    large = sorted((g for g in groups.values() if len(g) > 1), key=len, reverse=True)
    alone = [g[0] for g in groups.values() if len(g) == 1]
    n, k = len(matrix), len(groups)
    if k == 1:
        head = f"All {n} datasets are kin"
    elif not large:
        head = f"None of the {n} datasets is kin to another"
    else:
        head = f"{n} datasets, {plural(len(large), 'family', 'families')}"
        head += f" and {len(alone)} on their own" if alone else ""
    if not matrix.zones:
        head = f"{n} datasets in {plural(k, 'cluster')} by distance"
    lines = [f"Together: {enumerated(group, 8)}." for group in large[:6]]
    if len(large) > 6:
        lines.append(f"And {len(large) - 6} more families, in the table below.")
    if alone and large:
        lines.append(f"On their own: {enumerated(alone, 8)}.")
    how = (
        "Datasets form a family if their mean score is below the threshold of negative transfer."
        if matrix.zones
        else "Clusters are cut at the widest gap between merges; distances have no zones and no interval."
    )
    return verdict("plain", head, *lines, how)


def _tiles(matrix: Matrix, clusters: dict[str, int]) -> list[dict[str, str]]:
    n = len(matrix)
    tiles = [
        {"label": "datasets", "value": str(n)},
        {"label": "pairs", "value": str(n * (n - 1) // 2)},
        {"label": "clusters", "value": str(len(set(clusters.values())))},
    ]
    if matrix.zones:
        values = [matrix.zones[i][j].value for i in range(n) for j in range(n) if i != j]
        total = max(1, len(values))
        tiles += [
            {"label": f"{zone} pairs", "value": f"{values.count(zone) / total:.0%}", "zone": zone}
            for zone in ZONES
        ]
    return tiles


def _heat(matrix: Matrix, order: list[int]) -> dict[str, Any]:
    word = "score" if matrix.zones else "distance"
    text = (
        f"The {word} of every pair. Datasets are in the order of the tree, so that those near each "
        f"other form blocks along the diagonal."
    )
    chart = {"type": "heat", "order": order, "word": word}
    return section("heat", "Every pair", text, [], [], chart=chart)


def _tree(matrix: Matrix, order: list[int]) -> dict[str, Any]:
    merges = [
        {"left": int(a), "right": int(b), "height": float(h), "size": int(n)}
        for a, b, h, n in matrix.tree.tolist()
    ]
    columns = [
        column("left", "left", digits=0),
        column("right", "right", digits=0),
        column("height", "height"),
        column("size", "datasets", digits=0),
    ]
    text = "Average linkage: the height of a join is the mean score between the two groups."
    cut = float(matrix._cut()) if len(matrix) > 1 else 0.0
    chart = {"type": "tree", "order": order, "cut": cut}
    return section("tree", "The family tree", text, columns, merges, chart=chart, table="none")


def _map(matrix: Matrix) -> dict[str, Any]:
    columns = [
        column("name", "dataset", "name"),
        column("x", "x"),
        column("y", "y"),
        column("cluster", "cluster", digits=0),
    ]
    text = "Datasets near each other on the map are near in score, as far as two dimensions can show it."
    rows = records(matrix.map)
    chart = {"type": "map"}
    return section("map", "The map", text, columns, rows, chart=chart, table="none")


def _members(matrix: Matrix, clusters: dict[str, int]) -> dict[str, Any]:
    distances = matrix.scores + np.where(np.eye(len(matrix)) > 0, np.inf, 0.0)
    rows = []
    for i, name in enumerate(matrix.names):
        row: dict[str, Any] = {"name": name, "cluster": clusters[name]}
        if len(matrix) > 1:
            j = int(np.argmin(distances[i]))
            row |= {"nearest": matrix.names[j], "score": float(matrix.scores[i, j])}
            row["mean"] = float(np.delete(matrix.scores[i], i).mean())
        if matrix.errors is not None:
            row["error"] = float(matrix.errors[i, i])
        rows.append(row)
    columns = [
        column("name", "dataset", "name"),
        column("cluster", "cluster", digits=0),
        column("nearest", "nearest", "text"),
        column("score", "its score"),
        column("mean", "mean score"),
        *([column("error", "own error")] if matrix.errors is not None else []),
    ]
    text = "Every dataset with its cluster and its nearest neighbour."
    return section("datasets", "The datasets", text, columns, rows, table="open")


def _pairs(matrix: Matrix) -> dict[str, Any]:
    columns = [column("target", "target", "name"), column("source", "source", "name")]
    columns.append(column("score", "score"))
    if matrix.lows is not None:
        columns += [column("low", "low"), column("high", "high")]
    if matrix.zones:
        columns.append(column("zone", "zone", "zone"))
    if matrix.discrepancies is not None:
        columns.append(column("source_to_target", "source to target"))
        columns.append(column("target_to_source", "target to source"))
    text = "All pairs. Sort by a heading; type part of a name, or of a zone, to filter."
    found = section("pairs", "The pairs", text, columns, [], table="open")
    return {**found, "rows_from": "pairs"}
