"""What a file is, by its first bytes: one of the kinds that have a reader, or something else."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from datakin.data.files.encodings import MARKS

__all__ = [
    "CONTROLS",
    "GZIP",
    "ZIP",
    "Kind",
    "is_document",
    "is_text",
    "name_kind",
    "recognise_kind",
]

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))  # what does not stand in text
NAME_IT = "if it is meant, name it {} and give it again"
SAVE_IT = "save its table as CSV"
UNPACK_IT = "unpack it"
FROM_R = "save it from R with write.csv"


class Kind(NamedTuple):
    """What a file is, what to do if it should be text, and which reader it has, if any."""

    what: str
    advice: str
    reader: str | None = None  # a key of `formats.SUFFIXES`, or "packed"


# First bytes of files that are not text.
STARTS: dict[bytes, Kind] = {
    b"PAR1": Kind("a Parquet file", NAME_IT.format(".parquet"), "parquet"),
    b"PARE": Kind("an encrypted Parquet file", "decrypt it", "parquet"),  # its reader says so
    b"ARROW1": Kind("an Arrow (Feather) file", NAME_IT.format(".feather"), "feather"),
    b"FEA1": Kind("a Feather file of version 1", NAME_IT.format(".feather"), "feather"),
    b"SQLite format 3\0": Kind("a SQLite database", NAME_IT.format(".sqlite"), "sqlite"),
    b"\xd0\xcf\x11\xe0": Kind(  # also workbooks under a password
        "an old Excel workbook or other Office file", NAME_IT.format(".xls"), "workbook"
    ),
    GZIP: Kind("packed by gzip", UNPACK_IT, "packed"),
    ZIP: Kind("a zip archive", UNPACK_IT, "packed"),
    b"PK\x05\x06": Kind("an empty zip archive", "put a table into it", "packed"),
    b"BZh": Kind("packed by bzip2", UNPACK_IT, "packed"),
    b"\xfd7zXZ": Kind("packed by xz", UNPACK_IT, "packed"),
    b"\x28\xb5\x2f\xfd": Kind("packed by zstd", UNPACK_IT, "packed"),
    b"7z\xbc\xaf": Kind("a 7z archive", UNPACK_IT),
    b"Rar!": Kind("a RAR archive", UNPACK_IT),
    b"\x89PNG": Kind("a PNG image", SAVE_IT),
    b"\xff\xd8\xff": Kind("a JPEG image", SAVE_IT),
    b"GIF8": Kind("a GIF image", SAVE_IT),
    b"\x89HDF": Kind("an HDF5 file", "read it yourself and pass the data frame"),
    b"\x93NUMPY": Kind("a file of numpy", "load it yourself and pass the array"),
    b"$FL2": Kind("an SPSS file", "read it yourself (pandas.read_spss) and pass the data frame"),
    b"X\n\0\0": Kind("an R data file", FROM_R),
    b"MATLAB 5.0 MAT": Kind(
        "a MATLAB file", "read it yourself (scipy.io.loadmat) and pass the arrays"
    ),
    b"\0" * 12 + b"\xc2\xea\x81\x60": Kind(
        "a SAS file", "read it yourself (pandas.read_sas) and pass it"
    ),
    b"\x80\x04\x95": Kind("a pickle, which could run code", "save its table as CSV or Parquet"),
    b"\x80\x05\x95": Kind("a pickle, which could run code", "save its table as CSV or Parquet"),
}
# What other kinds have further behind.
PLACES: dict[tuple[int, bytes], Kind] = {
    (8, b"DUCK"): Kind("a DuckDB database", NAME_IT.format(".duckdb"), "duckdb"),
    (257, b"ustar"): Kind("a tar archive", UNPACK_IT),
}
# What texts that are no tables begin with, leading space and letter case aside.
PATTERNS: dict[str, Kind] = {
    r"%PDF-": Kind("a PDF document", SAVE_IT),
    r"\{\\rtf": Kind("an RTF document", SAVE_IT),
    r"RDX\d\n": Kind("an R data file", FROM_R),
    r"<stata_dta>": Kind(
        "a Stata file", "read it yourself (pandas.read_stata) and pass the data frame"
    ),
    r"HEADER RECORD\*\*\*": Kind(
        "a SAS transport file", "read it yourself (pandas.read_sas) and pass it"
    ),
    r"version https://git-lfs": Kind(
        "a pointer of git-lfs, not the data", "fetch it with 'git lfs pull'"
    ),
    r"<!doctype html|<html|<head|<body|<table": Kind(
        "a web page (HTML)", "download the table itself"
    ),
    r"<\?xml|<[a-z][\w:.-]*(\s[^<>]*)?>\s*<": Kind("an XML document", SAVE_IT),
    r"\{\s*(\"[^\"]*\"\s*:|\}\s*$)|\[\s*([\[{]|\]\s*$)": Kind(
        "a JSON document", "read it yourself and pass the data frame"
    ),
    r"(%[^\n]*\n\s*)*@relation\b": Kind(
        "an ARFF file", "read it yourself (scipy.io.arff) and pass the data frame"
    ),
}
# A file that only such an archive has.
MEMBERS = {
    "xl/workbook.xml": Kind("an Excel workbook", NAME_IT.format(".xlsx"), "workbook"),
    "xl/workbook.bin": Kind("an Excel workbook (binary)", NAME_IT.format(".xlsb"), "workbook"),
    "word/document.xml": Kind("a Word document", SAVE_IT),
    "content.xml": Kind("an OpenDocument file", NAME_IT.format(".ods"), "workbook"),
}


def recognise_kind(head: bytes) -> Kind | None:
    r"""Return what a file is, None if it may be a table of text.

    Examples
    --------
    >>> recognise_kind(b"%PDF-1.7 ...").what
    'a PDF document'
    >>> recognise_kind(b"a,b\n1,2\n")
    """
    if not is_text(head[:4096]):  # the name of a first column may be PAR1
        starts = (kind for start, kind in STARTS.items() if head.startswith(start))
        places = (kind for (i, mark), kind in PLACES.items() if head.startswith(mark, i))
        for kind in (*starts, *places):
            return kind
    text = head[:4096].decode("latin-1").removeprefix("ï»¿").lstrip()
    for pattern, kind in PATTERNS.items():
        if re.match(pattern, text, re.IGNORECASE):
            return kind
    return None


def is_text(head: bytes) -> bool:
    """Whether the beginning of a file is plain text; of UTF-16 only with its mark."""
    if head.startswith(tuple(mark for mark, _ in MARKS)):
        return True
    return any(end in head for end in b"\r\n") and head.translate(None, CONTROLS) == head


def is_document(members: Collection[str]) -> Kind | None:
    """Return what an archive with these members is, None if it is an archive like any other."""
    return next((kind for name, kind in MEMBERS.items() if name in members), None)


def name_kind(path: str, kind: Kind) -> str:
    """Return the sentence that refuses a file of another kind."""
    return f"The file {path!r} must be a table of text. It is {kind.what}; {kind.advice}."
