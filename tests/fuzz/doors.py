"""Random tables that text can carry without loss, and the doors through which one may bring them."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.fuzz.columns import (
    WORDS,
    Rng,
    draw_names,
    extreme,
    large_whole,
    normal,
    plain_words,
    row_numbers,
    truth,
    whole,
    with_gaps,
    written,
    written_days,
)
from tests.fuzz.tables import LABEL

# A text file cannot tell these from its own marks, or pyarrow refuses them as text.
SPOKEN = [word for word in WORDS if not set(word) & set("\x00\ufeff\n")]


def words(rng: Rng, n: int) -> Any:
    return rng.choice(rng.choice(np.array(SPOKEN, dtype=object), rng.integers(1, 8)), n)


def days(rng: Rng, n: int) -> Any:
    drawn = np.datetime64("2020-01-01", "D") + rng.integers(-4000, 4000, n)
    return pd.Series(drawn.astype("datetime64[us]"))


MAKERS = [normal, whole, with_gaps, extreme, large_whole, truth, words, plain_words, written]
MAKERS += [written_days, row_numbers, days]


def draw_portable(rng: Rng) -> pd.DataFrame:
    """Return a table whose values each format can hold."""
    n = int(rng.choice([20, 40, 90]))
    names = [str(name) for name in draw_names(rng, int(rng.integers(1, 5)), 0.2)]
    names = [name for name in dict.fromkeys(names) if name.strip() and "\x00" not in name]
    columns = {name: MAKERS[int(rng.integers(len(MAKERS)))](rng, n) for name in names}
    two = rng.integers(0, 2, n)
    label = [two, np.array(["no", "yes"], dtype=object)[two], words(rng, n), normal(rng, n)]
    columns[LABEL] = label[int(rng.choice(4, p=[0.5, 0.2, 0.1, 0.2]))]
    return pd.DataFrame(columns)


def as_text(value: Any) -> str:
    """Return a value as a text file has it."""
    if isinstance(value, (pd.Timestamp, dt.date)):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, float) and np.isnan(value):
        return ""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, str) else repr(value)


def each_door(frame: pd.DataFrame, folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield the table as object and file of each kind."""
    texts = pd.DataFrame({name: [as_text(v) for v in frame[name]] for name in frame}, dtype=object)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    yield "pandas", frame
    yield "pyarrow", table
    yield "polars", pl.from_arrow(table)
    yield "texts", texts
    texts.to_csv(folder / "t.csv", index=False)
    yield "csv", folder / "t.csv"
    texts.to_csv(folder / "t.tsv", index=False, sep="\t")
    yield "tsv", folder / "t.tsv"
    frame.to_parquet(folder / "t.parquet")
    yield "parquet", folder / "t.parquet"
    if all(values.dtype.kind != "u" for _, values in frame.items()):  # SQLite has no such numbers
        connection = sqlite3.connect(folder / "t.sqlite")
        texts.to_sql("t", connection, index=False)
        connection.close()
        yield "sqlite", folder / "t.sqlite"
