"""Databases: which table, only reading, types, and passwords that never appear."""

import datetime as dt
import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path
from urllib.parse import quote

import duckdb
import numpy as np
import pandas as pd
import pytest

from datakin import DatakinError, DatakinWarning, read_table, read_tables
from datakin.cli import main
from datakin.data.files.databases import read_duckdb, read_sqlite
from datakin.data.files.servers import read_database
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
        DatakinError, match=r"holds [23] tables: .*'visits'.* Say which, with table=.* or with '#"
    ):
        read_table(path, label="y")
    with pytest.raises(
        DatakinError, match=r"no table 'visit'\. It holds .* Did you mean 'visits'\?"
    ):
        read_table(path, label="y", table="visit")


# None of these may change a byte, or leave a file. {path} is the database, {folder} where it lies.
HOSTILE = {
    "nothing": "",
    "comment": "-- nothing",
    "drop": "DROP TABLE visits",
    "delete": "DELETE FROM visits RETURNING *",
    "insert": "INSERT INTO visits VALUES (1, 2, 0) RETURNING *",
    "create": "CREATE TABLE new AS SELECT 1 AS y",
    "second statement": "SELECT 1; DROP TABLE visits",
    "closed bracket": "SELECT 1) AS q; DROP TABLE visits; SELECT * FROM (SELECT 1",
    "joined bracket": "SELECT 1) AS q JOIN (SELECT 2",
    "escaped quote": "SELECT E'\\'' AS a) AS q; DROP TABLE visits; SELECT * FROM (SELECT 1 --'",
    "dollar quote": "SELECT $a$;$a$ AS y; DELETE FROM visits",
    "with": "WITH x AS (SELECT 1) DELETE FROM visits",
    "with returning": "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x",
    "attach": "ATTACH '{folder}/x.db' AS x",
    "journal": "PRAGMA journal_mode = DELETE",
    "log": "PRAGMA journal_mode = WAL",
    "version": "PRAGMA user_version = 7",
    "vacuum": "VACUUM",
    "vacuum into": "VACUUM INTO '{folder}/x.db'",
    "transaction": "BEGIN EXCLUSIVE",
    "temporary": "CREATE TEMP TABLE x AS SELECT 1 AS y",
    "write file": "SELECT writefile('{folder}/x', 'y') AS y",
    "extension": "SELECT load_extension('{folder}/x.so') AS y",
    "copy over": "COPY (SELECT 'gone' AS x) TO '{path}' (FORMAT csv)",
    "copy beside": "COPY (SELECT 'gone' AS x) TO '{path}.wal' (FORMAT csv, USE_TMP_FILE false)",
    "copy in a break": "SELECT E'\\'' AS a) AS q; COPY (SELECT 'gone' x) TO '{path}' (FORMAT csv, "
    "USE_TMP_FILE false); SELECT * FROM (SELECT * FROM visits --'",
    "copy a log in a break": "SELECT E'\\'' AS a) AS q; COPY (SELECT 'gone' x) TO '{path}.wal' "
    "(FORMAT csv, USE_TMP_FILE false); SELECT * FROM (SELECT * FROM visits --'",
    "copy inside a query": "SELECT * FROM query('DROP TABLE visits')",
    "export": "EXPORT DATABASE '{folder}/x'",
    "settings": "SET temp_directory = '{folder}/x'",
    "logging": "SELECT * FROM enable_logging(storage='file', storage_path='{folder}/x')",
    "install": "INSTALL httpfs",
    "explained": "EXPLAIN ANALYZE DELETE FROM visits",
    "no table": "SELECT * FROM nowhere",
}


def hashes_of(folder):
    """The content of every file of a folder."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.mark.parametrize("attack", HOSTILE)
@pytest.mark.parametrize("kind", ["lite", "duck"])
def test_no_query_changes_or_makes_a_file(request, kind, attack, tmp_path):
    path = request.getfixturevalue(kind)
    before = hashes_of(tmp_path)
    query = HOSTILE[attack].replace("{path}", str(path)).replace("{folder}", str(tmp_path))
    with pytest.raises(DatakinError) as caught:
        read_table(path, label="y", query=query)
    assert "\n" not in str(caught.value)
    assert hashes_of(tmp_path) == before


@pytest.mark.parametrize("kind", ["lite", "duck"])
def test_reading_leaves_the_folder_as_it_was(request, kind, tmp_path):
    path = request.getfixturevalue(kind)
    before = hashes_of(tmp_path)
    for query in (
        "SELECT a, b, y FROM visits WHERE b >= 0 -- not ';' none",
        "select*from visits;",
        "SELECT(a) AS a, y FROM visits",
        "WITH x AS (SELECT * FROM visits) SELECT * FROM x ORDER BY a",
        "(SELECT * FROM visits)"
        if kind == "duck"
        else "SELECT * FROM visits WHERE ';' > '' /* ; */",
    ):
        assert read_table(path, label="y", query=query).n_rows == 60
    read_table(path, label="y", table="visits")
    assert hashes_of(tmp_path) == before
    read = {"lite": read_sqlite, "duck": read_duckdb}[kind]
    assert read([str(path)], Origin("y", query="values(1,2)")).n_rows == 1
    with pytest.raises(DatakinError, match="more than one column named 'a'"):
        read_table(path, label="y", query="SELECT a, a, y FROM visits")


@pytest.mark.parametrize(
    ("kind", "query", "found"),
    [
        ("lite", "SELECT 1; SELECT 2", "several"),
        ("lite", "DELETE FROM visits", "something else"),
        ("lite", "/* */ ;", "none"),
        ("duck", "SELECT 1; DROP TABLE visits", "SELECT, DROP"),
        ("duck", "", "none"),
    ],
)
def test_a_query_is_one_select(request, kind, query, found):
    with pytest.raises(DatakinError, match=f"must be one SELECT statement: .* Got {found}: "):
        read_table(request.getfixturevalue(kind), label="y", query=query)


def test_what_does_not_fit_into_memory_lies_elsewhere(duck, tmp_path):
    query = "SELECT current_setting('temp_directory') AS place, * FROM visits"
    table = read_duckdb([str(duck)], Origin("y", query=query)).table
    assert not table["place"][0].as_py().startswith(str(tmp_path))


def test_times_with_a_zone_keep_it_in_duckdb(tmp_path):
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT TIMETZ '10:00:00+02' AS \"a b\", 0 AS y")
    found = read_duckdb([str(tmp_path / "t.duckdb")], Origin("y")).table
    assert found["a b"].to_pylist() == ["10:00:00+02"]


def test_tables_of_extensions_of_sqlite(tmp_path):
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(a, y)")
        connection.execute("CREATE TABLE sqlitelike (a)")
        connection.execute("INSERT INTO words VALUES ('one two', 1)")
        connection.commit()
    path, before = str(tmp_path / "t.db"), hashes_of(tmp_path)
    assert read_sqlite([path], Origin("y", table="words")).n_rows == 1
    query = (
        "SELECT w.*, j.value AS v FROM words AS w, json_each('[1, 2]') AS j WHERE w.a MATCH 'two'"
    )
    assert read_sqlite([path], Origin("y", query=query)).n_rows == 2
    with pytest.raises(DatakinError, match="'sqlitelike'"):
        read_sqlite([path], Origin("y"))
    assert hashes_of(tmp_path) == before


def test_duckdb_reads_no_other_file(duck, tmp_path):
    (tmp_path / "secret.csv").write_text("a,y\n1,2\n")
    with pytest.raises(DatakinError, match="could not be read"):
        read_table(duck, label="y", query=f"SELECT * FROM '{tmp_path}/secret.csv'")


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


# Changes that were never committed, by another process: it prints a line and waits.
UNFINISHED = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 5")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE big SET a = -1")
print("begun", flush=True)
time.sleep(60)
"""


@pytest.fixture
def unfinished(lite):
    """A SQLite file in the middle of a change, and the process that makes it."""
    with closing(sqlite3.connect(lite)) as connection:
        connection.execute("CREATE TABLE big (a, text, y)")
        rows = [(i, "x" * 500, i % 2) for i in range(4000)]
        connection.executemany("INSERT INTO big VALUES (?, ?, ?)", rows)
        connection.commit()
    command = [sys.executable, "-c", UNFINISHED, str(lite)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield lite, process
        process.kill()


def test_half_written_data_of_sqlite_is_not_read(unfinished, tmp_path, monkeypatch):
    path, process = unfinished
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.1))
    before = hashes_of(tmp_path)
    with pytest.raises(DatakinError, match=r"settled data\. It is being written to"):
        read_table(path, label="y", table="big")
    process.kill()
    process.wait()
    with pytest.raises(DatakinError, match=r"left it half written; .* once with sqlite3"):
        read_table(path, label="y", table="big")
    assert hashes_of(tmp_path) == before
    with closing(sqlite3.connect(path)) as connection:  # what the message advises
        assert connection.execute("SELECT min(a) FROM big").fetchone() == (0,)
    assert read_sqlite([str(path)], Origin("y", table="big")).table["a"].to_pylist() == [
        *range(4000)
    ]


def test_a_file_of_sqlite_with_a_log(lite, tmp_path):
    with closing(sqlite3.connect(lite)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("DELETE FROM visits WHERE rowid > 40")
        connection.commit()
        assert read_table(lite, label="y", table="visits").n_rows == 40
        copy = tmp_path / "copy"
        copy.mkdir()
        for end in ("", "-wal"):
            shutil.copy(f"{lite}{end}", f"{copy}/c.db{end}")
    before = hashes_of(tmp_path)
    assert [p for p in before if "clinic" in p] == [str(lite)]
    assert read_table(lite, label="y", table="visits").n_rows == 40
    (tmp_path / "link.db").symlink_to(copy / "c.db")
    for path in (copy / "c.db", tmp_path / "link.db"):
        with pytest.raises(DatakinError, match="settled data"):  # the file alone says 60
            read_table(path, label="y", table="visits")
    (tmp_path / "link.db").unlink()
    assert hashes_of(tmp_path) == before


def test_a_file_that_changes_while_it_is_read(lite, monkeypatch):
    from datakin.data.files import databases

    def change(names, batches, path, how):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE more AS SELECT * FROM visits")
            connection.commit()

    with closing(sqlite3.connect(lite)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    monkeypatch.setattr(databases, "rows_read", change)
    with pytest.raises(DatakinError, match="settled data"):
        read_table(lite, label="y", table="visits")


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
        ("nosuch://ann:s3cret@host/db", "opened for reading alone: 'postgresql'.* Got 'nosuch'"),
        ("mssql+pyodbc://ann:s3cret@host/db", "for reading alone.* Got 'mssql'; write the table"),
        ("oracle://ann:s3cret@host/db", "for reading alone.* Got 'oracle'; write the table"),
        (
            "mysql+nosuch://ann:s3cret@host/db",
            "needs a driver that is not installed: 'mysql.nosuch'",
        ),
        ("postgresql://ann:s3cret@127.0.0.1:1/db", "refused.*check host and port"),
        ("postgresql://ann:s3cret@127.0.0.1:port/db", "must be given as dialect://"),
        ("postgresql://ann:s3@cret@127.0.0.1:1/db", "could not be read"),
    ],
)
def test_servers_that_are_not_there(url, message):
    with pytest.raises(DatakinError, match=message) as caught:
        read_table(url, label="y", table="t")
    assert "cret" not in str(caught.value)


def test_queries_are_for_servers_that_can_only_read_them():
    with pytest.raises(
        DatakinError, match=r"query= .* is for SQLite, DuckDB and .* make a view"
    ) as no:
        read_table(
            "mysql+pymysql://ann:s3cret@host/db", label="y", query="SELECT 1 INTO OUTFILE 'x'"
        )
    assert "s3cret" not in str(no.value)


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


POSTGRES_HOSTILE = (
    *("", "-- nothing", "DROP TABLE visits", "DELETE FROM visits RETURNING *", "VACUUM"),
    "WITH gone AS (DELETE FROM visits RETURNING *) SELECT * FROM gone",
    "SELECT wipe() AS y",
    "SELECT nextval('counter') AS y",
    "SELECT setval('counter', 99) AS y",
    "SELECT * INTO copied FROM visits",
    "SELECT * FROM visits FOR UPDATE",
    "SELECT 1 AS y; COMMIT; DELETE FROM visits",
    "SELECT 1 AS y); COMMIT; DELETE FROM visits; SELECT * FROM (SELECT 1",
    "SELECT E'\\'' AS y) AS q; COMMIT; DELETE FROM visits; SELECT * FROM (SELECT 1 --'",
    "SELECT $a$'$a$ AS y; COMMIT; DELETE FROM visits --'",
    "COMMIT",
    "SET TRANSACTION READ WRITE",
    "SELECT set_config('transaction_read_only', 'off', true) AS y",
    "SELECT y FROM visits WHERE set_config('transaction_read_only', 'off', false) IS NULL",
    "SELECT query_to_xml('DELETE FROM visits RETURNING *', true, true, '') AS y",
    "COPY visits TO '/tmp/datakin-hostile'",
    "COPY visits TO PROGRAM 'touch /tmp/datakin-hostile'",
    "DO $$ BEGIN DELETE FROM visits; END $$",
    "SELECT lo_from_bytea(0, 'x') AS y",
)


@pytest.mark.parametrize("driver", ["", "+psycopg", "+psycopg2"])
def test_postgresql_is_only_read(postgres, driver):
    postgres.load("visits", frame_of(), {"a": "double precision", "b": "int", "y": "int"})
    postgres.execute(
        "CREATE SEQUENCE IF NOT EXISTS counter",
        "CREATE OR REPLACE FUNCTION wipe() RETURNS int AS 'DELETE FROM visits; SELECT 1' LANGUAGE sql",
    )
    state = (
        "SELECT concat(count(*), sum(b), max(xmin::text)) AS rows, (SELECT last_value FROM counter) "
        "AS last, (SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class) AS names, "
        "(SELECT count(*) FROM pg_largeobject_metadata) AS large FROM visits"
    )
    url = postgres.url.replace("postgresql:", f"postgresql{driver}:")

    def state_now():
        return read_database([url], Origin("y", query=state)).table.to_pylist()

    before = state_now()
    for query in POSTGRES_HOSTILE:
        with pytest.raises(DatakinError):
            read_table(url, label="y", query=query)
        assert state_now() == before, query
    assert not Path("/tmp/datakin-hostile").exists()
    with pytest.raises(DatakinError, match=r"multiple commands.*must be one SELECT statement"):
        read_table(url, label="y", query="SELECT 1; SELECT 2")
    assert read_table(url, label="y", query="SELECT * FROM visits;").n_rows == 60


def test_no_spelling_that_works_shows_a_password(postgres, tmp_path, capsys):
    """Users and passwords with every mark of an address; all of them can be read with."""
    frame = frame_of()
    for name in ("north", "south"):
        postgres.load(name, frame, {"a": "double precision", "b": "int", "y": "int"})
    roles = {
        "ann@srv": "HUNTER",
        "bob": "HUNTER?GATHER",
        "cat": "HUNTER/GATHER#x",
        "dan": "HUNT;GATHER",
    }
    for role, password in roles.items():
        postgres.execute(
            f'DROP ROLE IF EXISTS "{role}"',
            f"CREATE ROLE \"{role}\" LOGIN PASSWORD '{password}'",
            f'GRANT pg_read_all_data TO "{role}"',
        )
    host = quote(postgres.folder, safe="")
    urls = [f"postgresql://{role}:{word}@/postgres?host={host}" for role, word in roles.items()]
    urls.append(f"postgresql:///postgres?host={host}&user=dan&password={roles['dan']}")
    for i, url in enumerate(urls):
        folder = tmp_path / str(i)
        files = ["--out", folder / "o.json", "--report", folder / "o.html"]
        folder.mkdir()
        options = ["--label", "y", "--models", "logistic", "--checkpoint", folder / "kept"]
        for words in (
            ["check", url, "--query", "SELECT * FROM north", "--label", "y", *files],
            ["score", f"{url}#north", f"{url}#south", *options, *files, "--force"],
        ):
            with pytest.raises(SystemExit) as stop:
                main([str(word) for word in words])
            assert stop.value.code == 0, url
        assert read_table(url, label="y", query="SELECT * FROM north").name == "postgres"
    shown = capsys.readouterr()
    texts = [shown.out, shown.err]
    texts += [p.read_bytes().decode("latin-1") for p in tmp_path.rglob("*") if p.is_file()]
    assert len(texts) > 20
    for secret in ("HUNT", "GATHER"):
        assert not any(secret in text for text in texts)


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
