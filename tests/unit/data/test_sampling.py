"""Files with more rows than wanted: a random sample of rows, the same from every format."""

import inspect
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from scipy import stats

from datakin import DatakinError, DatakinWarning, read_table, read_tables
from datakin._core.repeatability import derive_seed
from datakin.data.files import arrow_files
from datakin.data.files.reading import Lottery, choose_rows

DRAWN = pytest.warns(DatakinWarning, match=r"rows in .*drawn at random \(read_rows")


def sorted_table(n=20_000):
    """Rows sorted by label, 30% of them 1; the column `row` numbers them."""
    rng = np.random.default_rng(5)
    y = (np.arange(n) >= 0.7 * n).astype(int)
    return pd.DataFrame({"row": np.arange(n) * 3.5, "x": rng.normal(size=n) + y, "y": y})


# The draw


def test_rows_are_drawn_evenly_and_independently():
    n, size, blocks = 1_000_000, 100_000, 50
    rows = choose_rows(n, size)
    assert len(np.unique(rows)) == size
    assert rows[0] >= 0
    assert rows[-1] < n
    assert np.all(np.diff(rows) > 0)
    counts = np.bincount(rows * blocks // n, minlength=blocks)
    # Without replacement the counts vary by 1 - size / n less than a multinomial's.
    statistic = stats.chisquare(counts).statistic / (1 - size / n)
    assert 0.001 < stats.chi2.sf(statistic, blocks - 1) < 0.999
    adjacent = int(np.sum(np.diff(rows) == 1))
    expected = size * (size - 1) / n
    assert abs(adjacent - expected) < 3 * np.sqrt(expected)


def test_the_draw_does_not_depend_on_how_rows_arrive():
    whole, pieces = Lottery(50), Lottery(50)
    whole.offer(5000)
    whole.settle()
    for n in (1, 0, 3000, 49, 1950):
        pieces.offer(n)
        pieces.settle()
    np.testing.assert_array_equal(whole.rows, pieces.rows)
    np.testing.assert_array_equal(whole.rows, choose_rows(5000, 50))


def test_the_draw_is_the_same_on_every_machine():
    keys = np.random.PCG64(derive_seed(0, "rows of a file")).random_raw(1000)
    assert sorted(np.argsort(keys)[:5]) == choose_rows(1000, 5).tolist()
    assert choose_rows(1000, 5).tolist() == [242, 498, 539, 570, 606]


def test_growing_a_table_only_replaces_rows():
    smaller, larger = set(choose_rows(2000, 300)), set(choose_rows(2100, 300))
    assert {row for row in larger if row < 2000} <= smaller


# Every format


FORMATS = ["t.parquet", "t.feather", "t.csv", "t.csv.gz"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", FORMATS)
def test_the_sample_is_the_same_rows_of_the_whole_table(
    name, stream, write, same, wards_of, request
):
    if stream:
        request.getfixturevalue("streaming")
    frame = wards_of(3000)
    frame["text"] = np.resize(['say "no"', "a, b", "two\nlines", " plain "], 3000)
    frame["died"] = np.sort(frame["died"])
    path = write(frame, name)
    with pytest.warns(
        DatakinWarning,
        match=r"^t: 3,000 rows in the file; 400 drawn at random \(read_rows of read_table, --read-rows\)$",
    ):
        drawn = read_table(path, label="died", read_rows=400)
    same(drawn, read_table(frame.iloc[choose_rows(3000, 400)], label="died"))
    with DRAWN:
        again = read_table(path, label="died", read_rows=400)
    assert again.fingerprint == drawn.fingerprint
    same(read_table(path, label="died", read_rows=None), read_table(frame, label="died"))
    same(read_table(path, label="died", read_rows=3000), read_table(frame, label="died"))


@pytest.mark.parametrize("rows_in_group", [70, 1000, 10**6])
def test_row_groups_and_batches_of_any_size(tmp_path, same, wards_of, monkeypatch, rows_in_group):
    monkeypatch.setattr(arrow_files, "STRETCH", 900)
    frame = wards_of(5000)
    table = pa.Table.from_pandas(frame)
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=rows_in_group)
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=rows_in_group)
    expected = read_table(frame.iloc[choose_rows(5000, 300)], label="died")
    for name in ("t.parquet", "t.arrow"):
        with DRAWN:
            same(read_table(tmp_path / name, label="died", read_rows=300), expected)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_files_of_polars(tmp_path, same, wards_of, suffix):
    frame = wards_of(2000)
    frame["kind"] = frame["ward"].astype("category")
    table = pl.from_pandas(frame)
    write = table.write_parquet if suffix == "parquet" else table.write_ipc
    write(tmp_path / f"t.{suffix}")
    with DRAWN:
        drawn = read_table(tmp_path / f"t.{suffix}", label="died", read_rows=300)
    same(drawn, read_table(frame.iloc[choose_rows(2000, 300)], label="died"))


def test_names_with_dots_are_kept_apart(tmp_path, same):
    frame = sorted_table(500).rename(columns={"x": "row.x"})
    frame.to_parquet(tmp_path / "t.parquet")
    with DRAWN:
        drawn = read_table(tmp_path / "t.parquet", label="y", keep=["row"], read_rows=100)
    same(drawn, read_table(frame.iloc[choose_rows(500, 100)], label="y", keep=["row"]))


def test_an_index_of_pandas_is_treated_as_in_the_whole_file(tmp_path, same):
    frame = sorted_table(500)
    frame["z"] = frame["x"] ** 2
    frame.set_index("x").to_parquet(tmp_path / "named.parquet")
    frame.set_axis(np.arange(500)[::-1]).to_parquet(tmp_path / "numbered.parquet")
    for name in ("named", "numbered"):
        path = tmp_path / f"{name}.parquet"
        whole = read_table(path, label="y", keep=["row"], read_rows=None)
        assert set(whole.columns) == {"row", "x", "z"}
        with DRAWN:
            drawn = read_table(path, label="y", keep=["row"], read_rows=100)
        rows = choose_rows(500, 100)
        np.testing.assert_array_equal(drawn.features.numeric, whole.features.numeric[rows])
        assert read_table(path, label="y", ignore=["x"], keep=["row"]).columns == ("row", "z")


def test_a_large_row_group_is_never_in_memory_as_a_whole(tmp_path, monkeypatch):
    frame = sorted_table(5000)
    frame["x.y"] = frame["x"]  # comes along when "x" is asked for
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=5000)
    monkeypatch.setattr(arrow_files, "STRETCH", 300)
    sizes = []
    whole = pq.ParquetFile.iter_batches

    def spy(*arguments, **options):
        for block in whole(*arguments, **options):
            sizes.append(block.num_rows)
            yield block

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", spy)
    with DRAWN:
        drawn = read_table(tmp_path / "t.parquet", label="y", keep=["row"], read_rows=400)
    assert max(sizes) <= 300
    got = drawn.features.select(["row"]).numeric[:, 0]
    np.testing.assert_array_equal(got, choose_rows(5000, 400) * 3.5)


def test_ignored_columns_of_parquet_are_not_read(tmp_path, monkeypatch):
    sorted_table(500).to_parquet(tmp_path / "t.parquet")
    asked = []
    whole = pq.ParquetFile.iter_batches

    def spy(self, size, columns=None):
        asked.extend(columns)
        return whole(self, size, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", spy)
    with DRAWN:
        drawn = read_table(tmp_path / "t.parquet", label="y", ignore=["row"], read_rows=100)
    assert drawn.columns == ("x",)
    assert asked == ["x", "y"]
    with pytest.raises(DatakinError, match=r"ignored column 'rov' .*Did you mean 'row'"):
        read_table(tmp_path / "t.parquet", label="y", ignore=["rov"], read_rows=100)


# What is drawn from sorted files


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_a_file_sorted_by_label_keeps_its_shares(write, streaming, name):
    frame = sorted_table()
    with DRAWN:
        drawn = read_table(write(frame, name), label="y", keep=["row"], read_rows=2000)
    error = np.sqrt(0.3 * 0.7 / 2000 * (1 - 2000 / 20_000))
    assert abs(drawn.class_shares[1] - 0.3) < 3 * error
    rows = drawn.features.numeric[:, drawn.columns.index("row")] / 3.5
    assert np.all(np.diff(rows) > 0)  # the order of the file
    counts = np.bincount((rows // 1000).astype(int), minlength=20)
    assert counts.min() > 0
    assert stats.chisquare(counts).pvalue > 0.001


def test_domains_groups_and_gaps_work_on_the_sample(tmp_path):
    frame = sorted_table(4000).assign(site=lambda f: np.arange(4000) % 3, patient=lambda f: f.row)
    frame["y"] = frame["y"].astype(float).mask(np.arange(4000) % 10 == 0)
    frame.to_parquet(tmp_path / "t.parquet")
    rows = choose_rows(4000, 600)
    with pytest.warns(DatakinWarning) as caught:
        parts = read_tables(
            tmp_path / "t.parquet", label="y", domain="site", group="patient", read_rows=600
        )
    assert sum("0, 1, 2: 4,000 rows in the file; 600 drawn" in str(w.message) for w in caught) == 1
    labelled = rows[rows % 10 > 0]
    assert [p.n_rows for p in parts.values()] == [int(np.sum(labelled % 3 == k)) for k in range(3)]
    assert all(len(set(p.groups)) == p.n_rows for p in parts.values())
    assert all(p.notes[0].startswith("4,000 rows in the file") for p in parts.values())


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_tables_in_memory_are_never_sampled(convert):
    assert (
        read_table(convert(sorted_table(500)), label="y", keep=["row"], read_rows=50).n_rows == 500
    )


@pytest.mark.parametrize("reader", [read_table, read_tables])
def test_the_default_is_two_hundred_thousand(reader):
    assert inspect.signature(reader).parameters["read_rows"].default == 200_000


@pytest.mark.parametrize("read_rows", [0, -1, 2.5, "all", True])
def test_read_rows_must_be_a_whole_number(small, read_rows):
    with pytest.raises(DatakinError, match=r"'read_rows' .*whole number above 0, or None.* Got"):
        read_table(small, label="y", read_rows=read_rows)


# Memory


MEASURE = """
import re, sys, warnings
import pyarrow.parquet, narwhals
from datakin import read_table
warnings.simplefilter("ignore")
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
read_table(sys.argv[2], label="y")
before = peak()
n = read_table(sys.argv[1], label="y", read_rows=20_000).n_rows
print(n, peak() - before)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux's /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    rng = np.random.default_rng(0)
    n = 1_000_000
    columns = {f"x{j}": rng.standard_normal(n).astype(np.float32) for j in range(9)}
    table = pa.table({**columns, "y": np.arange(n) // (n // 2)})
    pq.write_table(table, tmp_path / "t.parquet", use_dictionary=False)
    with pa.csv.CSVWriter(tmp_path / "t.csv", table.schema) as file:
        file.write_table(table)
    small = table.take(pa.array(choose_rows(n, 100)))
    growth = {}
    for name, write in (("t.parquet", pq.write_table), ("t.csv", pa.csv.write_csv)):
        write(small, tmp_path / f"small {name}")
        command = [sys.executable, "-c", MEASURE, tmp_path / name, tmp_path / f"small {name}"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows, megabytes = re.fullmatch(r"(\d+) ([\d.]+)\n", out).groups()
        assert int(rows) == 20_000
        growth[name] = float(megabytes)
    # Read as a whole these files take about 300 and 260 MB, sampled about 40 and 100: a stretch
    # of one column, or a few blocks of text.
    assert os.path.getsize(tmp_path / "t.csv") > 100_000_000
    assert growth["t.parquet"] < 80
    assert growth["t.csv"] < 150
