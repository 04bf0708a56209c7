"""Where the bytes of a text file come from: a file, .gz, .zip, or standard input.

What is packed may unpack to more than anyone can read, by accident or by intent: see `check_unpacked`.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from datakin._core.exceptions import DatakinError, listed, repeated, suggest
from datakin.data.files.formats import GZIP, SUFFIXES, ZIP, is_document, name_kind

STDIN = "-"  # the path that means standard input
# Real tables pack to a tenth of their size, rarely to a fiftieth; the format allows a thousandth.
RATIO = 100
UNPACKED = 500_000_000  # bytes up to which any ratio is fine
SPOOL = 4_000_000_000  # bytes of standard input that are kept on disk while they are read
PIECE = 1 << 20
LEFTOVER = re.compile(r"\A__MACOSX/|(\A|/)\.[^/]*\Z")  # what an operating system leaves in archives


@dataclass(frozen=True)
class Source:
    """A text that can be read from its beginning several times."""

    path: str  # what messages call it
    name: str  # of the text itself, without ".gz"; of an archive, that of its member
    open: Callable[[], Any]  # returns a stream of the bytes, unpacked
    packed: int | None = None  # bytes it takes while packed, None for what is not packed
    notes: tuple[str, ...] = ()  # what else is in its archive

    def head(self, n: int) -> bytes:
        """Return the first n bytes, or all there are."""
        with self.open() as stream:
            return bytes(stream.read(n))

    def check_unpacked(self, n: int) -> None:
        """Refuse what has unpacked to n bytes, if that is beyond any table's ratio."""
        if self.packed is None or n <= max(UNPACKED, RATIO * self.packed):
            return
        raise DatakinError(
            f"The file {self.path!r} must unpack to at most {RATIO} times its size, or "
            f"{UNPACKED // 10**6} MB. Got {n // 10**6:,} MB so far, from {self.packed / 1e6:,.1f} MB; "
            f"if it is no mistake, unpack it and give the file that comes out."
        )


@contextmanager
def open_source(path: str, member: str | None = None) -> Iterator[Source]:
    """Yield the text behind a path, unpacked; it can be read until the context ends."""
    with ExitStack() as stack:
        place = path
        # A stream such as /dev/stdin or <(command) can be read only once.
        is_pipe = Path(path).is_fifo() or Path(path).is_char_device()
        if path == STDIN or is_pipe:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="datakin-"))
            place = os.path.join(folder, "text")
            _keep(path, place)
        with open(place, "rb") as stream:
            start = stream.read(len(GZIP) + len(ZIP))
        if start.startswith(GZIP):
            name = path[:-3] if path.lower().endswith(".gz") else path
            yield Source(path, name, partial(gzip.open, place), os.path.getsize(place))
        elif path.lower().endswith(".gz"):
            raise DatakinError(
                f"The file {path!r} could not be read as a table: it is not packed by gzip. "
                f"If it is text, name it without .gz."
            )
        elif start.startswith(ZIP):
            archive = stack.enter_context(_archive(place, path))
            info, notes = _member(archive, path, member)
            yield Source(
                path, info.filename, partial(archive.open, info), info.compress_size, notes
            )
        else:
            yield Source(path, path, partial(open, place, "rb"))


def _keep(path: str, place: str) -> None:
    """Copy standard input, or a pipe, to a file."""
    n = 0
    with (
        nullcontext(_standard_input()) if path == STDIN else open(path, "rb") as stream,
        open(place, "wb") as kept,
    ):
        while piece := stream.read(PIECE):
            n += len(piece)
            if n > SPOOL:
                raise DatakinError(
                    f"Standard input must hold at most {SPOOL // 10**9} GB. Got more; "
                    f"save it as a file and give the file's path."
                )
            kept.write(piece)


def _standard_input() -> Any:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.isatty():
        raise DatakinError(
            "Expected a table on standard input (the path '-'). Got a terminal; say "
            "'datakin ... - < table.csv', or give the file's path."
        )
    return stream


def _archive(place: str, path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(place)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise DatakinError(
            f"The file {path!r} begins as a zip archive but could not be opened as one; "
            f"is it complete?"
        ) from None


def _member(
    archive: zipfile.ZipFile, path: str, wanted: str | None
) -> tuple[zipfile.ZipInfo, tuple[str, ...]]:
    """Return the one table of an archive, or the one that is named, and what else is in it."""
    infos = archive.infolist()
    if kind := is_document([info.filename for info in infos]):
        raise DatakinError(name_kind(path, kind))
    infos = [info for info in infos if not info.is_dir() and not LEFTOVER.search(info.filename)]
    if twice := repeated(info.filename for info in infos):
        raise DatakinError(
            f"The archive {path!r} has more than one file named {listed(twice)}; unpack it and give "
            f"the file that is meant."
        )
    files = {info.filename: info for info in infos}
    name = _only(list(files), path) if wanted is None else _called(wanted, list(files), path)
    if files[name].flag_bits & 1:
        raise DatakinError(
            f"The archive {path!r} is encrypted. Unpack it with its password and give the file."
        )
    others = [other for other in files if other != name]
    said = f"{name!r} of the archive read; left out: {listed(others)}"
    return files[name], (said,) if others and wanted is None else ()


def _only(files: list[str], path: str) -> str:
    """Return the only table of an archive."""
    tables = [name for name in files if name.lower().endswith(SUFFIXES["text"])]
    found = files if len(files) == 1 else tables
    if len(found) == 1:
        return found[0]
    choice = f"; name one with table={found[0]!r} (--table)" if found else ""
    raise DatakinError(
        f"The archive {path!r} must hold one table of text ({', '.join(SUFFIXES['text'][:3])}). "
        f"Got {len(found)}: {listed(found or files)}{choice}."
    )


def _called(wanted: str, files: list[str], path: str) -> str:
    """Return the file of an archive that is meant by a name, with or without its folder."""
    found = [wanted] if wanted in files else [f for f in files if os.path.basename(f) == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        raise DatakinError(
            f"The archive {path!r} has more than one file {wanted!r}: {listed(found)}. Give the whole "
            f"name (table=, --table)."
        )
    raise DatakinError(
        f"The archive {path!r} has no file {wanted!r}. It has {listed(files)}.{suggest(wanted, files)}"
    )
