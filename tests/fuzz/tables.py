"""Random tables of each library, arrays, and the options to read them with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from tests.fuzz.columns import Rng, draw_column, draw_label, draw_names

LABEL = "y"


def draw_frame(rng: Rng, oddity: float = 0.4, n: int | None = None) -> pd.DataFrame:
    """Return a pandas table with the label "y" and a few columns."""
    if n is None:
        n = int(rng.choice([0, 1, 15, 20, 30, 60, 150, 300], p=[0.03, 0.03, 0.04] + [0.18] * 5))
    names = draw_names(rng, int(rng.integers(0 if rng.random() < 0.1 else 1, 6)), oddity / 2)
    columns = [pd.Series(draw_column(rng, n, oddity)).reset_index(drop=True) for _ in names]
    label = pd.Series(draw_label(rng, n, oddity / 4)).reset_index(drop=True)
    frame = pd.concat([*columns, label], axis=1)
    frame.columns = pd.Index([*names, LABEL], dtype=object)
    if n and rng.random() < oddity / 4:
        frame = frame.iloc[rng.integers(0, n, n)]  # rows twice, and an odd index
    return frame


def in_library(rng: Rng, frame: pd.DataFrame) -> Any:
    """Return the table as it is, or of polars or pyarrow where they can hold it."""
    which = rng.random()
    if which < 0.5:
        return frame
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = pa.Table.from_pandas(frame, preserve_index=False)
            if which < 0.75:
                return _with_odd_types(rng, table)
            made = pl.from_arrow(table)
            return made.lazy() if which > 0.97 else made
    except Exception:  # not a table of that library
        return frame


def _with_odd_types(rng: Rng, table: pa.Table) -> pa.Table:
    """Return a pyarrow table with one column of a type that only Arrow has."""
    n = table.num_rows
    drawn = rng.integers(0, 4, n)
    odd = [
        pa.array([str(v) for v in drawn], pa.string_view()),
        pa.array([str(v) for v in drawn]).dictionary_encode(),
        pa.array([[int(v)] for v in drawn], pa.list_(pa.int64())),
        pa.array([{"a": int(v)} for v in drawn], pa.struct([("a", pa.int64())])),
        pa.array([None] * n, pa.null()),
        pa.array([str(v).encode() for v in drawn], pa.binary()),
        pa.array(drawn, pa.int64()).cast(pa.decimal128(38, 3)),
        pa.array(drawn * 10**6, pa.int64()).cast(pa.time64("us")),
        pa.array(2**60 + drawn, pa.int64()),
        pa.array(drawn, pa.int64()).cast(pa.duration("ns")),
        pa.array(drawn.astype(np.float16), pa.float16()),
        pa.array(drawn * 10**17, pa.int64()).cast(pa.timestamp("us", "Asia/Tokyo")),
    ]
    if rng.random() < 0.5:
        return table
    return table.append_column("odd", odd[int(rng.integers(len(odd)))])


def draw_arrays(rng: Rng) -> tuple[Any, Any]:
    """Return X and y as arrays, lists, sparse or masked; sometimes of different lengths."""
    n, p = int(rng.choice([0, 5, 20, 40, 120])), int(rng.integers(0, 5))
    X: Any = rng.normal(size=(n, p)) * 10.0 ** rng.choice([-200, -1, 0, 0, 0, 0, 1, 200])
    which = rng.integers(9)
    if which == 0:
        X = sparse.random_array((n, max(p, 1)), density=0.3, rng=rng, format="csr")
    elif which == 1:
        X = np.ma.array(X, mask=rng.random(X.shape) < 0.1)
    elif which == 2:
        X = X.tolist()
    elif which == 3:
        X = X.astype(str).astype(object)
    elif which == 4:
        with np.errstate(over="ignore"):
            X = X.astype(rng.choice(["float32", "float16", "complex128", "U8"]))
    elif which == 5:
        X = pd.DataFrame(X)
    y: Any = draw_label(rng, n if rng.random() < 0.95 else n + 1, 0.3)
    if rng.random() < 0.1:
        y = np.ma.array(np.asarray(y), mask=rng.random(len(y)) < 0.2)
    elif rng.random() < 0.2:
        y = list(y)
    return X, y


def draw_options(rng: Rng, frame: pd.DataFrame) -> dict[str, Any]:
    """Return options of `read_table`, right and wrong ones."""
    names = [str(name) for name in frame.columns] + ["nowhere"]
    chosen = str(rng.choice(np.array(names, dtype=object)))
    candidates: list[dict[str, Any]] = [
        {"group": chosen},
        {"ignore": [chosen]},
        {"keep": names[:-1]},
        {"task": str(rng.choice(["binary", "multiclass", "regression", "auto", "what"]))},
        {"positive": ["1", 1, "yes", True, None, 2.5, ["1", "yes"]][int(rng.integers(7))]},
        {
            "label_map": [{"1": "yes", "0": "no"}, {1: 0, 0: 1}, {}, {"1": "0"}][
                int(rng.integers(4))
            ]
        },
        {
            "rename": [{chosen: "new"}, {chosen: LABEL}, {}, {"no": "x"}, {chosen: 3}][
                rng.integers(5)
            ]
        },
        {"recode": [{chosen: {"a": "b", "1": "2"}}, {chosen: {}}, {chosen: 3}][rng.integers(3)]},
        {
            "convert": [
                {chosen: (1.8, 32)},
                {chosen: "%d/%m/%Y"},
                {chosen: (0, 1e308)},
                {chosen: "%"},
            ][rng.integers(4)]
        },
        {"label": chosen},
        {"name": "a\nname"},
        {"read_rows": [None, 1, 25, 0, -1, "x"][int(rng.integers(6))]},
    ]
    count = int(rng.choice([0, 1, 2, 3], p=[0.5, 0.3, 0.15, 0.05]))
    options: dict[str, Any] = {"label": LABEL}
    for i in rng.choice(len(candidates), count, replace=False):
        options |= candidates[int(i)]
    return options
