"""Heart disease yes or no, four hospitals; the larger three in random halves, which are true kin."""

from pathlib import Path

import pandas as pd

from benchmarks.decisions.collection import deal
from datakin import Dataset, read_tables

ABOUT = "heart disease (UCI), four hospitals, three of them in random halves"
COLUMNS = [
    "age",
    "sex",
    "cp",
    "trestbps",
    "chol",
    "fbs",
    "restecg",
    "thalach",
    "exang",
    "oldpeak",
    "slope",
    "ca",
    "thal",
    "num",
]
CATEGORIES = ("cp", "restecg", "slope", "thal")
TARGETS = tuple(f"{h} {part}" for h in ("cleveland", "hungarian", "va") for part in "ab")


def load(data: Path) -> dict[str, Dataset]:
    tables = {}
    for hospital in ("cleveland", "hungarian", "switzerland", "va"):
        path = data / "uci_heart" / f"processed.{hospital}.data"
        # Without cholesterol, which Switzerland has never measured.
        table = pd.read_csv(path, header=None, names=COLUMNS).drop(columns="chol")
        for name in CATEGORIES:
            codes = table[name].astype("Int64").astype("string")
            table[name] = codes.astype(object).where(codes.notna(), None)
        table["num"] = (table["num"] > 0).astype(int)
        table = table.drop_duplicates()
        if hospital == "switzerland":  # eight healthy patients: not to be halved
            tables[hospital] = table
            continue
        halves = deal(range(len(table)), 2, "heart", hospital)
        for part, rows in zip("ab", halves, strict=True):
            tables[f"{hospital} {part}"] = table.iloc[rows]
    return read_tables(tables, label="num", task="binary")
