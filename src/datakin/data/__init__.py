"""Tables, arrays and files in; checked datasets, and what two of them share, out.

This room learns nothing from data: encoders, models and folds live in `datakin.learning`.

- `door`, `arrays`: read_table, read_tables, as_dataset
- `files`, `text_files`, `arrow_files`: from a path to a table, all rows or a sample
- `tables`: one table of any library, and its columns as numbers or categories
- `drafts`, `labels`: which column is what, and what is refused, dropped or noted
- `splitting`, `skipping`: one table split by a column; tables that cannot be used
- `suspicions`, `leaks`, `copies`, `groups`, `usable`: what should not be learned from
- `dataset`, `features`: what every other room receives
- `pairing`: what users pass to be compared, and what two datasets share
- `differences`: what differs between two datasets, and the option that mends it
"""

from datakin.data.arrays import as_dataset
from datakin.data.dataset import Dataset, Origin
from datakin.data.door import read_table, read_tables
from datakin.data.groups import SharedGroups
from datakin.data.pairing import (
    Pairing,
    check_names,
    coerce,
    for_comparison,
    for_matrix,
    for_ranking,
    pair,
)

__all__ = [
    "Dataset",
    "Origin",
    "Pairing",
    "SharedGroups",
    "as_dataset",
    "check_names",
    "coerce",
    "for_comparison",
    "for_matrix",
    "for_ranking",
    "pair",
    "read_table",
    "read_tables",
]
