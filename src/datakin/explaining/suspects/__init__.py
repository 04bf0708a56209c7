"""What in two tables may be the cause: it is seen in the columns, and an option would fix it.

A suspect is only a suspicion. Whether it is the cause is tried: see `datakin.explaining.trying`.

- `suspect`: what a suspect is
- `units`: the same quantity, or the label, in other units; missing values coded as a value
- `codes`: levels recoded, levels or classes swapped; a column under another name, two columns swapped
- `one_sided`: a column that gives the label away, or is hardly there, in one table only; ranges that are
  cut and rows with copies, which are only reported
"""

from datakin.explaining.suspects.codes import other_codes, other_names, swapped_classes
from datakin.explaining.suspects.one_sided import (
    cut_ranges,
    lacking_columns,
    leaking_columns,
    repeated_rows,
)
from datakin.explaining.suspects.suspect import Search, Suspect
from datakin.explaining.suspects.units import blank_values, label_units, other_units

__all__ = ["REPORTED", "SEARCHES", "Search", "Suspect", "label_units", "swapped_classes"]

SEARCHES: tuple[Search, ...] = (
    *(other_names, other_units, other_codes, blank_values),
    *(leaking_columns, lacking_columns),
)
REPORTED: tuple[Search, ...] = (cut_ranges, repeated_rows)
