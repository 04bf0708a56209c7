"""Death in hospital after intensive care, the eICU demo: too few stays a hospital, so regions."""

from pathlib import Path

from datakin import Dataset, read_tables
from reproduction.hospital_tables import DESCRIPTORS, FEATURES, read_eicu

ABOUT = "death in hospital (eICU demo), five regions, survivors drawn as many as deaths"
BALANCE = True  # 9% die


def load(data: Path) -> dict[str, Dataset]:
    table = read_eicu(data / "eicu_demo")
    table = table.assign(domain=table["region"].fillna("region unknown"))
    # A hospital lies in one region, but a patient may have been in two hospitals.
    places = table.groupby("uniquepid")["domain"].transform("nunique")
    columns = [c for c in FEATURES if c not in DESCRIPTORS]
    kept = table.loc[places == 1, [*columns, "died", "domain", "uniquepid"]]
    return read_tables(kept, domain="domain", label="died", group="uniquepid", task="binary")
