"""Separator, names and the first rows of text files."""

import pytest

from datakin import DatakinError, DatakinWarning, read_table
from datakin.data import Origin
from datakin.data.files.dialects import recognise_delimiter
from datakin.data.files.text_files import read_text


@pytest.fixture
def read(tmp_path):
    """Write a text under a name and read it."""

    def read_content(content, name="t.csv", **how):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return read_text([str(tmp_path / name)], Origin(**how))

    return read_content


DIALECTS = [
    ("t.csv", "a;b\n1,5;2\n2,5;3\n", ";"),
    ("t.csv", "1,5;2,5;3,5\n4,5;5,5;6,5\n", ";"),
    ("t.csv", 'a|b\n"x, y"|2\n', "|"),
    ("t.txt", "a\tb, c\n1\t2\n", "\t"),
    ("t.tsv", "a\n1\n", "\t"),
    ("t.csv", "full name\nJohn Smith\nMary Poppins\n", ","),
    ("t.txt", "a b\n1 2\n3 4\n", " "),
    ("t.csv", "a,b,y\n1,5,2,0\n2,1,0\n3,1,0\n", ","),
    ("t.csv", 'a;b\n"two\nlines";2\n', ";"),
    ("t.csv", "id,bp\n" + "1,121|81\n" * 9, ","),
    ("t.csv", "id,sys|dia\n" + "1,121|81\n" * 9, ","),
    ("t.csv", "id,codes\n" + "1,121;81\n" * 9, ","),
    ("t.csv", "height,cm;died\n" + "180,5;1\n" * 9, ";"),
    ("t.csv", "height, cm|died\n" + "180,5|1\n" * 9, "|"),
]


@pytest.mark.parametrize(("name", "text", "delimiter"), DIALECTS)
def test_the_separator_is_recognised(name, text, delimiter):
    assert recognise_delimiter(text, name) == delimiter


def test_only_an_unusual_separator_is_said(read):
    said = ("fields separated by ';' (recognised; delimiter=, --delimiter)",)
    assert read("a;b\n1;2\n").notes == said
    assert read("a;b\n1;2\n", delimiter=";").notes == ()
    assert read("a\tb\n1\t2\n", "t.tsv").notes == ()
    assert read("a,b\n1,2\n", "t.txt").notes == ()


def test_a_given_separator_that_does_not_fit_is_refused(read):
    with pytest.raises(DatakinError, match=r"looks separated by ';', not ','.*delimiter=';'"):
        read("a;b\n1;2\n", delimiter=",")


@pytest.mark.parametrize("delimiter", [";;", "", "\n", '"', "§", 3])
def test_a_separator_is_one_character(read, delimiter):
    with pytest.raises(DatakinError, match=r"'delimiter' parameter must be one character"):
        read("a,b\n1,2\n", delimiter=delimiter)


def test_the_line_of_excel_that_names_the_separator_is_no_header(read):
    assert read("sep=;\na;b\n1;2\n").table.to_pydict() == {"a": ["1"], "b": ["2"]}


def test_columns_aligned_by_spaces_are_refused(read):
    with pytest.raises(DatakinError, match="aligned by spaces; save it as CSV"):
        read("a   b\n1   2\n10  2\n", "t.txt")


@pytest.mark.parametrize(
    "text", ["a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", "a,b,,\n1,2,,\n3,4,,\n"]
)
def test_separators_at_the_end_of_lines_make_no_column(read, text):
    got = read(text)
    assert got.columns == ("a", "b")
    assert "without a name left out" in got.notes[-1]


def test_a_value_behind_the_last_name_is_refused(read):
    with pytest.raises(DatakinError, match=r"must have 2 fields .* some have a value behind it"):
        read("a,b\n" + "1,2,\n" * 300 + "1,2,3\n")


def test_columns_without_a_name_get_one(read):
    got = read(",a,\n0,1,x\n1,2,\n")
    assert got.columns == ("Unnamed: 0", "a", "Unnamed: 2")
    assert got.notes == ("column(s) without a name are called 'Unnamed: 0', 'Unnamed: 2'",)


ROWS = "1,2,0\n3,4,1\n"
TITLES = [
    (f"Report of May\na,b,y\n{ROWS}", r"a title \('Report of May', over 3 columns\)"),
    (f"# made by hand\n# in May, 2020\na,b,y\n{ROWS}", r"a comment \('# made by hand', over 3"),
    (f"# in May, 2020\na,b,y\n{ROWS}", "a comment"),
    ("# made by, me\n# in May, 2020\na,y\n1,2\n3,4\n", "a comment"),
    ("My table\na,y\n1,2\n3,4\n", "a title"),
    (f"Report\ncreated 2024-05-01\n\na,b,y\n{ROWS * 3}", "a title"),
    (f"Report,,\n,,\na,b,y\n{ROWS}", "a title"),
    (f"Report of May, 2020\na,b,y\n{ROWS}", "a title"),
    ("##made by hand\n#id\ty\n1\t2\n3\t4\n", "a comment"),
]


@pytest.mark.parametrize(("text", "what"), TITLES)
def test_a_title_above_the_header_is_named(read, text, what):
    with pytest.raises(
        DatakinError, match=rf"Line 1 looks like {what}.*remove the lines above the header"
    ):
        read(text)


@pytest.mark.parametrize("header", ["#id,age,y", "#id,,y", "name,city,", "a,,"])
def test_a_header_is_no_title(read, header):
    assert read(f"{header}\nx,1,0\nz,2,1\n").n_rows == 2


def test_without_a_header_columns_are_numbered(read):
    got = read("1,2\n3,4\n", header=False)
    assert got.table.to_pydict() == {"x0": ["1", "3"], "x1": ["2", "4"]}
    assert got.notes == ()


def test_a_header_that_was_denied_is_said(read):
    (note,) = read("a,b\n1,2\n3,4\n", header=False).notes
    assert note.startswith("the first row looks like a header ('a', 'b')")


def test_names_that_look_like_data_are_said(read):
    (note,) = read("5.1,3.5,setosa\n4.9,3.0,setosa\n").notes
    assert "look like data ('5.1', '3.5', 'setosa')" in note
    assert "header=False (--no-header)" in note
    assert read("0,1,2,y\n4,5,6,0\n").notes == ()  # names that count the columns


def test_repeated_numbers_as_names_ask_for_the_header(read):
    with pytest.raises(
        DatakinError, match=r"column named '1'\. If .* header=False \(--no-header\)"
    ):
        read("1,1,0\n2,3,1\n")


def test_a_header_without_rows_is_refused(read):
    with pytest.raises(DatakinError, match="has 2 columns and no rows"):
        read("a,b\n")


def test_rows_that_end_with_a_comma_are_pointed_at(tmp_path):
    rows = "\n".join(f"{i % 2},{20 + i},37,{i % 10}," for i in range(60))
    (tmp_path / "shifted.csv").write_text(f"died,age,temp,comment\n{rows}\n")
    with pytest.warns(DatakinWarning) as caught:
        read_table(tmp_path / "shifted.csv", label="died")
    assert "ends with a comma that the header does not have" in str(caught[0].message)
    (tmp_path / "semicolons.csv").write_text(f"died;age;temp;comment\n{rows.replace(',', ';')}\n")
    with pytest.warns(DatakinWarning) as caught:
        read_table(tmp_path / "semicolons.csv", label="died")
    assert not any("ends with" in str(each.message) for each in caught)
