"""Cells of a workbook that hold more than their reader tells: errors, and formulas never computed.

The reader of cells gives both as empty; what they are stands in the file alone. Of .xls and .xlsb
files it is not known.
"""

from __future__ import annotations

import html
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from xml.etree import ElementTree

import pyarrow as pa

from datakin._core.exceptions import DatakinError
from datakin.data.origin import Origin

ERRORS = "error cells such as #N/A or #DIV/0!"
BLOCK = 1 << 22  # bytes looked at together
LONGEST = 4096  # bytes of one cell's tag
ERROR = re.compile(rb'<c\s([^>]*\bt="e"[^>]*)>')
# A formula without a value; an empty text (t="str") is one.
UNCOMPUTED = re.compile(
    rb'<c\s((?:(?!\bt="str")[^>])*)>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:</c>|<v\s*/>|<v>\s*</v>)'
)
COLUMN = re.compile(rb'\br="([A-Z]{1,3})\d+"')
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, ElementTree.ParseError),
    *(OSError, ValueError, NotImplementedError, RuntimeError, EOFError, KeyError),
)
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
ODS = re.compile(
    rb'<table:table\s[^>]*?table:name="(?P<sheet>[^"]*)"'
    rb'|<table:table-cell\s[^>]*?table:number-rows-spanned="(?P<tall>[2-9]|\d{2,})"'
    rb"|<table:table-cell(?P<error>\b[^>]*)>\s*<text:p[^>]*>(?:#(?:DIV/0!|N/A|REF!|NAME\?|VALUE!|NUM!"
    rb"|NULL!)|Err:\d{3})</text:p>"
)


def cell_notes(
    path: str, sheet: str, names: Mapping[int, str], table: pa.Table, how: Origin
) -> list[str]:
    """Return notes on cells that were read as empty, or refuse a sheet whose cells mislead.

    `names` are those of the columns of the table that was read, by their numbers in the sheet.
    """
    is_binary = True  # and cannot be looked into
    errors: dict[str, int] = {}
    uncomputed: dict[str, int] = {}
    odd: Counter[str] = Counter()
    # Of another format, or an odd archive, nothing more is known.
    with suppress(*DAMAGED), zipfile.ZipFile(path) as archive:
        members = archive.namelist()
        is_binary = "content.xml" not in members and "xl/workbook.bin" in members
        if "content.xml" in members:
            odd = _ods_cells(archive, sheet)
        elif not is_binary:
            errors, uncomputed = _xlsx_cells(archive, sheet, names)
    where = f"The sheet {sheet!r} of {path!r}"
    if how.label in uncomputed:
        raise DatakinError(
            f"{where} must hold a value for each formula of the label. {counted(uncomputed)} were never "
            f"computed; open the workbook in a spreadsheet, save it, and read it again."
        )
    if odd["as numbers"]:
        raise DatakinError(
            f"{where} has {odd['as numbers']} {ERRORS} that are stored as numbers. Clear them in a "
            f"spreadsheet, or save the workbook as .xlsx."
        )
    empty = {name: table[name].null_count for name in names.values() if table[name].null_count}
    n_errors = counted(errors) or odd["errors"]
    said = {
        f"formulas that were never computed read as missing values: {counted(uncomputed)}; open the "
        f"workbook in a spreadsheet and save it": uncomputed,
        f"{ERRORS} read as missing values: {n_errors}": n_errors,
        f"cells merged over several rows, whose value was read for the first row alone: {odd['tall']}; "
        f"unmerge and fill them in a spreadsheet": odd["tall"],
        f"empty cells may be {ERRORS} or formulas that were never computed, which this format does not "
        f"tell apart: {counted(empty)}": is_binary and empty,
    }
    return [note for note, is_so in said.items() if is_so]


def counted(found: Mapping[str, int]) -> str:
    """Return columns with numbers of cells.

    Examples
    --------
    >>> counted({"age": 3, "dose": 1})
    "'age' 3, 'dose' 1"
    """
    return ", ".join(f"{name!r} {n}" for name, n in found.items())


def _xlsx_cells(
    archive: zipfile.ZipFile, sheet: str, names: Mapping[int, str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many cells of each column are errors, and how many formulas without a value."""
    book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    ids = {entry.get("name"): entry.get(LINK) for entry in book.iter(SHEET)}
    part = {link.get("Id"): link.get("Target") or "" for link in links}[ids[sheet]]
    part = part[1:] if part.startswith("/") else f"xl/{part}"
    counts: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    for text in _blocks(archive, part, b"<c "):
        for count, mark, pattern in zip(
            counts, (b't="e"', b"<f"), (ERROR, UNCOMPUTED), strict=True
        ):
            for match in pattern.finditer(text) if mark in text else ():
                if found := COLUMN.search(match[1]):
                    count[_number(found[1].decode())] += 1
    errors, uncomputed = ({names[j]: n for j, n in count.items() if j in names} for count in counts)
    return errors, uncomputed


def _blocks(archive: zipfile.ZipFile, part: str, start: bytes) -> Iterator[bytes]:
    """Yield a part of an archive, cut before a mark."""
    rest = b""
    with archive.open(part) as stream:
        while block := stream.read(BLOCK):
            text = rest + block
            cut = max(text.rfind(start), 0)
            yield text[:cut]
            rest = text[cut:] if cut else text[-LONGEST:]
    yield rest


def _number(letters: str) -> int:
    """Return the number of a column, counted from 0: "A" is 0, "AA" is 26."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _ods_cells(archive: zipfile.ZipFile, sheet: str) -> Counter[str]:
    """Count the cells of a sheet that are errors, errors stored as numbers, or merged over rows."""
    counts: Counter[str] = Counter()
    name = None
    for text in _blocks(archive, "content.xml", b"<table:table"):
        for match in ODS.finditer(text):
            if match["sheet"] is not None:
                name = html.unescape(match["sheet"].decode("utf-8", "replace"))
            elif name == sheet and match["tall"] is not None:
                counts["tall"] += 1
            elif name == sheet:
                counts["errors"] += 1
                counts["as numbers"] += b"office:value=" in match["error"]
    return counts
