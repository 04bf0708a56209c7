"""From columns as they stand in a table to numbers, dates, truth values and categories.

One place for every door, so that the same table gives the same dataset however it came.

- `tables`: one table of any library, and all its columns
- `column`, `text_columns`, `series`: one column, by the type that its table gives it
- `texts`, `numerals`, `dates`, `placeholders`: what texts mean
- `roles`, `labels`: the columns that are labels, groups, domains or row weights
"""
