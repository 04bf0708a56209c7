"""From an address to a table with nothing interpreted, all rows or a sample.

- `addresses`, `formats`: which files an address names, and what they are
- `opening`: the one place where they become a table
- `text_files` (`archives`, `encodings`, `dialects`, `headers`, `ragged`, `text_streams`)
- `arrow_files`, `workbooks` (`workbook_process`, `error_cells`), `databases`,
  `servers`; `arrow_columns` makes columns of their types and cells
- `reading`: what every reader returns, and the draw of rows
"""
