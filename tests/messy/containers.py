"""The table in workbooks, databases and columnar files."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tests.messy.registry import Made, named, read, variant
from tests.messy.table import table, texts

TWO = "(?=.*May)(?=.*June)(?=.*(table|sheet))"  # names both, and the option


def workbook(path: Path, sheets: dict[str, pd.DataFrame], first_row: int = 0) -> Path:
    """Write sheets, with titles above the table if it does not begin in the first row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that write
        with pd.ExcelWriter(path, date_format="YYYY-MM-DD", datetime_format="YYYY-MM-DD") as book:
            for name, frame in sheets.items():
                frame.to_excel(book, sheet_name=name, index=False, startrow=first_row)
                if first_row:
                    book.sheets[name].cell(row=1, column=1, value="Stays, exported in May")
    return path


def old_workbook(path: Path) -> Path:
    """Write an .xls, which pandas no longer does."""
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("May")
    day = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    frame = table()
    for j, name in enumerate(frame.columns):
        sheet.write(0, j, name)
        for i, value in enumerate(frame[name], start=1):
            if isinstance(value, pd.Timestamp):
                sheet.write(i, j, value.to_pydatetime(), day)
            elif not pd.isna(value):
                sheet.write(i, j, value.item() if isinstance(value, np.generic) else value)
    book.save(str(path))
    return path


for _suffix in ("xlsx", "ods"):

    @variant(f"workbook: {_suffix}", "same")
    def one_sheet(folder: Path, suffix: str = _suffix) -> Made:
        return read(workbook(folder / f"stays.{suffix}", {"May": table()}))


@variant("workbook: xls", "same")
def xls(folder: Path) -> Made:
    return read(old_workbook(folder / "stays.xls"))


@variant("workbook: xlsx of texts", "same")
def text_cells(folder: Path) -> Made:
    return read(workbook(folder / "stays.xlsx", {"May": texts()}))


@variant(
    "workbook: a title above the table",
    "same or refused",
    "row|line|header|title",
    why="skipping the title with a note is kind, asking is safe",
)
def title(folder: Path) -> Made:
    return read(workbook(folder / "stays.xlsx", {"May": table()}, first_row=2))


@variant("workbook: two sheets", "refused", TWO)
def two_sheets(folder: Path) -> Made:
    return read(workbook(folder / "stays.xlsx", {"May": table(), "June": table(1)}))


@variant("workbook: two sheets, one said", "same")
def sheet_said(folder: Path) -> Made:
    path = workbook(folder / "stays.xlsx", {"June": table(1), "May": table()})
    return read(path, table="May")


@variant("workbook: a sheet that is not there", "refused", "(?=.*Mai)(?=.*May)")
def no_sheet(folder: Path) -> Made:
    return read(workbook(folder / "stays.xlsx", {"May": table()}), table="Mai")


@variant("workbook: no header, said", "same")
def sheet_no_header(folder: Path) -> Made:
    path = folder / "stays.xlsx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table().to_excel(path, header=False, index=False)
    frame = table()
    frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    options: dict[str, Any] = {"label": "x8", "group": "x0"}
    return read(path, header=False, **options), read(frame, **options)


@variant(
    "workbook: xlsx named .csv",
    "same or refused",
    "xlsx|workbook|Excel",
    why="its bytes tell; reading it with a note and refusing it by name both serve",
)
def disguised(folder: Path) -> Made:
    book = workbook(folder / "stays.xlsx", {"May": table()})
    return read(book.rename(folder / "stays.csv"))


@variant("workbook: #DIV/0! in cells", "same", named("age"))
def cell_errors(folder: Path) -> Made:
    frame = table()
    frame["age"] = frame["age"].astype(object).where(frame["age"].notna(), "#DIV/0!")
    return read(workbook(folder / "stays.xlsx", {"May": frame}))


def database(path: Path, **tables: pd.DataFrame) -> Path:
    """Write a SQLite file; dates are texts there."""
    connection = sqlite3.connect(path)
    for name, frame in tables.items():
        frame = frame.assign(admitted=texts(frame)["admitted"])
        frame.to_sql(name, connection, index=False)
    connection.close()
    return path


@variant("database: sqlite", "same")
def sqlite_file(folder: Path) -> Made:
    return read(database(folder / "stays.sqlite", stays=table()))


@variant("database: sqlite by URL and table", "same")
def sqlite_url(folder: Path) -> Made:
    path = database(folder / "stays.db", May=table(), June=table(1))
    return read(f"sqlite:///{path}", table="May")


@variant("database: two tables", "refused", TWO)
def sqlite_two(folder: Path) -> Made:
    return read(database(folder / "stays.db", May=table(), June=table(1)))


@variant("database: by query", "same")
def sqlite_query(folder: Path) -> Made:
    path = database(folder / "stays.db", May=table(), June=table(1))
    return read(path, query="SELECT * FROM May")


@variant("database: a query that writes", "refused", "read|SELECT")
def sqlite_writes(folder: Path) -> Made:
    path = database(folder / "stays.db", May=table())
    return read(path, query="DELETE FROM May")


@variant("database: duckdb", "same")
def duckdb_file(folder: Path) -> Made:
    import duckdb

    path = folder / "stays.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", pa.Table.from_pandas(table(), preserve_index=False))
        connection.execute("CREATE TABLE stays AS SELECT * FROM frame")
    return read(path)


FILES: dict[str, Callable[[Path], Any]] = {
    "stays.parquet": lambda path: table().to_parquet(path),
    "stays.feather": lambda path: table().to_feather(path),
    "stays.arrow": lambda path: table().to_feather(path, compression="uncompressed"),
}
for _name, _write in FILES.items():

    @variant(f"columnar: {Path(_name).suffix}", "same")
    def columnar(folder: Path, name: str = _name, save: Callable[..., Any] = _write) -> Made:
        save(folder / name)
        return read(folder / name)


@variant("columnar: Parquet in three parts", "same")
def parts(folder: Path) -> Made:
    for i in range(3):
        table().iloc[40 * i : 40 * i + 40].to_parquet(folder / f"part{i}.parquet", index=False)
    return read(folder)


@variant("columnar: a cut Parquet file", "refused", "Parquet|damaged|complete")
def cut(folder: Path) -> Made:
    path = folder / "stays.parquet"
    table().to_parquet(path)
    path.write_bytes(path.read_bytes()[:-200])
    return read(path)
