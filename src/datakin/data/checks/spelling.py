"""Names, levels and classes that mean the same and are written differently."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache

from datakin.data.columns.texts import WORDS, grouped

__all__ = [
    "in_one_spelling",
    "matching_values",
    "plain",
    "same_names",
    "shifted_codes",
    "spelled_twice",
]


def plain(text: str) -> str:
    """Return a text without case, accents, spaces and punctuation.

    Examples
    --------
    >>> plain("Druck [bar]") == plain("DRUCK_BAR")
    True
    """
    letters = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(c for c in letters if c.isalnum())
    return bare or text


@lru_cache(maxsize=10_000)
def _unspaced(text: str) -> str:
    """Return a value without case and spaces; signs and accents may matter in it."""
    return re.sub(r"[\s_]+", "", unicodedata.normalize("NFKC", text).casefold())


def same_names(ours: Collection[str], theirs: Collection[str]) -> dict[str, str]:
    """Return their names that are ours but for case, accents, spaces and punctuation.

    Examples
    --------
    >>> same_names(["Druck bar", "x"], ["DRUCK BAR", "z"])
    {'DRUCK BAR': 'Druck bar'}
    """
    known, new = (
        grouped((name for name in names if name not in others), plain)
        for names, others in ((ours, set(theirs)), (theirs, set(ours)))
    )
    return {
        names[0]: known[form][0]
        for form, names in new.items()
        if len(names) == len(known.get(form, ())) == 1
    }


def matching_values(ours: Collection[str], theirs: Collection[str]) -> dict[str, str]:
    """Return which of their values stand for which of ours, where they are written differently.

    Examples
    --------
    >>> matching_values(["0", "1"], ["-1", "1"])
    {'-1': '0'}
    >>> matching_values(["no", "yes"], ["No", "yes"])
    {'No': 'no'}
    >>> matching_values(["a", "b"], ["a", "b", "c"])
    {}
    >>> matching_values(["M", "W"], ["m", "f"])
    {'m': 'M', 'f': 'W'}
    """
    known = grouped(ours, _unspaced)
    found = {
        value: known[_unspaced(value)][0]
        for value in theirs
        if value not in ours and len(known.get(_unspaced(value), ())) == 1
    }
    numbers = {} if found else shifted_codes(ours, theirs)
    if numbers:
        return numbers
    new = [value for value in ours if value not in theirs and value not in found.values()]
    same = {
        value: [mine for mine in new if _meanings(value) & _meanings(mine)]
        for value in theirs
        if value not in ours and value not in found
    }
    # Of a no and a female that both may be an f, the female begins with it.
    for value, mine in sorted(same.items(), key=lambda each: each[0][:1] not in "".join(each[1])):
        if len(mine) == 1 and mine[0] not in found.values():
            found[value] = mine[0]
    return found


def _meanings(value: str) -> set[str]:
    return {meaning for meaning, words in WORDS["meanings"].items() if _unspaced(value) in words}


def shifted_codes(ours: Collection[str], theirs: Collection[str]) -> dict[str, str]:
    """Return the match of two pairs of numbers, or of codes that count from 0 and from 1."""
    pattern = re.compile(r"-?\d+")
    if len(ours) != len(theirs) or set(ours) == set(theirs):
        return {}
    if not all(pattern.fullmatch(value) for value in (*ours, *theirs)):
        return {}
    one, other = sorted(ours, key=int), sorted(theirs, key=int)
    count = list(range(len(one)))
    starts = {int(one[0]), int(other[0])}
    counted = all([int(v) - int(values[0]) for v in values] == count for values in (one, other))
    if len(one) > 2 and not (counted and starts == {0, 1}):
        return {}
    return {old: new for old, new in zip(other, one, strict=True) if old != new}


def spelled_twice(values: Iterable[str]) -> dict[str, str]:
    """Return values that are another of them but for case and spaces, and that other.

    Single letters are not looked at: a and A may well be two things.

    Examples
    --------
    >>> spelled_twice(["no", "yes", "Yes"])
    {'Yes': 'yes'}
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for value in sorted(values, key=lambda v: (v != v.lower(), v)):
        form = _unspaced(value)
        if len(form) > 1 and form in first:
            found[value] = first[form]
        first.setdefault(form, value)
    return found


def in_one_spelling(values: Collection[str], others: Iterable[Collection[str]]) -> dict[str, str]:
    """Return what recodes values of which some are spelled twice, as the first of others spells them.

    Examples
    --------
    >>> in_one_spelling(["NO", "No", "Yes"], [["no", "yes"]])
    {'NO': 'no', 'No': 'no', 'Yes': 'yes'}
    """
    twice = spelled_twice(values)
    usual: dict[str, str] = {}
    for some in others:
        if not spelled_twice(some):
            for value in some:
                usual.setdefault(_unspaced(value), value)
    new = {value: usual.get(_unspaced(value), twice.get(value, value)) for value in values}
    return {value: best for value, best in new.items() if value != best}
