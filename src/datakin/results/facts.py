"""Facts about a dataset at the time it was compared."""

from __future__ import annotations

from dataclasses import dataclass

from datakin.results.record import register

__all__ = ["DataFacts"]


@register
@dataclass(frozen=True)
class DataFacts:
    """Plain facts about one dataset of a comparison, for reports.

    Attributes
    ----------
    n_rows : int
        Labelled rows.
    n_columns : int
        Feature columns that were used: those that both datasets have.
    classes : dict of str to float
        Share of the rows in each class; empty for regression.
    missing : float
        Share of the dataset's feature values that are missing.
    left_out : tuple of str
        Columns that the other dataset does not have; at most fifty.
    n_left_out : int
        Number of all such columns.
    """

    n_rows: int
    n_columns: int
    classes: dict[str, float]
    missing: float
    left_out: tuple[str, ...]
    n_left_out: int
