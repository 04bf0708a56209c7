"""What kind of file a table is in: by how the file begins, and only then by its suffix.

A workbook that someone called .csv is still a workbook. Where content and suffix disagree, a note
says what the file was read as.
"""

from __future__ import annotations

import os
import zipfile

from datakin._core.exceptions import DatakinError

__all__ = ["CONTAINERS", "FOLDER_SUFFIXES", "KINDS", "PARQUET", "format_of", "suffix_of"]

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
CONTAINERS = ("workbook", "sqlite", "duckdb", "database")  # what may hold several tables
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
    *(".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zip", ".tsv.zip"),
    *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", *PARQUET, ".feather", ".arrow"),
    *(".sqlite", ".sqlite3", ".duckdb"),
)
MAGIC = {
    b"PAR1": "parquet",
    b"PARE": "parquet",  # encrypted: its reader says so
    b"ARROW1": "feather",
    b"FEA1": "feather",
    b"SQLite format 3\0": "sqlite",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "workbook",  # .xls, and workbooks under a password
}
PACKED_MAGIC = (
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"BZh",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
)
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")  # byte order marks: text in some encoding
CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1a"))  # what does not stand in text


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
    head = _head(path)
    said, found = _by_suffix(path), _by_content(head, path)
    if found is None and said not in (None, "text") and _is_text(head):
        found = "text"
    kind = found or said or "text"
    if kind == "packed":  # a damaged workbook is a damaged archive
        kind = said or "text"
    if said is None or said == kind:
        return kind, ""
    note = f"read as {KINDS[kind]}, which it is in spite of its suffix {suffix_of(path)}"
    return kind, note


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(4096)
    except OSError as error:
        raise DatakinError(f"The file {path!r} could not be read: {error.strerror}.") from None


def _by_suffix(path: str) -> str | None:
    suffix = suffix_of(path).lower()
    if suffix.endswith(PACKED):
        return "text"
    return next((kind for kind, known in SUFFIXES.items() if suffix in known), None)


def _by_content(head: bytes, path: str) -> str | None:
    """Return the kind that the first bytes tell, "packed" for an archive, None if they tell none."""
    for magic, kind in MAGIC.items():
        if head.startswith(magic):
            return kind
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head.startswith(PACKED_MAGIC):
        return "workbook" if _is_workbook(path) else "packed"
    return None


def _is_workbook(path: str) -> bool:
    """Whether a zip archive is a workbook of Excel or LibreOffice."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False  # another packing, or a damaged archive: the suffix has to tell
    return bool(names & {"xl/workbook.xml", "xl/workbook.bin"}) or names >= {
        "mimetype",
        "content.xml",
    }


def _is_text(head: bytes) -> bool:
    if head.startswith(MARKS):
        return True
    return any(end in head for end in b"\r\n") and head.translate(None, CONTROL) == head
