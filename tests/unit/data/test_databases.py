"""Databases: which table, only reading, types, and passwords that never appear."""

import datetime as dt
import hashlib
import json
import sqlite3
import sys
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError, DatakinWarning, read_table, read_tables
from datakin.cli.commands import main
from datakin.data.files.databases import read_database, read_duckdb, read_sqlite
from datakin.data.files.queries import wrapped
from datakin.data.origin import Origin
from tests.unit.data.postgres import PASSWORD


def frame_of(n=60):
    rng = np.random.default_rng(n)
    return pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.integers(0, 9, n), "y": np.arange(n) % 2}
    )


@pytest.fixture
def lite(tmp_path):
    """A SQLite file with two tables and a view."""
    path = tmp_path / "clinic.db"
    with sqlite3.connect(path) as connection:
        frame_of().to_sql("visits", connection, index=False)
        frame_of(50).to_sql('odd "name"; --', connection, index=False)
        connection.execute("CREATE VIEW young AS SELECT * FROM visits WHERE a < 1")
    connection.close()
    return path


@pytest.fixture
def duck(tmp_path):
    """A DuckDB file with a table, a schema and a view in it."""
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        frame = frame_of()
        connection.register("given", frame)
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
        connection.execute("CREATE SCHEMA s")
        connection.execute('CREATE VIEW s."odd name" AS SELECT * FROM visits')
    return path


def test_tables_views_and_odd_names_of_sqlite(lite, same):
    same(read_table(lite, label="y", table="visits"), read_table(frame_of(), label="y"))
    assert read_table(f"sqlite:///{lite}", label="y", table="VISITS").n_rows == 60
    assert read_table(lite, label="y", table='odd "name"; --').n_rows == 50
    assert 20 < read_table(lite, label="y", table="young").n_rows < 60


def test_tables_and_schemas_of_duckdb(duck, same):
    same(read_table(duck, label="y", table="visits"), read_table(frame_of(), label="y"))
    assert read_table(f"duckdb:///{duck}", label="y", table="s.odd name").n_rows == 60
    assert read_table(duck, label="y", table="main.visits").n_rows == 60


@pytest.mark.parametrize("kind", ["lite", "duck"])
def test_several_tables_are_asked_about(request, kind):
    path = request.getfixturevalue(kind)
    with pytest.raises(
        DatakinError, match=r"holds [23] tables: .*'visits'.* Say which, with table="
    ):
        read_table(path, label="y")
    with pytest.raises(
        DatakinError, match=r"no table 'visit'\. It holds .* Did you mean 'visits'\?"
    ):
        read_table(path, label="y", table="visit")


@pytest.mark.parametrize("kind", ["lite", "duck"])
def test_queries_read_and_nothing_else(request, kind):
    path = request.getfixturevalue(kind)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    query = "SELECT a, b, y FROM visits WHERE b >= 1 -- not ';' none"
    assert 20 < read_table(path, label="y", query=query).n_rows < 60
    for bad in (
        "DROP TABLE visits",
        "SELECT 1; DROP TABLE visits",
        "SELECT 1) AS q; DROP TABLE visits; SELECT * FROM (SELECT 1",
        "SELECT 1) AS q JOIN (SELECT 2",
        "ATTACH 'x.db' AS x",
        "PRAGMA journal_mode = DELETE",
        "WITH x AS (SELECT 1) DELETE FROM visits",
        "-- nothing",
        "SELECT * FROM nowhere",
    ):
        with pytest.raises(DatakinError) as caught:
            read_table(path, label="y", query=bad)
        assert "\n" not in str(caught.value)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_duckdb_reads_no_other_file(duck, tmp_path):
    (tmp_path / "secret.csv").write_text("a,y\n1,2\n")
    with pytest.raises(DatakinError, match="could not be read"):
        read_table(duck, label="y", query=f"SELECT * FROM '{tmp_path}/secret.csv'")


def test_a_query_stands_inside_a_select():
    assert wrapped("SELECT ';' ; ") == "SELECT * FROM (\nSELECT ';'\n) AS datakin_query"
    assert "WHERE c = 'b'" in wrapped("SELECT 1 WHERE c = 'b'")
    with pytest.raises(DatakinError, match="one SELECT statement"):
        wrapped("SELECT $$;$$; SELECT 2")


def test_a_table_and_a_query_exclude_each_other(lite):
    with pytest.raises(DatakinError, match=r"Either table= \(--table\) or query= .*leave one out"):
        read_table(lite, label="y", table="visits", query="SELECT 1")


@pytest.mark.parametrize("kind", ["lite", "duck"])
def test_rows_are_drawn_as_from_other_files(request, kind, tmp_path, same):
    path = request.getfixturevalue(kind)
    frame_of().to_parquet(tmp_path / "t.parquet")
    with pytest.warns(DatakinWarning, match="60 rows in the table; 30 drawn at random"):
        drawn = read_table(path, label="y", table="visits", read_rows=30)
    with pytest.warns(DatakinWarning):
        same(drawn, read_table(tmp_path / "t.parquet", label="y", read_rows=30))


def test_drawing_in_many_batches_gives_the_same_rows(tmp_path, monkeypatch):
    from datakin.data.files import databases
    from datakin.data.files.reading import choose_rows

    monkeypatch.setattr(databases, "BATCH", 7)
    frame = pd.DataFrame({"row": range(1000), "y": 0})
    with sqlite3.connect(tmp_path / "t.db") as connection:
        frame.to_sql("t", connection, index=False)
    connection.close()
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS row, 0 AS y FROM range(1000)")
    how = Origin("y", read_rows=50)
    expected = choose_rows(1000, 50).tolist()
    for read, name in ((read_sqlite, "t.db"), (read_duckdb, "t.duckdb")):
        found = read([str(tmp_path / name)], how)
        assert (found.n_rows, found.table["row"].to_pylist()) == (1000, expected)


def test_a_read_only_file_of_sqlite_with_a_log_is_read(lite):
    with sqlite3.connect(lite) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("DELETE FROM visits WHERE rowid > 40")
        connection.commit()
        assert read_table(lite, label="y", table="visits").n_rows == 40
    connection.close()


def test_large_whole_numbers_and_mixed_columns_of_sqlite(tmp_path):
    with sqlite3.connect(tmp_path / "t.db") as connection:
        connection.execute("CREATE TABLE t (id, mixed, raw, y)")
        rows = [(2**60 + i, i if i % 2 else "n.a.", b"\x00", i % 2) for i in range(40)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    connection.close()
    table = read_sqlite([str(tmp_path / "t.db")], Origin("y", ignore=("raw",))).table
    assert table["id"].to_pylist() == [2**60 + i for i in range(40)]
    assert table["mixed"].to_pylist()[:2] == ["n.a.", "1"]
    with pytest.raises(DatakinError, match=r"[Cc]olumn 'raw'.*ignore=\['raw'\]"):
        read_table(tmp_path / "t.db", label="y")


def test_databases_without_tables_and_files_that_are_none(tmp_path):
    sqlite3.connect(tmp_path / "t.db").execute("VACUUM").close()
    (tmp_path / "junk.sqlite").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 9)
    (tmp_path / "junk.duckdb").write_bytes(bytes(8) + b"DUCK" + bytes(range(256)) * 9)
    for name, message in (
        ("junk.sqlite", "could not be read"),
        ("junk.duckdb", "could not be read"),
    ):
        with pytest.raises(DatakinError, match=message):
            read_table(tmp_path / name, label="y")
    with pytest.raises(DatakinError, match="No file matches"):
        read_table(f"sqlite:///{tmp_path}/none.db", label="y")
    with pytest.raises(DatakinError, match=r"must be sqlite:///relative/path"):
        read_table("sqlite://", label="y")


@pytest.mark.parametrize(
    ("module", "url", "message"),
    [
        ("sqlalchemy", "postgresql://h/d", r"needs the package 'sqlalchemy'.*datakin\[sql\]"),
        ("psycopg", "postgresql://h/d", r"needs the package 'psycopg'.*datakin\[postgresql\]"),
        ("duckdb", "t.duckdb", r"needs the package 'duckdb'.*datakin\[duckdb\]"),
    ],
)
def test_without_a_package_its_extra_is_named(duck, monkeypatch, module, url, message):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.chdir(duck.parent)
    duck.rename("t.duckdb")
    with pytest.raises(DatakinError, match=message):
        read_table(url, label="y")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nosuch://ann:s3cret@host/db", "kind that SQLAlchemy does not know: 'nosuch'"),
        ("postgresql://ann:s3cret@127.0.0.1:1/db", "refused.*check host and port"),
        ("postgresql://ann:s3cret@127.0.0.1:port/db", "must be given as dialect://"),
        ("postgresql://ann:s3@cret@127.0.0.1:1/db", "could not be read"),
    ],
)
def test_servers_that_are_not_there(url, message):
    with pytest.raises(DatakinError, match=message) as caught:
        read_table(url, label="y", table="t")
    assert "cret" not in str(caught.value)


# PostgreSQL


def test_types_of_postgresql(postgres):
    postgres.execute(
        "DROP TABLE IF EXISTS kinds",
        """CREATE TABLE kinds AS SELECT i AS y, (i * 1.25)::numeric(8, 2) AS money,
        date '0044-03-15' + i AS early, timestamptz '2020-01-01 00:00+02' AS moment,
        i % 2 = 0 AS truth, 'x'::bytea AS raw, ARRAY[i] AS list, '{"a": 1}'::json AS record,
        interval '1 day' * i AS lasting, gen_random_uuid() AS id, 9007199254740993 + i AS long
        FROM generate_series(1, 40) i""",
    )
    table = read_database([postgres.url], Origin("y", table="kinds")).table
    first = {name: table[name][0].as_py() for name in table.column_names}
    assert first["money"] == Decimal("1.25")
    assert first["early"] == dt.date(44, 3, 16)
    assert first["moment"] == dt.datetime(2019, 12, 31, 22, tzinfo=dt.UTC)
    assert first["truth"] is False
    assert first["lasting"] == dt.timedelta(days=1)
    assert first["long"] == 2**53 + 2
    assert len(first["id"]) == 36
    ignore = []
    for name in ("raw", "list", "record"):
        with pytest.raises(DatakinError, match=rf"[Cc]olumn '{name}'.*ignore=\['{name}'\]"):
            read_table(postgres.url, label="y", table="kinds", ignore=ignore)
        ignore.append(name)


def test_schemas_views_and_queries_of_postgresql(postgres):
    postgres.load("visits", frame_of(), {"a": "double precision", "b": "int", "y": "int"})
    postgres.execute(
        "CREATE SCHEMA IF NOT EXISTS ward",
        'CREATE OR REPLACE VIEW ward."Odd; View" AS SELECT * FROM public.visits',
    )
    for table in ("visits", "public.visits", "ward.Odd; View"):
        read = read_table(postgres.url, label="y", table=table)
        assert (read.name, read.n_rows, read.origin) == (table, 60, None)
    assert list(read_tables([f"{postgres.url}#visits"], label="y")) == ["visits"]
    read = read_table(postgres.url, label="y", query="SELECT * FROM visits WHERE 'a' LIKE 'a%'")
    assert (read.name, read.n_rows) == ("postgres", 60)
    with pytest.raises(DatakinError, match=r"no table 'visit'.* Did you mean 'visits'\?"):
        read_table(postgres.url, label="y", table="visit")
    with pytest.warns(DatakinWarning, match="60 rows in the table; 30 drawn"):
        assert read_table(postgres.url, label="y", table="visits", read_rows=30).n_rows == 30


def test_postgresql_is_only_read(postgres):
    postgres.load("visits", frame_of(), {"a": "double precision", "b": "int", "y": "int"})
    postgres.execute(
        "CREATE SEQUENCE IF NOT EXISTS counter",
        "CREATE OR REPLACE FUNCTION wipe() RETURNS int AS 'DELETE FROM visits; SELECT 1' LANGUAGE sql",
    )
    for query in (
        "DELETE FROM visits RETURNING *",
        "WITH gone AS (DELETE FROM visits RETURNING *) SELECT * FROM gone",
        "SELECT wipe() AS y",
        "SELECT nextval('counter') AS y",
        "SELECT 1 AS y; COMMIT; DELETE FROM visits",
    ):
        with pytest.raises(DatakinError, match=r"read-only transaction|SELECT|top level"):
            read_table(postgres.url, label="y", query=query)
    assert read_table(postgres.url, label="y", table="visits").n_rows == 60


def test_a_password_never_appears(postgres, tmp_path, capsys, caplog):
    frame = frame_of()
    for name in ("north", "south"):
        postgres.load(name, frame, {"a": "double precision", "b": "int", "y": "int"})
    secret = postgres.secret_url
    assert PASSWORD not in secret
    out, report, kept = (tmp_path / name for name in ("o.json", "o.html", "kept"))
    arguments = [
        "score",
        f"{secret}#north",
        f"{secret}#south",
        "--label",
        "y",
        "--models",
        "logistic",
    ]
    files = ["--out", str(out), "--report", str(report), "--checkpoint", str(kept)]
    with pytest.raises(SystemExit) as stop:
        main([*arguments, *files])
    assert stop.value.code == 0
    assert json.loads(out.read_text())["target"] == "north"
    for url, table in (
        (secret.replace("reader:", "reader:x"), "north"),
        (secret.replace("/postgres?", "/nowhere?"), "north"),
        (secret, "nowhere"),
        (secret + "&sslmode=bogus", "north"),
    ):
        with pytest.raises(SystemExit) as stop:
            main(["score", f"{url}#{table}", f"{url}#south", "--label", "y"])
        assert stop.value.code == 1
    spellings = [PASSWORD, secret.split("reader:")[1].split("@")[0], "w/rd", "w%2Frd"]
    shown = capsys.readouterr()
    texts = [shown.out, shown.err, caplog.text]
    texts += [p.read_bytes().decode("latin-1") for p in tmp_path.rglob("*") if p.is_file()]
    assert "reader:***@" in report.read_text(encoding="utf-8")
    for spelling in spellings:
        assert not any(spelling in text for text in texts)
