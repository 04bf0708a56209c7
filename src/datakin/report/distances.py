"""What the reports of distances show: of a pair, of a ranking and of a matrix."""

from __future__ import annotations

from typing import Any

from datakin.distances import Distance, DistanceMatrix, DistanceRanking
from datakin.report.matrices import families_of, family_lines, square_view
from datakin.report.sections import bars, column, origin, records, section, view
from datakin.report.words import plural, shortened, verdict

__all__ = ["distance_matrix_view", "distance_ranking_view", "distance_view"]


def distance_view(distance: Distance) -> dict[str, Any]:
    """Return the sections of a distance."""
    rows = [
        {"name": name, "role": role, "rows": distance.n_rows[name]}
        for name, role in ((distance.target, "target"), (distance.source, "source"))
    ]
    columns = [
        column("name", "dataset", "text"),
        column("role", "role", "text"),
        column("rows", "rows", digits=0),
    ]
    return view(
        "distance",
        f"{distance.source} and {distance.target}",
        verdict(
            "plain",
            f"{distance.method}: {distance.score:.4g}",
            "A distance has no zones and no interval: compare it with that of other sources, and in the "
            "same units.",
        ),
        [section("facts", "The data", "What was compared.", columns, rows, table="open")],
        tiles=[{"label": distance.method, "value": f"{distance.score:.4f}"}],
        notes=distance.notes,
        provenance=origin(distance.provenance),
    )


def distance_ranking_view(ranking: DistanceRanking) -> dict[str, Any]:
    """Return the sections of a ranking by distance."""
    columns = [
        column("source", "source", "name"),
        column("score", "distance"),
        column("n_rows", "rows", digits=0),
    ]
    near = shortened(ranking.best.source)
    return view(
        "ranking",
        f"Sources for {ranking.target}",
        verdict("plain", f"Nearest by {ranking.method}: {near}", ranking.closing),
        [
            section(
                "distances",
                f"Distances by {ranking.method}",
                "Nearest first. A distance has no zones and no interval.",
                columns,
                records(ranking.frame),
                chart=bars("source", "score", "distance"),
                table="open",
            )
        ],
        tiles=[
            {"label": "sources", "value": str(len(ranking))},
            {"label": "distance", "value": ranking.method},
        ],
        details={},
        selects="source",
        provenance=origin(*(c.provenance for c in ranking)),
    )


def distance_matrix_view(matrix: DistanceMatrix) -> dict[str, Any]:
    """Return the sections of a matrix of distances."""
    clusters = matrix.clusters()
    families = families_of(clusters)
    head = f"{len(matrix)} datasets in {plural(len(families), 'cluster')} by distance"
    how = "Clusters are cut at the widest gap between merges; distances have no zones and no interval."
    found = verdict("plain", head, *family_lines(families), how)
    return square_view(matrix, clusters, found, provenance=origin(matrix.provenance))
