"""Reports: a result -> a plain dict of sections -> one self-contained HTML file.

Python decides what is shown and writes every sentence; the scripts in `assets` only draw, sort,
filter and select. The file needs no network and holds the whole result, which `read_report` returns.
"""

from datakin.report.page import read_report, write_report

__all__ = ["read_report", "write_report"]
