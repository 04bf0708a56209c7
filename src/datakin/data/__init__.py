"""Tables, arrays and files in; validated datasets and their common ground out.

This room learns nothing from data: encoders, models and folds live in `datakin.learning`.
"""

from datakin.data.alignment import Pairing, pair
from datakin.data.dataset import Dataset
from datakin.data.intake import (
    as_dataset,
    check_names,
    coerce,
    collect,
    read_table,
    read_tables,
)

__all__ = [
    "Dataset",
    "Pairing",
    "as_dataset",
    "check_names",
    "coerce",
    "collect",
    "pair",
    "read_table",
    "read_tables",
]
