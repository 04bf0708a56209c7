"""From an address to a table with nothing interpreted, all rows or a sample.

- `addresses`, `formats`: which files an address names, and what they are
- `opening`: the one place where they become a table
- `text_files` (`archives`, `encodings`, `dialects`, `headers`, `ragged`, `text_streams`)
- `arrow_files` (`arrow_types`), `workbooks` (`workbook_process`, `cells`, `error_cells`)
- `databases` (`queries`, `servers`)
- `reading`: what every reader returns, and the draw of rows
"""
