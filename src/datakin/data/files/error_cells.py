"""Cells of a workbook that hold an error, such as #DIV/0!: which columns have how many.

The reader of cells gives them as empty; that they were errors stands in the file alone.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

__all__ = ["error_cells"]

BLOCK = 1 << 22  # bytes looked at together
LONGEST = 4096  # bytes of one cell's tag
ERROR = re.compile(
    rb'<c\s[^>]*?\br="([A-Z]{1,3})\d+"[^>]*?\bt="e"|<c\s[^>]*?\bt="e"[^>]*?\br="([A-Z]{1,3})\d+"'
)
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, ElementTree.ParseError),
    *(OSError, ValueError, NotImplementedError, RuntimeError, EOFError),
)
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def error_cells(path: str, sheet: str, names: Mapping[int, str]) -> dict[str, int]:
    """Return the number of error cells of each column of a sheet; of .xlsx files only.

    Parameters
    ----------
    path, sheet : str
    names : mapping of int to str
        Names of columns by their number in the sheet.
    """
    counts: Counter[str] = Counter()
    try:
        with zipfile.ZipFile(path) as archive:
            for letters in _letters(archive, _part_of(archive, sheet)):
                counts[letters] += 1
    except (*DAMAGED, KeyError):  # another format, or an odd archive: nothing is known
        return {}
    found = {names.get(_number(letters)): n for letters, n in counts.items()}
    return {name: n for name, n in found.items() if name is not None}


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """Return the name of the file in which a sheet stands."""
    book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    ids = {entry.get("name"): entry.get(LINK) for entry in book.iter(SHEET)}
    targets = {link.get("Id"): link.get("Target") or "" for link in links}
    target = targets[ids[sheet]]
    return target[1:] if target.startswith("/") else f"xl/{target}"


def _letters(archive: zipfile.ZipFile, part: str) -> Iterator[str]:
    """Yield the column letters of each error cell."""
    rest = b""
    with archive.open(part) as stream:
        while block := stream.read(BLOCK):
            text = rest + block
            cut = max(text.rfind(b"<c "), 0)
            for match in ERROR.finditer(text, 0, cut) if b't="e"' in text else ():
                yield (match[1] or match[2]).decode()
            rest = text[cut:] if cut else text[-LONGEST:]
    for match in ERROR.finditer(rest):
        yield (match[1] or match[2]).decode()


def _number(letters: str) -> int:
    """Return the number of a column, counted from 0: "A" is 0, "AA" is 26."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
