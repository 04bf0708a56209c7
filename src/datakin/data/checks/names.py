"""What the name of a column says: an id, a number of the rows, a time, the label's own word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

__all__ = [
    "is_called_id",
    "is_called_number",
    "is_numbered_alike",
    "names_outcome",
    "names_several_rows",
    "says_code",
    "says_quantity",
    "shared_words",
    "words_of",
]

ID_WORDS = frozenset(
    ["id", "ids", "pid", "uid", "uuid", "guid", "mrn", "ssn", "identifier", "matricule"]
)
NOT_IDS = re.compile(  # words in "id" that are no ids, and how such words end in chemistry and medicine
    "(a|av|b|br|bra|car?ot|cov|d|eyel|flu|gr|hum|inval|k|l|liqu|m|rap|rig|sa|sol|tim|val|viv)id"
    "|(over|pre|re|un)?paid"
    "|.*(ac|brom|carb|carot|cer|chlor|cyan|fluor|hybr|hydr|iod|jod|lip|morb|nitr|o|ox|pept|plasm|pyram"
    "|sulf|sulph|ster|zer)id"
)
NUMBER_WORDS = frozenset(
    ["no", "nr", "num", "number", "index", "idx", "key", "row", "record", "serial", "unnamed"]
)
FUSED_NUMBER = re.compile(".*nummer|.*idnum|..+nr")  # not INR, SNR
COUNT_WORDS = frozenset(["n", "no", "nr", "num", "number", "count", "anzahl"])  # "num_steps"
QUANTITY = re.compile(
    "(year|month|week|quarter|date|time|period|jahr|monat|woche|datum|zeit).*"
    "|.*(year|month|week|day|(?<!candi)date|time|period|jahr|monat|datum|zeit)"
    "|yrs?|days|hours?|hrs?|minutes?|seconds?|seasons?|decades?|epochs?|cycles?|ages?|tage?|alter"
    "|counts?|amounts?|ranks?|ranking|rang|score|level|grade|dose"
)
SUBJECT = re.compile(  # whoever may have several rows
    "(patient|person|people|subject|case|client|customer|participant|proband|member|user|student|pupil"
    "|employee|household|family|animal|donor|stay|admission|visit|encounter|episode|fall|kunde|schueler"
    "|device|machine|engine|vehicle|account|contract)(s|en|in|n)?"
)
CODE = re.compile(  # places, groups and batches, whose numbers are names
    "codes?|sites?|wards?|units?|hospitals?|clinics?|cent(er|re)s?|region|district|station|plants?|lines?"
    "|machines?|schools?|class|groups?|gr?p[a-z]?|teams?|stores?|shops?|branch|batch|lots?|clusters?"
    "|areas?|zones?|country|state|city|dept|department|physician|doctor|operator|ort|werk|gruppe|schule"
)
COMMON = 7  # letters in common, for names written as one word
# Words that many columns have.
GENERAL = frozenset(
    ["the", "and", "for", "has", "was", "not", "with", "total", "number", "count", "score", "value",
     "label", "target", "class", "type", "code", "mean", "max", "min", "rate", "level", "index",
     "status", "name", "date", "time", "day", "days", "year", "month", "first", "last", "new", "old",
     "patient", "hospital", "unit"]
)  # fmt: skip
LONG_GENERAL = "|".join(sorted(word for word in GENERAL if len(word) > 5))
# How things ended: what is called so was not known beforehand. Short words must stand alone.
OUTCOME = re.compile(
    r"\b(died|dead|tod)\b|death|deceas|expired|mortal|fatal|surviv|alive|verst[oe]rb|gestorben|todes"
    "|discharg|readmi|outcome|result|diagnos|relaps|recurr|failure|failed|default|fraud|churn|attrition"
    "|dropout|cancell?ed|cancell?ation"
)


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
        word in ID_WORDS or (word.endswith("id") and not NOT_IDS.fullmatch(word))
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
        return NUMBER_WORDS.issuperset(words)
    return bool(words) and (
        words[-1] in NUMBER_WORDS or FUSED_NUMBER.fullmatch(words[-1]) is not None
    )


def names_several_rows(name: str) -> bool:
    """Whether values under this name tell patients or the like apart, who may have several rows.

    Examples
    --------
    >>> names_several_rows("patient"), names_several_rows("case_id"), names_several_rows("bp")
    (True, True, False)
    """
    is_named = is_called_id(name) or is_called_number(name)
    return is_named or any(SUBJECT.fullmatch(word) for word in words_of(name))


def says_quantity(name: str) -> bool:
    """Whether a name says a time or how many there are, so that steps of one number no rows.

    Examples
    --------
    >>> says_quantity("fiscal_year"), says_quantity("num_steps"), says_quantity("order")
    (True, True, False)
    """
    words = words_of(name)
    is_count = len(words) > 1 and words[0] in COUNT_WORDS
    return is_count or any(QUANTITY.fullmatch(word) for word in words)


def says_code(name: str) -> bool:
    """Whether numbers under this name are codes of places, groups or things.

    Examples
    --------
    >>> says_code("site"), says_code("ward_id"), says_code("dose"), says_code("schoolyear")
    (True, True, False, False)
    """
    if says_quantity(name):
        return False
    is_named = is_called_id(name) or is_called_number(name)
    return is_named or any(CODE.fullmatch(word) for word in words_of(name))


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
    ours, theirs = _telling(name), _telling(label)
    if ours & theirs:
        return " ".join(sorted(ours & theirs))
    if len(ours) != 1 and len(theirs) != 1:
        return ""
    one, other = (re.sub(LONG_GENERAL, " ", " ".join(sorted(words))) for words in (ours, theirs))
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return one[match.a : match.a + match.size].strip() if match.size >= COMMON else ""


def _telling(name: str) -> set[str]:
    return {word for word in words_of(name) if len(word) > 2} - GENERAL


def names_outcome(words: str) -> bool:
    """Whether words say how things ended.

    Examples
    --------
    >>> names_outcome("expired"), names_outcome("discharge"), names_outcome("engine")
    (True, True, False)
    """
    return OUTCOME.search(words) is not None


def is_numbered_alike(name: str, label: str, names: Sequence[str]) -> bool:
    """Whether only a number tells a column from the label, as in G1 and G3.

    Parameters
    ----------
    name, label : str
    names : sequence of str
        All columns: a number behind a name tells nothing where many have one.
    """

    def bare(text: str) -> str:
        return re.sub(r"\d+", "", text)

    if name == label or bare(name) != bare(label) or bare(label) == label:
        return False
    return sum(bare(each) == bare(label) for each in names) <= 4
