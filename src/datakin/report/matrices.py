"""The reports of matrices. Their squares of numbers are read from the embedded result."""

from __future__ import annotations

from typing import Any

import numpy as np

from datakin.distances import DistanceMatrix
from datakin.report.sections import (
    ZONES,
    column,
    counts,
    interval,
    numbers,
    origin,
    records,
    section,
    shortened,
    view,
)
from datakin.results import Matrix, Square
from datakin.results.matrix_answer import groups_of, has_untried
from datakin.results.words import CALLS, enumerated
from datakin.results.zones import NOT_TRIED

NAMED = 3  # members that name a group
PAIRS = [
    interval("low", "high", "95% interval"),
    column("zone", "source for target", "zone"),
    column("back", "target for source", "zone"),
    column("gain", "gain of target, %", digits=1, signed=True),
    column("gain_back", "gain of source, %", digits=1, signed=True),
    *numbers(source_to_target="source to target", target_to_source="target to source"),
]


def matrix_view(matrix: Matrix | DistanceMatrix) -> dict[str, Any]:
    """Return the sections of a matrix of scores, or of one of distances."""
    from scipy.cluster.hierarchy import leaves_list

    n, clusters = len(matrix), matrix.clusters()
    order = [int(i) for i in leaves_list(matrix.tree)] if n > 1 else [0]
    names = [enumerated(map(shortened, members), NAMED) for members in groups_of(matrix)]
    counts = {"datasets": n, "pairs": n * (n - 1) // 2, "groups": len(names)}
    tiles = [{"label": name, "value": f"{count:,}"} for name, count in counts.items()]
    more: dict[str, Any] = {"provenance": origin(matrix.provenance)}
    if isinstance(matrix, Matrix):
        tiles += _zone_tiles(matrix) if matrix.rule != NOT_TRIED else []
        more = {"calls": matrix.shown == "call"}
        more["provenance"] = origin(matrix.provenance, Fits=str(matrix.n_fits))
    return view(
        "matrix",
        f"{n} datasets",
        matrix,
        [
            _heat(matrix, order),
            _tree(matrix, order),
            _map(matrix),
            _members(matrix, [names[number - 1] for number in clusters.values()]),
            _pairs(PAIRS if isinstance(matrix, Matrix) else []),
        ],
        tiles=tiles,
        clusters=list(clusters.values()),
        groups=names,
        selects="dataset",
        **more,
    )


def _zone_tiles(matrix: Matrix) -> list[dict[str, str]]:
    is_call = matrix.shown == "call"
    found = [z for i, row in enumerate(matrix.zones) for j, z in enumerate(row) if i != j]
    words = [zone.call if is_call else zone.value for zone in found]
    of = f"of {max(1, len(words)):,} {'calls' if is_call else 'pairs, both ways'}"
    return [
        {"label": f"{word}, {of}", "value": f"{words.count(word):,}", "zone": word}
        for word in (CALLS if is_call else ZONES)
    ]


def _heat(matrix: Square, order: list[int]) -> dict[str, Any]:
    text = (
        f"The {matrix.word} of every pair. Datasets are in the order of the tree, so that those near each "
        f"other form blocks along the diagonal."
    )
    chart = {"type": "heat", "order": order, "word": matrix.word}
    return section("heat", "Every pair", text, [], [], chart, table="closed", short="Pairs")


def _tree(matrix: Square, order: list[int]) -> dict[str, Any]:
    merges = [
        {"left": int(a), "right": int(b), "height": float(h), "size": int(n)}
        for a, b, h, n in matrix.tree.tolist()
    ]
    columns = [
        *counts(left="left", right="right"),
        *numbers(height="height"),
        *counts(size="datasets"),
    ]
    text = "Groups that join far to the left differ most. Average linkage."
    axis = "mean distance between the two groups that join"
    if isinstance(matrix, Matrix):
        apart = "are apart" if has_untried(matrix) else "hurt"
        text = (
            f"Groups that join far to the left differ most. Pairs that {apart} are drawn above all others. "
            f"Complete linkage."
        )
        axis = "largest score between the two groups that join"
    cut = float(matrix._cut()) if len(matrix) > 1 else 0.0
    chart = {"type": "tree", "order": order, "cut": cut, "axis": axis}
    title, hidden = "The family tree", "none"
    found = section("tree", title, text, columns, merges, chart, table=hidden, short="Tree")
    return {**found, "half": True}


def _map(matrix: Square) -> dict[str, Any]:
    columns = [column("name", "dataset", "name"), *numbers(x="x", y="y"), *counts(cluster="group")]
    text = "Datasets near each other on the map are near in score, as far as two dimensions can show it."
    rows, chart = records(matrix.map), {"type": "map"}
    found = section("map", "The map", text, columns, rows, chart, table="none", short="Map")
    return {**found, "half": True}


def _members(matrix: Square, groups: list[str]) -> dict[str, Any]:
    own = np.diag(matrix.errors) if isinstance(matrix, Matrix) else None
    distances = matrix.scores + np.where(np.eye(len(matrix)) > 0, np.inf, 0.0)
    rows = []
    for i, name in enumerate(matrix.names):
        row: dict[str, Any] = {"name": name, "group": groups[i]}
        if len(matrix) > 1:
            j = int(np.argmin(distances[i]))
            row |= {"nearest": matrix.names[j], "score": float(matrix.scores[i, j])}
            row["mean"] = float(np.delete(matrix.scores[i], i).mean())
        if own is not None:
            row["error"] = float(own[i])
        rows.append(row)
    columns = [
        column("name", "dataset", "name"),
        column("group", "group", "text"),
        column("nearest", "nearest", "name"),
        *numbers(score="its score", mean="mean score"),
        *([column("error", "own error")] if own is not None else []),
    ]
    text = "Every dataset with its group and its nearest neighbour."
    return section("datasets", "The datasets", text, columns, rows, short="Datasets")


def _pairs(more: list[dict[str, Any]]) -> dict[str, Any]:
    columns = [column("target", "target", "name"), column("source", "source", "name")]
    columns += [column("score", "score"), *more]
    text = "All pairs. Sort by a heading; type part of a name, or of a call, to filter."
    found = section("pairs", "The pairs", text, columns, [], short="All pairs")
    return {**found, "rows_from": "pairs"}
