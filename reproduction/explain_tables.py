"""Real tables for explanations, read as they come: heart disease, wine, GUSTO-I, eICU, pupils."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

from reproduction.harness import data_folder
from reproduction.hospital_tables import DESCRIPTORS, FEATURES, eicu_folder, read_eicu

HEART = (
    "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak", "slope",
    "ca", "thal", "num",
)  # fmt: skip
EARLIER = ["G1", "G2"]  # grades of the same year


@cache
def heart(data: Path | None, hospital: str) -> pd.DataFrame:
    """Return one hospital as its file is; the label ``num`` is "disease" or "healthy"."""
    path = data_folder(data, "uci_heart", "heart tables") / f"processed.{hospital}.data"
    table = pd.read_csv(path, header=None, names=list(HEART))
    return table.assign(num=(table["num"] > 0).map({True: "disease", False: "healthy"}))


@cache
def wine(data: Path | None, colour: str) -> pd.DataFrame:
    """Return red or white wines; ``good`` is "yes" from a quality of 6, and copies are left out."""
    path = data_folder(data, "wine_quality", "wine tables") / f"winequality-{colour}.csv"
    table = pd.read_csv(path).drop_duplicates().reset_index(drop=True)
    return table.assign(good=(table.pop("quality") >= 6).map({True: "yes", False: "no"}))


@cache
def _gusto(data: Path | None) -> pd.DataFrame:
    table = pd.read_csv(data_folder(data, "gusto", "GUSTO-I patients") / "gusto.csv.gz")
    table = table.drop(columns=["grpl", "grps", "tpa", "ant"])
    return table.assign(day30=table["day30"].map({0: "alive", 1: "died"}))


def gusto(data: Path | None, region: int | None = None) -> pd.DataFrame:
    """Return the patients of one region, or all with ``regl``; rows are sorted by age."""
    table = _gusto(data)
    return table if region is None else table[table["regl"] == region].drop(columns="regl")


def eicu(data: Path | None, region: str) -> pd.DataFrame:
    """Return the stays of one region; patients who were in two regions are left out."""
    table = read_eicu(eicu_folder(data))
    places = table.groupby("uniquepid")["region"].transform(lambda r: r.nunique(dropna=False))
    kept = table[(places == 1) & (table["region"] == region)]
    columns = [c for c in FEATURES if c not in DESCRIPTORS]
    return kept[[*columns, "uniquepid"]].assign(died=kept["died"].map({0: "no", 1: "yes"}))


@cache
def _pupils(data: Path | None, subject: str) -> pd.DataFrame:
    path = data_folder(data, "student", "tables of pupils") / f"student-{subject}.csv"
    return pd.read_csv(path).drop(columns=EARLIER)


def pupils(data: Path | None, subject: str, school: str) -> pd.DataFrame:
    """Return the pupils of one school in one subject, without earlier grades."""
    table = _pupils(data, subject)
    return table[table["school"] == school].drop(columns="school")
