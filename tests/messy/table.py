"""The one known table: 120 stays of 60 patients, made from a seed, as values and as texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd

LABEL, GROUP = "died", "patient"
NUMBERS = ["age", "temp", "cost", "größe"]
FORMS: dict[str, Callable[[float], str]] = {
    "age": "{:.0f}".format,
    "temp": "{:.1f}".format,
    "cost": "{:.2f}".format,
    "größe": "{:.1f}".format,
}


@cache
def _drawn(seed: int, n: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 95, n).astype(float)
    temp = np.round(rng.normal(37.4, 0.9, n), 1)
    risk = 0.06 * (age - 55) + 1.2 * (temp - 37.4) + rng.normal(0, 1, n)
    age[rng.choice(n, 9, replace=False)] = np.nan
    days = rng.integers(0, 900, n)
    return pd.DataFrame(
        {
            GROUP: [f"P{100 * seed + i // 2:04d}" for i in range(n)],
            "age": age,
            "temp": temp,
            "cost": np.round(1000 + rng.lognormal(9, 0.8, n), 2),
            "größe": np.round(rng.normal(171, 9, n), 1),
            "ward": pd.Series(rng.choice(["Nord", "Süd", "Ost"], n), dtype=object),
            "smoker": pd.Series(rng.choice(["yes", "no"], n, p=[0.3, 0.7]), dtype=object),
            "admitted": pd.Timestamp("2021-01-04") + pd.to_timedelta(days, unit="D"),
            LABEL: (risk > 0).astype(int),
        }
    )


def table(seed: int = 0, n: int = 120) -> pd.DataFrame:
    """Return the table with values of their types; another seed gives other patients."""
    return _drawn(seed, n).copy()


def texts(frame: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the table as a clean text file has it; a missing value is the empty text."""
    frame = table() if frame is None else frame
    written = {}
    for name, values in frame.items():
        form = FORMS.get(str(name), str)
        if pd.api.types.is_datetime64_any_dtype(values):
            form = "{:%Y-%m-%d}".format
        written[name] = ["" if pd.isna(v) else form(v) for v in values]
    return pd.DataFrame(written, dtype=object)


def changed(column: str, change: Callable[[str], str], seed: int = 0) -> pd.DataFrame:
    """Return the texts with one column written otherwise; missing values stay empty."""
    written = texts(table(seed))
    written[column] = [change(v) if v else v for v in written[column]]
    return written
