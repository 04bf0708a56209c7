"""Good wine or not: red, white, and parts mixed of both in known shares."""

from pathlib import Path

import pandas as pd

from benchmarks.decisions.collection import deal
from datakin import Dataset, read_tables

ABOUT = "quality of 6 and more: red and white wine, mixtures in known shares, dry and sweet whites"
N_MIXED = 240
MIXTURES = (0.75, 0.5, 0.25)  # share of red


def load(data: Path) -> dict[str, Dataset]:
    red, white = (_read(data, colour) for colour in ("red", "white"))
    n_mixed = round(N_MIXED * sum(MIXTURES))
    rest, second, mixed = (red.iloc[rows] for rows in _cut(len(red), (0, 300, n_mixed), "red"))
    found = {"red": rest, "red, second part": second}
    start = [0, 0]
    sweet = white["residual sugar"] > white["residual sugar"].median()
    blend, *whites = (white.iloc[rows] for rows in deal(range(len(white)), 4, "white"))
    for share in MIXTURES:
        n = round(N_MIXED * share), N_MIXED - round(N_MIXED * share)
        parts = [
            part.iloc[begin : begin + count]
            for part, begin, count in zip((mixed, blend), start, n, strict=True)
        ]
        found[f"{share:.0%} red"] = pd.concat(parts)
        start = [begin + count for begin, count in zip(start, n, strict=True)]
    found["white"] = whites[0]
    others = pd.concat(whites[1:])
    is_sweet = sweet[others.index]
    found |= {"white, sweet": others[is_sweet], "white, dry": others[~is_sweet]}
    return read_tables(found, label="good", ignore=["quality"], task="binary")


def _read(data: Path, colour: str) -> pd.DataFrame:
    table = pd.read_csv(data / "wine_quality" / f"winequality-{colour}.csv")
    features = [c for c in table.columns if c != "quality"]
    table = table.drop_duplicates(features).reset_index(drop=True)
    return table.assign(good=(table["quality"] >= 6).astype(int))


def _cut(n: int, sizes: tuple[int, ...], name: str) -> list:
    """Return random parts of given sizes; size 0 stands for what is left."""
    order = deal(range(n), n, "cut", name)
    rows = [int(part[0]) for part in order]
    parts, begin = [], n - sum(sizes)
    for size in sizes:
        parts.append(sorted(rows[: n - sum(sizes)] if not size else rows[begin : begin + size]))
        begin += size
    return parts
