"""How the bytes of a text file become letters: what is certain, and what is a guess.

A table has few words, too few for the statistics of programs that guess encodings from long texts:
they take Czech for Italian and French for Korean. What helps is which letters go together, so that
all of them are letters of one language.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from datakin._core.exceptions import SERIOUS, DatakinError, Note, require

MARKS = (  # byte order marks; those of UTF-32 begin as those of UTF-16 do
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SAMPLE = 1 << 16  # bytes with foreign letters that a guess looks at
LETTERS = 1 << 13  # of them, those whose letters are looked at
WELL = 0.6  # how well an alphabet has to fit
ASIAN = ["cp932", "euc_jp", "gb18030", "big5", "cp949"]
FOREIGN = re.compile(r"[^\s,;|\"]*[^\x00-\x7f\s][^\s,;|\"]*")
GUESS = " (a guess; "
WESTERN = "cp1252"
# Letters beside a to z, frequent ones first, of the languages that share an encoding.
WEST = (
    *("éèàêçâîôûùïëœüæÿ", "äüöß", "óáíéñúü", "ãçáéóêíâõôúàü", "àèùòìéíóú"),
    *("äöåéü", "øåæéöä", "éëïöüóáèçû"),
)
CENTRAL = (
    *("łęąóżśćńź", "áíěéřžýčšůúňťóďäöü", "áíčéžšýúľťňôäóďŕĺ", "áéőöíóüúűä", "šćčžđ", "ăîâşţ"),
)
TURKISH = ("ıüşçğöiâî",)  # an "i" for its capital with a dot
# ruff: noqa: RUF001
CYRILLIC = ("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёъ", "оаинвіетрсклудмпязьбгчйїхшжцєщюфґ")
GREEK = ("αοιετσνηυρπκμλςωίόγδάέήβχθφύξζώψϊϋ",)
HEBREW = ("יוהלאתמרבשנעםדקחפגסכטזןצךץף",)
ARABIC = ("ايلمونترةبعدفسهكقحأجشىصطخضزذثئغإءظؤآ",)
# The usual ones first: they are taken where others fit no better.
ENCODINGS = {
    WESTERN: WEST,
    "cp1250": CENTRAL,
    "cp1254": TURKISH,
    "cp1251": CYRILLIC,
    "cp1253": GREEK,
    "cp1255": HEBREW,
    "cp1256": ARABIC,
    "iso8859-2": CENTRAL,
    "cp850": WEST,
    "mac-roman": WEST,
    "cp852": CENTRAL,
    "koi8-r": CYRILLIC,
    "cp866": CYRILLIC,
}
MIXED = "".join(WEST) + "ðþý"  # a table may have names of many countries
SIGNS = "°µ€£§²³±–—’‘“”„«»…·×½¼¾®©™\xa0"
LETTER = r"[^\W\d_]"
BESIDE = re.compile(rf"[a-zA-Z](?![a-zA-Z]){LETTER}|(?![a-zA-Z]){LETTER}[a-zA-Z]")
# What words do not have: a sign between letters, many foreign letters of the Latin script in a row.
SIGN_WITHIN = re.compile(rf"{LETTER}(?![’´·–])[^\x00-\x7f\w]{LETTER}")
SIGN_BESIDE = re.compile(r"[£§²³±·×½¼¾®©™][^\x00-\x7f]|[^\x00-\x7f][£§²³±·×½¼¾®©™]")
ROW = re.compile(r"[^\W\d_a-zA-Z]{4}")


@dataclass(frozen=True)
class Encoding:
    """How a text is read, and why.

    The origin is "given" by the user, a "mark" in the file, "usual" (UTF-8), or a "guess" from its bytes.
    """

    name: str  # a codec of Python
    origin: str
    example: str = ""  # the first word of a guess that shows whether it is right

    @property
    def notes(self) -> tuple[str, ...]:
        """What its user should know."""
        if self.origin != "guess":
            return ()
        example = f"for example {self.example!r}; " if self.example else ""
        return (f"read as {self.name}{GUESS}{example}encoding=, --encoding)",)


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
    >>> guess_encoding("Größe;Zürich".encode("cp1252"))
    Encoding(name='cp1252', origin='guess', example='Größe')
    >>> guess_encoding("Plzeň, Třebíč, Děčín".encode("cp1250")).name
    'cp1250'
    """
    foreign = b"\n".join(line for line in text.splitlines() if not line.isascii())[:SAMPLE]
    decoded = foreign.decode("utf-8", errors="replace")
    bad = decoded.count("\ufffd")
    good = sum(not letter.isascii() for letter in decoded) - bad
    name, fit = _best_fit(foreign[:LETTERS])
    if good > bad or (good == bad and fit < WELL):
        return None
    if fit < WELL:
        name = _asian(foreign) or name
    example = FOREIGN.search(foreign.decode(name, errors="replace"))
    return Encoding(codecs.lookup(name).name, "guess", example[0][:30] if example else "")


def _asian(text: bytes) -> str | None:
    """Return the encoding of an East Asian language that a text is in, None if it is in none."""
    name, purpose = "charset_normalizer", "Recognising the encoding of this text"
    from_bytes = require(name, "all", purpose, package="charset-normalizer").from_bytes
    # A table has few words: where the usual demands give no answer, lower ones often do.
    usual, lower = 0.2, 0.5
    found = (from_bytes(text, cp_isolation=ASIAN, threshold=t).best() for t in (usual, lower))
    return next((best.encoding for best in found if best is not None), None)


def rank_guesses(tables: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the notes of tables, ranked higher if their encodings were guessed differently."""
    guesses = [{note for note in notes if GUESS in note} for notes in tables]
    if len({note.partition(GUESS)[0] for notes in guesses for note in notes}) < 2:
        return [tuple(notes) for notes in tables]
    return [
        tuple(Note(note, SERIOUS) if note in guess else note for note in notes)
        for notes, guess in zip(tables, guesses, strict=True)
    ]


def _best_fit(text: bytes) -> tuple[str, float]:
    """Return the encoding that fits a text best, and how well: 1 at most, below 0.6 not well."""
    best, most = WESTERN, -1.0
    for encoding, alphabets in ENCODINGS.items():
        try:
            decoded = text.decode(encoding)
        except UnicodeDecodeError:
            continue
        shares = []  # how well each alphabet fits the foreign letters
        for letters in alphabets:
            weights = {letter: 1 - 0.5 * i / len(letters) for i, letter in enumerate(letters)}
            shares.append(_share(decoded, weights))
        fit = max(shares) - _n_odd(decoded, alphabets in (WEST, CENTRAL, TURKISH))
        if encoding == WESTERN:
            fit = max(fit + 0.1, _share(decoded, dict.fromkeys(MIXED, 0.8)) - _n_odd(decoded, True))
        if fit > most:
            best, most = encoding, fit
    return best, most


def _share(text: str, weights: dict[str, float]) -> float:
    """Return the mean weight of foreign letters; those of no weight count against it."""
    foreign = Counter(letter for letter in text if not letter.isascii())
    total = sum(
        n * (0.9 if letter in SIGNS else weights.get(letter.lower()[:1], -1.0))
        for letter, n in foreign.items()
    )
    return total / max(1, foreign.total())


def _n_odd(text: str, is_latin: bool) -> float:
    """Return twice the share of foreign letters that stand where none can stand in a word."""
    n = len(SIGN_WITHIN.findall(text)) + len(SIGN_BESIDE.findall(text))
    n += len((ROW if is_latin else BESIDE).findall(text))
    n += sum(a.islower() and b.isupper() and not (a + b).isascii() for a, b in pairwise(text))
    return 2 * n / max(1, sum(not letter.isascii() for letter in text))
