"""A result -> the text of an HTML page -> a file, and the result read back from it.

Text from the user reaches the page in one of two ways: inside JSON in which "<", ">" and "&" are
escaped, or through `html.escape`. The scripts only set text, never markup.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin._core.files import written_whole
from datakin.distances import Distance, DistanceMatrix, DistanceRanking
from datakin.report.comparisons import comparison_view
from datakin.report.distances import distance_matrix_view, distance_ranking_view, distance_view
from datakin.report.gains import forecast_view, gain_view
from datakin.report.matrices import matrix_view
from datakin.report.pack import pack, unpack
from datakin.report.rankings import ranking_view
from datakin.results import Comparison, Forecast, Gain, Matrix, Ranking, from_json

__all__ = ["check_file", "embedded_json", "page", "read_report", "view_of", "write_report"]

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
# The page may load nothing, whatever text it holds.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def write_report(
    result: Any,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> Path:
    """Write a result as one self-contained HTML file.

    Parameters
    ----------
    result : Comparison, Ranking, Matrix, Gain, Forecast or Distance
    path : str or path
        The file to write; its folder must exist.
    overwrite : bool
        Replace the file if it exists.
    command : str, optional
        The command that made the result, shown in the report.
    notes : sequence of str
        Further notes to show, such as those from reading the tables.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from datakin import rank
    >>> from datakin.synthetic import make_demo
    >>> target, sources = make_demo(60, 60)
    >>> ranking = rank(target, [sources[0].dataset], models=["logistic"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(ranking, f"{folder}/report.html")
    ...     read_report(path) == ranking
    True
    """
    where = check_file(path, "The report", overwrite=overwrite)
    if where.suffix.lower() not in (".html", ".htm"):
        raise DatakinError(
            f"A report is an HTML page: its name must end in .html. Got {where.name!r}."
        )
    text = page(result, command=command, notes=notes)
    try:
        with written_whole(where) as partial:
            # A file name may hold bytes that are not valid text.
            partial.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise DatakinError(
            f"The report could not be written to {str(where)!r}: {error.strerror}."
        ) from None
    return where


def check_file(path: str | os.PathLike[str], what: str, *, overwrite: bool) -> Path:
    """Return the path of a file that can be written; refuse any other with the reason."""
    where = Path(path)
    if os.path.isdir(where):
        raise DatakinError(f"{what} must be a file. Got the folder {str(where)!r}.")
    if not os.path.isdir(where.parent):
        raise DatakinError(f"The folder of {what.lower()} must exist. Got {str(where.parent)!r}.")
    there = os.path.exists(where)
    if there and not overwrite:
        raise DatakinError(
            f"{what} {str(where)!r} is already there. Choose another name, or replace it: --force, in Python "
            f"overwrite=True."
        )
    # The folder too: the file is first written under another name and then renamed.
    if not os.access(where.parent, os.W_OK) or (there and not os.access(where, os.W_OK)):
        raise DatakinError(f"{what} must be writable. Got {str(where)!r}.")
    return where


def read_report(path: str | os.PathLike[str]) -> Any:
    """Return the result inside a report.

    Parameters
    ----------
    path : str or path
        A file that `write_report` wrote.
    """
    return from_json(embedded_json(path))


def embedded_json(path: str | os.PathLike[str]) -> str:
    """Return the JSON text of the result inside a report, as `to_json` wrote it."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatakinError(f"The report {str(path)!r} could not be read: {error}.") from None
    found = re.search(rf'<script type="application/json" id="{DATA_ID}">(.*?)</script>', text, re.S)
    if found is None:
        raise DatakinError(f"{str(path)!r} must be a report of datakin. It holds no result.")
    return unpack(json.loads(found.group(1)))


def view_of(result: Any) -> dict[str, Any]:
    """Return the content of the report of a result, as a plain dict."""
    for kind, make in VIEWS.items():
        if isinstance(result, kind):
            found: dict[str, Any] = make(result)
            return found
    raise DatakinError(
        f"A report needs a result of datakin: {', '.join(kind.__name__ for kind in VIEWS)}. Got "
        f"{type(result).__name__}."
    )


def page(result: Any, *, command: str | None = None, notes: Sequence[str] = ()) -> str:
    """Return the HTML page of a result."""
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
    """Return JSON text that cannot close the script element around it."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
