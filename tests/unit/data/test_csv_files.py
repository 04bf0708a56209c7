"""Csv files too large to be read whole: records are found and drawn, then parsed as any other."""

import gzip
import io
import random

import pandas as pd
import pytest

from datakin import DatakinError, DatakinWarning, read_table
from datakin.data import csv_files
from datakin.data.csv_files import sample_csv
from datakin.data.reading import choose_rows

DRAWN = pytest.warns(DatakinWarning, match=r"rows in .*drawn at random \(read_rows")


def _field(delimiter, rng):
    """Return a field with all that makes borders hard to find, quoted where it must be."""
    text = "".join(
        rng.choice(["a", "7", '"', delimiter, "\n", "\r\n", "\r", " ", "é"]) for _ in range(4)
    )
    plain = text.replace(delimiter, "").replace("\n", "").replace("\r", "")
    return rng.choice(['"' + text.replace('"', '""') + '"', plain.lstrip('"') or "b", "", "3.5"])


@pytest.mark.parametrize("delimiter", [",", "\t", " ", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_records_are_those_of_the_parser(tmp_path, monkeypatch, delimiter, line_end):
    rng = random.Random(f"{delimiter}{line_end}")
    path = tmp_path / "t.csv"
    options = {"sep": delimiter, "dtype": str, "keep_default_na": False}
    for _ in range(10):
        lines = [delimiter.join(["h1", '"h\n2"', "h3"])]
        for _ in range(12):
            fields = [_field(delimiter, rng) for _ in range(2)]
            lines.append(delimiter.join(["first", *fields]))
            if line_end != "\r" and rng.random() < 0.2:
                lines.append(rng.choice(["", " ", "  "]) if delimiter != " " else "")
        text = line_end.join(lines) + rng.choice(["", line_end])
        path.write_bytes(text.encode())
        whole = pd.read_csv(path, **options)
        monkeypatch.setattr(csv_files, "BLOCK", rng.choice([1, 3, 17, 10_000]))
        for size in (5, 100):
            sample = sample_csv(str(path), delimiter, size)
            assert sample.n_rows == len(whole)
            read = pd.read_csv(io.BytesIO(sample.text), **options)
            expected = whole.iloc[choose_rows(len(whole), size)].reset_index(drop=True)
            pd.testing.assert_frame_equal(read, expected)


def test_row_names_and_byte_order_marks_are_handled_as_in_a_small_file(tmp_path, streaming):
    rows = [f"r{i},{(i * 7) % 10},{i % 2}" for i in range(300)]
    (tmp_path / "r.csv").write_text("\ufeff" + "\n".join(["a,y", *rows]), encoding="utf-8")
    with DRAWN:
        assert read_table(tmp_path / "r.csv", label="y", read_rows=100).columns == ("a",)


STREAMED_FAULTS = [
    (
        "quote.csv",
        b"a,y\n" + b"1,2\n" * 300 + b'"3,4\n' + b"5,6\n" * 99,
        "mark is opened and never",
    ),
    ("ragged.csv", b"a,y\n" + b"1,2\n" * 20 + b"1,2,3\n" * 300, "saw 3.*; expected one header"),
    ("latin.csv", b"a,y\n" + "ä,1\n".encode("latin-1") * 300, "not UTF-8 text"),
    ("cut.csv.gz", gzip.compress(b"a,y\n1,2\n" * 9999)[:60], "could not be read as a table"),
    ("junk.csv.gz", bytes(range(256)) * 8, "could not be read as a table"),
    ("semi.csv", b"a;y\n" + b"1;0\n" * 300, "looks separated by ';'"),
    ("twice.csv", b"a,a,y\n" + b"1,2,0\n3,2,1\n3,4,0\n" * 99, "more than one column named 'a'"),
    ("blank.csv", b"\n\n\n" * 300, "is empty"),
]


@pytest.mark.parametrize(
    ("name", "content", "message"), STREAMED_FAULTS, ids=[c[0] for c in STREAMED_FAULTS]
)
def test_faults_of_streamed_files(tmp_path, streaming, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatakinError, match=message) as caught:
        read_table(tmp_path / name, label="y", read_rows=50)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_line_is_named_by_its_number_in_the_file(tmp_path, streaming):
    # The first data line decides the width; the last row drawn is too long.
    row = int(choose_rows(400, 50)[-1])
    lines = ["a,y", *("1,0" for _ in range(400))]
    lines[row + 1] = "1,0,5"
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(DatakinError, match=rf"in line {row + 2}, saw 3"):
        read_table(tmp_path / "t.csv", label="y", read_rows=50)


def test_a_record_without_end_is_refused_before_it_fills_the_memory(
    tmp_path, streaming, monkeypatch
):
    monkeypatch.setattr(csv_files, "LONGEST", 2000)
    (tmp_path / "t.csv").write_bytes(b'a,y\n"' + b"1,0\n" * 3000 + b'",1\n')
    with pytest.raises(DatakinError, match="quotation mark is opened and never closed"):
        read_table(tmp_path / "t.csv", label="y", read_rows=50)
