"""What a file is that is not a table of text, by its first bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["GZIP", "ZIP", "is_document", "name_kind", "recognise_kind"]

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
NAME_IT = "if it is meant, name it {} and give it again"
SAVE_IT = "save its table as CSV"

# First bytes, what they are the beginning of, and what to do.
STARTS: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", "a PDF document", SAVE_IT),
    (b"PAR1", "a Parquet file", NAME_IT.format(".parquet")),
    (b"ARROW1", "an Arrow (Feather) file", NAME_IT.format(".feather")),
    (b"FEA1", "a Feather file of version 1", NAME_IT.format(".feather")),
    (b"SQLite format 3\0", "a SQLite database", NAME_IT.format(".sqlite")),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook or other Office file", NAME_IT.format(".xls")),
    (b"PK\x05\x06", "an empty zip archive", "put a table into it"),
    (b"BZh", "packed by bzip2", "unpack it"),
    (b"\xfd7zXZ", "packed by xz", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd", "unpack it"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it"),
    (b"Rar!", "a RAR archive", "unpack it"),
    (b"\x89PNG", "a PNG image", SAVE_IT),
    (b"\xff\xd8\xff", "a JPEG image", SAVE_IT),
    (b"GIF8", "a GIF image", SAVE_IT),
    (b"\x89HDF", "an HDF5 file", "read it yourself and pass the data frame"),
    (b"\x93NUMPY", "a file of numpy", "load it yourself and pass the array"),
    (b"$FL2", "an SPSS file", "read it yourself (pandas.read_spss) and pass the data frame"),
    (
        b"<stata_dta>",
        "a Stata file",
        "read it yourself (pandas.read_stata) and pass the data frame",
    ),
    (b"RDX", "an R data file", "save it from R with write.csv"),
    (b"X\n\0\0", "an R data file", "save it from R with write.csv"),
    (b"MATLAB 5.0 MAT", "a MATLAB file", "read it yourself (scipy.io.loadmat) and pass the arrays"),
    (b"HEADER RECORD***", "a SAS transport file", "read it yourself (pandas.read_sas) and pass it"),
    (
        b"\0" * 12 + b"\xc2\xea\x81\x60",
        "a SAS file",
        "read it yourself (pandas.read_sas) and pass it",
    ),
    (b"\x80\x04\x95", "a pickle, which could run code", "save its table as CSV or Parquet"),
    (b"\x80\x05\x95", "a pickle, which could run code", "save its table as CSV or Parquet"),
    (b"{\\rtf", "an RTF document", SAVE_IT),
    (
        b"version https://git-lfs",
        "a pointer of git-lfs, not the data",
        "fetch it with 'git lfs pull'",
    ),
)
# What texts begin with, leading space and letter case aside.
PATTERNS: tuple[tuple[str, str, str], ...] = (
    (r"<!doctype html|<html|<head|<body|<table", "a web page (HTML)", "download the table itself"),
    (r"<\?xml|<[a-z][\w:.-]*(\s[^<>]*)?>\s*<", "an XML document", SAVE_IT),
    (
        r"\{\s*(\"[^\"]*\"\s*:|\})|\[\s*([\[{]|\])",
        "a JSON document",
        "read it yourself and pass the data frame",
    ),
    (
        r"(%[^\n]*\n\s*)*@relation\b",
        "an ARFF file",
        "read it yourself (scipy.io.arff) and pass the data frame",
    ),
)
# A file that only such an archive has, and what the archive is.
MEMBERS = {
    "xl/workbook.xml": ("an Excel workbook", NAME_IT.format(".xlsx")),
    "xl/workbook.bin": ("an Excel workbook (binary)", "save it as .xlsx"),
    "word/document.xml": ("a Word document", SAVE_IT),
    "content.xml": ("an OpenDocument file", NAME_IT.format(".ods")),
}

Kind = tuple[str, str]


def recognise_kind(head: bytes) -> Kind | None:
    r"""Return what a file is and what to do, None if it may be a table of text.

    Examples
    --------
    >>> recognise_kind(b"%PDF-1.7 ...")
    ('a PDF document', 'save its table as CSV')
    >>> recognise_kind(b"a,b\n1,2\n")
    """
    for start, what, advice in STARTS:
        if head.startswith(start):
            return what, advice
    if head[8:12] == b"DUCK":
        return "a DuckDB database", NAME_IT.format(".duckdb")
    if head[257:262] == b"ustar":
        return "a tar archive", "unpack it"
    text = head[:4096].decode("latin-1").removeprefix("ï»¿").lstrip()
    for pattern, what, advice in PATTERNS:
        if re.match(pattern, text, re.IGNORECASE):
            return what, advice
    return None


def is_document(members: Sequence[str]) -> Kind | None:
    """Return what an archive with these members is, None if it is an archive like any other."""
    return next((kind for name, kind in MEMBERS.items() if name in members), None)


def name_kind(path: str, kind: Kind) -> str:
    """Return the sentence that refuses a file of another kind."""
    what, advice = kind
    return f"The file {path!r} must be a table of text. It is {what}; {advice}."
