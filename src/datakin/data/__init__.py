"""Tables, arrays and files in; validated datasets and their common ground out.

This room learns nothing from data: encoders, models and folds live in `datakin.learning`.
"""

from datakin.data.alignment import Pairing, pair
from datakin.data.dataset import Dataset
from datakin.data.inputs import (
    check_names,
    coerce,
    collect,
    for_comparison,
    for_matrix,
    for_ranking,
)
from datakin.data.intake import as_dataset, read_table, read_tables

__all__ = [
    "Dataset",
    "Pairing",
    "as_dataset",
    "check_names",
    "coerce",
    "collect",
    "for_comparison",
    "for_matrix",
    "for_ranking",
    "pair",
    "read_table",
    "read_tables",
]
