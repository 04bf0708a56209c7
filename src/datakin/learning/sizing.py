"""Boosted trees sized for the data.

The paper's trees, 100 rounds of depth 6, learn a few hundred rows by heart and cost more than all other
models together. benchmarks/results/models.md compares both: their time, and what each brings to scores
and decisions.
"""

from __future__ import annotations

from typing import Any

__all__ = ["tree_options"]

WIDE = 20  # columns; with more, rules of three columns are found too, on coarser bins


def tree_options(n_rows: int, n_columns: int) -> dict[str, Any]:
    """Return options of XGBoost that suit a dataset of some size.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the whole dataset: all fits of a plan have the same options.
    """
    is_wide = n_columns > WIDE
    rounds = round(40 * (n_rows / 200) ** 0.5)
    return {
        "n_estimators": min(max(rounds, 30), 150),
        "max_depth": 3 if is_wide else 2,
        "learning_rate": 0.3,
        "max_bin": 64 if is_wide else 128,
    }
