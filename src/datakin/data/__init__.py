"""Tables, arrays and files in; validated datasets and their common ground out.

This room learns nothing from data: encoders, models and folds live in `datakin.learning`.
"""

from datakin.data.alignment import Pairing, pair
from datakin.data.dataset import Dataset
from datakin.data.intake import as_dataset, coerce, read_table, read_tables

__all__ = ["Dataset", "Pairing", "as_dataset", "coerce", "pair", "read_table", "read_tables"]
