"""Death within 30 days of a heart attack, 16 regions of the GUSTO-I trial."""

from pathlib import Path

import pandas as pd

from datakin import Dataset, read_tables

ABOUT = "30-day death after a heart attack (GUSTO-I), 16 regions, survivors drawn as many as deaths"
BALANCE = True  # 7% die


def load(data: Path) -> dict[str, Dataset]:
    table = pd.read_csv(data / "gusto" / "gusto.csv.gz")
    table["regl"] = "region " + table["regl"].astype(str).str.zfill(2)
    table = table.drop(columns=["grpl", "grps", "tpa", "ant"])
    return read_tables(table, domain="regl", label="day30", task="binary")
