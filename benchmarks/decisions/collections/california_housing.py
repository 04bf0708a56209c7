"""House values of 1990: place x band of income."""

from pathlib import Path

import numpy as np
import pandas as pd

from datakin import Dataset, read_tables

ABOUT = "median house value (California 1990): four places x three bands of income"
BANDS = ("low", "middle", "high")


def load(data: Path) -> dict[str, Dataset]:
    table = pd.read_csv(data / "california_housing" / "housing.csv.gz").drop_duplicates()
    table = table[table["ocean_proximity"] != "ISLAND"]  # five rows
    band = pd.qcut(table["median_income"], 3, labels=list(BANDS)).astype(str)
    rooms = table["total_rooms"] / table["households"]
    table = table.assign(
        value=table.pop("median_house_value") / 1e5,
        domain=table.pop("ocean_proximity") + ", " + band,
        rooms=np.log(rooms),
        bedrooms=table.pop("total_bedrooms") / table.pop("total_rooms"),
        persons=np.log(table["population"] / table["households"]),
        population=np.log(table["population"]),
        households=np.log(table["households"]),
    )
    return read_tables(table, domain="domain", label="value", task="regression")
