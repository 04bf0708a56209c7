"""The hospital study on two collections of patients: eICU tables and the GUSTO-I trial.

eICU: death in hospital after intensive care; the full database for those who have access, or its demo.
GUSTO-I: death within 30 days of a heart attack, by region and finer groups.
"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from datakin import DatakinError, DatakinWarning, Dataset, read_tables
from reproduction.harness import Row, default_data, listed
from reproduction.hospitals import absent_domains, hospital_rows, hospital_summary
from reproduction.study import Study, Summary

TABLES = ("patient", "hospital", "apacheapsvar", "apachepredvar")
PATIENT = [
    "patientunitstayid", "uniquepid", "hospitalid", "gender", "age", "ethnicity",
    "admissionheight", "admissionweight", "unittype", "unitadmitsource",
    "hospitaldischargestatus",
]  # fmt: skip
PHYSIOLOGY = [
    "intubated", "vent", "dialysis", "eyes", "motor", "verbal", "meds", "urine", "wbc",
    "temperature", "respiratoryrate", "sodium", "heartrate", "meanbp", "ph", "hematocrit",
    "creatinine", "albumin", "pao2", "pco2", "bun", "glucose", "bilirubin", "fio2",
]  # fmt: skip
CONDITIONS = [
    "aids", "hepaticfailure", "lymphoma", "metastaticcancer", "leukemia", "immunosuppression",
    "cirrhosis", "electivesurgery", "diabetes", "ima", "midur", "oobventday1", "oobintubday1",
    "thrombolytics", "readmit",
]  # fmt: skip
DESCRIPTORS = ("numbedscategory", "teachingstatus", "region")
FEATURES = (*PATIENT[3:10], *DESCRIPTORS, *PHYSIOLOGY, *CONDITIONS)
KNOWN = 2 / 3  # a column must be known for so many stays; then stays with gaps go


def eicu_folder(data: Path | None) -> Path:
    """Return where the tables lie: the folder of the data, or ``eicu`` or ``eicu_demo`` in it."""
    base = data or default_data()
    for folder in (base, base / "eicu", base / "eicu_demo"):
        if _find(folder, "patient") is not None:
            return folder
    raise DatakinError(
        f"The eICU tables were expected in {base}, or in eicu/ or eicu_demo/ there: {listed(TABLES)}, each "
        f"as csv or csv.gz. Say in --data (or DATAKIN_DATA) where they lie; the demo is on PhysioNet."
    )


def _find(folder: Path, table: str) -> Path | None:
    """Return the file of a table; the full database writes names in camel case."""
    if not folder.is_dir():
        return None
    names = {path.name.lower(): path for path in sorted(folder.iterdir())}
    return names.get(f"{table}.csv") or names.get(f"{table}.csv.gz")


def _read(folder: Path, table: str, columns: list[str]) -> pd.DataFrame:
    path = _find(folder, table)
    if path is None:
        raise DatakinError(
            f"{folder} must hold the eICU table {table} (csv or csv.gz). It does not."
        )
    frame = pd.read_csv(path, low_memory=False)
    frame.columns = frame.columns.str.lower()
    lacking = [c for c in columns if c not in frame.columns]
    if lacking:
        raise DatakinError(f"The eICU table {path} must have {listed(lacking)}. It does not.")
    return frame[columns]


@cache
def read_eicu(folder: Path) -> pd.DataFrame:
    """Return one row per intensive-care stay with known outcome; ``died`` is the label."""
    key = "patientunitstayid"
    stays = _read(folder, "patient", PATIENT)
    stays = stays.merge(_read(folder, "hospital", ["hospitalid", *DESCRIPTORS]), on="hospitalid")
    for table, columns in (("apacheapsvar", PHYSIOLOGY), ("apachepredvar", CONDITIONS)):
        found = _read(folder, table, [key, *columns])
        stays = stays.merge(found.replace(-1, np.nan), on=key)  # -1 stands for missing
    # Ages above 89 are not told; stays without surgery leave the mark of elective surgery out.
    age = stays["age"].astype("string").str.replace("> 89", "90", regex=False)
    stays["age"] = pd.to_numeric(age, errors="coerce")
    stays["electivesurgery"] = stays["electivesurgery"].fillna(0)
    stays["teachingstatus"] = stays["teachingstatus"].astype("string").str.lower().str[0]
    stays = stays[stays["hospitaldischargestatus"].isin(["Alive", "Expired"])]
    died = (stays.pop("hospitaldischargestatus") == "Expired").astype(int)
    return stays.assign(died=died).reset_index(drop=True)


def _complete(stays: pd.DataFrame, gaps: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the stays to use, and the columns left out because few stays have them.

    Dropping every stay with a gap in any column would leave one in eight: blood gases are taken of
    the sickest alone.
    """
    columns = [c for c in FEATURES if c not in DESCRIPTORS]
    few = [c for c in columns if stays[c].notna().mean() < KNOWN]
    if gaps == "kept":
        return stays, few
    return stays.dropna(subset=[c for c in columns if c not in few]), few


@cache
def eicu_domains(folder: Path, grouping: str, gaps: str = "removed") -> dict[str, Dataset]:
    """Return stays by hospital, by region, or by number of beds with teaching hospitals apart.

    Domains without two classes or with fewer than 20 stays are left out. With gaps="kept" stays
    with missing values stay, and medians of training rows fill them.
    """
    stays, few = _placed(folder, grouping, gaps)
    # Descriptors of the hospital do not vary within one; across groups they name the domain.
    kept = [c for c in FEATURES if c not in (*few, *DESCRIPTORS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return read_tables(
            stays[[*kept, "place", "died", "uniquepid"]],
            label="died",
            domain="place",
            group="uniquepid",
            task="binary",
        )


def _placed(folder: Path, grouping: str, gaps: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the stays with their place, and the columns left out."""
    stays, few = _complete(read_eicu(folder), gaps)
    beds = stays["numbedscategory"].fillna("unknown") + " beds"
    place = {
        "hospital": "hospital " + stays["hospitalid"].astype(str),
        "region": stays["region"].fillna("region unknown"),
        "beds and teaching": beds.where(stays["teachingstatus"] != "t", "teaching"),
    }[grouping]
    # A patient counts where he was first; elsewhere the same person would be learned from.
    first = place.groupby(stays["uniquepid"]).transform("first")
    return stays.assign(place=place)[place == first], few


def _eicu_replicate(cell: Row, seed: int, data: Path | None = None) -> list[Row]:
    try:
        domains = eicu_domains(eicu_folder(data), str(cell["place"]), str(cell["gaps"]))
    except DatakinError:
        if cell["place"] != "hospital":
            raise
        return []  # the demo has no hospital with two classes and enough stays
    return hospital_rows(domains, "1", seed)


def _eicu_summary(rows: pd.DataFrame, data: Path | None = None) -> Summary:
    folder = eicu_folder(data)
    stays = read_eicu(folder)
    complete, few = _complete(stays, "removed")
    intro = (
        f"Death in hospital after intensive care. {len(stays)} stays in {stays['hospitalid'].nunique()} "
        f"hospitals have an outcome; {listed(few, 20)} are known for less than two thirds of them and were "
        f"left out, then, as in the paper, stays with gaps, which leaves {len(complete)} "
        f"({int(complete['died'].sum())} deaths); beside it the same with these stays kept. Survivors are "
        f"drawn as many as deaths, domain by domain. The target has the highest mortality, the sources "
        f"(ten at most) the most survivors. Beds, teaching and region of the hospital are no features here, "
        f"for they name the domain; a patient who was in two domains counts where the table has him first. "
        f"The paper, on the full database: six of ten hospitals PT, four AZ, none NT; concatenation from "
        f"-0.9% to +7.3%."
    )
    if rows.empty or "hospital" not in set(rows["place"]):
        intro += (
            "\n\nNo hospital here has enough deaths to be a domain, as those of the paper are: groups of "
            "hospitals (by region; by number of beds, teaching hospitals apart) take their place. They are "
            "mixtures, so less unlike each other than hospitals."
        )
    absent = {}
    for cell in EICU.cells:
        placed, _ = _placed(folder, str(cell["place"]), str(cell["gaps"]))
        absent[str(cell["domains"])] = absent_domains(pd.crosstab(placed["place"], placed["died"]))
    return hospital_summary(rows, intro, absent)


EICU = Study(
    "eicu",
    "The paper's study on eICU tables: zones of the sources beside average RER of the methods.",
    [
        {"domains": f"{place}, stays with gaps {gaps}", "place": place, "gaps": gaps}
        for place, gaps in (
            ("hospital", "removed"),
            ("region", "removed"),
            ("beds and teaching", "removed"),
            ("region", "kept"),
            ("beds and teaching", "kept"),
        )
    ],
    _eicu_replicate,
    _eicu_summary,
    50,
)


GROUPINGS = {"16 regions": "regl", "48 groups": "grpl", "121 groups": "grps"}
# tpa is unknown for one arm, and tx says the same; ant is one of the values of miloc.
LEFT_OUT = ("tpa", "ant")


def gusto_path(data: Path | None) -> Path:
    """Return where the table lies: in the folder of the data, or in ``gusto`` there."""
    base = data or default_data()
    for folder in (base, base / "gusto"):
        if (folder / "gusto.csv.gz").is_file():
            return folder / "gusto.csv.gz"
    raise DatakinError(
        f"gusto.csv.gz was expected in {base}, or in gusto/ there. Say in --data (or DATAKIN_DATA) where "
        f"it lies; the table is in the R package predtools."
    )


@cache
def gusto_domains(path: Path, grouping: str) -> dict[str, Dataset]:
    """Return one dataset for each region, or for each of 48 or 121 groups."""
    table = pd.read_csv(path)
    column = GROUPINGS[grouping]
    dropped = [c for c in GROUPINGS.values() if c != column] + list(LEFT_OUT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DatakinWarning)
        return read_tables(table.drop(columns=dropped), label="day30", domain=column, task="binary")


def _gusto_replicate(cell: Row, seed: int, data: Path | None = None) -> list[Row]:
    return hospital_rows(gusto_domains(gusto_path(data), str(cell["domains"])), "1", seed)


def _gusto_summary(rows: pd.DataFrame, data: Path | None = None) -> Summary:
    intro = (
        "Death within 30 days of a heart attack: 40,830 patients, 2,851 deaths, no missing values. "
        "Survivors are drawn as many as deaths, domain by domain. The target has the highest "
        "mortality, the ten sources the most survivors."
    )
    table = pd.read_csv(gusto_path(data))
    absent = {
        grouping: absent_domains(pd.crosstab(table[column], table["day30"]))
        for grouping, column in GROUPINGS.items()
    }
    return hospital_summary(rows, intro, absent)


GUSTO = Study(
    "gusto",
    "The paper's hospital study on GUSTO-I: zones of the sources beside average RER of the methods.",
    [{"domains": grouping} for grouping in GROUPINGS],
    _gusto_replicate,
    _gusto_summary,
    50,
)
