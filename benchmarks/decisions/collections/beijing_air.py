"""Fine dust from weather and other pollutants: station x season, no day in two stations. Held out."""

from pathlib import Path

import numpy as np
import pandas as pd

from datakin import Dataset, read_tables

ABOUT = (
    "PM2.5 from weather and gases (Beijing): four stations x four seasons, days dealt to stations"
)
STATIONS = ("Changping", "Dongsi", "Gucheng", "Huairou")
SEASONS = {12: "winter", 1: "winter", 2: "winter", 3: "spring", 4: "spring", 5: "spring"}
SEASONS |= {6: "summer", 7: "summer", 8: "summer", 9: "autumn", 10: "autumn", 11: "autumn"}
HOURS = (3, 9, 15, 21)  # neighbouring hours are nearly the same


def load(data: Path) -> dict[str, Dataset]:
    tables = []
    for place, station in enumerate(STATIONS):
        path = data / "beijing_air" / f"PRSA_Data_{station}_20130301-20170228.csv.gz"
        table = pd.read_csv(path)
        day = pd.to_datetime(table[["year", "month", "day"]])
        number = (day - day.min()).dt.days
        # Weeks rather than days: on the next day much of the same air is still there.
        mine = (number // 7 % len(STATIONS) == place) & table["hour"].isin(HOURS)
        tables.append(table.assign(week=number // 7, domain=station)[mine])
    both = pd.concat(tables, ignore_index=True).dropna(subset=["PM2.5"])
    both["domain"] += ", " + both["month"].map(SEASONS)
    # Of a week that two seasons share, the days of one are kept.
    first = both.groupby("week")["domain"].transform("first")
    both = both[both["domain"] == first]
    both["PM2.5"] = np.log(both["PM2.5"])
    ignored = ["No", "year", "month", "day", "station", "PM10"]
    return read_tables(
        both, domain="domain", label="PM2.5", group="week", ignore=ignored, task="regression"
    )
