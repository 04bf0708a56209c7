"""What a comparison keeps of each dataset, for reports."""

from __future__ import annotations

from datakin.data import Dataset
from datakin.results.facts import DataFacts

__all__ = ["facts_of"]

LISTED = 50  # names of columns that are kept


def facts_of(dataset: Dataset, columns: tuple[str, ...]) -> DataFacts:
    """Return the facts of a dataset of which some columns were used."""
    used = set(columns)
    left_out = [name for name in dataset.columns if name not in used]
    shares = (
        dict(zip(dataset.classes, dataset.class_shares.tolist(), strict=True))
        if dataset.classes
        else {}
    )
    return DataFacts(
        dataset.n_rows,
        len(columns),
        shares,
        dataset.missing_share,
        tuple(left_out[:LISTED]),
        len(left_out),
    )
