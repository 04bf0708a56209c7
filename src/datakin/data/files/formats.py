"""What kind of file a table is in: by how the file begins, and only then by its suffix.

A workbook that someone called .csv is still a workbook. Where content and suffix disagree, a note
says what the file was read as.
"""

from __future__ import annotations

import os
import zipfile

from datakin._core.exceptions import DatakinError
from datakin.data.files.file_kinds import is_document, is_text, recognise_kind

__all__ = [
    "CONTAINERS",
    "DATABASES",
    "FOLDER_SUFFIXES",
    "KINDS",
    "PARQUET",
    "SUFFIXES",
    "format_of",
    "suffix_of",
]

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
    if found is None and said not in (None, "text") and is_text(head):
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
    kind = recognise_kind(head)
    if kind is not None and kind.reader == "packed" and _is_workbook(path):
        return "workbook"
    return None if kind is None else kind.reader


def _is_workbook(path: str) -> bool:
    """Whether a zip archive is a workbook of Excel or LibreOffice."""
    try:
        with zipfile.ZipFile(path) as archive:
            kind = is_document(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False  # another packing, or a damaged archive: the suffix has to tell
    return kind is not None and kind.reader == "workbook"
