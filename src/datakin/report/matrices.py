"""The reports of matrices. Their squares of numbers are read from the embedded result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from datakin.distances import DistanceMatrix
from datakin.report.sections import column, origin, records, section, view
from datakin.report.words import CALLS, ZONES, enumerated, plural, shortened, verdict_of
from datakin.results import Matrix, Square

__all__ = ["distance_matrix_view", "matrix_view"]

PAIRS = [
    column("low", "low"),
    column("high", "high"),
    column("zone", "source for target", "zone"),
    column("back", "target for source", "zone"),
    column("gain", "gain of target"),
    column("gain_back", "gain of source"),
    column("source_to_target", "source to target"),
    column("target_to_source", "target to source"),
]


def matrix_view(matrix: Matrix) -> dict[str, Any]:
    """Return the sections of a matrix of scores."""
    clusters = matrix.clusters()
    interrupted = "The run was interrupted: not all datasets are here."
    return _square_view(
        matrix,
        clusters,
        verdict_of(matrix.answer),
        tiles=_zone_tiles(matrix),
        calls=matrix.shown == "call",
        own=[float(error) for error in np.diag(matrix.errors)],
        pairs=PAIRS,
        notes=[*([] if matrix.complete else [interrupted]), *matrix.notes],
        provenance=origin(matrix.provenance, Fits=str(matrix.n_fits)),
    )


def distance_matrix_view(matrix: DistanceMatrix) -> dict[str, Any]:
    """Return the sections of a matrix of distances."""
    clusters = matrix.clusters()
    found = verdict_of(matrix.answer)
    return _square_view(matrix, clusters, found, provenance=origin(matrix.provenance))


def _square_view(
    matrix: Square,
    clusters: dict[str, int],
    found: dict[str, Any],
    *,
    tiles: Sequence[dict[str, str]] = (),
    own: Sequence[float] | None = None,
    pairs: Sequence[dict[str, Any]] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the sections that a matrix of scores and one of distances have in common.

    `found` is the verdict, `own` holds each dataset's own error, `pairs` are further columns of the
    table of pairs.
    """
    order, n = _leaves(matrix), len(matrix)
    counts = {"datasets": n, "pairs": n * (n - 1) // 2, "clusters": len(set(clusters.values()))}
    return view(
        "matrix",
        f"{n} datasets",
        found,
        [_heat(matrix, order), _tree(matrix, order), _map(matrix), _members(matrix, clusters, own),
         _pairs(pairs)],
        tiles=[*({"label": name, "value": str(count)} for name, count in counts.items()), *tiles],
        clusters=list(clusters.values()),
        selects="dataset",
        **more,
    )  # fmt: skip


def _leaves(matrix: Square) -> list[int]:
    """Return the datasets in the order of the tree's leaves."""
    from scipy.cluster.hierarchy import leaves_list

    return [int(i) for i in leaves_list(matrix.tree)] if len(matrix) > 1 else [0]


def _families_of(clusters: dict[str, int]) -> list[list[str]]:
    """Return the names of each cluster, the largest first."""
    groups: dict[int, list[str]] = {}
    for name, cluster in clusters.items():
        groups.setdefault(cluster, []).append(shortened(name))
    return sorted(groups.values(), key=len, reverse=True)


def _head(families: list[list[str]]) -> str:
    n, large = sum(map(len, families)), sum(len(group) > 1 for group in families)
    alone = len(families) - large
    if len(families) == 1:
        return f"All {n} datasets may be of one kin"
    if not large:
        return f"None of the {n} datasets is kin to another"
    head = f"{n} datasets, {plural(large, 'family', 'families')}"
    return f"{head} and {alone} on their own" if alone else head


def _family_lines(families: list[list[str]]) -> list[str]:
    """Return who belongs together, and who to nobody."""
    large = [group for group in families if len(group) > 1]
    alone = [group[0] for group in families if len(group) == 1]
    lines = [f"Together: {enumerated(group, 8)}." for group in large[:6]]
    if len(large) > 6:
        lines.append(f"And {len(large) - 6} more families, in the table below.")
    if alone and large:
        lines.append(f"On their own: {enumerated(alone, 8)}.")
    return lines


def _zone_tiles(matrix: Matrix) -> list[dict[str, str]]:
    n = len(matrix)
    is_call = matrix.shown == "call"
    found = [matrix.zones[i][j] for i in range(n) for j in range(n) if i != j]
    words = [zone.call if is_call else zone.value for zone in found]
    total = max(1, len(words))
    return [
        {
            "label": f"{word} (of all calls)",
            "value": f"{words.count(word) / total:.0%}",
            "zone": word,
        }
        for word in (CALLS if is_call else ZONES)
    ]


def _heat(matrix: Square, order: list[int]) -> dict[str, Any]:
    text = (
        f"The {matrix.word} of every pair. Datasets are in the order of the tree, so that those near each "
        f"other form blocks along the diagonal."
    )
    chart = {"type": "heat", "order": order, "word": matrix.word}
    return section("heat", "Every pair", text, [], [], chart=chart)


def _tree(matrix: Square, order: list[int]) -> dict[str, Any]:
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
    text = "Average linkage: the height of a join is the mean distance between the two groups."
    if isinstance(matrix, Matrix):
        text = (
            "Complete linkage: the height of a join is the largest score between the two groups. Pairs that "
            "hurt are drawn above all others."
        )
    cut = float(matrix._cut()) if len(matrix) > 1 else 0.0
    chart = {"type": "tree", "order": order, "cut": cut}
    return section("tree", "The family tree", text, columns, merges, chart=chart, table="none")


def _map(matrix: Square) -> dict[str, Any]:
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


def _members(
    matrix: Square, clusters: dict[str, int], own: Sequence[float] | None
) -> dict[str, Any]:
    distances = matrix.scores + np.where(np.eye(len(matrix)) > 0, np.inf, 0.0)
    rows = []
    for i, name in enumerate(matrix.names):
        row: dict[str, Any] = {"name": name, "cluster": clusters[name]}
        if len(matrix) > 1:
            j = int(np.argmin(distances[i]))
            row |= {"nearest": matrix.names[j], "score": float(matrix.scores[i, j])}
            row["mean"] = float(np.delete(matrix.scores[i], i).mean())
        if own is not None:
            row["error"] = own[i]
        rows.append(row)
    columns = [
        column("name", "dataset", "name"),
        column("cluster", "cluster", digits=0),
        column("nearest", "nearest", "text"),
        column("score", "its score"),
        column("mean", "mean score"),
        *([column("error", "own error")] if own is not None else []),
    ]
    text = "Every dataset with its cluster and its nearest neighbour."
    return section("datasets", "The datasets", text, columns, rows, table="open")


def _pairs(more: Sequence[dict[str, Any]]) -> dict[str, Any]:
    columns = [column("target", "target", "name"), column("source", "source", "name")]
    columns += [column("score", "score"), *more]
    text = "All pairs. Sort by a heading; type part of a name, or of a call, to filter."
    found = section("pairs", "The pairs", text, columns, [], table="open")
    return {**found, "rows_from": "pairs"}
