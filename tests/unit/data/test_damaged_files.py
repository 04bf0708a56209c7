"""Damaged files of every kind: a result, or a DatakinError, and never the end of the process.

``python -m tests.unit.data.test_damaged_files 5000`` tries that many of each kind.
"""

import io
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import xlwt

from datakin import DatakinError, read_table

# Files of each kind that are tried: a sixth by `make test`, the rest by `make test-long`. Workbooks and
# DuckDB need a while to be opened.
COUNTS = {
    "plain.parquet": 300,
    "paged.parquet": 300,
    "t.feather": 300,
    "plain.feather": 300,
    "polars.arrow": 300,
    "t.sqlite": 300,
    "t.duckdb": 30,
    "t.xlsx": 20,
    "t.xls": 20,
    "t.ods": 20,
}


def make_frame(n=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "k": pd.array(rng.integers(0, 9, n), dtype="Int64"),
            "c": rng.choice(["u", "v", "wörter"], n),
            "g": pd.Categorical(rng.choice(["north", "south"], n)),
            "d": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
            "b": rng.random(n) < 0.5,
            "y": rng.choice(["yes", "no"], n),
        }
    )
    frame.loc[::7, "k"] = pd.NA
    return frame


def write_all(folder):
    """Write a table in every kind of file."""
    frame = make_frame()
    table = pa.Table.from_pandas(frame)
    plain = frame.astype({"g": object, "c": object, "y": object, "k": float})
    pq.write_table(table, f"{folder}/plain.parquet", row_group_size=25)
    paged = {"compression": "zstd", "use_dictionary": False, "data_page_version": "2.0"}
    pq.write_table(table, f"{folder}/paged.parquet", **paged)
    pa.feather.write_feather(table, f"{folder}/t.feather")
    pa.feather.write_feather(
        table, f"{folder}/plain.feather", compression="uncompressed", chunksize=20
    )
    pl.from_arrow(table).write_ipc(f"{folder}/polars.arrow")
    connection = sqlite3.connect(f"{folder}/t.sqlite")
    plain.to_sql("t", connection, index=False)
    connection.close()
    with duckdb.connect(f"{folder}/t.duckdb") as connection:
        connection.register("given", pa.Table.from_pandas(plain))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    for suffix in ("xlsx", "ods"):
        plain.to_excel(f"{folder}/t.{suffix}", index=False)
    book = xlwt.Workbook()
    sheet = book.add_sheet("t")
    some = plain[["x", "c", "y"]]
    for i, row in enumerate([tuple(some.columns), *some.itertuples(index=False)]):
        for j, value in enumerate(row):
            sheet.write(i, j, value)
    book.save(f"{folder}/t.xls")


def damaged(content, rng):
    """Return the content with bytes changed, cut off or put in; the end is where most is promised."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2])):
        way, place = rng.randrange(5), rng.randrange(len(content))
        if way == 0:
            for _ in range(rng.choice([1, 2, 8, 50])):
                content[rng.randrange(len(content))] = rng.randrange(256)
        elif way == 1:
            del content[max(1, place) :]
        elif way == 2:
            content[place:place] = rng.randbytes(rng.randint(1, 50))
        elif way == 3:
            for _ in range(rng.choice([1, 3])):
                content[-1 - rng.randrange(min(len(content), 900))] = rng.randrange(256)
        else:
            content[place : place + 8] = (2 ** rng.choice([31, 32, 40, 58, 63])).to_bytes(
                8, "little"
            )
    return bytes(content)


def try_files(path, start, stop):
    """Read damaged versions of a file; print the number of each before, and what came of all."""
    warnings.simplefilter("ignore")
    with open(path, "rb") as file:
        content = file.read()
    found = Counter()
    copy = os.path.join(os.path.dirname(path), "damaged" + os.path.splitext(path)[1])
    for number in range(start, stop):
        rng = random.Random(f"{os.path.basename(path)} {number}")
        with open(copy, "wb") as file:
            file.write(damaged(content, rng))
        print(number, flush=True)
        try:
            read_table(copy, label="y", read_rows=rng.choice([None, 30, 200_000]))
            found["read"] += 1
        except DatakinError:
            found["refused"] += 1
        except BaseException as error:
            found["foreign"] += 1
            last = traceback.extract_tb(error.__traceback__)[-1]
            print(f"{number}: {type(error).__name__}: {error} ({last.filename}:{last.lineno})")
    print(dict(found))


def run(path, start, stop):
    """Try damaged files in a process of their own; return what it printed but the numbers."""
    return run_all((path, start, stop))


def run_all(*tries):
    """Try several kinds of files in one process."""
    words = [str(word) for each in tries for word in each]
    command = [sys.executable, "-m", "tests.unit.data.test_damaged_files", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([".", *filter(None, sys.path)])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    lines = done.stdout.splitlines()
    words = [line for line in lines if not line.isdigit()]
    if done.returncode:
        last = [line for line in lines if line.isdigit()][-1:]
        words.append(f"ended with {done.returncode} at {last}: {done.stderr[-500:]}")
    return words


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    write_all(folder)
    return folder


@pytest.mark.parametrize("name", COUNTS)
def test_a_whole_file_is_read(folder, name):
    assert read_table(folder / name, label="y").n_rows == 60


def test_some_damaged_files_of_every_kind_are_read_or_refused(folder):
    """All in one process: to start one takes longer than to read the files of a kind."""
    words = run_all(*((folder / name, 0, first_of(name)) for name in COUNTS))
    assert len(words) == len(COUNTS), words
    for name, said in zip(COUNTS, words, strict=True):
        assert "foreign" not in said, name
        assert "refused" in said, name


@pytest.mark.long
@pytest.mark.parametrize("name", COUNTS)
def test_damaged_files_are_read_or_refused(folder, name):
    words = run(folder / name, first_of(name), COUNTS[name])
    assert len(words) == 1, words
    assert "foreign" not in words[0]
    assert "refused" in words[0]


def first_of(name):
    """Return how many damaged files of a kind `make test` tries."""
    return -(-COUNTS[name] // 6)


def test_a_footer_that_promises_too_many_rows_is_refused_at_once(folder, tmp_path):
    content = (folder / "paged.parquet").read_bytes()
    about = pq.ParquetFile(io.BytesIO(content)).metadata
    assert about.num_rows == 60
    # Whole numbers of the footer are written in pieces of seven bits, twice the number first.
    huge = bytearray()
    rest = 2 * 2**58
    while rest:
        huge.append((rest & 127) | (128 if rest > 127 else 0))
        rest >>= 7
    size = int.from_bytes(content[-8:-4], "little")
    footer = content[-8 - size : -8].replace(b"\x16\x78", b"\x16" + bytes(huge))
    assert footer.count(bytes(huge)) >= 2
    bad = content[: -8 - size] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    (tmp_path / "t.parquet").write_bytes(bad)
    with pytest.raises(DatakinError, match=r"could not be read as a parquet table \(it.* promises"):
        read_table(tmp_path / "t.parquet", label="y", read_rows=10)


def test_feather_of_the_first_version_is_refused(tmp_path):
    (tmp_path / "t.feather").write_bytes(b"FEA1" + bytes(100) + b"FEA1")
    with pytest.raises(DatakinError, match=r"first version of Feather.*save it again"):
        read_table(tmp_path / "t.feather", label="y")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        for path, start, stop in zip(*(iter(sys.argv[1:]),) * 3, strict=True):
            try_files(path, int(start), int(stop))
    else:
        with tempfile.TemporaryDirectory() as place:
            write_all(place)
            for kind in COUNTS:
                print(kind, *run(f"{place}/{kind}", 0, int(sys.argv[1])), flush=True)
