"""Columns and rows that should not be trusted, and faults that only a second table shows."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import datakin
from tests.messy.registry import Made, compare, named, read, variant, write
from tests.messy.table import GROUP, LABEL, table, texts

OUT = ("left out", "dropped", "not used")


@variant("clean: pandas", "same", never=".", why="a false alarm is as bad as none")
def nothing_said(folder: Path) -> Made:
    return read(table())


@variant("clean: a pair", "same", never=".")
def clean_pair(folder: Path) -> Made:
    return compare(write(folder, rows=texts(table(1))))


SUSPECTS: dict[str, tuple[Callable[[pd.DataFrame], object], str]] = {
    "row numbers": (lambda t: range(1, len(t) + 1), "suspect"),
    "row numbers, shuffled": (lambda t: (np.arange(len(t)) * 37) % len(t) + 1000, "suspect_id"),
    "part numbers": (lambda t: [f"X-{(i * 7919) % 100003:06d}" for i in range(len(t))], "suspect"),
    "copy of the label": (lambda t: t[LABEL], "suspect"),
    "copy of the label in words": (lambda t: np.where(t[LABEL] == 1, "dead", "alive"), "suspect"),
    "copy of the label, scaled": (lambda t: 100 - 40 * t[LABEL], "suspect"),
}
for _name, (_make, _column) in SUSPECTS.items():

    @variant(f"suspect: {_name}", "same", named(_column, *OUT))
    def suspect(folder: Path, make: Callable[..., object] = _make, column: str = _column) -> Made:
        return read(table().assign(**{column: make(table())}))


@variant("suspect: kept all the same", "same", holds=lambda data: "suspect" in data.columns)
def kept(folder: Path) -> Made:
    frame = table().assign(suspect=table()[LABEL])
    path = write(folder, rows=texts(frame))
    return read(path, keep=["suspect"]), read(frame, keep=["suspect"])


@variant(
    "suspect: died in the ICU, so died",
    "same or noted",
    named("icu_died", "leak", "label"),
    why="left out or kept, it must be pointed at: who has it has the label in all cases",
)
def leak(folder: Path) -> Made:
    died = table()[LABEL]
    return read(table().assign(icu_died=died * (np.arange(len(died)) % 5 > 0)))


@variant("suspect: half the rows twice", "noted", "cop(y|ies)")
def copies(folder: Path) -> Made:
    frame = table().drop(columns=GROUP)
    return read(pd.concat([frame, frame[:60]], ignore_index=True), group=None)


@variant(
    "suspect: rows of few discrete columns",
    "same",
    never="cop(y|ies)",
    why="rows of such a table coincide by chance: no alarm",
)
def discrete(folder: Path) -> Made:
    frame = table()[["ward", "smoker", LABEL]].assign(age=(table()["temp"] > 37.4).astype(int))
    return read(write(folder, rows=texts(frame)), group=None), read(frame, group=None)


@variant(
    "label: yes, Yes and 'yes '", "refused or noted", "(?=.*Yes)(?=.*(label_map|recode|spell|case))"
)
def label_cases(folder: Path) -> Made:
    rows = texts()
    rows[LABEL] = [("yes" if v == "1" else "no") for v in rows[LABEL]]
    rows.loc[::3, LABEL] = rows[LABEL][::3].str.title()
    rows.loc[1::3, LABEL] += " "
    return read(write(folder, rows=rows))


ALIKE: dict[str, Callable[[str], object]] = {
    "1.0 and 0.0": lambda v: f"{v}.0",
    "with outer spaces": lambda v: f" {v} ",
    "True and False": lambda v: v == "1",
}
for _name, _change in ALIKE.items():

    @variant(f"label: {_name}", "same")
    def alike(folder: Path, change: Callable[[str], object] = _change) -> Made:
        rows = texts()
        rows[LABEL] = [change(v) for v in rows[LABEL]]
        return read(write(folder, rows=rows))


def coded(folder: Path, zero: str, one: str, seed: int = 1) -> Path:
    """Write a table with other words for the two classes."""
    rows = texts(table(seed))
    rows[LABEL] = [one if v == "1" else zero for v in rows[LABEL]]
    return write(folder, f"coded{seed}.csv", rows)


CODINGS = {"-1 and 1": ("-1", "1"), "1 and 2": ("1", "2"), "no and yes": ("no", "yes")}
CODINGS |= {"0 and 2": ("0", "2"), "alive and dead": ("alive", "dead")}
for _name, (_zero, _one) in CODINGS.items():

    @variant(
        f"pair: classes {_name} against 0 and 1",
        "refused",
        "recode=.*--recode|label_map.*--label-map",
    )
    def coding(folder: Path, zero: str = _zero, one: str = _one) -> Made:
        return compare(coded(folder, zero, one))


@variant("pair: classes Yes against yes", "refused or same", "label_map|Yes")
def coding_case(folder: Path) -> Made:
    return compare(coded(folder, "No", "Yes"), target=coded(folder, "no", "yes", seed=0))


@variant("pair: classes composed against decomposed", "same", never="class")
def coding_unicode(folder: Path) -> Made:
    words = [unicodedata.normalize(form, "überlebt") for form in ("NFC", "NFD")]
    ours, theirs = (coded(folder, word, "tot", seed) for seed, word in enumerate(words))
    found = compare(theirs, target=ours)
    return found, compare(coded(folder, words[0], "tot"), target=ours)


@variant("pair: classes mapped as asked", "same")
def mapped(folder: Path) -> Made:
    return compare(coded(folder, "-1", "1"), label_map={"-1": "0", "1": "1"})


def fahrenheit() -> pd.DataFrame:
    frame = table(1)
    return frame.assign(temp=np.round(frame["temp"] * 1.8 + 32, 1))


@variant("pair: Fahrenheit", "noted", "(?=.*temp)(?=.*units)", never="code")
def units(folder: Path) -> Made:
    return compare(fahrenheit())


@variant("pair: Fahrenheit, converted", "same")
def converted(folder: Path) -> Made:
    frame = table(1)
    exact = frame.assign(temp=frame["temp"] * 1.8 + 32)
    given = read(exact, convert={"temp": (1 / 1.8, -32 / 1.8)})
    plain = read(frame)
    close = np.allclose(given.features.numeric, plain.features.numeric, equal_nan=True)
    return (plain if close else given), plain


@variant("pair: grams against kilograms", "noted", "(?=.*weight)(?=.*units)", never="code")
def grams(folder: Path) -> Made:
    kilos = [np.round(np.random.default_rng(s).normal(75, 12, 120), 1) for s in range(2)]
    ours = table().assign(weight=kilos[0])
    return compare(table(1).assign(weight=1000 * kilos[1]), target=ours)


@variant("pair: TEMP against temp", "noted", "(?=.*TEMP)(?=.*temp)(?=.*rename)")
def renamed_case(folder: Path) -> Made:
    rows = texts(table(1)).rename(columns={"temp": "TEMP"})
    return compare(write(folder, rows=rows))


@variant("pair: TEMP renamed as asked", "same")
def renamed(folder: Path) -> Made:
    rows = texts(table(1)).rename(columns={"temp": "TEMP"})
    return compare(write(folder, rows=rows), rename={"TEMP": "temp"})


@variant("pair: a column's name decomposed", "same")
def name_unicode(folder: Path) -> Made:
    new = unicodedata.normalize("NFD", "größe")
    return compare(write(folder, rows=texts(table(1)).rename(columns={"größe": new})))


@variant("pair: levels recoded as asked", "same")
def recoded(folder: Path) -> Made:
    rows = texts(table(1))
    rows["ward"] = rows["ward"].replace("Nord", "N")
    return compare(write(folder, rows=rows), recode={"ward": {"N": "Nord"}})


@variant("pair: levels N against Nord", "noted", named("ward"))
def other_levels(folder: Path) -> Made:
    rows = texts(table(1))
    rows["ward"] = [v[0] for v in rows["ward"]]
    return compare(write(folder, rows=rows))


@variant("pair: numbers here, words there", "refused", named("temp", "kind", "text", "words"))
def other_kind(folder: Path) -> Made:
    rows = texts(table(1))
    rows["temp"] = ["high" if float(v) > 37.4 else "low" for v in rows["temp"]]
    return compare(write(folder, rows=rows))


@variant("pair: a site code", "same", named("site", *OUT))
def site_code(folder: Path) -> Made:
    ours = table().assign(site=[f"A{i % 3}" for i in range(120)])
    return compare(table(1).assign(site=[f"B{i % 3}" for i in range(120)]), target=ours)


@variant("pair: a numeric column shifted", "same", never="code", why="a shift is a finding")
def shifted(folder: Path) -> Made:
    frame = table(1)
    frame["temp"] = np.round(frame["temp"] + 1.3, 1)
    return compare(write(folder, rows=texts(frame))), compare(frame)


@variant(
    "pair: half of the target twice in the source",
    "noted",
    r"\b60 row.*(left out|source)",
    never="kept",
)
def rows_twice(folder: Path) -> Made:
    half = table()[:60]
    return compare(pd.concat([table(1), half, half], ignore_index=True))


@variant(
    "pair: all of the target twice in the source",
    "refused or noted",
    r"\b120 row",
    never="kept",
    why="what is left of the target to test on is nothing",
)
def all_rows_twice(folder: Path) -> Made:
    return compare(pd.concat([table(1), table(), table()], ignore_index=True))


@variant("pair: one patient in two files", "noted or same", "P0007")
def shared_patient(folder: Path) -> Made:
    frame = table(1)
    frame.loc[[10, 11], GROUP] = "P0007"
    return compare(frame)


@variant("pair: columns on one side only", "noted or same", named("lactate", "absent", "only"))
def one_side(folder: Path) -> Made:
    return compare(table(1).assign(lactate=np.sin(np.arange(120.0))))


@variant("pair: a table with itself", "noted", "same|row")
def itself(folder: Path) -> Made:
    return compare(table())


for _name, _factor in {"1e200": 1e200, "1e-160": 1e-160}.items():

    @variant(
        f"pair: numbers near {_name}",
        "same or refused",
        holds=lambda result: math.isfinite(result.score),
        why="numbers this large or small are rare and legal; the score is a number, or it is refused",
    )
    def scale(folder: Path, factor: float = _factor) -> Made:
        frames = [f.assign(cost=f["cost"] * factor) for f in (table(), table(1))]
        result = compare(frames[1], target=frames[0])
        return result, result


@variant(
    "domains: two classes in one, numbers in another",
    "same",
    "left out",
    holds=lambda data: data.task == "regression",
)
def one_task(folder: Path) -> Made:
    frame = table().assign(site="large", mark=np.sin(np.arange(120.0)).round(2))
    frame.loc[118:, "site"] = "tiny"
    frame.loc[60:117, "site"] = "other"
    options = {"label": "mark", "group": GROUP}
    found = datakin.read_tables(frame, domain="site", **options)
    large = frame[frame["site"] == "large"].drop(columns="site")
    return found["large"], read(large, **options)
