"""A text as a stream of checked UTF-8, whatever its encoding."""

from __future__ import annotations

import codecs
import io
import sys
import time
import weakref
from typing import Any

from datakin._core.exceptions import DatakinError
from datakin.data.files.archives import Source
from datakin.data.files.encodings import Encoding

PIECE = 1 << 24  # bytes read together at most
PATIENCE = 5  # seconds to wait for a thread of pyarrow
AROUND = 2000  # bytes around a bad one that a guess of the encoding looks at


class NotUtf8(Exception):
    """A text that was taken for UTF-8 is not."""

    def __init__(self, around: bytes, line: int) -> None:
        super().__init__("not UTF-8")
        self.around = around  # what stands around the first bad byte
        self.line = line


class Utf8Stream(io.RawIOBase):
    """The bytes of a text as UTF-8 without a byte order mark; `ending` is added on a line of its own."""

    def __init__(self, source: Source, encoding: Encoding, ending: bytes = b"") -> None:
        # What stopped the reading: who reads through a library finds it here unchanged.
        self.fault: Exception | None = None
        self._source, self._encoding, self._ending = source, encoding, ending
        self._stream = source.open()
        self._decoder = codecs.getincrementaldecoder(encoding.name)("strict")
        self._is_utf8 = encoding.name == "utf-8"
        self._n_read = 0
        self._last = b"\n"
        self._ready = b""
        self._is_start, self._is_over = True, False

    def readable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Close the text as well."""
        self._stream.close()
        super().close()

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer as far as bytes are ready."""
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def skip(self, n: int) -> None:
        """Leave out the next n bytes."""
        while n > 0 and (piece := self.read(n)):
            n -= len(piece)

    def read(self, n: int = -1, /) -> bytes:
        """Return n bytes, or perhaps one less; fewer only at the end.

        A short piece would be a short block of pyarrow, too short for a row that reaches into it.
        """
        n = n if n >= 0 else sys.maxsize
        pieces, size = [self._ready], len(self._ready)
        try:
            while size < n and not self._is_over:
                pieces.append(self._next(min(n - size, PIECE)))
                size += len(pieces[-1])
        except Exception as error:
            error.__context__ = None  # it holds on to the frames that hold this stream
            self.fault = error
            raise
        ready = b"".join(pieces) if self._ready or len(pieces) > 2 else pieces[-1]
        n = min(n, size)
        if n > 1 and ready[n - 1] == ord("\r"):
            n -= 1  # pyarrow loses a line feed between blocks, also inside quotes
        self._ready = ready[n:]
        return ready[:n]

    def _next(self, n: int) -> bytes:
        """Return the next bytes as UTF-8; they may be none before the end."""
        raw = self._stream.read(n)
        self._is_over = not raw
        self._n_read += len(raw)
        self._source.check_unpacked(self._n_read)
        text = self._checked(raw)
        if text and self._is_start:
            self._is_start = False
            text = text.removeprefix(codecs.BOM_UTF8)
        if b"\0" in text:
            line = self._line(self._n_read - len(raw) + max(0, raw.find(b"\0")))
            raise DatakinError(
                f"The file {self._source.path!r} must be text. Got a NUL byte in line "
                f"{line}: it is damaged, or no table of text; UTF-16 needs "
                f"encoding='utf-16-le' (--encoding)."
            )
        self._last = text[-1:] or self._last
        if not self._is_over:
            return text
        return text + (b"" if self._last in b"\r\n" else b"\n") + self._ending

    def _checked(self, raw: bytes) -> bytes:
        pending = self._decoder.getstate()[0]
        if self._is_utf8 and not pending and raw.isascii():
            return raw
        try:
            text = self._decoder.decode(raw, final=self._is_over)
            return raw if self._is_utf8 else text.encode()
        except UnicodeError as error:
            start = getattr(error, "start", 0)
            line = self._line(self._n_read - len(pending + raw) + start)
            if self._is_utf8 and self._encoding.origin == "usual":
                raise NotUtf8(_around(pending + raw, start), line) from None
            raise DatakinError(
                f"The file {self._source.path!r} is not {self._encoding.name} text: line {line} does "
                f"not fit. Say its encoding with encoding= (--encoding), or leave that out to have it "
                f"recognised."
            ) from None

    def _line(self, position: int) -> int:
        """Return the line of a byte."""
        line = 1
        with self._source.open() as stream:
            while position > 0 and (piece := stream.read(min(position, 1 << 20))):
                line += piece.count(b"\n")
                position -= len(piece)
        return line


class Lent(io.RawIOBase):
    """A stream as it is lent to pyarrow, which reads it in a thread of its own."""

    def __init__(self, stream: Utf8Stream) -> None:
        self._stream = stream
        self.is_wanted_back = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, n: int = -1, /) -> bytes:
        """Return bytes of the stream; none if it is wanted back."""
        return b"" if self.is_wanted_back else self._stream.read(n)


def take_back(lent: weakref.ref[Lent]) -> None:
    """Wait until pyarrow's thread has let go of a stream.

    A thread that still needs Python while the interpreter ends would abort the process.
    """
    if (stream := lent()) is not None:
        stream.is_wanted_back = True
        del stream
    end = time.monotonic() + PATIENCE
    while lent() is not None and time.monotonic() < end:
        time.sleep(0.0002)


def _around(text: bytes, position: int) -> bytes:
    """Return the lines around a byte, whole ones where they are not too long."""
    low, high = max(0, position - AROUND), position + AROUND
    low = max(low, text.find(b"\n", low, position) + 1) if low else 0
    end = text.rfind(b"\n", position, high)
    return text[low : end if end > 0 else high]


def read_head(source: Source, encoding: Encoding, n: int) -> tuple[str, bool]:
    """Return about the first n bytes of a text as letters, and whether that is all of it."""
    with Utf8Stream(source, encoding) as stream:
        head = stream.read(n)
        return head.decode(errors="ignore"), not stream.read(1)
