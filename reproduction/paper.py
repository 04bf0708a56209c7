"""The paper's numeric tables, as figures to stand beside ours."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pandas as pd

__all__ = ["paper_values"]


@cache
def _tables() -> pd.DataFrame:
    path = files("datakin.experiments") / "paper_tables.csv"
    with path.open("r", encoding="utf-8") as file:
        return pd.read_csv(file)


def paper_values(table: str, setting: str) -> pd.DataFrame:
    """Return level, column and value of one of the paper's tables for a setting.

    Parameters
    ----------
    table : {"estimates", "metrics", "diff", "spearman"}
    setting : str

    Examples
    --------
    >>> values = paper_values("diff", "lda").set_index("column")["value"]
    >>> float(values["ensemble"])
    0.0162
    """
    whole = _tables()
    part = whole[(whole["table"] == table) & (whole["setting"] == setting)]
    return part[["level", "column", "value"]].reset_index(drop=True)
