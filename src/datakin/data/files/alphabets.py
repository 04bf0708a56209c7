"""Which encoding of one byte a letter makes a few foreign words look like those of a language.

A table has few words, too few for the statistics of programs that guess encodings from long texts:
they take Czech for Italian and French for Korean. What helps is which letters go together, so that
all of them are letters of one language.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

__all__ = ["WESTERN", "best_fit"]

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


def best_fit(text: bytes) -> tuple[str, float]:
    """Return the encoding that fits a text best, and how well: 1 at most, below 0.6 not well.

    Examples
    --------
    >>> best_fit("Plzeň, Třebíč, Děčín".encode("cp1250"))[0]
    'cp1250'
    """
    best, most = WESTERN, -1.0
    for encoding, alphabets in ENCODINGS.items():
        try:
            decoded = text.decode(encoding)
        except UnicodeDecodeError:
            continue
        fit = _fit(decoded, alphabets)
        if encoding == WESTERN:
            fit = max(fit + 0.1, _share(decoded, dict.fromkeys(MIXED, 0.8)) - _n_odd(decoded, True))
        if fit > most:
            best, most = encoding, fit
    return best, most


def _fit(text: str, alphabets: tuple[str, ...]) -> float:
    """Return how well one of the alphabets fits the foreign letters of a text."""
    weights = [
        {letter: 1 - 0.5 * i / len(letters) for i, letter in enumerate(letters)}
        for letters in alphabets
    ]
    is_latin = alphabets in (WEST, CENTRAL, TURKISH)
    return max(_share(text, weight) for weight in weights) - _n_odd(text, is_latin)


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
