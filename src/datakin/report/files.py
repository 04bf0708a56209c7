"""Writing a report to a file, and reading its result back."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin._core.files import written_whole
from datakin.report.pack import unpack
from datakin.report.page import DATA_ID, page
from datakin.results import from_json

__all__ = ["check_file", "embedded_json", "read_report", "write_report"]


def write_report(
    result: Any,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    command: str | None = None,
    notes: Sequence[str] = (),
) -> Path:
    """Write a result as one HTML file that needs nothing else.

    Parameters
    ----------
    result : Comparison, Ranking, Matrix, Gain, Forecast or Distance
    path : str or path
        Where to; the folder must exist.
    overwrite : bool
        Replace a file that is there.
    command : str, optional
        The command that made the result, to be shown.
    notes : sequence of str
        Further notes to show, such as those of reading the tables.

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
            # A file name may hold bytes that are no text.
            partial.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise DatakinError(
            f"The report could not be written to {str(where)!r}: {error.strerror}."
        ) from None
    return where


def check_file(path: str | os.PathLike[str], what: str, *, overwrite: bool) -> Path:
    """Return the path of a file that can be written, or say why it cannot."""
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
    # The folder, too: the file is written beside its place and moved there.
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
