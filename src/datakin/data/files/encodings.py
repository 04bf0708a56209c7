"""How the bytes of a text file become letters: what is certain, and what is a guess."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise

from datakin._core.exceptions import DatakinError

__all__ = ["Encoding", "guess_encoding", "recognise_encoding"]

MARKS = (  # byte order marks; those of UTF-32 begin as those of UTF-16 do
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WESTERN = "cp1252"
SAMPLE = 1 << 16  # bytes with foreign letters that a guess looks at


@dataclass(frozen=True)
class Encoding:
    """How a text is read.

    Parameters
    ----------
    name : str
        A codec of Python.
    origin : {"given", "mark", "usual", "guess"}
        Why: the user said so, the file says so, everybody does so (UTF-8), or its bytes look so.
    """

    name: str
    origin: str

    @property
    def notes(self) -> tuple[str, ...]:
        """What its user should know."""
        if self.origin != "guess":
            return ()
        return (f"read as {self.name} (a guess; encoding=, --encoding)",)


def recognise_encoding(head: bytes, given: str | None) -> Encoding:
    """Return the encoding of a text from its beginning; UTF-8 unless something else shows."""
    if given is not None:
        return Encoding(_known(given), "given")
    for mark, name in MARKS:
        if head.startswith(mark):
            return Encoding(name, "mark")
    wide = _wide(head)
    return Encoding("utf-8", "usual") if wide is None else Encoding(wide, "guess")


def _known(given: str) -> str:
    try:
        "a".encode(given)  # also refuses codecs that are not for text
        return codecs.lookup(given).name
    except (LookupError, TypeError, ValueError):
        raise DatakinError(
            f"The 'encoding' parameter (--encoding) must be an encoding that Python knows, such as "
            f"'utf-8', 'cp1252' or 'utf-16'. Got {given!r} instead."
        ) from None


def _wide(head: bytes) -> str | None:
    """Return UTF-16 of one or the other order if every second byte is mostly zero."""
    head = head[: SAMPLE // 2 * 2]
    pairs = len(head) // 2
    if pairs < 2:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    for zeros, others, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > 0.4 * pairs and others < 0.05 * pairs:
            return name
    return None


def guess_encoding(text: bytes) -> Encoding | None:
    """Return the likely encoding of a text that is not UTF-8; None if it is damaged UTF-8.

    Examples
    --------
    >>> guess_encoding("Größe;Zürich".encode("cp1252")).name
    'cp1252'
    """
    foreign = b"\n".join(line for line in text.splitlines() if not line.isascii())[:SAMPLE]
    decoded = foreign.decode("utf-8", errors="replace")
    bad = decoded.count("\ufffd")
    if sum(not letter.isascii() for letter in decoded) - bad > bad:
        return None
    if _looks_western(foreign):
        return Encoding(WESTERN, "guess")
    from charset_normalizer import from_bytes

    # A table has few words: where the usual demands give no answer, lower ones often do.
    best = from_bytes(foreign).best() or from_bytes(foreign, threshold=0.5).best()
    name = WESTERN if best is None or best.encoding.startswith(("utf", "ascii")) else best.encoding
    return Encoding(codecs.lookup(name).name, "guess")


def _looks_western(text: bytes) -> bool:
    """Whether cp1252 gives words as Western languages have them.

    Programs that guess from statistics are often wrong about the few letters of a table, and
    encodings of the West differ in signs alone. So cp1252 is taken unless it gives what no word has:
    three foreign letters in a row, a sign between two letters, or a capital after a small letter.
    """
    try:
        decoded = text.decode(WESTERN)
    except UnicodeDecodeError:
        return False
    odd = r"[^\W\d_a-zA-Z]{3}|[^\W\d_](?![\u2019\xb4\xb7\u2013])[^\x00-\x7f\w][^\W\d_]"
    if re.search(odd, decoded):
        return False
    return not any(a.islower() and b.isupper() and not b.isascii() for a, b in pairwise(decoded))
