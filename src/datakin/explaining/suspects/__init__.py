"""What in two tables may be the cause: each is seen in the columns, and has an option that would mend it.

A suspect is only a suspicion. Whether it is the cause is tried: see `datakin.explaining.trying`.

- `suspect`: what a suspect is
- `units`: the same quantity in other units
- `blanks`: missing values coded as a value
- `codes`: levels recoded or swapped
- `leaks`: a column that gives the label away in one table
- `lacking`: a column that one table hardly has
- `labels`: swapped classes, a label in other units
- `names`: a column under another name, two columns swapped
- `reported`: ranges that are cut, rows that stand there several times
"""

from datakin.explaining.suspects.blanks import blank_values
from datakin.explaining.suspects.codes import other_codes
from datakin.explaining.suspects.labels import label_units, swapped_classes
from datakin.explaining.suspects.lacking import lacking_columns
from datakin.explaining.suspects.leaks import leaking_columns
from datakin.explaining.suspects.names import other_names
from datakin.explaining.suspects.reported import cut_ranges, repeated_rows
from datakin.explaining.suspects.suspect import Suspect
from datakin.explaining.suspects.units import other_units

__all__ = [
    "Suspect",
    "blank_values",
    "cut_ranges",
    "label_units",
    "lacking_columns",
    "leaking_columns",
    "other_codes",
    "other_names",
    "other_units",
    "repeated_rows",
    "swapped_classes",
]
