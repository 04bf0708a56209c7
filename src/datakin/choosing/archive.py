"""A zip file that anybody may have written: read within limits, whatever its headers say."""

from __future__ import annotations

import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

from datakin._core.exceptions import DatakinError

LARGEST = 1 << 30  # Bytes of a file, and of all its members together.
MEMBERS = 16_000
FREE = 1 << 22  # Bytes of a member that may be packed as tightly as it likes.
RATIO = 200  # How tightly larger members may be packed.
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,4}")
STAMP = (1980, 1, 1, 0, 0, 0)  # the same for all members, so that equal content gives equal bytes
END, END_64 = b"PK\x05\x06", b"PK\x06\x07"
PACKED = (".json", ".i32", ".u8")  # members that are deflated
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, RuntimeError),
    *(NotImplementedError, ValueError, LookupError, TypeError, OverflowError, MemoryError),
)


class Archive:
    """The members of a zip file.

    Parameters
    ----------
    stream : binary file
    largest : int
        Bytes that the file and all members together may have.
    """

    def __init__(self, stream: BinaryIO, largest: int = LARGEST) -> None:
        self.left = largest
        self._check_end(stream, largest)
        try:
            self.file = zipfile.ZipFile(stream)
            infos = self.file.infolist()
        except DAMAGE as error:
            raise _damaged(error) from None
        self.infos: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            self._check(info)
            self.infos[info.filename] = info

    @staticmethod
    def _check_end(stream: BinaryIO, largest: int) -> None:
        """Refuse what is no small plain zip file, before its directory is taken into memory."""
        size = stream.seek(0, os.SEEK_END)
        if size > largest:
            raise DatakinError(f"it is too large ({size:,} bytes)")
        stream.seek(0)
        begins = stream.read(4)
        stream.seek(max(0, size - 42))
        tail = stream.read(42)
        stream.seek(0)
        if not size:
            raise DatakinError("it is empty")
        if begins != b"PK\x03\x04":
            raise DatakinError("it does not begin as a zip file, and every model file is one")
        if len(tail) < 42 or tail[20:24] != END or tail[:4] == END_64:
            raise DatakinError("it is damaged: its end is missing, as if it had been cut off")
        n_members, n_bytes = struct.unpack("<HI", tail[30:36])
        if n_members > MEMBERS or n_bytes > 200 * MEMBERS:
            raise DatakinError(f"it has too many members ({n_members:,})")

    def _check(self, info: zipfile.ZipInfo) -> None:
        name = info.filename
        if not NAME.fullmatch(info.orig_filename) or len(name) > 200:
            raise DatakinError(f"it has a member with an odd name ({info.orig_filename[:60]!r})")
        if name in self.infos:
            raise DatakinError(f"it has two members {name!r}")
        if info.flag_bits & 0x41:
            raise DatakinError("it is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DatakinError(f"its member {name!r} is packed in an unknown way")

    @property
    def names(self) -> set[str]:
        """Names of the members."""
        return set(self.infos)

    def read(self, name: str, most: int) -> bytes:
        """Return a member of at most so many bytes."""
        info = self.infos.get(name)
        if info is None:
            raise DatakinError(f"its member {name!r} is missing")
        most = min(most, self.left)
        if info.compress_type == zipfile.ZIP_DEFLATED:
            most = min(most, max(FREE, RATIO * info.compress_size))
        try:
            with self.file.open(info) as member:
                content = member.read(most + 1)
                if len(content) <= most:
                    member.read(1)  # at the end the checksum is compared
        except DAMAGE as error:
            raise _damaged(error) from None
        if len(content) > most:
            raise DatakinError(f"its member {name!r} is too large (more than {most:,} bytes)")
        if len(content) != info.file_size:
            raise DatakinError(f"it is damaged: {name!r} is not as long as it says")
        self.left -= len(content)
        return content


def packed(members: Mapping[str, bytes]) -> bytes:
    """Return a zip file; equal members give equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", allowZip64=False) as file:
        for name, content in members.items():
            info: Any = zipfile.ZipInfo(name, STAMP)
            info.create_system, info.external_attr = 3, 0o644 << 16
            is_packed = name.endswith(PACKED)
            info.compress_type = zipfile.ZIP_DEFLATED if is_packed else zipfile.ZIP_STORED
            file.writestr(info, content, compresslevel=6)
    return made.getvalue()


def _damaged(error: Exception) -> DatakinError:
    return DatakinError(f"it is damaged ({str(error)[:100] or type(error).__name__})")
