"""The table with other values in its cells: numbers, dates, codes, blanks, levels."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd

import datakin
from tests.messy.registry import Made, named, read, variant, write
from tests.messy.table import GROUP, LABEL, NUMBERS, changed, table, texts

DECIMALS = ["temp", "cost", "größe"]
THOUSANDS = ("thousand", "separator")


def is_number(name: str) -> Callable[[datakin.Dataset], bool]:
    """Return a check that a column holds numbers, or dates as numbers."""
    return lambda data: name in data.features.numeric_names


def is_category(name: str, n_levels: int) -> Callable[[datakin.Dataset], bool]:
    """Return a check that a column is a category of so many levels."""

    def check(data: datakin.Dataset) -> bool:
        names = data.features.category_names
        return name in names and len(data.features.levels[names.index(name)]) == n_levels

    return check


def with_commas(rows: pd.DataFrame) -> pd.DataFrame:
    for name in DECIMALS:
        rows[name] = [v.replace(".", ",") for v in rows[name]]
    return rows


@variant("numbers: decimal comma with semicolons", "same", named("temp", "comma"))
def comma_semicolon(folder: Path) -> Made:
    return read(write(folder, rows=with_commas(texts()), sep=";"))


@variant("numbers: decimal comma quoted in a comma file", "same", named("temp", "comma"))
def comma_quoted(folder: Path) -> Made:
    return read(write(folder, rows=with_commas(texts())))


def thousands(mark: str, point: str) -> Callable[[str], str]:
    return lambda v: f"{float(v):,.2f}".replace(",", "_").replace(".", point).replace("_", mark)


STYLES = {
    "12,345.67": (",", "."),
    "12.345,67": (".", ","),
    "12 345,67": (" ", ","),
    "12 345,67 with hard spaces": ("\u00a0", ","),
    "12'345.67": ("'", "."),
}
for _name, (_mark, _point) in STYLES.items():

    @variant(f"numbers: thousands as {_name}", "same", named("cost", *THOUSANDS))
    def style(folder: Path, mark: str = _mark, point: str = _point) -> Made:
        return read(write(folder, rows=changed("cost", thousands(mark, point)), sep=";"))


@variant(
    "numbers: 1,234 could be either",
    "noted or refused",
    named("dose", "comma", *THOUSANDS),
    why="three digits after the only comma: 1234 or 1.234; a guess must be said",
)
def either(folder: Path) -> Made:
    rows = texts()
    rows.insert(1, "dose", [f"{1 + i % 7},{100 + 7 * i % 900:03d}" for i in range(len(rows))])
    return read(write(folder, rows=rows, sep=";"))


@variant(
    "numbers: percent",
    "noted",
    named("share", "%", "percent"),
    holds=is_number("share"),
    why="93% may be .93 or 93; either is a number and said",
)
def percent(folder: Path) -> Made:
    share = [f"{40 + 13 * i % 57}%" for i in range(120)]
    return read(write(folder, rows=texts().assign(share=share)))


for _name, _form in {"$": "${}", "EUR behind": "{} EUR", "€ before": "€ {}"}.items():

    @variant(
        f"numbers: currency {_name}",
        "same or noted",
        named("cost"),
        why="taking the sign off or naming the column as text are both honest",
    )
    def currency(folder: Path, form: str = _form) -> Made:
        return read(write(folder, rows=changed("cost", form.format)))


@variant(
    "numbers: unit in the cell",
    "same or noted",
    named("temp"),
    why="as with currency; a unit may change inside a column, so text with a note is right, too",
)
def unit(folder: Path) -> Made:
    return read(write(folder, rows=changed("temp", "{} C".format)))


@variant("numbers: a few words among them", "noted", named("temp", "high"))
def words(folder: Path) -> Made:
    rows = texts()
    rows.loc[[3, 50, 90], "temp"] = "high"
    return read(write(folder, rows=rows))


@variant(
    "numbers: -999 for missing",
    "noted",
    named("age", "-999"),
    why="no door can know, but a value this far out that repeats must be pointed at",
)
def sentinel(folder: Path) -> Made:
    rows = texts()
    rows["age"] = rows["age"].replace("", "-999")
    return read(write(folder, rows=rows))


@variant("numbers: infinite", "refused or noted", named("temp", "inf", "finite"))
def infinite(folder: Path) -> Made:
    rows = texts()
    rows.loc[7, "temp"] = "inf"
    return read(write(folder, rows=rows))


@variant("numbers: in scientific form", "same")
def scientific(folder: Path) -> Made:
    return read(write(folder, rows=changed("cost", lambda v: f"{Decimal(v) / 10_000}E4")))


@variant("numbers: with plus signs and spaces", "same")
def plus(folder: Path) -> Made:
    return read(write(folder, rows=changed("temp", " +{} ".format)))


@variant("numbers: the minus sign of typography", "same")
def typographic(folder: Path) -> Made:
    delta = np.round(np.sin(np.arange(120.0)) * 9, 1)
    written = [f"{v:.1f}".replace("-", "\u2212") for v in delta]
    return read(write(folder, rows=texts().assign(delta=written))), read(
        table().assign(delta=delta)
    )


def with_codes() -> pd.DataFrame:
    return table().assign(code=pd.Series(["0100", "100", "1E5", "0100", "1E2"] * 24, dtype=object))


@variant("codes: 0100, 100, 1E5 stay apart", "same", holds=is_category("code", 4))
def codes(folder: Path) -> Made:
    return read(write(folder, rows=texts(with_codes()))), read(with_codes())


@variant("codes: leading zeros through Parquet", "same", holds=is_category("code", 4))
def codes_parquet(folder: Path) -> Made:
    with_codes().to_parquet(folder / "stays.parquet")
    return read(folder / "stays.parquet"), read(with_codes())


@variant("codes: sites 007 and 7 as domains", "same")
def two_sites(folder: Path) -> Made:
    frame = table().assign(site=pd.Series(["007", "7"] * 60, dtype=object))
    path = write(folder, rows=texts(frame))
    options = {"label": LABEL, "domain": "site"}
    parts, doors = (datakin.read_tables(s, **options, ignore=[GROUP]) for s in (path, frame))
    assert list(parts) == list(doors), (list(parts), list(doors))
    return parts["007"], doors["007"]


BIG = 2**53


@variant("ids above 2^53 as groups", "same")
def big_groups(folder: Path) -> Made:
    rows = texts()
    rows[GROUP] = [str(BIG + int(v[1:])) for v in rows[GROUP]]
    return read(write(folder, rows=rows))


@variant("ids above 2^53 as a label", "same", holds=lambda data: len(data.classes) == 2)
def big_label(folder: Path) -> Made:
    frame = table()
    frame[LABEL] += BIG
    return read(write(folder, rows=texts(frame))), read(frame)


@variant(
    "levels: composed and decomposed letters", "same", why="the eye cannot tell them apart; no note"
)
def composed(folder: Path) -> Made:
    rows = texts()
    rows.loc[::2, "ward"] = [unicodedata.normalize("NFD", v) for v in rows["ward"][::2]]
    return read(write(folder, rows=rows))


@variant("levels: outer spaces", "same")
def outer_spaces(folder: Path) -> Made:
    rows = texts()
    rows.loc[::3, "ward"] = rows["ward"][::3] + "  "
    rows.loc[1::3, "smoker"] = "\u00a0" + rows["smoker"][1::3]
    return read(write(folder, rows=rows))


@variant("levels: yes and Yes", "same or noted", named("smoker", "Yes", "case", "spell"))
def cases(folder: Path) -> Made:
    rows = texts()
    rows.loc[::2, "smoker"] = rows["smoker"][::2].str.title()
    return read(write(folder, rows=rows))


@variant("all values as text in Parquet", "same")
def text_parquet(folder: Path) -> Made:
    texts().to_parquet(folder / "stays.parquet")
    return read(folder / "stays.parquet")


@variant("a survival time beside its censoring", "noted or refused", "surviv|censor")
def survival(folder: Path) -> Made:
    frame = table().assign(survival_days=np.arange(120.0) * 7 % 113 + 1)
    frame = frame.rename(columns={LABEL: "censored"})
    return read(write(folder, rows=texts(frame)), label="survival_days")


@variant("several labels", "refused", "one label|one column|several labels")
def several(folder: Path) -> Made:
    return read(write(folder), label=[LABEL, "smoker"])


assert set(DECIMALS) < set(NUMBERS)
