"""One table through every door: the same dataset, by its fingerprint."""

import datetime as dt
import gzip
import sqlite3
import zipfile

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import xlwt
from scipy import sparse

from datakin import as_dataset, read_table

N = 60
NUMBERS = ["weight", "visits"]
TYPES = {
    "weight": "double precision",
    "visits": "bigint",
    "ward": "text",
    "seen": "date",
    "smoker": "boolean",
    "patient": "bigint",
    "died": "text",
}


def make_table():
    """Numbers with decimals, whole numbers with gaps, categories, dates, truth values, large ids."""
    rng = np.random.default_rng(17)
    patient = 2**53 + np.arange(N) // 2  # neighbours that floats cannot tell apart
    frame = pd.DataFrame(
        {
            "weight": np.round(rng.normal(70, 12, N), 2),
            "visits": pd.array(rng.integers(0, 30, N), dtype="Int64"),
            "ward": rng.choice(["north", "süd", "west 7"], N),
            "seen": [
                dt.date(2020, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 700, N)
            ],
            "smoker": rng.random(N) < 0.4,
            "patient": patient,
            "died": rng.choice(["yes", "no"], N),
        }
    )
    frame["ward"] = frame["ward"].astype(object)
    frame["died"] = frame["died"].astype(object)
    frame.loc[::7, "visits"] = pd.NA
    return frame


@pytest.fixture(scope="module")
def frame():
    return make_table()


@pytest.fixture(scope="module")
def expected(frame):
    return read(frame)


def read(source, **options):
    return read_table(source, label="died", group="patient", name="t", **options)


def rows_of(frame):
    """The cells as Python's own values, None where one is missing."""
    columns = [[None if v is pd.NA else v for v in frame[name].tolist()] for name in frame]
    return list(zip(*columns, strict=True))


def as_text(frame):
    """Ids as text: a workbook keeps 15 digits of a number."""
    return frame.assign(patient=frame["patient"].astype(str))


def csv(**options):
    return lambda frame, path: frame.to_csv(path, index=False, **options)


def packed(frame, path):
    path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))


def zipped(frame, path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("t.csv", frame.to_csv(index=False))


def xls(frame, path):
    book = xlwt.Workbook()
    sheet = book.add_sheet("t")
    date = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for i, row in enumerate([tuple(frame.columns), *rows_of(as_text(frame))]):
        for j, value in enumerate(row):
            if value is not None:
                sheet.write(i, j, value, *([date] if isinstance(value, dt.date) else []))
    book.save(str(path))


def sqlite(frame, path):
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE t ({', '.join(frame.columns)})")
    rows = [[str(v) if isinstance(v, dt.date) else v for v in row] for row in rows_of(frame)]
    connection.executemany(f"INSERT INTO t VALUES ({','.join('?' * len(frame.columns))})", rows)
    connection.commit()
    connection.close()


def duck(frame, path):
    with duckdb.connect(str(path)) as connection:
        columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
        connection.execute(f"CREATE TABLE t ({columns})")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", rows_of(frame))


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


FILES = {
    "t.csv": csv(),
    "t.tsv": csv(sep="\t"),
    "semicolon.csv": csv(sep=";"),
    "comma.csv": csv(sep=";", decimal=","),
    "bar.txt": csv(sep="|"),
    "bom.csv": csv(encoding="utf-8-sig"),
    "utf16.csv": csv(encoding="utf-16"),
    "t.csv.gz": packed,
    "t.zip": zipped,
    "t.xlsx": lambda frame, path: as_text(frame).to_excel(path, index=False),
    "t.ods": lambda frame, path: as_text(frame).to_excel(path, index=False),
    "t.xls": xls,
    "t.parquet": lambda frame, path: pq.write_table(arrow(frame), path, row_group_size=17),
    "t.feather": lambda frame, path: pa.feather.write_feather(arrow(frame), path, chunksize=17),
    "polars.parquet": lambda frame, path: pl.from_arrow(arrow(frame)).write_parquet(path),
    "polars.arrow": lambda frame, path: pl.from_arrow(arrow(frame)).write_ipc(path),
    "t.sqlite": sqlite,
    "t.duckdb": duck,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore::datakin.DatakinWarning")
def test_every_file_gives_the_same_dataset(frame, expected, tmp_path, same, name):
    FILES[name](frame, tmp_path / name)
    same(read(tmp_path / name), expected)


OBJECTS = {"polars": lambda f: pl.from_arrow(arrow(f)), "pyarrow": arrow, "pandas of arrow": None}


@pytest.mark.parametrize("kind", OBJECTS)
def test_every_library_gives_the_same_dataset(frame, expected, same, kind):
    if kind == "pandas of arrow":
        table = frame.convert_dtypes(dtype_backend="pyarrow")
    else:
        table = OBJECTS[kind](frame)
    same(read(table), expected)


def test_postgresql_gives_the_same_dataset(frame, expected, same, postgres):
    postgres.load("door", frame, TYPES)
    same(read(postgres.url, table="door"), expected)
    same(read(postgres.url, query='SELECT * FROM "door"'), expected)


def test_the_ids_are_not_merged(expected):
    assert len(set(expected.groups)) == N // 2


def test_numpy_and_sparse_give_the_same_dataset_of_numbers(frame, same):
    numbers = frame[NUMBERS].astype(float).fillna(0.0)
    y = frame["died"].to_numpy()
    expected = read_table(numbers.set_axis(["x0", "x1"], axis=1).assign(y=y), label="y", name="t")
    dense = as_dataset(numbers.to_numpy(), y, name="t")
    same(dense, expected)
    assert as_dataset(numbers.to_numpy().tolist(), y, name="t").fingerprint == expected.fingerprint
    thin = as_dataset(sparse.csr_array(numbers.to_numpy()), y, name="t")
    np.testing.assert_array_equal(thin.features.numeric.toarray(), expected.features.numeric)
    np.testing.assert_array_equal(thin.y, expected.y)
