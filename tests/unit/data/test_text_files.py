"""Text files: rows as they stand in the file, all of them or a draw, and what is refused."""

import csv
import gzip
import io
import random

import pyarrow as pa
import pytest

from datakin import DatakinError, DatakinWarning, read_table
from datakin._core.exceptions import SERIOUS
from datakin.data import Origin
from datakin.data.files import ragged, text_files
from datakin.data.files.reading import choose_rows
from datakin.data.files.text_files import read_text
from datakin.data.files.text_streams import take_back

DRAWN = pytest.warns(DatakinWarning, match=r"rows in .*drawn at random \(read_rows")


@pytest.fixture
def read(tmp_path):
    """Write a text under a name and read it."""

    def read_content(content, name="t.csv", **how):
        content = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(content)
        return read_text([str(tmp_path / name)], Origin(**how))

    return read_content


# Values stay what they are


def test_values_stay_text(read):
    got = read("a,b,c\n007, x ,NA\n1E5,,nan\n")
    assert got.table.schema.types == [pa.string()] * 3
    assert got.table.to_pydict() == {"a": ["007", "1E5"], "b": [" x ", ""], "c": ["NA", "nan"]}
    assert (got.n_rows, got.columns, got.notes) == (2, ("a", "b", "c"), ())


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_and_quotes(read, line_end):
    lines = ['a,"b ""c"""', '1,"x, y"', "", '2,"two' + line_end + 'lines"', '3,4"5']
    got = read(line_end.join(lines))
    assert got.table.to_pydict() == {
        "a": ["1", "2", "3"],
        'b "c"': ["x, y", f"two{line_end}lines", '4"5'],
    }


def test_blank_lines_are_no_rows(read):
    assert read("\n\na,b\n1,2\n\n   \n3,4\n \n").table.to_pydict() == {
        "a": ["1", "3"],
        "b": ["2", "4"],
    }


def test_columns_to_ignore_are_not_kept(read):
    got = read("a,b,y\n1,2,0\n", label="y", ignore=("b",))
    assert got.table.column_names == ["a", "y"]
    assert got.columns == ("a", "b", "y")


# The draw


def _field(delimiter, rng):
    """Return a field with all that makes borders hard to find, quoted where it must be."""
    text = "".join(
        rng.choice(["a", "7", '"', delimiter, "\n", "\r\n", "\r", " ", "é"]) for _ in range(4)
    )
    plain = text.replace(delimiter, "").replace("\n", "").replace("\r", "")
    return rng.choice(['"' + text.replace('"', '""') + '"', plain.lstrip('"') or "b", "", "3.5"])


@pytest.mark.parametrize("delimiter", [",", "\t", " ", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_records_are_those_of_the_standard_library(read, monkeypatch, delimiter, line_end):
    rng = random.Random(f"{delimiter}{line_end}")
    for _ in range(10):
        lines = [delimiter.join(["h1", '"h\n2"', "h3"])]
        for _ in range(12):
            lines.append(delimiter.join(["first", *(_field(delimiter, rng) for _ in range(2))]))
            if rng.random() < 0.2:
                lines.append(rng.choice(["", " ", "  "]) if delimiter != " " else "")
        text = line_end.join(lines) + rng.choice(["", line_end])
        known = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows = [row for row in known if len(row) > 1][1:]
        monkeypatch.setattr(text_files, "BLOCKS", (rng.choice([150, 400, 10_000]),))
        for size in (5, 100):
            got = read(text, delimiter=delimiter, read_rows=size)
            assert got.n_rows == len(rows)
            drawn = [rows[i] for i in choose_rows(len(rows), size)]
            assert [list(row.values()) for row in got.table.to_pylist()] == drawn


def test_the_draw_does_not_depend_on_blocks(read, streaming):
    got = read("".join(["a,y\n", *(f"{i},0\n" for i in range(5000))]), read_rows=300)
    assert got.table["a"].to_pylist() == [str(i) for i in choose_rows(5000, 300)]
    assert got.n_rows == 5000


# Rows that do not fit


def test_rows_with_a_field_too_many_are_refused_with_their_lines(read):
    with pytest.raises(
        DatakinError, match=r"must have 3 fields .* Got 4 in line 3, 4 in line 4;"
    ) as e:
        read("age,temp,y\n40,36.6,0\n51,36,6,0\n63,37,1,1\n")
    assert "'51,36,6,0'. Decimal or thousands commas? Save the file with ';'" in str(e.value)


def test_rows_with_a_field_too_few_are_refused_with_their_lines(read):
    text = 'a,b,y\n1,"x\ny",0\n\n2,3\n' + "4,5,1\n" * 5 + "1,2\n" * 7
    with pytest.raises(
        DatakinError, match=r"Got 2 in line 5, .* and 5 more; .* Is the file complete"
    ):
        read(text)


# R's row names, a name left out, or a column with decimal commas: a guess would shift all columns.
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_header_one_name_short_is_refused(read, delimiter):
    text = "age,bp,died\n69,143,1,0\n71,120,0,1\n".replace(",", delimiter)
    with pytest.raises(
        DatakinError, match=r"names, 3\. Got 4 in line 2 .*row's name, or another name was left out"
    ) as caught:
        read(text)
    assert ("decimal commas" in str(caught.value)) == (delimiter == ",")


def test_an_unquoted_separator_in_a_text_is_named(read):
    with pytest.raises(DatakinError, match=r"Got 4 in line 3; .* Does a text hold ','\? Put such"):
        read("name,b,y\nx,2,0\nSmith, John,2,0\n")


def test_many_ragged_rows_end_the_reading(read):
    with pytest.raises(DatakinError, match=r"and at least 997 more"):
        read("a,y\n1,2\n" + "1,2,3\n" * 5000 + "1,2\n" * 5100)


def test_a_row_far_down_is_named_by_its_number(read, monkeypatch):
    monkeypatch.setattr(ragged, "FAR", 10)
    with pytest.raises(DatakinError, match=r"Got 1 in row 21;"):
        read("a,y\n" + "1,2\n" * 20 + "7\n")


def test_a_bad_line_that_is_not_drawn_is_named_too(read, streaming):
    lines = ["a,y", *("1,0" for _ in range(400))]
    row = next(i for i in range(400) if i not in choose_rows(400, 50))
    lines[row + 1] = "1,0,5"
    with pytest.raises(DatakinError, match=rf"Got 3 in line {row + 2};"):
        read("\n".join(lines), read_rows=50)


@pytest.mark.parametrize("bad", ['"3,4\n', '3,"4\n'])
def test_a_quotation_mark_that_is_never_closed_is_refused_with_its_line(read, bad):
    with pytest.raises(DatakinError, match=r"mark is opened and never closed, .* line 302\."):
        read("a,y\n" + "1,2\n" * 300 + bad + "5,6\n" * 99)


SWALLOWED = [
    'a,b,y\n1,"2,0\n3,4,1\n5,6,0\n7,8,1\n1,"x",0\n2,2,2\n',
    'a,b,c\n1,2,"x\n2,3,y"\n3,z,5\n',
    'a,b,c\r\n1,2,"x\r\n2,3,y"\r\n3,z,5\r\n',
    'a,b\n1,"2\n3,4"\n5,6\n7,8\n',
]


@pytest.mark.parametrize("text", SWALLOWED)
def test_rows_swallowed_by_a_quotation_mark_are_said(read, text):
    (note,) = read(text).notes
    assert "a field holds whole rows of the file; is a quotation mark not closed?" in note
    assert note.rank == SERIOUS


@pytest.mark.parametrize(
    "text",
    [
        'a,b,y\n1,"two\nlines, of\ntext",0\n',
        'text,y\n"Dear all,\nsee, below\nyours, me",0\nhello,1\n',
        'a,text,y\n1,"one, two, three\nfour, five, six\nx",0\n2,x,1\n',
        ",".join(f"x{j}" for j in range(1500)) + "\n" + '"a\nb"' + ",1" * 1499 + "\n",
    ],
)
def test_texts_of_several_lines_are_no_rows(read, text):
    assert read(text).notes == ()


def test_ctrl_c_lets_go_of_the_file(read, monkeypatch):
    freed = []

    def interrupted(reader):  # its frame holds the reader, as that of pyarrow does
        raise KeyboardInterrupt

    def spy(back):
        take_back(back)
        freed.append(back() is None)

    monkeypatch.setattr(text_files, "_next_batch", interrupted)
    monkeypatch.setattr(text_files, "take_back", spy)
    with pytest.raises(KeyboardInterrupt):
        read("a,y\n" + "1,2\n" * 1000)
    assert freed == [True]


def test_a_quotation_mark_left_open_in_the_header_is_refused(read):
    with pytest.raises(DatakinError, match=r"opens a quotation mark there that is never closed"):
        read('"a,y\n1,2\n')


def test_a_row_without_end_is_refused_before_it_fills_the_memory(read, streaming):
    with pytest.raises(
        DatakinError, match=r"never closed, or a row is longer .* begins in line 3\."
    ):
        read('a,y\n1,2\n"' + "1,0\n" * 3000 + '",1\n', read_rows=50)


def test_long_rows_are_read_in_larger_blocks(read, monkeypatch):
    monkeypatch.setattr(text_files, "BLOCKS", (100, 100_000))
    got = read("a,y\n1,2\n" + "x" * 5000 + ",3\n" + "1,2\n" * 300)
    assert got.n_rows == 302


# Faults of large files


STREAMED_FAULTS = [
    ("bad.csv", "a,y\nMüller,1\nWeiß,0\n".encode() + b"\xff,1\n", "UTF-8 .* but for line 4"),
    ("cut.csv.gz", gzip.compress(b"a,y\n1,2\n" * 9999)[:60], "could not be read as a table"),
    ("junk.csv.gz", bytes(range(256)) * 8, "could not be read as a table"),
    ("twice.csv", b"a,a,y\n" + b"1,2,0\n3,2,1\n3,4,0\n" * 99, "more than one column named 'a'"),
    ("blank.csv", b"\n\n\n" * 300, "is empty"),
    ("zero.csv", b"a,y\n1,0\n1,\x000\n", "Got a NUL byte in line 3"),
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


def test_byte_order_marks_are_handled_as_in_a_small_file(tmp_path, streaming):
    rows = [f"{(i * 7) % 11},{i % 2}" for i in range(300)]
    (tmp_path / "r.csv").write_text("\ufeff" + "\n".join(["a,y", *rows]), encoding="utf-8")
    with DRAWN:
        assert read_table(tmp_path / "r.csv", label="y", read_rows=100).columns == ("a",)
