"""What the name of a column says: an id, a number of the rows, a time, the label's own word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from datakin.data.columns.texts import WORDS

__all__ = [
    "is_called_id",
    "is_called_key",
    "is_called_number",
    "is_numbered_alike",
    "names_outcome",
    "names_several_rows",
    "says_code",
    "says_quantity",
    "shared_words",
    "words_of",
]

IDS, NUMBERS, COUNTS, GENERAL = (
    frozenset(WORDS[key]) for key in ("ids", "numbers", "counts", "general")
)
NOT_IDS, FUSED_NUMBERS, QUANTITIES, SUBJECTS, CODES, OUTCOMES = (
    re.compile("|".join(WORDS[key]))
    for key in ("not_ids", "fused_numbers", "quantities", "subjects", "codes", "outcomes")
)
COMMON = 7  # letters in common, for names written as one word
LONG_GENERAL = "|".join(sorted(word for word in GENERAL if len(word) > 5))


@lru_cache(maxsize=1000)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, in small letters.

    Examples
    --------
    >>> words_of("unit_id"), words_of("unitId"), words_of("unit id 2")
    (('unit', 'id'), ('unit', 'id'), ('unit', 'id'))
    """
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(re.findall(r"[^\W\d_]+", split.lower()))


def is_called_id(name: str) -> bool:
    """Whether a name says that it tells things apart.

    Examples
    --------
    >>> is_called_id("ward_id"), is_called_id("uniquepid"), is_called_id("chlorid")
    (True, True, False)
    """
    return any(
        word in IDS or (word.endswith("id") and not NOT_IDS.fullmatch(word))
        for word in words_of(name)
    )


def is_called_number(name: str) -> bool:
    """Whether a name says that it numbers things, rather than how many there are.

    Examples
    --------
    >>> is_called_number("part number"), is_called_number("Kundennr"), is_called_number("row_index")
    (True, True, True)
    >>> is_called_number("number_of_shares"), is_called_number("price_index")
    (False, False)
    """
    words = words_of(name)
    if words[-1:] == ("index",):  # the last word of many a quantity
        return NUMBERS.issuperset(words)
    return any(word in NUMBERS or FUSED_NUMBERS.fullmatch(word) for word in words[-1:])


def is_called_key(name: str) -> bool:
    """Whether a name says that it tells things apart, or that it numbers them."""
    return is_called_id(name) or is_called_number(name)


def names_several_rows(name: str) -> bool:
    """Whether values under this name tell patients or the like apart, who may have several rows.

    Examples
    --------
    >>> names_several_rows("patient"), names_several_rows("case_id"), names_several_rows("bp")
    (True, True, False)
    """
    return is_called_key(name) or any(SUBJECTS.fullmatch(word) for word in words_of(name))


def says_quantity(name: str) -> bool:
    """Whether a name says a time or how many there are, so that steps of one number no rows.

    Examples
    --------
    >>> says_quantity("fiscal_year"), says_quantity("num_steps"), says_quantity("order")
    (True, True, False)
    """
    words = words_of(name)
    is_count = len(words) > 1 and words[0] in COUNTS
    return is_count or any(QUANTITIES.fullmatch(word) for word in words)


def says_code(name: str) -> bool:
    """Whether numbers under this name are codes of places, groups or things.

    Examples
    --------
    >>> says_code("site"), says_code("ward_id"), says_code("dose"), says_code("schoolyear")
    (True, True, False, False)
    """
    is_code = is_called_key(name) or any(CODES.fullmatch(word) for word in words_of(name))
    return is_code and not says_quantity(name)


def shared_words(name: str, label: str) -> str:
    """Return the telling words that two names have in common; empty if there are none.

    Examples
    --------
    >>> shared_words("icu_expired", "hosp_expired")
    'expired'
    >>> shared_words("unitdischargestatus", "hospitaldischargestatus")
    'discharge'
    >>> shared_words("hospital_size", "hospital_death")
    ''
    """
    ours, theirs = (
        {word for word in words_of(each) if len(word) > 2} - GENERAL for each in (name, label)
    )
    if ours & theirs:
        return " ".join(sorted(ours & theirs))
    if len(ours) != 1 and len(theirs) != 1:
        return ""
    one, other = (re.sub(LONG_GENERAL, " ", " ".join(sorted(words))) for words in (ours, theirs))
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return one[match.a : match.a + match.size].strip() if match.size >= COMMON else ""


def names_outcome(words: str) -> bool:
    """Whether words say how things ended.

    Examples
    --------
    >>> names_outcome("expired"), names_outcome("discharge"), names_outcome("engine")
    (True, True, False)
    """
    return OUTCOMES.search(words) is not None


def is_numbered_alike(name: str, label: str, names: Sequence[str]) -> bool:
    """Whether only a number tells a column from the label, as in G1 and G3.

    A number behind a name tells nothing where many of all names have one.
    """

    def bare(text: str) -> str:
        return re.sub(r"\d+", "", text)

    if name == label or bare(name) != bare(label) or bare(label) == label:
        return False
    return sum(bare(each) == bare(label) for each in names) <= 4
