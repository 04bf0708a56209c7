"""Addresses of tables in words that may be shown: without passwords, and printable everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, unquote_plus

__all__ = [
    "after_password",
    "is_url",
    "printable",
    "secrets_of",
    "told",
    "without_password",
    "without_secrets",
]

HIDDEN = "***"
SHORT = 4  # letters; a shorter password may stand in any sentence by chance
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+._-]+://")
# An address alone, or as an option, in which a password may hold spaces; one without its scheme; and
# one among other words. One slash is a slip of the hand: the password behind it is none.
ALONE = re.compile(r"\A((?:-+(?:[\w-]+=)?)?(?:[A-Za-z][A-Za-z0-9+._-]*:)+/{1,2})(.*)", re.DOTALL)
NO_SCHEME = re.compile(r"\A([^:@]{2,}):(?!/).*@", re.DOTALL)
AMONG = re.compile(r"([A-Za-z][A-Za-z0-9+._-]+:/{1,2})(\S+)")
# Options of an address that may be shown; what is not known may be a password.
PLAIN = {
    *("host", "hostaddr", "port", "user", "dbname", "database", "service", "schema", "charset"),
    *("sslmode", "sslrootcert", "sslcert", "ssl", "gssencmode", "channel_binding", "driver"),
    *("application_name", "connect_timeout", "target_session_attrs", "client_encoding"),
}
SECRET = re.compile(r"pass|pwd|token|secret|cred|key|odbc", re.IGNORECASE)
PARAMETER = re.compile(
    r"((?:\A|[?&;\s])(?:(?:ssl|pg)?password|passwd|passphrase|pwd|passfile|odbc_connect)\s*=\s*)(?!\*{3})"
    r"('[^']*'|\"[^\"]*\"|\{[^}]*\}|\S+)",
    re.IGNORECASE,
)
# Controls, lone surrogates, and separators of lines and paragraphs.
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


def is_url(text: str) -> bool:
    """Return whether a text looks like the address of a database, or of a page.

    Examples
    --------
    >>> is_url("postgresql://clinic.example/visits"), is_url("visits.csv")
    (True, False)
    """
    return SCHEME.match(text) is not None


def without_password(text: str) -> str:
    """Return a text in which the passwords of addresses are hidden, and every option that may be one.

    Examples
    --------
    >>> without_password("read postgresql://ann:s3cret@host/db?sslpassword=x please")
    'read postgresql://ann:***@host/db?sslpassword=*** please'
    """
    found = ALONE.match(text)
    text = _hidden(found) if found else AMONG.sub(_hidden, text)
    return PARAMETER.sub(rf"\1{HIDDEN}", text)


def told(word: str) -> str:
    """Return a word that means nothing here; it may be an address that lacks its scheme.

    Examples
    --------
    >>> told("ann:s3cret@host/db")
    'ann:***@host/db'
    """
    return NO_SCHEME.sub(rf"\1:{HIDDEN}@", without_password(word))


def after_password(url: str) -> str:
    """Return host, database and options of an address; nothing if a password may stand in them.

    Examples
    --------
    >>> after_password("postgresql://ann:s3?cret@host/db?sslmode=require")
    'host/db?sslmode=require'
    """
    return _cut(url.partition("://")[2])[1]


def _cut(rest: str) -> tuple[str, str]:
    """Return user and password, with the last "@", and what follows; all is the first if in doubt.

    A user may hold an "@", and so may a password, a "?", or a "/". What cannot be told from an option
    with an "@" in its value is in doubt.
    """
    if rest.startswith("/"):
        return "", rest
    head, mark, tail = rest.rpartition("@")
    if "=" in head.partition("?")[2]:
        return rest, ""
    return head + mark, tail


def _options(tail: str) -> tuple[str, list[tuple[str, str]], str]:
    """Return what stands before the options of an address, these, and what follows."""
    start, mark, query = tail.partition("?")
    if not mark or "#" in start:
        return tail, [], ""
    query, mark, table = query.partition("#")
    pairs = [
        (key + equal, value) for key, equal, value in (p.partition("=") for p in query.split("&"))
    ]
    return f"{start}?", pairs, mark + table


def _hidden(found: re.Match[str]) -> str:
    head, tail = _cut(found[2])
    if head and not tail:
        return found[1] + HIDDEN
    if ":" in head:
        head = f"{head.partition(':')[0]}:{HIDDEN}@"
    start, pairs, end = _options(tail)
    shown = (key + (value if _is_plain(key, value) else HIDDEN) for key, value in pairs)
    return found[1] + head + start + "&".join(shown) + end


def _is_plain(key: str, value: str) -> bool:
    return not value or key.rstrip("=").lower() in PLAIN


def secrets_of(url: str) -> list[str]:
    """Return what must not be shown of an address, in the spellings that a driver's words may have."""
    match = ALONE.match(url)
    if match is None:
        return []
    head, tail = _cut(match[2])
    if head and not tail:
        found = [head, *re.split(r"[@&=?#/:]", head)]
    else:
        password = head.partition(":")[2].removesuffix("@")
        # Where a password holds an "@", drivers take what stands behind it for the host.
        found = [password, *password.split("@")]
    for key, value in _options(tail)[1]:
        if not _is_plain(key, value) and (SECRET.search(key) or len(value) >= SHORT):
            found.append(value)
    spellings = {way(text) for text in found for way in (str, unquote, unquote_plus)}
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
    return UNPRINTABLE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return found[0].encode("unicode_escape").decode()
