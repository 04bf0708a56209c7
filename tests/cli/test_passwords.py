"""No result and no message shows the password of an address, however it was typed."""

import os
from contextlib import suppress

import pytest

from datakin import DatakinError, read_table, read_tables
from datakin._core.addresses import is_url, told, without_password
from datakin.data.files.addresses import find_tables, stem

# Addresses that hold the secret words HUNTER and GATHER; none can be reached.
SPELLINGS = (
    "postgresql://ann:HUNTER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER@127.0.0.1:1/db#visits",
    "postgres://ann:HUNTER@127.0.0.1:1/db",
    "POSTGRESQL://ann:HUNTER@127.0.0.1:1/db",
    "postgresql+psycopg2://ann:HUNTER@127.0.0.1:1/db",
    "postgresql://:HUNTER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER@127.0.0.1:1",
    "postgresql://ann:HUNTER@127.0.0.1:port/db",
    "postgresql://ann:HUNTER?GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER?x=GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER#GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER/GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER:GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER@GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER%20GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER'GATHER@127.0.0.1:1/db",
    "postgresql://ann:HUNTER\\GATHER@127.0.0.1:1/db",
    "postgresql://ann@srv:HUNTER@127.0.0.1:1/db#big",
    "postgresql://ann/srv:HUNTER@127.0.0.1:1/db",
    "postgresql://127.0.0.1:1/db?user=ann&password=HUNTER",
    "postgresql://127.0.0.1:1/db?user=ann&password=HUNTER;GATHER",
    "postgresql://127.0.0.1:1/db?password=HUNTER@GATHER",
    "postgresql:///db?host=127.0.0.1&port=1&password=HUNTER@GATHER",
    "postgresql://127.0.0.1:1/db?access_token=HUNTER&pass=GATHER&PGPASSWORD=HUNTER",
    "postgresql://127.0.0.1:1/db?credentials_base64=HUNTER&passwort=GATHER",
    "postgresql://127.0.0.1:1/db?sslmode=disable&sslpassword=HUNTER#visits",
    "postgresql:/ann:HUNTER@127.0.0.1:1/db",
    "postgresql//ann:HUNTER@127.0.0.1:1/db",
    "ann:HUNTER@127.0.0.1:1/db",
    "jdbc:postgresql://127.0.0.1:1/db?user=ann&password=HUNTER",
    "host=127.0.0.1 user=ann password=HUNTER",
    "host=127.0.0.1 user=ann password='HUNTER GATHER'",
    "password=HUNTER host=127.0.0.1",
    "Driver={PostgreSQL};Server=127.0.0.1;Uid=ann;Pwd=HUNTER;",
    "mysql+pymysql://ann:HUNTER@127.0.0.1:1/db",
    "mssql+pyodbc://ann:HUNTER@127.0.0.1:1/db",
    "nosuch://ann:HUNTER@127.0.0.1:1/db",
    "sqlite://ann:HUNTER@127.0.0.1/db",
    "https://ann:HUNTER@127.0.0.1/a.csv",
    "s3://key:HUNTER@bucket/a.csv?aws_secret=GATHER",
    "postgresql://ann:HUNTER@127.0.0.1:1/d\0b",
)


@pytest.mark.parametrize("url", SPELLINGS)
def test_no_spelling_of_an_address_shows_its_password(url, call_main):
    texts = []
    for options in ({}, {"table": "t"}, {"query": "SELECT 1"}):
        with pytest.raises(DatakinError) as caught:
            read_tables([url], label="y", **options)
        texts += [str(caught.value), repr(caught.value)]
    texts += [told(url), without_password(f"read {url}") if is_url(url) and " " not in url else ""]
    with suppress(DatakinError):
        texts += [repr(find_tables([url])), stem(url)]
    for command in ("check", "no-such-option", "distance", ""):
        words = [command, url] if command else [url]
        words = ["check", f"--{url}"] if command == "no-such-option" else words
        code, out, err = call_main(*words, "--label", "y")
        assert code == 1
        texts += [out, err.replace("\u2502\n\u2502 ", "")]
    for secret in ("HUNTER", "GATHER"):
        assert not any(secret in text for text in texts)


def test_the_name_behind_a_server_is_not_repeated():
    with pytest.raises(DatakinError, match=r"named once\. Got one behind the #") as caught:
        read_table("postgresql://h/db?password=HUNT#ER", label="y", table="t")
    assert "ER'" not in str(caught.value)


@pytest.mark.parametrize("pattern", ["", "nothing.csv"])
def test_a_folder_that_cannot_be_listed(tmp_path, monkeypatch, call_main, pattern):
    def refuse(folder):
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(DatakinError, match="could not be listed: Permission denied"):
        read_tables(tmp_path / pattern, label="y")
    code, _, err = call_main("check", tmp_path / pattern)
    assert (code, "standard output" in err) == (1, False)
