"""Bytes of text files as letters: marks, guesses and refusals."""

import sys

import pytest

from datakin import DatakinError
from datakin._core.exceptions import SERIOUS
from datakin.data import Origin
from datakin.data.files import text_files
from datakin.data.files.encodings import guess_encoding
from datakin.data.files.opening import open_tables
from datakin.data.files.text_files import read_text

TEXT = "Größe,y\nMüller,1\nWeiß & Söhne,0\n"


@pytest.fixture
def read(tmp_path):
    """Write bytes and read them."""

    def read_content(content, **how):
        (tmp_path / "t.csv").write_bytes(content)
        return read_text([str(tmp_path / "t.csv")], Origin(**how))

    return read_content


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_without_a_word(read, encoding):
    got = read(TEXT.encode(encoding))
    assert got.table.to_pydict() == {"Größe": ["Müller", "Weiß & Söhne"], "y": ["1", "0"]}
    assert got.notes == ()


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16-le", "utf-16-be"])
def test_what_is_guessed_is_said(read, encoding):
    got = read(TEXT.encode(encoding))
    assert got.table["Größe"].to_pylist() == ["Müller", "Weiß & Söhne"]
    example = "for example 'Größe'; " if encoding == "cp1252" else ""
    assert got.notes == (f"read as {encoding} (a guess; {example}encoding=, --encoding)",)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16-be", "cp850"])
def test_a_given_encoding_is_used_without_a_word(read, encoding):
    got = read(TEXT.encode(encoding), encoding=encoding)
    assert got.columns == ("Größe", "y")
    assert got.notes == ()


# Words of tables, and the encodings that programs write them in. # ruff: noqa: RUF001
WORDS = [
    ("Temp °C;µg/l\nGrüße;10 €", ["cp1252"]),
    ("temp °C", ["cp1252", "mac-roman", "cp850"]),
    ("price €", ["cp1252", "mac-roman"]),
    ("Köln\nMünchen\nGießen", ["cp1252", "mac-roman", "cp850", "cp437"]),
    ("élève\nHélène\nNoël", ["cp1252", "mac-roman", "cp850"]),
    ("Málaga\nLa Coruña", ["cp1252", "cp850"]),
    ("São Paulo\nZürich\nTromsø\nBesançon", ["cp1252"]),
    ("Reykjavík\nÞór\nmaður\nkona", ["cp1252"]),
    ("Łódź\nKraków\nGdańsk\nŻory", ["cp1250", "iso8859-2", "cp852"]),
    ("město\nPlzeň\nČeské Budějovice\nTřebíč", ["cp1250", "iso8859-2", "cp852"]),
    ("Győr\nPécs\nTűz", ["cp1250", "iso8859-2"]),
    ("şehir\nİstanbul\nMuğla\nIğdır", ["cp1254"]),
    ("имя\nМосква\nПетербург\nНовосибирск", ["cp1251", "koi8-r", "cp866"]),
    ("πόλη\nΑθήνα\nΠάτρα", ["cp1253"]),
    ("עיר\nירושלים\nחיפה", ["cp1255"]),
    ("名前\n東京\n大阪", ["cp932"]),
    ("城市\n北京\n上海", ["gbk", "big5"]),
]
GUESSES = [(words, encoding) for words, encodings in WORDS for encoding in encodings]


@pytest.mark.parametrize(("words", "encoding"), GUESSES)
def test_a_few_words_tell_their_encoding(words, encoding):
    content = words.encode(encoding)
    guess = guess_encoding(content)
    assert content.decode(guess.name) == words
    assert guess.example in words


def test_without_the_package_that_knows_east_asian_encodings_it_is_named(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    assert read(TEXT.encode("cp1252")).n_rows == 2
    with pytest.raises(
        DatakinError, match=r"needs the package 'charset-normalizer'\. .*pip install"
    ):
        read("都市,y\n東京,1\n大阪,0\n".encode("cp932"))


def test_utf8_with_a_line_of_another_encoding_is_refused(read):
    with pytest.raises(DatakinError, match="is UTF-8 text but for line 3, which is damaged"):
        read("n,y\nMünchen,1\n".encode() + "Köln,0\n".encode("cp1252"))


@pytest.mark.parametrize(("other", "rank"), [("cp1251", SERIOUS), ("cp1252", 1)])
def test_tables_guessed_differently_are_said_first(tmp_path, other, rank):
    (tmp_path / "a.csv").write_text(TEXT, encoding="cp1252")
    text = TEXT if other == "cp1252" else "город,y\nМосква,1\n"
    (tmp_path / "b.csv").write_text(text, encoding=other)
    tables = open_tables([tmp_path / "a.csv", tmp_path / "b.csv"], Origin())
    for table in tables:
        (note,) = [note for note in table.notes if "a guess" in note]
        assert getattr(note, "rank", 1) == rank


def test_a_foreign_letter_far_down_is_found(read):
    got = read(b"a,y\n" + b"1,0\n" * 200_000 + "Zürich,1\n".encode("cp1252"))
    assert got.n_rows == 200_001
    assert got.table["a"][-1].as_py() == "Zürich"
    assert "cp1252" in got.notes[0]


def test_letters_across_blocks_are_whole(read, monkeypatch):
    for block in range(40, 60):
        monkeypatch.setattr(text_files, "BLOCKS", (block,))
        assert read(TEXT.encode()).columns == ("Größe", "y")


def test_damaged_utf8_is_refused_with_its_line(read):
    with pytest.raises(DatakinError, match="is UTF-8 text but for line 4, which is damaged"):
        read(TEXT.encode() + b"x\xff,1\n")


def test_an_encoding_that_does_not_fit_is_refused_with_the_line(read):
    with pytest.raises(DatakinError, match=r"is not ascii text: line 3 does not fit\. .*encoding="):
        read(b"a,y\n1,2\n\xe4,1\n", encoding="ascii")
    with pytest.raises(DatakinError, match=r"is not utf-8 text: line 3 does not fit"):
        read(b"a,y\n1,2\n\xe4,1\n", encoding="utf8")


@pytest.mark.parametrize("encoding", ["latin-99", "rot13", "hex", "", 5])
def test_an_unknown_encoding_is_refused(read, encoding):
    with pytest.raises(
        DatakinError, match=r"'encoding' parameter \(--encoding\) must be an encoding"
    ):
        read(TEXT.encode(), encoding=encoding)
