"""Packed texts, standard input, and files that are no text."""

import gzip
import io
import os
import sys
import threading
import zipfile

import pytest

from datakin import DatakinError
from datakin.data import Origin
from datakin.data.files import archives
from datakin.data.files.formats import format_of
from datakin.data.files.text_files import read_text

TABLE = b"a,b\n1,2\n3,4\n"


def read(path, **how):
    return read_text([str(path)], Origin(**how))


@pytest.fixture
def pack(tmp_path):
    """Write a zip archive of these files."""

    def write(files, name="t.zip"):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in files.items():
                archive.writestr(member, content)
        return tmp_path / name

    return write


def test_gzip_is_known_by_its_bytes(tmp_path):
    for name in ("t.csv.gz", "t.csv"):
        (tmp_path / name).write_bytes(gzip.compress(TABLE))
        assert read(tmp_path / name).n_rows == 2
    (tmp_path / "plain.csv.gz").write_bytes(TABLE)
    with pytest.raises(DatakinError, match=r"not packed by gzip. If it is text, name it without"):
        read(tmp_path / "plain.csv.gz")


def test_a_zip_of_one_table_is_read(pack):
    files = {"data/": b"", "data/t.tsv": "a\tb\n1\t2\n", "__MACOSX/data/._t.tsv": b"x", "a.md": "x"}
    got = read(pack(files))
    assert got.columns == ("a", "b")
    assert got.notes == ("'data/t.tsv' of the archive read; left out: 'a.md'",)


def test_a_zip_of_several_tables_asks_which(pack):
    path = pack({"x/a.csv": TABLE, "x/b.csv": b"c,d\n1,2\n"})
    with pytest.raises(
        DatakinError, match=r"Got 2: 'x/a.csv', 'x/b.csv'; .*table='x/a.csv' \(--table"
    ):
        read(path)
    assert read(path, table="b.csv").columns == ("c", "d")
    with pytest.raises(DatakinError, match=r"no file 'c.csv'. It has 'x/a.csv', 'x/b.csv'"):
        read(path, table="c.csv")


def test_a_name_that_stands_twice_in_a_zip_is_refused(pack):
    path = pack({"a/x.csv": TABLE, "b/x.csv": b"c,d\n1,2\n"})
    with pytest.raises(
        DatakinError, match=r"more than one file 'x.csv': 'a/x.csv', 'b/x.csv'. Give the whole name"
    ):
        read(path, table="x.csv")
    assert read(path, table="b/x.csv").columns == ("c", "d")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("wanted", [None, "x.csv"])
def test_two_files_of_one_name_in_a_zip_are_refused(tmp_path, wanted):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("x.csv", TABLE)
        archive.writestr("x.csv", b"c,d\n1,2\n")
    with pytest.raises(DatakinError, match=r"more than one file named 'x.csv'; unpack it"):
        read(tmp_path / "t.zip", table=wanted)


def test_an_encrypted_zip_is_refused(pack):
    path = pack({"t.csv": TABLE})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(DatakinError, match=r"is encrypted. Unpack it with its password"):
        read(path)


def test_a_cut_zip_is_refused(pack):
    path = pack({"t.csv": TABLE})
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(DatakinError, match="zip archive but could not be opened as one"):
        read(path)


@pytest.mark.parametrize("packer", ["gz", "zip"])
def test_what_unpacks_beyond_measure_is_refused(tmp_path, pack, monkeypatch, packer):
    monkeypatch.setattr(archives, "UNPACKED", 1_000_000)
    content = b"a,y\n" + b"1,0\n" * 5_000_000
    path = tmp_path / "t.csv.gz"
    if packer == "zip":
        path = pack({"t.csv": content})
    else:
        path.write_bytes(gzip.compress(content))
    with pytest.raises(
        DatakinError, match=r"at most 100 times its size.* unpack it and give the file"
    ):
        read(path, read_rows=100)


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TABLE))))
    assert read("-").table.to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}


def test_a_terminal_is_no_table(monkeypatch):
    class Terminal(io.BytesIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Terminal()))
    with pytest.raises(DatakinError, match=r"Got a terminal; say 'datakin ... - < table.csv'"):
        read("-")


def test_standard_input_has_a_limit(monkeypatch):
    monkeypatch.setattr(archives, "SPOOL", 5)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TABLE)))
    with pytest.raises(DatakinError, match="save it as a file and give the file's path"):
        read("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(TABLE,))
    writer.start()
    assert read(tmp_path / "pipe").n_rows == 2
    writer.join()


KINDS = [
    (b"%PDF-1.7\n...", "a PDF document"),
    (b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(80), "a MATLAB file"),
    (b"\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94.", "a pickle, which could run code"),
    (b"X\n\0\0\0\x03\0\x04", "an R data file"),
    (b"<!DOCTYPE html>\n<p>404</p>", "a web page"),
    (b'<?xml version="1.0"?><a/>', "an XML document"),
    (b'\n[{"a": 1, "b": 2}]', "a JSON document"),
    (b'{"a": 1}\n{"a": 2}\n', "a JSON document"),
    (b"PAR1\x15\x04", "a Parquet file"),
    (b"RDX3\nX\n\0\0\0\x03", "an R data file"),
    (b"RDX2\nA\n2\n262153\n", "an R data file"),
    (b"GIF89a\x01\0\x01\0\n", "a GIF image"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
    (gzip.compress(gzip.compress(TABLE)), "packed by gzip"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel workbook"),
    (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of git-lfs"),
    (bytes(range(256)) * 8, "it is binary"),
]


@pytest.mark.parametrize(("content", "kind"), KINDS, ids=[k for _, k in KINDS])
def test_files_of_other_kinds_are_called_by_their_name(tmp_path, content, kind):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DatakinError, match=kind) as caught:
        read(tmp_path / "t.csv")
    assert "t.csv" in str(caught.value)


def test_a_workbook_named_csv_is_called_by_its_name(pack):
    path = pack({"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"}, "t.csv")
    with pytest.raises(DatakinError, match=r"is an Excel workbook; .*name it \.xlsx"):
        read(path)


def test_names_in_angle_brackets_are_no_xml(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"<TICKER>,<PER>\nA,1\n")
    assert read(tmp_path / "t.csv").columns == ("<TICKER>", "<PER>")


@pytest.mark.parametrize("name", ["RDX", "GIF8", "PAR1", "BZh", "Rar!", "FEA1", "%PDF", "$FL2"])
def test_a_column_may_be_called_as_files_begin(tmp_path, name):
    (tmp_path / "t.csv").write_text(f"{name},y\n1,2\n")
    assert format_of(str(tmp_path / "t.csv")) == ("text", "")
    assert read(tmp_path / "t.csv").columns == (name, "y")


@pytest.mark.parametrize("name", ["{}", "[]", "{a}"])
def test_names_of_columns_may_look_like_json(tmp_path, name):
    (tmp_path / "t.csv").write_text(f"{name},b\n1,2\n3,4\n")
    assert read(tmp_path / "t.csv").table.column_names == [name, "b"]
