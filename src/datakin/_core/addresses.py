"""Addresses of tables in words that may be shown: without passwords, and printable everywhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import quote, quote_plus, unquote, unquote_plus

__all__ = ["is_url", "printable", "secrets_of", "without_password", "without_secrets"]

HIDDEN = "***"
SHORT = 4  # letters; a shorter password may stand in any sentence by chance
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+._-]+://")
# The password ends at the last "@" of the word: one that holds an "@" itself must not show its rest.
USER_AND_PASSWORD = re.compile(r"(://[^:/?#@\s]*):(\S*)@")
WHOLE_URL = re.compile(r"(\A[A-Za-z][A-Za-z0-9+._-]+://[^:/?#@]*):(.*)@", re.DOTALL)
PARAMETER = re.compile(
    r"([?&;\s](?:password|passwd|passphrase|pwd|sslpassword|passfile|token|odbc_connect)\s*=\s*)"
    r"('[^']*'|[^&#;\s'\"]+)",
    re.IGNORECASE,
)


def is_url(text: str) -> bool:
    """Return whether a text looks like the address of a database, or of a page.

    Examples
    --------
    >>> is_url("postgresql://clinic.example/visits"), is_url("visits.csv")
    (True, False)
    """
    return SCHEME.match(text) is not None


def without_password(text: str) -> str:
    """Return a text in which every password of a URL is hidden.

    Examples
    --------
    >>> without_password("read postgresql://ann:s3cret@host/db?sslpassword=x please")
    'read postgresql://ann:***@host/db?sslpassword=*** please'
    """
    text = WHOLE_URL.sub(rf"\1:{HIDDEN}@", text)
    text = USER_AND_PASSWORD.sub(rf"\1:{HIDDEN}@", text)
    return PARAMETER.sub(rf"\1{HIDDEN}", text)


def secrets_of(url: str) -> list[str]:
    """Return the passwords in a URL, in every spelling that a driver's message may use."""
    found = [match[2] for match in WHOLE_URL.finditer(url)]
    # Where a password holds an "@", drivers take what stands behind it for the host.
    found += [piece for text in found for piece in text.split("@")]
    found += [match[2] for match in PARAMETER.finditer(url)]
    ways = (str, unquote, unquote_plus, quote, quote_plus, lambda text: repr(text)[1:-1])
    spellings = {way(text) for text in found for way in ways}
    spellings |= {way(text) for text in spellings for way in ways}
    return sorted((text for text in spellings if text), key=len, reverse=True)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a text without these passwords, and without those of any URL."""
    for secret in secrets:
        if len(secret) < SHORT and secret in text:
            return "its words may hold the password and are not shown"
        text = text.replace(secret, HIDDEN)
    return without_password(text)


def printable(text: str) -> str:
    r"""Return a name that every file and terminal can show: the rest as backslash escapes.

    A file name need not be text in any encoding; Python keeps its odd bytes as lone surrogates,
    which cannot be written.

    Examples
    --------
    >>> print(printable("station\n\udce9t\u00e9"))
    station\n\xe9té
    """
    return "".join(map(_shown, text)) if not text.isascii() or not text.isprintable() else text


def _shown(letter: str) -> str:
    if unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp"):
        return letter
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return letter.encode("unicode_escape").decode()
