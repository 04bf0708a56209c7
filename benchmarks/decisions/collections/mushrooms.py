"""Edible or poisonous, by habitat; without odour and spore print, which all but give it away."""

from pathlib import Path

import pandas as pd

from datakin import Dataset, read_tables

ABOUT = "edible or poisonous (UCI mushrooms), five habitats, without odour and spore print"
HABITAT, ODOUR, SPORES = 22, 5, 20
TARGETS = ("grasses", "leaves", "woods")  # the others are learned without an error
NAMES = {"d": "woods", "g": "grasses", "l": "leaves", "p": "paths", "u": "urban"}


def load(data: Path) -> dict[str, Dataset]:
    table = pd.read_csv(
        data / "mushrooms" / "agaricus-lepiota.data", header=None, dtype=str, keep_default_na=False
    )
    table = table[table[0].isin(["e", "p"])]  # some copies have a header
    table[HABITAT] = table[HABITAT].map(NAMES)  # waste: all edible; meadows: few kinds
    table = table.dropna(subset=[HABITAT]).drop(columns=[ODOUR, SPORES])
    # The same mushroom in two habitats stays in one of them, at random.
    columns = [c for c in table.columns if c != HABITAT]
    table = table.sample(frac=1, random_state=0).drop_duplicates(columns)
    table.columns = [f"c{name}" for name in table.columns]
    return read_tables(table, domain=f"c{HABITAT}", label="c0", task="binary")
