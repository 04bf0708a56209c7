"""Random text files: separators, quotes, encodings, ragged rows, and what is no table at all."""

from __future__ import annotations

import csv
import gzip
import io
import math
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from tests.fuzz.columns import WORDS, Rng
from tests.fuzz.tables import draw_frame

ENCODINGS = ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "latin-1"]
ENCODINGS += ["shift_jis", "utf-32", "utf-7"]
ENDS = ["\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n\r", "\u2028"]
SEPARATORS = [",", ",", ",", ";", "\t", "|", " ", ":", "^", "||", "\x01"]


def draw_text(rng: Rng) -> bytes:
    """Return the content of a text file, most of the time one that could be a table."""
    if rng.random() < 0.05:
        return rng.bytes(int(rng.integers(0, 3000)))
    frame = draw_frame(rng, oddity=0.25)
    rows = [[_cell(v) for v in row] for row in frame.to_numpy(dtype=object)]
    if rng.random() < 0.95:
        rows.insert(0, [str(name) for name in frame.columns])
    if rng.random() < 0.2:
        rows = _ragged(rng, rows)
    text = _joined(rng, rows, str(rng.choice(SEPARATORS)), str(rng.choice(ENDS)))
    if rng.random() < 0.1:
        text = (
            str(rng.choice(["# made by hand\n", "sep=;\n", "\n\n", "Title\n\n", "\x00", '"']))
            + text
        )
    if rng.random() < 0.05:
        place = int(rng.integers(0, len(text) + 1))
        text = (
            text[:place]
            + str(rng.choice(np.array(['"', "\x00", "\n", "'", "\\", "\ufffd"])))
            + text[place:]
        )
    return text.encode(str(rng.choice(ENCODINGS)), errors="replace")


def _cell(value: object) -> str:
    is_gap = value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
    return "" if is_gap else str(value)


def _ragged(rng: Rng, rows: list[list[str]]) -> list[list[str]]:
    """Return the rows with some longer, shorter or empty."""
    changed = []
    for row in rows:
        which = rng.random()
        if which < 0.03:
            row = row[: int(rng.integers(0, len(row) + 1))]
        elif which < 0.06:
            row = [*row, *(str(v) for v in rng.choice(WORDS, rng.integers(1, 4)))]
        changed.append(row)
    return changed


def _joined(rng: Rng, rows: list[list[str]], separator: str, end: str) -> str:
    if len(separator) == 1 and rng.random() < 0.8:
        target = io.StringIO()
        quoting = csv.QUOTE_ALL if rng.random() < 0.2 else csv.QUOTE_MINIMAL
        csv.writer(target, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
        return target.getvalue()
    return end.join(separator.join(row) for row in rows)  # nothing quoted that should be


def write_text(rng: Rng, folder: Path, stem: str = "t") -> Path:
    """Write a random text file, sometimes packed or under a strange name."""
    content = draw_text(rng)
    which = rng.random()
    if which < 0.06:
        path = folder / f"{stem}.csv.gz"
        path.write_bytes(gzip.compress(content, 1))
    elif which < 0.12:
        path = folder / f"{stem}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("a.csv", "b.txt")[: 1 + (rng.random() < 0.2)]:
                archive.writestr(name, content)
    else:
        suffix = str(
            rng.choice(["csv", "csv", "csv", "tsv", "txt", "data", "CSV", "parquet", "xlsx"])
        )
        path = folder / f"{stem}.{suffix}"
        path.write_bytes(content)
    return path
