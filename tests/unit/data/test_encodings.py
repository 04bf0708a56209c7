"""Bytes of text files as letters: marks, guesses and refusals."""

import pytest

from datakin import DatakinError
from datakin.data import Origin
from datakin.data.files import text_files
from datakin.data.files.encodings import guess_encoding
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
    assert got.notes == (f"read as {encoding} (a guess; encoding=, --encoding)",)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16-be", "cp850"])
def test_a_given_encoding_is_used_without_a_word(read, encoding):
    got = read(TEXT.encode(encoding), encoding=encoding)
    assert got.columns == ("Größe", "y")
    assert got.notes == ()


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Temp °C;µg/l\nGrüße;10 €", "cp1252"),
        ("имя\nМосква\nПетербург\nНовосибирск", "cp1251"),  # noqa: RUF001
        ("Łódź\nPiła\nGdańsk", "cp1250"),
        ("名前\n東京\n大阪", "cp932"),
    ],
)
def test_guesses(text, encoding):
    assert guess_encoding(text.encode(encoding)).name == encoding


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
