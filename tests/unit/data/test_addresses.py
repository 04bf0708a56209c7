"""What an address names: files of odd names, tables inside files, passwords that are never shown."""

import io
import json
import os
import shutil
import sys

import numpy as np
import pandas as pd
import pytest

import datakin
from datakin import DatakinError, DatakinWarning, read_table, read_tables
from datakin._core.addresses import printable, secrets_of, without_password, without_secrets
from datakin.cli import main
from datakin.data.files.addresses import find_tables, stem

ODD_NAMES = {
    "not UTF-8": (b"caf\xe9.csv", "caf\\xe9"),
    "line break": (b"two\nlines.csv", "two\\nlines"),
    "glob signs": (b"x[1]*?.csv", "x[1]*?"),
    "number sign": (b"ward #7.csv", "ward #7"),
    "like a URL": (b"a:b@c.csv", "a:b@c"),
    "letters of the world": ("Äpfel 世界.csv".encode(), "Äpfel 世界"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("kind", ODD_NAMES)
@pytest.mark.parametrize("suffix", [b".csv", b".parquet", b".feather", b".xlsx", b".sqlite"])
def test_files_of_odd_names_are_read(small, tmp_path, kind, suffix):
    raw, name = ODD_NAMES[kind]
    path = os.path.join(os.fsencode(tmp_path), raw.replace(b".csv", suffix))
    plain = tmp_path / ("plain" + suffix.decode())
    writers = {
        b".csv": small.to_csv,
        b".parquet": small.to_parquet,
        b".feather": small.to_feather,
        b".xlsx": lambda p, **o: small.round(3).to_excel(p, index=False),
        b".sqlite": lambda p: small.to_sql("t", f"sqlite:///{p}", index=False),
    }
    writers[suffix](plain, **({"index": False} if suffix == b".csv" else {}))
    shutil.move(plain, path)
    for source in (os.fsdecode(path), tmp_path):
        read = read_tables(source, label="y")
        assert list(read) == [name]
        assert read[name].n_rows == len(small)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_results_of_odd_names_can_be_written(small, tmp_path, capsys):
    paths = [os.fsdecode(os.path.join(os.fsencode(tmp_path), b"%d\xff\n.csv" % i)) for i in (1, 2)]
    for path in paths:
        with open(path, "w") as file:
            small.to_csv(file, index=False)
    out, report, kept = (tmp_path / name for name in ("out.json", "out.html", "kept"))
    arguments = ["score", *paths, "--label", "y", "--models", "logistic", "--checkpoint", str(kept)]
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--out", str(out), "--report", str(report), "--quiet"])
    assert stop.value.code == 0, capsys.readouterr().err
    assert json.loads(out.read_text(encoding="utf-8"))["target"] == "1\\xff\\n"
    assert "\\xff" in report.read_text(encoding="utf-8")


def test_a_sheet_or_table_can_stand_behind_the_path(small, tmp_path):
    book = tmp_path / "clinic.xlsx"
    with pd.ExcelWriter(book) as writer:
        for name in ("north", "south"):
            small.to_excel(writer, sheet_name=name, index=False)
    read = read_tables([f"{book}#north", f"{book}#south"], label="y")
    assert list(read) == ["north", "south"]
    assert read["north"].origin.path == f"{book}#north"
    assert read["north"].origin.read("again", read["north"].fingerprint).name == "again"
    shutil.copy(book, tmp_path / "other.xlsx")
    twice = read_tables([f"{book}#north", f"{tmp_path}/other.xlsx#north"], label="y")
    assert list(twice) == ["clinic north", "other north"]


def test_a_file_of_that_very_name_comes_first(small, tmp_path):
    small.to_csv(tmp_path / "a.csv#b", index=False)
    small[:30].to_csv(tmp_path / "a.csv", index=False)
    assert read_table(tmp_path / "a.csv#b", label="y").n_rows == 40


def test_a_table_is_named_once(small, write):
    path = write(small, "a.csv")
    with pytest.raises(DatakinError, match=r"named once. Got 'x' behind the #.*'z' as an option"):
        read_table(f"{path}#x", label="y", table="z")


@pytest.mark.parametrize("option", [{"table": "t"}, {"query": "SELECT 1"}])
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.feather"])
def test_options_for_containers_are_refused_elsewhere(small, write, name, option):
    with pytest.raises(
        DatakinError, match=r"(names a table inside|reads from a database).*leave it out"
    ):
        read_table(write(small, name), label="y", **option)


DISGUISED = {
    "parquet as csv": ("to_parquet", "t.csv", "a Parquet file.*suffix .csv"),
    "feather as parquet": ("to_feather", "t.parquet", r"a Feather \(Arrow\) file.*suffix .parquet"),
    "workbook as csv": ("xlsx", "t.csv", "a workbook.*suffix .csv"),
    "text as xls": ("to_csv", "t.xls", "a text file.*suffix .xls"),
    "text as parquet": ("to_csv", "t.parquet", "a text file.*suffix .parquet"),
    "database as txt": ("sqlite", "t.txt", "a SQLite database.*suffix .txt"),
}


@pytest.mark.parametrize("kind", DISGUISED)
def test_a_file_is_what_it_begins_as(small, tmp_path, same, kind):
    how, name, note = DISGUISED[kind]
    small = small.round(3)
    if how == "sqlite":
        small.to_sql("t", f"sqlite:///{tmp_path}/t.db", index=False)
    elif how == "xlsx":
        small.to_excel(tmp_path / "t.db", index=False, engine="openpyxl")
    else:
        getattr(small, how)(tmp_path / "t.db", **({"index": False} if how == "to_csv" else {}))
    os.rename(tmp_path / "t.db", tmp_path / name)
    with pytest.warns(DatakinWarning, match=note):
        read = read_table(tmp_path / name, label="y")
    same(read, read_table(small, label="y"))


def test_a_file_without_suffix_is_read_without_a_word(small, tmp_path):
    small.to_parquet(tmp_path / "table")
    assert read_table(tmp_path / "table", label="y").notes == ()


def test_standard_input(small, monkeypatch):
    text = io.TextIOWrapper(io.BytesIO(small.to_csv(index=False).encode()))
    monkeypatch.setattr(sys, "stdin", text)
    read = read_table("-", label="y")
    assert (read.name, read.n_rows, read.origin) == ("stdin", 40, None)


def test_folders_hold_files_of_every_kind(small, tmp_path):
    small.to_csv(tmp_path / "a.tsv", index=False, sep="\t")
    small.to_excel(tmp_path / "b.xlsx", index=False)
    small.to_sql("t", f"sqlite:///{tmp_path}/c.sqlite", index=False)
    (tmp_path / "~$b.xlsx").write_bytes(b"what a spreadsheet leaves while a file is open")
    (tmp_path / "notes.txt").write_text("no table")
    assert list(read_tables(tmp_path, label="y")) == ["a", "b", "c"]


def test_web_addresses_and_empty_paths_are_refused():
    with pytest.raises(DatakinError, match=r"web address 'https://u:\*\*\*@x.org/a.csv'; download"):
        read_table("https://u:secret@x.org/a.csv", label="y")
    for path in ("", "a\0b"):
        with pytest.raises(DatakinError, match="must be a name of a file"):
            read_table(path, label="y")


URLS = {
    "postgresql://ann:s3cret@host/db": "postgresql://ann:***@host/db",
    "postgresql+psycopg://ann:p@ss@w@host:5/db": "postgresql+psycopg://ann:***@host:5/db",
    "mysql://ann:p%40ss%2Fw@host/db": "mysql://ann:***@host/db",
    "postgresql://ann@srv:s3cret@host/db#t": "postgresql://ann@srv:***@host/db#t",
    "postgresql://ann:s3/c?r#et@host/db#t": "postgresql://ann:***@host/db#t",
    "postgresql:///db?user=ann&password=s3cret&x=1#t": "postgresql:///db?user=ann&password=***&x=***#t",
    "postgresql://h/db?sslmode=require&password=a;b": "postgresql://h/db?sslmode=require&password=***",
    "mssql+pyodbc:///?odbc_connect=DRIVER%3DX%3BPWD%3Dy": "mssql+pyodbc:///?odbc_connect=***",
    "postgresql://ann@host/db": "postgresql://ann@host/db",
    "C:\\data\\a.csv": "C:\\data\\a.csv",
    "sqlite:////data/a:b@c.db#t": "sqlite:////data/a:b@c.db#t",
}


@pytest.mark.parametrize("url", URLS)
def test_passwords_are_hidden(url):
    assert without_password(url) == URLS[url]
    assert "***" not in without_password("wards/*.csv --label y:z@home")


def test_a_driver_may_repeat_a_password_as_it_was_typed_or_meant():
    secrets = secrets_of("postgresql://ann:p%40ss%2Fword@host/db")
    for text in ("bad p@ss/word", "bad p%40ss%2Fword"):
        assert without_secrets(text, secrets) == "bad ***"
    assert "ab" not in without_secrets("bad ab", secrets_of("mysql://ann:ab@host/db"))
    assert secrets_of("postgresql:///db?ssl=1&x=1&host=socket") == []


def test_tables_on_servers_do_not_show_their_address():
    found = find_tables(["postgresql://ann:s3cret@host/db#visits"])[0]
    assert "s3cret" not in repr(found)
    assert (found.table, found.kept_path) == ("visits", None)
    assert stem("postgresql://ann:s3cret@host/db") == "db"
    assert stem("postgresql://bob:Hunter2?x@127.0.0.1:5499/clinic") == "clinic"
    assert stem("postgresql://h:1/db?password=p@ss") == "database"
    assert stem("sqlite:///folder/clinic.db") == "clinic"


def test_names_are_printable():
    assert printable("plain name") == "plain name"
    assert printable("a\tb\x00\u2028\ud800") == "a\\tb\\x00\\u2028\\ud800"
    table = pd.DataFrame({"x": np.arange(40) % 7, "y": np.arange(40) % 2})
    assert list(read_tables({"a\udcff": table}, label="y")) == ["a\\xff"]
    assert datakin.read_table(table, label="y", name="b\n").name == "b\\n"
