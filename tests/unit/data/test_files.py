"""Files of every kind give the same dataset; files that are no table give a sentence."""

import gzip
import os
import sqlite3

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import datakin
from datakin import DatakinError, read_table, read_tables
from datakin.data.files.addresses import find_files
from datakin.data.files.opening import stem

FORMATS = ["wards.csv", "wards.csv.gz", "wards.parquet", "wards.feather"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_equals_the_frame(wards, write, same, name):
    read = read_table(write(wards, name), label="died")
    assert read.name == "wards"
    same(read, read_table(wards, label="died"))


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_every_library_equals_pandas(wards, same, convert):
    same(read_table(convert(wards), label="died"), read_table(wards, label="died"))


def test_lazy_polars_frames_are_collected(wards, same):
    lazy = pl.from_pandas(wards).lazy()
    same(read_table(lazy, label="died"), read_table(wards, label="died"))


def test_score_is_the_same_for_every_format_and_library(wards, other_wards, write):
    def tables(convert):
        return [
            read_table(convert(frame, name), label="died", name=name)
            for frame, name in ((wards, "t"), (other_wards, "s"))
        ]

    ways = [
        lambda frame, name: frame,
        lambda frame, name: pl.from_pandas(frame),
        lambda frame, name: pa.Table.from_pandas(frame),
        *(
            lambda frame, name, suffix=suffix: write(frame, name + suffix)
            for suffix in (".csv", ".csv.gz", ".parquet", ".feather")
        ),
    ]
    results = [datakin.score(*tables(way), models=["logistic"], cv=3) for way in ways]
    assert all(result == results[0] for result in results[1:])
    assert results[0].own_errors["t"] > 0


def test_globs_and_lists_name_datasets_after_files(small, write, tmp_path):
    for name in ("b.csv", "a.csv", "c.parquet"):
        write(small, name)
    assert list(read_tables(str(tmp_path / "*.csv"), label="y")) == ["a", "b"]
    assert list(read_tables(tmp_path, label="y")) == ["a", "b", "c"]
    paths = [tmp_path / "c.parquet", str(tmp_path / "a.csv")]
    assert list(read_tables(paths, label="y")) == ["c", "a"]


def test_pathlike_and_upper_case_suffixes(small, tmp_path):
    path = tmp_path / "SMALL.CSV"
    small.to_csv(path, index=False)
    assert read_table(path, label="y").name == "SMALL"


def test_delimiter(small, write):
    path = write(small, "semi.csv", sep=";")
    assert read_table(path, label="y", delimiter=";").n_rows == 40


def test_byte_order_mark_is_no_part_of_a_name(small, write):
    path = write(small, "bom.csv", encoding="utf-8-sig")
    assert read_table(path, label="y").columns == ("a", "b")


def test_floats_survive_csv_exactly(small, write, same):
    small["a"] = small["a"] * 1e-7 + 1 / 3
    same(read_table(write(small, "s.csv"), label="y"), read_table(small, label="y"))


def test_a_named_index_of_a_parquet_file_is_a_column(small, tmp_path):
    small.set_index("a").to_parquet(tmp_path / "indexed.parquet")
    assert set(read_table(tmp_path / "indexed.parquet", label="y").columns) == {"a", "b"}


@pytest.mark.parametrize(
    ("path", "name"), [("x/icu.csv.gz", "icu"), ("a.b.parquet", "a.b"), ("plain", "plain")]
)
def test_stem(path, name):
    assert stem(path) == name


def _text(content):
    return lambda path: path.write_text(content)


def _bytes(content):
    return lambda path: path.write_bytes(content)


JUNK = bytes(range(256)) * 8
NO_TABLES = [
    ("empty.csv", _bytes(b""), "is empty: expected a table with a header line"),
    ("empty.parquet", _bytes(b""), "is empty"),
    ("blank.csv", _text("\n\n\n"), "is empty: expected a table with a header line"),
    ("header.csv", _text("a,b,y\n"), "3 columns and no rows"),
    ("ragged.csv", _text("a,y\n1,2\n1,2,3\n"), "must have 2 fields .* Got 3 in line 3"),
    ("quote.csv", _text('a,y\n"1,2\n3,4\n'), "could not be read as a table"),
    ("page.csv", _text("<!DOCTYPE html>\n<p>404, sorry</p>\n<p>a, b, c</p>\n"), "is a web page"),
    ("junk.csv", _bytes(JUNK), "could not be read as a table|not UTF-8"),
    ("junk.csv.gz", _bytes(JUNK), "could not be read as a table"),
    ("cut.csv.gz", _bytes(gzip.compress(b"a,y\n1,2\n" * 999)[:40]), "could not be read as a table"),
    ("junk.parquet", _bytes(JUNK), "could not be read as a parquet table"),
    ("junk.feather", _bytes(JUNK), "could not be read as a feather table"),
    ("book.xlsx", _bytes(b"PK"), "could not be read as a workbook"),
    ("twice.csv", _text("a,a,y\n" + "1,2,0\n3,2,1\n3,4,0\n" * 9), "more than one column named 'a'"),
]


@pytest.mark.parametrize(("name", "make", "message"), NO_TABLES, ids=[c[0] for c in NO_TABLES])
def test_files_that_are_no_table(tmp_path, name, make, message):
    make(tmp_path / name)
    with pytest.raises(DatakinError, match=message) as caught:
        read_table(tmp_path / name, label="y")
    assert type(caught.value) is DatakinError
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", [{"query": "SELECT * FROM stays"}, {"table": "stays"}])
def test_a_query_or_a_table_is_for_the_databases_among_several_files(
    small, write, tmp_path, option
):
    with sqlite3.connect(tmp_path / "d.sqlite") as connection:
        small.to_sql("stays", connection, index=False)
        small.to_sql("other", connection, index=False)
    connection.close()
    paths = [write(small, "a.csv"), tmp_path / "d.sqlite"]
    read = read_tables(paths, label="y", **option)
    assert [dataset.n_rows for dataset in read.values()] == [40, 40]
    with pytest.raises(DatakinError, match="leave it out"):
        read_tables([paths[0], write(small, "b.csv")], label="y", **option)


def test_missing_file_suggests_its_neighbours(small, write, tmp_path):
    write(small, "ward.csv")
    with pytest.raises(DatakinError, match=r"No file matches .*wards\.csv.* mean 'ward\.csv'\?"):
        read_table(tmp_path / "wards.csv", label="y")
    with pytest.raises(DatakinError, match="No file matches"):
        read_table(tmp_path / "nowhere" / "*.csv", label="y")


def test_one_table_from_many_files_points_to_read_tables(small, write, tmp_path):
    write(small, "a.csv"), write(small, "b.csv")
    with pytest.raises(DatakinError, match=r"reads one file.*names 2.*use read_tables"):
        read_table(str(tmp_path / "*.csv"), label="y")


def test_an_empty_folder(tmp_path):
    with pytest.raises(DatakinError, match=r"holds no .csv"):
        read_tables(tmp_path, label="y")


@pytest.mark.parametrize("delimiter", ["", ", ", "\n", 3])
def test_a_delimiter_must_be_one_character(small, write, delimiter):
    with pytest.raises(DatakinError, match=r"delimiter.* must be one character"):
        read_table(write(small, "s.csv"), label="y", delimiter=delimiter)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission(small, write):
    path = write(small, "secret.csv")
    path.chmod(0)
    with pytest.raises(DatakinError, match="could not be read"):
        read_table(path, label="y")


def test_find_files_are_sorted(tmp_path):
    for name in ("b.csv", "a.csv"):
        pd.DataFrame({"x": [1]}).to_csv(tmp_path / name)
    assert [stem(f) for f in find_files(str(tmp_path / "*.csv"))] == ["a", "b"]
