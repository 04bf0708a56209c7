"""Final grades of pupils: subject x school x sex, every pupil in one subject only."""

from pathlib import Path

import numpy as np
import pandas as pd

from datakin import Dataset, read_tables
from reproduction.harness import derive_seed

ABOUT = "final grade without earlier grades: mathematics or Portuguese x school x sex"
# The pupils themselves; other columns differ between the subjects.
PUPIL = [
    "school",
    "sex",
    "age",
    "address",
    "famsize",
    "Pstatus",
    "Medu",
    "Fedu",
    "Mjob",
    "Fjob",
    "reason",
    "nursery",
    "internet",
]
EARLIER = ("G1", "G2")


def load(data: Path) -> dict[str, Dataset]:
    tables = []
    for subject in ("mat", "por"):
        table = pd.read_csv(data / "student" / f"student-{subject}.csv")
        tables.append(table.assign(subject=subject))
    both = pd.concat(tables, ignore_index=True)
    both["pupil"] = both.groupby(PUPIL, sort=False).ngroup()
    # Pupils in both subjects stay in one: more often in mathematics, which has fewer.
    rng = np.random.default_rng(derive_seed(0, "student"))
    in_mathematics = rng.random(both["pupil"].max() + 1) < 0.65
    places = both.groupby("pupil")["subject"].transform("nunique")
    chosen = np.where(in_mathematics[both["pupil"]], "mat", "por")
    kept = both[(places == 1) | (both["subject"] == chosen)]
    domain = kept["subject"] + " " + kept["school"] + " " + kept["sex"]
    small = (kept["subject"] == "mat") & (kept["school"] == "MS")  # too few to tell by sex
    kept = kept.assign(domain=domain.where(~small, "mat MS"))
    kept = kept.drop(columns=[*EARLIER, "subject", "school", "sex"])
    return read_tables(kept, domain="domain", label="G3", group="pupil", task="regression")
