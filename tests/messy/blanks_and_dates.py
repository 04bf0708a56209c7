"""Missing values in their many spellings, and dates in theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tests.messy.registry import Made, named, read, variant, write
from tests.messy.table import LABEL, table, texts

USUAL = dict.fromkeys(["NA", "NaN", "N/A", "#N/A", "NULL", "null", "None", "?", "<NA>"], "same")
SAID = dict.fromkeys([".", "n.a.", "-", "missing", "-1.#IND"], "same")
# Words that may mean something: converting them or naming the column as text are both honest.
SAID |= dict.fromkeys(["--", "unknown", "#DIV/0!", "not done"], "same or noted")
for _token, _expect in {**USUAL, **SAID}.items():
    _says = named("age") if _token in SAID else None

    @variant(f"missing as {_token}", _expect, _says)
    def token(folder: Path, token: str = _token) -> Made:
        rows = texts()
        rows["age"] = rows["age"].replace("", token)
        return read(write(folder, rows=rows))


@variant("missing: three spellings in two columns", "same", named("age", "temp"))
def tokens(folder: Path) -> Made:
    frame = table()
    frame.loc[[5, 6, 7], "temp"] = np.nan
    rows = texts(frame)
    rows["age"] = rows["age"].replace("", ".")
    rows.loc[[5, 6, 7], "temp"] = ["n.a.", "-", "missing"]
    return read(write(folder, rows=rows)), read(frame)


@variant(
    "missing: NA is a level", "same", named("ward", "NA"), why="Namibia; the same in each door"
)
def na_level(folder: Path) -> Made:
    frame = table()
    frame["ward"] = frame["ward"].replace("Ost", "NA")
    return read(write(folder, rows=texts(frame))), read(frame)


@variant("missing: a label here and there", "noted", "no label")
def unlabelled(folder: Path) -> Made:
    rows = texts()
    rows.loc[[1, 2, 3], LABEL] = ""
    return read(write(folder, rows=rows))


@variant("missing: a whole column", "same", named("empty", "without any value", "missing"))
def all_missing(folder: Path) -> Made:
    return read(write(folder, rows=texts().assign(empty="")))


@variant("a constant column", "same", named("hospital", "constant"))
def constant(folder: Path) -> Made:
    return read(write(folder, rows=texts().assign(hospital="St. Anna")))


DATES = {
    "dd.mm.yyyy": ("%d.%m.%Y", named("admitted")),
    "mm/dd/yyyy": ("%m/%d/%Y", named("admitted")),
    "dd/mm/yyyy": ("%d/%m/%Y", named("admitted")),
    "yyyy/mm/dd": ("%Y/%m/%d", None),
    "dd-mmm-yyyy": ("%d-%b-%Y", named("admitted")),
    "month dd, yyyy": ("%B %d, %Y", named("admitted")),
    "mm/dd/yy": ("%m/%d/%y", named("admitted", "2068")),
    "yyyy-mm-ddT00:00:00": ("%Y-%m-%dT00:00:00", None),
    "yyyy-mm-dd 00:00:00Z": ("%Y-%m-%d 00:00:00Z", None),
}
for _name, (_form, _says) in DATES.items():

    @variant(f"dates: {_name}", "same", _says)
    def dates(folder: Path, form: str = _form) -> Made:
        rows = texts()
        rows["admitted"] = table()["admitted"].dt.strftime(form)
        return read(write(folder, rows=rows))


@variant("dates: 4-Mär-2021", "noted", named("admitted", "--convert"))
def foreign_months(folder: Path) -> Made:
    rows = texts()
    written = table()["admitted"].dt.strftime("%d-%b-%Y")
    rows["admitted"] = written.str.replace("Mar", "Mär").str.replace("May", "Mai")
    return read(write(folder, rows=rows))


@variant("dates: 20210304 in a column that is not named so", "noted", named("seen", "%Y%m%d"))
def eight_digits(folder: Path) -> Made:
    rows = texts().rename(columns={"admitted": "seen"})
    rows["seen"] = table()["admitted"].dt.strftime("%Y%m%d")
    return read(write(folder, rows=rows))


for _value, _column in {-1: "temp", -9: "cost", 0: "temp"}.items():

    @variant(f"missing: {_value} as a number", "noted", named(_column, f"{_value} stands 5 time"))
    def no_value(folder: Path, value: int = _value, column: str = _column) -> Made:
        rows = texts()
        rows.loc[[4, 14, 24, 34, 44], column] = str(value)
        return read(write(folder, rows=rows))


def early_days() -> pd.DataFrame:
    """Return the table with no day after the 12th: dd/mm and mm/dd fit alike."""
    days = [f"2021-{1 + i % 12:02d}-{1 + i // 12:02d}" for i in range(120)]
    return table().assign(admitted=pd.to_datetime(days))


@variant(
    "dates: 03/04/2021 could be either", "noted or refused", named("admitted", "convert", "%d/%m")
)
def ambiguous(folder: Path) -> Made:
    rows = texts()
    rows["admitted"] = early_days()["admitted"].dt.strftime("%d/%m/%Y")
    return read(write(folder, rows=rows))


@variant("dates: 03/04/2021, format said", "same")
def date_said(folder: Path) -> Made:
    frame = early_days()
    rows = texts(frame)
    rows["admitted"] = frame["admitted"].dt.strftime("%d/%m/%Y")
    return read(write(folder, rows=rows), convert={"admitted": "%d/%m/%Y"}), read(frame)


@variant("dates: two forms in one column", "noted or refused", named("admitted"))
def two_forms(folder: Path) -> Made:
    rows, stamps = texts(), table()["admitted"]
    rows.loc[60:, "admitted"] = stamps[60:].dt.strftime("%d.%m.%Y")
    return read(write(folder, rows=rows))


for _day in ("9999-12-31", "1500-01-01", "0001-01-01"):

    @variant(
        f"dates: {_day} as 'open'",
        "noted",
        named("admitted", _day[:4]),
        why="a date centuries away is a placeholder; kept or not, it must be pointed at",
    )
    def far_date(folder: Path, day: str = _day) -> Made:
        rows = texts()
        rows.loc[[4, 40], "admitted"] = day
        return read(write(folder, rows=rows))
