"""A view and its result -> the text of an HTML page.

Everything that comes from the user reaches the page in one of two ways: inside JSON in which "<",
">" and "&" are written as escapes, or through `html.escape`. The scripts only ever set text, never
markup.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin.distances import Distance, DistanceMatrix, DistanceRanking
from datakin.report.comparisons import comparison_view
from datakin.report.distances import distance_matrix_view, distance_ranking_view, distance_view
from datakin.report.gains import forecast_view, gain_view
from datakin.report.matrices import matrix_view
from datakin.report.pack import pack
from datakin.report.rankings import ranking_view
from datakin.results import Comparison, Forecast, Gain, Matrix, Ranking

__all__ = ["DATA_ID", "page", "view_of"]

DATA_ID = "datakin-result"
SCRIPTS = ("base.js", "table.js", "plots.js", "lines.js", "matrix.js", "page.js")
VIEWS: dict[type, Any] = {
    Comparison: comparison_view,
    Distance: distance_view,
    DistanceMatrix: distance_matrix_view,
    DistanceRanking: distance_ranking_view,
    Forecast: forecast_view,
    Gain: gain_view,
    Matrix: matrix_view,
    Ranking: ranking_view,
}
# No request may leave the page, whatever it holds.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def view_of(result: Any) -> dict[str, Any]:
    """Return what the report of a result shows."""
    for kind, make in VIEWS.items():
        if isinstance(result, kind):
            found: dict[str, Any] = make(result)
            return found
    raise DatakinError(
        f"A report needs a result of datakin: {', '.join(kind.__name__ for kind in VIEWS)}. Got "
        f"{type(result).__name__}."
    )


def page(result: Any, *, command: str | None = None, notes: Sequence[str] = ()) -> str:
    """Return the page of a result."""
    view = view_of(result)
    view["notes"] = list(dict.fromkeys([*notes, *view["notes"]]))
    if command:
        view["provenance"] = {"Command": command, **view.get("provenance", {})}
    text = str(result)
    return Template(_asset("template.html")).substitute(
        policy=html.escape(POLICY),
        title=html.escape(" ".join(f"{view['title']} · datakin".split())),
        styles=_asset("report.css"),
        data_id=DATA_ID,
        result=_embedded(pack(result)),
        view=_embedded(view),
        verdict=html.escape(view["verdict"]["head"]),
        lines=html.escape("\n".join(view["verdict"]["lines"])),
        text=html.escape(text[:200_000]),
        scripts="\n".join(_asset(name) for name in SCRIPTS),
    )


def _asset(name: str) -> str:
    return (files("datakin.report") / "assets" / name).read_text(encoding="utf-8")


def _embedded(value: Any) -> str:
    """Return JSON that cannot end the script it stands in."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
