"""A result -> the text of an HTML page -> a file, and the result read back from it, to the last digit.

Text from the user reaches the page in one of two ways: inside JSON in which "<", ">" and "&" are
escaped, or through `html.escape`. The scripts only set text, never markup.

The matrix of 300 datasets is 16 MB of JSON: seven squares of numbers with seventeen digits. In a page a
large square of numbers is stored as 8-byte floats in base64, only one half if it is symmetric. A large
square of a few different values (zones) is stored with one byte for each. Nothing else is changed.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import Enum
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.files import check_file, written_whole
from datakin._core.json_text import parse_json
from datakin._core.warned import unheard
from datakin.data.features import Array
from datakin.distances import Distance, DistanceMatrix, DistanceRanking
from datakin.report import uncalled
from datakin.report.choices import choice_view
from datakin.report.comparisons import comparison_view
from datakin.report.explanations import explanation_view
from datakin.report.matrices import matrix_view
from datakin.report.rankings import ranking_view
from datakin.report.sections import notes_of, verdict_of
from datakin.results import (
    Choice,
    Comparison,
    Description,
    Explanation,
    Gain,
    Matrix,
    Ranking,
    from_json,
)
from datakin.results.record import DAMAGE, encoded

DATA_ID = "datakin-result"
LARGE = 400  # entries; smaller squares are not packed
SCRIPTS = (
    *("base.js", "table.js", "axes.js", "plots.js", "waterfall.js", "lines.js"),
    *("matrix.js", "tree.js", "sheet.js", "page.js"),
)
VIEWS: dict[type, Any] = {
    Comparison: comparison_view,
    Description: uncalled.description_view,
    Distance: uncalled.distance_view,
    DistanceMatrix: matrix_view,
    DistanceRanking: uncalled.distance_ranking_view,
    Explanation: explanation_view,
    Gain: uncalled.gain_view,
    Matrix: matrix_view,
    Ranking: ranking_view,
    Choice: choice_view,
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
    result : Choice, Comparison, Ranking, Matrix, Explanation, Gain, Distance or Description
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
    return unpack(parse_json(found.group(1)))


def view_of(result: Any) -> dict[str, Any]:
    """Return the content of the report of a result, as a plain dict."""
    if type(result) in VIEWS:
        found: dict[str, Any] = VIEWS[type(result)](result)
        return found
    kinds, got = ", ".join(kind.__name__ for kind in VIEWS), type(result).__name__
    raise DatakinError(f"A report needs a result of datakin: {kinds}. Got {got}.")


def page(result: Any, *, command: str | None = None, notes: Sequence[str] = ()) -> str:
    """Return the HTML page of a result."""
    try:
        with unheard():
            return _page(result, command, notes)
    except DatakinError:
        raise
    except DAMAGE as error:
        # Names and numbers of a result that was read from a damaged file may not fit.
        raise DatakinError(
            f"The parts of this {type(result).__name__} do not go together ({type(error).__name__}: "
            f"{str(error)[:120]}). Compute it again."
        ) from error


def _page(result: Any, command: str | None, notes: Sequence[str]) -> str:
    view = view_of(result)
    if not result.is_text:
        answer = result.answer.with_notes(notes)
        view["verdict"] = verdict_of(answer)
        view["notes"], view["reasons"] = notes_of(answer), list(answer.reasons)
        options = "typed" if command else "python"
        view["remedies"] = [[each.text, getattr(each, options)] for each in answer.remedies]
        # Words that a colleague without any other page may look up.
        view["words"] = json.loads(_asset("words.json"))
    if command:
        view["provenance"] = {"Command": command, **view.get("provenance", {})}
    return Template(_asset("template.html")).substitute(
        policy=html.escape(POLICY),
        title=html.escape(" ".join(f"{view['title']} · datakin".split())),
        styles=_asset("report.css"),
        data_id=DATA_ID,
        result=_embedded(pack(result)),
        view=_embedded(view),
        verdict=html.escape(view["verdict"]["head"]),
        lines=html.escape("\n".join(view["verdict"]["lines"])),
        text=html.escape(str(result)[:200_000]),
        scripts="\n".join(_asset(name) for name in SCRIPTS),
    )


def _asset(name: str) -> str:
    return (files("datakin.report") / "assets" / name).read_text(encoding="utf-8")


def _embedded(value: Any) -> str:
    """Return JSON text that cannot close the script element around it."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def pack(result: Any) -> dict[str, Any]:
    """Return the JSON of a result as a smaller tree."""
    packed = {field.name: _packed(getattr(result, field.name)) for field in fields(result)}
    packed = {name: part for name, part in packed.items() if part is not None}
    rest: dict[str, Any] = json.loads(replace(result, **dict.fromkeys(packed)).to_json())
    return {key: packed.get(key, value) for key, value in rest.items()}


def unpack(tree: Any) -> str:
    """Return the JSON text of the result that `pack` was given."""
    try:
        return json.dumps({key: _unpacked(part) for key, part in tree.items()}, allow_nan=False)
    except DAMAGE as error:
        raise DatakinError(
            f"The result inside this report is damaged ({str(error)[:120]}). Write the report again."
        ) from None


def _packed(value: Any) -> dict[str, Any] | None:
    """Pack a large square of floats or of enums; None for anything else."""
    if isinstance(value, np.ndarray):
        is_square = value.ndim == 2 and len(value) == value.shape[1] and value.dtype == np.float64
        return _floats(value) if is_square and value.size >= LARGE else None
    if isinstance(value, tuple) and len(value) ** 2 >= LARGE and isinstance(value[0], tuple):
        return _choices(value) if isinstance(value[0][0], Enum) else None
    return None


def _floats(square: Array) -> dict[str, Any]:
    square = np.ascontiguousarray(square, dtype="<f8")
    # Compared bit by bit, so that NaN equals NaN and 0.0 does not equal -0.0.
    bits = square.view("<u8")
    symmetric = bool(np.array_equal(bits, bits.T))
    kept = square[np.triu_indices(len(square))] if symmetric else square
    found = {"type": "packed floats", "n": len(square), "symmetric": symmetric}
    return {**found, "data": _base64(kept)}


def _choices(rows: tuple[tuple[Enum, ...], ...]) -> dict[str, Any]:
    codes: dict[Enum, int] = {}
    flat = [codes.setdefault(item, len(codes)) for row in rows for item in row]
    found = {"type": "packed choices", "n": len(rows), "choices": [encoded(item) for item in codes]}
    return {**found, "data": _base64(np.array(flat, dtype=np.uint8))}


def _base64(values: Array) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")


def _unpacked(value: Any) -> Any:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "packed choices":
        n, choices = value["n"], value["choices"]
        codes = _read(value, "u1", n * n).reshape(n, n).tolist()
        return [[choices[code] for code in row] for row in codes]
    if kind != "packed floats":
        return value
    n, is_half = value["n"], value["symmetric"]
    flat = _read(value, "<f8", n * (n + 1) // 2 if is_half else n * n)
    if not is_half:
        return encoded(flat.reshape(n, n))
    rows, columns = np.triu_indices(n)
    square = np.empty((n, n))
    square[rows, columns] = square[columns, rows] = flat
    return encoded(square)


def _read(value: dict[str, Any], kind: str, wanted: int) -> Array:
    """Return packed numbers; refuse those that are not as many as is said, before room is made for them."""
    flat = np.frombuffer(base64.b64decode(value["data"], validate=True), dtype=kind)
    if len(flat) != wanted:
        raise ValueError(f"{len(flat)} numbers where {wanted} were expected")
    return flat
