"""Tables, arrays and files in; checked datasets, and what two of them share, out.

This room learns nothing from data: encoders, models and folds live in `datakin.learners`.

- `door`, `arrays`: read_table, read_tables, as_dataset
- `files`: from an address to a table, with nothing interpreted
- `columns`: from a table's columns to numbers, dates and categories, the same for every door
- `corrections`, `recoding`: names, codes and units that users change while reading
- `drafts`: which column is what, and what is refused, dropped or noted
- `reading`: the way of several tables, and of one that a column splits
- `checks`: what should not be learned from, and what differs between two datasets
- `dataset`, `features`, `origin`: what every other room receives, and how to read it again
- `inputs`: what users pass to be compared, and a source with the base rate of a target
- `pairing`: what two datasets share
- `described`, `description`: how tables are read, for people to look at
"""

from datakin.data.arrays import as_dataset
from datakin.data.checks.folds import SharedGroups
from datakin.data.dataset import Dataset
from datakin.data.door import read_table, read_tables
from datakin.data.inputs import (
    check_names,
    coerce,
    for_comparison,
    for_matrix,
    for_ranking,
    match_classes,
    unweighted,
)
from datakin.data.origin import Origin
from datakin.data.pairing import Pairing, pair

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
    "match_classes",
    "pair",
    "read_table",
    "read_tables",
    "unweighted",
]
