"""The table as an object of each library, and arrays with labels beside them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import parquet
from scipy import sparse

import datakin
from tests.messy.registry import Made, named, read, variant
from tests.messy.table import GROUP, LABEL, table, texts
from tests.messy.values import BIG


def arrow(**columns: pa.Array) -> pa.Table:
    """Return the table of pyarrow, some of its columns in other types."""
    frame = pa.Table.from_pandas(table(), preserve_index=False)
    for name, values in columns.items():
        frame = frame.set_column(frame.column_names.index(name), name, values)
    return frame


def big_ids() -> list[int]:
    return [BIG + int(v[1:]) for v in table()[GROUP]]


OBJECTS: dict[str, Callable[[], Any]] = {
    "polars": lambda: pl.from_arrow(arrow()),
    "polars, lazy": lambda: pl.from_arrow(arrow()).lazy(),
    "pyarrow": arrow,
    "pyarrow string_view": lambda: arrow(ward=pa.array(table()["ward"], pa.string_view())),
    "pyarrow large_string": lambda: arrow(ward=pa.array(table()["ward"], pa.large_string())),
    "pyarrow dictionary": lambda: arrow(ward=pa.array(table()["ward"]).dictionary_encode()),
    "pyarrow decimal128": lambda: arrow(
        cost=pa.array([Decimal(v) for v in texts()["cost"]], pa.decimal128(12, 2))
    ),
    "pyarrow date32": lambda: arrow(admitted=pa.array(table()["admitted"].dt.date, pa.date32())),
    "pyarrow ids above 2^53": lambda: arrow(patient=pa.array(big_ids(), pa.int64())),
    "pandas categories": lambda: table().astype({"ward": "category", "smoker": "category"}),
    "pandas nullable": lambda: table().convert_dtypes(),
    "pandas, pyarrow types": lambda: table().convert_dtypes(dtype_backend="pyarrow"),
    "pandas ids above 2^53": lambda: table().assign(patient=big_ids()),
    "pandas, all texts": texts,
    "pandas, odd index": lambda: table().set_index(np.arange(500, 620)),
    "pandas numbers as objects": lambda: table().astype({"age": object, "temp": object}),
}
for _name, _made in OBJECTS.items():

    @variant(f"object: {_name}", "same")
    def in_memory(folder: Path, made: Callable[[], Any] = _made) -> Made:
        return read(made())


@variant(
    "object: mixed types in a column", "noted or refused", named("ward", "mixed", "types", "1")
)
def mixed(folder: Path) -> Made:
    frame = table()
    frame["ward"] = [[1, "1", 2.5, "Nord", True][i % 5] for i in range(len(frame))]
    return read(frame)


LISTS = {
    "pandas": lambda: table().assign(drugs=[["a"], ["a", "b"]] * 60),
    "polars": lambda: pl.from_arrow(arrow()).with_columns(drugs=pl.Series([[1], [2, 3]] * 60)),
    "pyarrow": lambda: arrow().append_column("drugs", pa.array([[1], [2, 3]] * 60)),
}
for _name, _made in LISTS.items():

    @variant(
        f"object: lists in a column, {_name}", "refused or same", named("drugs", "ignore", "left")
    )
    def lists(folder: Path, made: Callable[[], Any] = _made) -> Made:
        return read(made())


@variant("object: lists in a Parquet column", "refused or same", named("drugs", "ignore", "left"))
def parquet_lists(folder: Path) -> Made:
    parquet.write_table(LISTS["pyarrow"](), folder / "stays.parquet")
    return read(folder / "stays.parquet")


@variant("object: NA as a declared category", "same or noted", named("ward", "NA"))
def declared(folder: Path) -> Made:
    frame = table()
    frame["ward"] = frame["ward"].replace("Ost", "NA")
    return read(frame.astype({"ward": "category"})), read(frame)


def numeric() -> tuple[Any, Any]:
    """Return the columns of numbers that have no gaps, and the labels."""
    return table()[["temp", "cost", "größe"]].to_numpy(), table()[LABEL].to_numpy()


@variant("object: numpy", "same")
def array(folder: Path) -> Made:
    X, y = numeric()
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"]).assign(y=y)
    return datakin.as_dataset(X, y), datakin.read_table(frame, label="y")


@variant("object: scipy sparse", "same")
def sparse_array(folder: Path) -> Made:
    X, y = numeric()
    return datakin.as_dataset(sparse.csr_array(X), y), datakin.as_dataset(X, y)


@variant("object: masked y", "same", "no label")
def masked(folder: Path) -> Made:
    X, y = numeric()
    hidden = np.arange(len(y)) % 10 == 0
    shown = np.where(hidden, np.nan, y)
    return datakin.as_dataset(X, np.ma.array(y, mask=hidden)), datakin.as_dataset(X, shown)


@variant("object: masked X", "same")
def masked_features(folder: Path) -> Made:
    X, y = numeric()
    hidden = np.add.outer(np.arange(len(X)), np.arange(3)) % 10 == 0
    return (
        datakin.as_dataset(np.ma.array(X, mask=hidden), y),
        datakin.as_dataset(np.where(hidden, np.nan, X), y),
    )


@variant("object: datetime y", "refused", "date")
def dates_as_labels(folder: Path) -> Made:
    return datakin.as_dataset(numeric()[0], table()["admitted"].to_numpy())


@variant("object: a date column as label", "refused", named("admitted", "date"))
def date_label(folder: Path) -> Made:
    return read(table(), label="admitted")


@variant("object: y of event and time", "refused", "surviv|censor")
def structured(folder: Path) -> Made:
    X, y = numeric()
    y = np.array([(bool(e), 3.0 + i) for i, e in enumerate(y)], dtype=[("e", bool), ("t", float)])
    return datakin.as_dataset(X, y)


@variant("object: y of two columns", "refused", "one column|one label")
def two_labels(folder: Path) -> Made:
    X, y = numeric()
    return datakin.as_dataset(X, np.column_stack([y, 1 - y]))
