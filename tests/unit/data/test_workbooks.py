"""Workbooks: the sheet that is meant, what its cells are, and what is wrong with it."""

import datetime as dt
import zipfile

import openpyxl
import pandas as pd
import pytest
import xlwt

from datakin import DatakinError, DatakinWarning, read_table
from datakin.data.files import workbooks
from datakin.data.files.workbooks import read_workbook
from datakin.data.origin import Origin


def write_rows(path, rows, **others):
    """Write a sheet "data" of rows, and other sheets; return the path."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "data"
    for row in rows:
        sheet.append(row)
    for name, content in others.items():
        other = book.create_sheet(name)
        for row in content:
            other.append(row)
    book.save(path)
    return path


def rows_of(n=40):
    return [["a", "y"], *([(i * 7) % 11, i % 2] for i in range(n))]


def read(path, **options):
    return read_workbook([str(path)], Origin("y", **options))


def test_the_only_sheet_with_a_table_is_read(tmp_path):
    path = write_rows(tmp_path / "t.xlsx", rows_of(), about=[["made by Ann"]], empty=[])
    with pytest.warns(DatakinWarning, match="sheet 'data' read; without a table: 'about', 'empty'"):
        assert read_table(path, label="y").n_rows == 40


def test_several_sheets_are_asked_about(tmp_path):
    path = write_rows(tmp_path / "t.xlsx", rows_of(), **{"ward two": rows_of(50)})
    with pytest.raises(
        DatakinError, match=r"several sheets: 'data', 'ward two'\. .*table='data' \(--sheet data\)"
    ):
        read_table(path, label="y")
    assert read_table(path, label="y", table="ward two").n_rows == 50
    with pytest.raises(DatakinError, match=r"no sheet 'ward to'.* Did you mean 'ward two'\?"):
        read_table(path, label="y", table="ward to")


def test_hidden_sheets_do_not_compete_and_are_called_hidden(tmp_path):
    path = write_rows(tmp_path / "t.xlsx", rows_of(), lists=rows_of(9), about=[["by Ann"]])
    book = openpyxl.load_workbook(path)
    book["lists"].sheet_state = "hidden"
    book.save(path)
    assert read(path).notes == ("sheet 'data' read; hidden: 'lists'; without a table: 'about'",)
    assert read(path, table="lists").n_rows == 9


@pytest.mark.parametrize("name", ["", "a\0b", "=data", "data\n"])
def test_odd_names_of_sheets_are_not_there(tmp_path, name):
    path = write_rows(tmp_path / "t.xlsx", rows_of())
    with pytest.raises(DatakinError, match="has no sheet"):
        read_table(path, label="y", table=name)


def merged(path, ranges, rows):
    book = openpyxl.load_workbook(write_rows(path, rows))
    for cells in ranges:
        book.active.merge_cells(cells)
    book.save(path)
    return path


def test_cells_merged_over_rows_are_filled_down(tmp_path):
    rows = [["site", "a", "y"], *(["N" if i == 0 else "S", i, i % 2] for i in range(6))]
    path = merged(tmp_path / "t.xlsx", ["B2:B4", "B5:B7"], [[None, *row] for row in rows])
    found = read(path)
    assert found.table["site"].to_pylist() == ["N"] * 3 + ["S"] * 3
    assert found.notes == ("merged cells filled down: 'site' 4",)
    assert read(path, ignore=("site",)).notes == ()


def test_merged_cells_of_several_columns_and_of_the_header_stay(tmp_path):
    rows = [["a", "b", "y"], [None, 1, 0], *([i, i, i % 2] for i in range(4))]
    found = read(merged(tmp_path / "t.xlsx", ["A1:A2", "A4:B5"], rows))
    assert found.table["a"].to_pylist() == [None, 0, 1, None, 3]
    assert found.notes == ()


def test_merged_cells_of_old_workbooks(tmp_path):
    book = xlwt.Workbook()
    sheet = book.add_sheet("data")
    for j, name in enumerate(["site", "a", "y"]):
        sheet.write(0, j, name)
    sheet.write_merge(1, 3, 0, 0, "N")
    for i in range(1, 4):
        sheet.write(i, 1, i)
        sheet.write(i, 2, i % 2)
    book.save(str(tmp_path / "t.xls"))
    assert read(tmp_path / "t.xls").table["site"].to_pylist() == ["N"] * 3


def test_formulas_that_were_never_computed_are_named(tmp_path):
    rows = rows_of()
    rows[3][0], rows[5][0] = "=1+1", '=IF(TRUE,"x","")'
    path = write_rows(tmp_path / "t.xlsx", [[None, *row] for row in rows])
    found = read(path)
    assert found.table["a"].null_count == 2
    assert found.notes == (
        "formulas that were never computed read as missing values: 'a' 2; open the workbook in a "
        "spreadsheet and save it",
    )
    with pytest.raises(
        DatakinError, match=r"each formula of the label\. 'a' 2 were never computed; open"
    ):
        read_table(path, label="a")


def write_ods(path, cells):
    """Write rows of cells as a sheet "S"; each is what stands between the tags of a cell."""
    rows = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in cells)
    space = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"'
        for short in ("office", "text", "table")
    )
    text = (
        f'<?xml version="1.0"?><office:document-content {space}><office:body><office:spreadsheet>'
        f'<table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>'
        f"</office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", text)
        manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


def ods_cell(value, shown=None, more=""):
    kind = "string" if isinstance(value, str) else f'float" office:value="{value}'
    attributes = f'office:value-type="{kind}" {more}'
    return f"<table:table-cell {attributes}><text:p>{shown or value}</text:p></table:table-cell>"


def test_errors_and_merged_cells_of_open_documents(tmp_path):
    rows = [[ods_cell("site"), ods_cell("y")]]
    rows += [[ods_cell("N"), ods_cell(i % 2)] for i in range(4)]
    rows[1][0] = ods_cell("N", more='table:number-rows-spanned="2"')
    rows[3][0] = ods_cell("", "#N/A", 'office:string-value=""')
    notes = read(write_ods(tmp_path / "t.ods", rows)).notes
    assert notes[0] == "error cells such as #N/A or #DIV/0! read as missing values: 1"
    assert notes[1].startswith("cells merged over several rows, whose value was read for the first")
    rows[2][0] = ods_cell(0, "#DIV/0!", 'table:formula="of:=1/0"')
    with pytest.raises(DatakinError, match=r"1 error cells .* stored as numbers\. Clear them"):
        read_table(write_ods(tmp_path / "t.ods", rows), label="y")


def test_empty_cells_of_old_workbooks_may_be_errors(tmp_path):
    book = xlwt.Workbook()
    sheet = book.add_sheet("data")
    for i, row in enumerate([["a", "y"], [1, 0], [2, 1], [3, 1]]):
        for j, value in enumerate(row):
            sheet.write(i, j, value)
    book.save(str(tmp_path / "full.xls"))
    assert read(tmp_path / "full.xls").notes == ()
    sheet.write(4, 0, xlwt.Formula("1/0"))
    sheet.write(4, 1, 0)
    sheet.write(5, 1, 0)
    book.save(str(tmp_path / "t.xls"))
    assert "empty cells may be error cells such as" in read(tmp_path / "t.xls").notes[-1]


def test_a_first_row_that_is_none_and_a_header_that_is_one(tmp_path):
    path = write_rows(tmp_path / "t.xlsx", rows_of()[2:])
    assert "the names of columns look like data ('7', '1')" in read(path).notes[0]
    years = [["site", 2019, 2020, 2021], *(["N", i, i + 1, i % 2] for i in range(9))]
    assert read(write_rows(tmp_path / "years.xlsx", years)).notes == ()
    path = write_rows(tmp_path / "names.xlsx", rows_of())
    notes = read(path, header=False).notes
    assert notes[0].startswith("the first row looks like a header ('a', 'y'): if it is, leave out")


def test_a_workbook_that_is_never_read_is_given_up(tmp_path, monkeypatch):

    monkeypatch.setattr(workbooks, "PATIENCE", 0.0)
    with pytest.raises(DatakinError, match="or 0 minutes"):
        read(write_rows(tmp_path / "t.xlsx", rows_of(5000)))


def test_empty_rows_and_columns_around_the_table_are_dropped(tmp_path):
    rows = [[None, None, *row, None] for row in rows_of()]
    rows[10:10] = [[None] * 5]
    found = read(
        write_rows(tmp_path / "t.xlsx", [[None] * 5] * 3 + rows + [[None, None, None, None, ""]])
    )
    assert (found.columns, found.n_rows, found.notes) == (("a", "y"), 40, ())


def test_a_title_above_the_header_is_named(tmp_path):
    path = write_rows(tmp_path / "t.xlsx", [["Report of May"], [], *rows_of()])
    with pytest.raises(
        DatakinError, match=r"Row 1 looks like a title \('Report of May', over 2 col"
    ):
        read_table(path, label="y")
    book = openpyxl.load_workbook(path)
    book.active["B1"] = "2020"
    book.active.insert_cols(3)
    book.active.merge_cells("B1:C1")
    book.save(path)
    with pytest.raises(DatakinError, match="Row 1 looks like a title"):
        read_table(path, label="y")


def test_error_cells_are_missing_and_named(tmp_path):
    rows = rows_of()
    rows[3][0], rows[5][0] = "#N/A", "#DIV/0!"
    found = read(write_rows(tmp_path / "t.xlsx", [[None, *row] for row in rows]))
    assert found.table["a"].null_count == 2
    assert found.notes == ("error cells such as #N/A or #DIV/0! read as missing values: 'a' 2",)


def test_formulas_give_their_values(tmp_path):
    path = write_rows(tmp_path / "t.xlsx", rows_of())
    content = {}
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    # What a spreadsheet stores for a formula: the formula, and the value that it had.
    content[sheet] = content[sheet].replace(b"<v>7</v>", b"<f>3+4</f><v>7</v>")
    assert b"<f>" in content[sheet]
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    assert read(path).table["a"].to_pylist()[1] == 7


def test_cells_keep_their_types_and_mixed_columns_are_text(tmp_path):
    day, moment = dt.date(2020, 2, 3), dt.datetime(2020, 2, 3, 4, 5, 6)
    rows = [
        ["whole", "decimal", "day", "moment", "time", "truth", "mixed", "y"],
        [7.0, 1.5, day, moment, dt.time(4, 5), True, 12, 0],
        [None, 2, None, day, None, None, "n.a.", 1],
        [9, 3.0, day, moment, dt.time(6), False, 2.5, 1],
    ]
    table = read(write_rows(tmp_path / "t.xlsx", rows)).table
    kinds = {name: str(table[name].type) for name in table.column_names}
    assert kinds == {
        "whole": "int64",
        "decimal": "double",
        "day": "date32[day]",
        "moment": "timestamp[us]",
        "time": "large_string",
        "truth": "bool",
        "mixed": "large_string",
        "y": "int64",
    }
    assert table["mixed"].to_pylist() == ["12", "n.a.", "2.5"]
    assert table["time"].to_pylist() == ["04:05:00", None, "06:00:00"]


def test_numbers_of_more_digits_than_a_workbook_keeps_are_named(tmp_path):
    rows = [["id", "y"], *([10**16 + 2 * i, i % 2] for i in range(40))]
    found = read(write_rows(tmp_path / "t.xlsx", rows))
    assert "numbers of more than 15 digits, which a workbook rounds" in found.notes[0]
    assert "'id'" in found.notes[0]


def test_rows_are_drawn_as_from_other_files(tmp_path, wards_of, same):
    frame = wards_of(500).round({"age": 3})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.warns(DatakinWarning, match="500 rows in the table; 100 drawn at random"):
        drawn = read_table(tmp_path / "t.xlsx", label="died", read_rows=100)
    with pytest.warns(DatakinWarning):
        same(drawn, read_table(tmp_path / "t.parquet", label="died", read_rows=100))


def test_without_a_header_columns_are_numbered(tmp_path):
    path = write_rows(tmp_path / "t.xlsx", rows_of()[1:])
    assert read(path, header=False).columns == ("x0", "x1")
    assert read_table(path, label="x1", header=False).n_rows == 40


def test_columns_without_a_name_get_one(tmp_path):
    frame = pd.DataFrame({"a": range(40), "y": [0, 1] * 20})
    frame.to_excel(tmp_path / "t.xlsx")  # with pandas' row numbers
    found = read(tmp_path / "t.xlsx")
    assert found.columns == ("Unnamed: 0", "a", "y")
    assert "without a name in the header called 'Unnamed: 0'" in found.notes[0]


def test_columns_of_one_name_are_refused(tmp_path):
    rows = [["a", "a", "y"], *([1, 2, 0] for _ in range(30))]
    with pytest.raises(DatakinError, match="more than one column named 'a'"):
        read(write_rows(tmp_path / "t.xlsx", rows))


@pytest.mark.parametrize("rows", [[], [["a", "y"]]], ids=["nothing", "header"])
def test_a_sheet_without_rows_is_refused(tmp_path, rows):
    with pytest.raises(DatakinError, match="and no rows"):
        read_table(write_rows(tmp_path / "t.xlsx", rows), label="y")


def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = write_rows(tmp_path / "t.xlsx", rows_of())
    monkeypatch.setattr(workbooks, "UNPACKED", 1000)
    monkeypatch.setattr(workbooks, "_messages_of", None)
    with pytest.raises(
        DatakinError, match=r"must unpack to at most .* GB\. Got .* save its table as"
    ):
        read_table(path, label="y")


def test_a_sheet_of_billions_of_empty_cells_is_refused(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = 1, 2
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(DatakinError, match=r"more than .* GB of memory|at most .* cells"):
        read_table(tmp_path / "t.xlsx", label="y")


@pytest.mark.parametrize("name", ["t.xls", "t.xlsx"])
def test_a_workbook_under_a_password_says_so(tmp_path, name):
    book = xlwt.Workbook()
    book.add_sheet("data").write(0, 0, "a")
    book.save(str(tmp_path / "plain.xls"))
    content = bytearray((tmp_path / "plain.xls").read_bytes())
    if name == "t.xls":  # the second record says that the others are encrypted
        second = content.find(b"\x09\x08\x10\x00") + 20
        content[second : second + 2] = b"\x2f\x00"
    else:  # a compound file with a stream of this name is an encrypted .xlsx
        stream = "EncryptedPackage".encode("utf-16-le")
        start = content.rfind("Workbook".encode("utf-16-le"))
        content[start : start + len(stream)] = stream
        content[start + 64 : start + 66] = (len(stream) + 2).to_bytes(2, "little")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatakinError, match=r"is protected by a password\. .* save it without one"):
        read_table(tmp_path / name, label="y")


def test_without_its_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    path = write_rows(tmp_path / "t.xlsx", rows_of())
    with pytest.raises(
        DatakinError, match=r"Reading workbooks needs .*pip install 'datakin\[excel\]'"
    ):
        read_table(path, label="y")
