"""The hospital study on GUSTO-I: 30-day death after a heart attack, by region and finer groups."""

from __future__ import annotations

import os
import warnings
from functools import cache
from pathlib import Path

import pandas as pd

from datakin._core.exceptions import DatakinError, DatakinWarning
from datakin.data import Dataset, read_tables
from datakin.experiments.hospitals import absent_domains, hospital_rows, hospital_summary
from datakin.experiments.study import Row, Study, Summary

__all__ = ["GUSTO", "gusto_domains"]

GROUPINGS = {"16 regions": "regl", "48 groups": "grpl", "121 groups": "grps"}
# tpa is unknown for one arm, and tx says the same; ant is one of the values of miloc.
LEFT_OUT = ("tpa", "ant")


def gusto_path() -> Path:
    """Return where the table lies: in the folder of DATAKIN_DATA, or in ``gusto`` there."""
    base = Path(os.environ.get("DATAKIN_DATA", "data"))
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


def _replicate(cell: Row, seed: int) -> list[Row]:
    return hospital_rows(gusto_domains(gusto_path(), str(cell["domains"])), "1", seed)


def _summarise(rows: pd.DataFrame) -> Summary:
    intro = (
        "Death within 30 days of a heart attack: 40,830 patients, 2,851 deaths, no missing values. "
        "Survivors are drawn as many as deaths, domain by domain. The target has the highest "
        "mortality, the ten sources the most survivors."
    )
    table = pd.read_csv(gusto_path())
    absent = {
        grouping: absent_domains(pd.crosstab(table[column], table["day30"]))
        for grouping, column in GROUPINGS.items()
    }
    return hospital_summary(rows, intro, absent)


GUSTO = Study(
    "gusto",
    "The paper's hospital study on GUSTO-I: zones of the sources beside average RER of the methods.",
    [{"domains": grouping} for grouping in GROUPINGS],
    _replicate,
    _summarise,
    50,
)
