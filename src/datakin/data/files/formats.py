"""What kind of file a table is in: by how the file begins, and only then by its suffix.

A workbook that someone called .csv is still a workbook. Where content and suffix disagree, a note
says what the file was read as.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Collection
from typing import NamedTuple

from datakin._core.exceptions import DatakinError
from datakin.data.files.encodings import MARKS

PARQUET = (".parquet", ".pq")
PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst")  # a text file may be packed; its reader says which
SUFFIXES: dict[str, tuple[str, ...]] = {
    "text": (".csv", ".tsv", ".txt", ".tab", ".psv", ".data", ".dat"),
    "parquet": PARQUET,
    "feather": (".feather", ".arrow", ".ipc"),
    "workbook": (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    "sqlite": (".sqlite", ".sqlite3", ".db", ".db3"),
    "duckdb": (".duckdb", ".ddb"),
}
DATABASES = ("sqlite", "duckdb", "database")
CONTAINERS = ("workbook", *DATABASES)  # what may hold several tables
KINDS = {
    "text": "a text file",
    "parquet": "a Parquet file",
    "feather": "a Feather (Arrow) file",
    "workbook": "a workbook",
    "sqlite": "a SQLite database",
    "duckdb": "a DuckDB database",
    "database": "a database",
}
# Looked for in folders. Plain .txt, .data and .zip are not: too many of them are no tables.
FOLDER_SUFFIXES = (
    *(text + packed for packed in ("", ".gz", ".zip") for text in (".csv", ".tsv")),
    *(*SUFFIXES["workbook"], *PARQUET, ".feather", ".arrow", ".sqlite", ".sqlite3", ".duckdb"),
)
GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))  # what does not stand in text
NAME_IT = "if it is meant, name it {} and give it again"
SAVE_IT = "save its table as CSV"
UNPACK_IT = "unpack it"
FROM_R = "save it from R with write.csv"
LOAD_IT = "read it yourself ({}) and pass the data frame"
FROM_SAS = "read it yourself (pandas.read_sas) and pass it"


class Kind(NamedTuple):
    """What a file is, what to do if it should be text, and which reader it has, if any."""

    what: str
    advice: str
    reader: str | None = None  # a key of `SUFFIXES`, or "packed"


OLD_OFFICE = Kind(  # also workbooks under a password
    "an old Excel workbook or other Office file", NAME_IT.format(".xls"), "workbook"
)
PICKLE = Kind("a pickle, which could run code", "save its table as CSV or Parquet")
# First bytes of files that are not text.
STARTS: dict[bytes, Kind] = {
    b"PAR1": Kind("a Parquet file", NAME_IT.format(".parquet"), "parquet"),
    b"PARE": Kind("an encrypted Parquet file", "decrypt it", "parquet"),  # its reader says so
    b"ARROW1": Kind("an Arrow (Feather) file", NAME_IT.format(".feather"), "feather"),
    b"FEA1": Kind("a Feather file of version 1", NAME_IT.format(".feather"), "feather"),
    b"SQLite format 3\0": Kind("a SQLite database", NAME_IT.format(".sqlite"), "sqlite"),
    b"\xd0\xcf\x11\xe0": OLD_OFFICE,
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
    b"$FL2": Kind("an SPSS file", LOAD_IT.format("pandas.read_spss")),
    b"X\n\0\0": Kind("an R data file", FROM_R),
    b"MATLAB 5.0 MAT": Kind(
        "a MATLAB file", "read it yourself (scipy.io.loadmat) and pass the arrays"
    ),
    b"\0" * 12 + b"\xc2\xea\x81\x60": Kind("a SAS file", FROM_SAS),
    b"\x80\x04\x95": PICKLE,
    b"\x80\x05\x95": PICKLE,
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
    r"<stata_dta>": Kind("a Stata file", LOAD_IT.format("pandas.read_stata")),
    r"HEADER RECORD\*\*\*": Kind("a SAS transport file", FROM_SAS),
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
    r"(%[^\n]*\n\s*)*@relation\b": Kind("an ARFF file", LOAD_IT.format("scipy.io.arff")),
}
# A file that only such an archive has.
MEMBERS = {
    "xl/workbook.xml": Kind("an Excel workbook", NAME_IT.format(".xlsx"), "workbook"),
    "xl/workbook.bin": Kind("an Excel workbook (binary)", NAME_IT.format(".xlsb"), "workbook"),
    "word/document.xml": Kind("a Word document", SAVE_IT),
    "content.xml": Kind("an OpenDocument file", NAME_IT.format(".ods"), "workbook"),
}


def suffix_of(name: str) -> str:
    """Return the suffix that tells a file's kind, with that of its packing: ".csv.gz".

    Examples
    --------
    >>> suffix_of("Wards.CSV.gz"), suffix_of("notes"), suffix_of("a.b.parquet")
    ('.CSV.gz', '', '.parquet')
    """
    base, suffix = os.path.splitext(name)
    if suffix.lower() in PACKED:
        inner = os.path.splitext(base)[1]
        return (inner if inner.lower() in SUFFIXES["text"] else "") + suffix
    return suffix


def format_of(path: str) -> tuple[str, str]:
    """Return the kind of a file, a key of `SUFFIXES`, and a note where its suffix says another.

    What is nothing else is text: its reader knows what to say of a PDF or of a page of HTML.
    """
    if not os.path.isfile(path):  # a pipe, which can be read only once
        return "text", ""
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise DatakinError(f"The file {path!r} could not be read: {error.strerror}.") from None
    suffix = suffix_of(path).lower()
    known = (kind for kind, suffixes in SUFFIXES.items() if suffix in suffixes)
    said = "text" if suffix.endswith(PACKED) else next(known, None)
    content = recognise_kind(head)
    kind = None if content is None else content.reader
    if kind == "packed":  # a damaged workbook is a damaged archive: the suffix has to tell
        document = is_document([member.filename for member in members_of(path)])
        kind = "workbook" if document is not None and document.reader == "workbook" else None
    elif kind is None and said is not None and is_text(head):
        kind = "text"
    kind = kind or said or "text"
    if said is None or said == kind:
        return kind, ""
    return kind, f"read as {KINDS[kind]}, which it is in spite of its suffix {suffix_of(path)}"


def members_of(path: str) -> list[zipfile.ZipInfo]:
    """Return what a zip archive holds; nothing of a damaged one, or of another packing."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return []


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
