"""Columns of text: one spelling of each value, and the words that stand for "no value"."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datakin.data.features import Array

WORDS: dict[str, Any] = tomllib.loads(
    (files("datakin.data.columns") / "words.toml").read_text(encoding="utf-8")
)
BLANKS, SOFT_BLANKS = frozenset(WORDS["blanks"]), frozenset(WORDS["soft_blanks"])
HEAD = 100  # texts that are looked at before all of them
UNSEEN = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"  # signs without width


def clean(text: str) -> str:
    r"""Return a text in composed letters (NFC) and without outer spaces, also those that are not seen.

    Examples
    --------
    >>> clean(" Zu\u0308rich\xa0\u200b")
    'Zürich'
    """
    return unicodedata.normalize("NFC", text).strip().strip(UNSEEN).strip()


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type holds text."""
    # pyarrow 16 has no name for views, the type that polars writes texts in.
    return str(kind) in ("string", "large_string", "string_view")


def arrow_texts(values: Iterable[Any]) -> pa.Array:
    """Return objects as Arrow text; missing ones are None."""
    texts = [None if value is None else str(value) for value in values]
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:  # half a surrogate pair, as from a file name that is not UTF-8
        safe = [None if t is None else t.encode("utf-8", "backslashreplace") for t in texts]
        return pa.array(safe, pa.large_binary()).cast(pa.large_string())


def matches(texts: pa.Array, pattern: str) -> Array:
    """Return which texts fit a pattern, from their first letter to the last."""
    return np.asarray(pc.match_substring_regex(texts, rf"^(?:{pattern})$"), dtype=bool)


def fit_all(texts: pa.Array, pattern: str) -> bool:
    """Whether all texts fit a pattern; the first ones settle it for most columns."""
    parts = (texts.slice(0, HEAD), texts) if len(texts) > HEAD else (texts,)
    return all(bool(matches(some, pattern).all()) for some in parts)


def grouped(names: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    """Return names by what they have in common.

    Examples
    --------
    >>> grouped(["a", "A", "b"], str.lower)
    {'a': ['a', 'A'], 'b': ['b']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(key(name), []).append(name)
    return found


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of text as its distinct values, in one spelling each."""

    distinct: pa.Array  # cleaned, without a missing value
    codes: Array  # the position of each row's value; -1 where there is none
    n_merged: int = 0  # how many spellings fell together, such as "yes" and "yes "

    @classmethod
    def of(cls, column: pa.Array) -> Texts:
        """Return the distinct values of an Arrow column of text."""
        encoded = column.dictionary_encode()
        codes = encoded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        raw = encoded.dictionary.cast("large_string")
        spelled = pc.utf8_trim_whitespace(pc.utf8_normalize(raw, form="NFC"))
        if not pc.all(pc.string_is_ascii(spelled)).as_py():
            spelled = pc.utf8_trim_whitespace(pc.utf8_trim(spelled, UNSEEN))
        spelled = spelled.dictionary_encode()
        table = np.append(spelled.indices.to_numpy(zero_copy_only=False).astype(np.int64), -1)
        distinct = spelled.dictionary
        return cls(distinct, table[codes], len(raw) - len(distinct))

    @cached_property
    def counts(self) -> Array:
        """How often each value stands in the column."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.distinct))

    @cached_property
    def words(self) -> list[str]:
        """The distinct values as Python texts."""
        found: list[str] = self.distinct.to_pylist()
        return found

    @cached_property
    def is_blank(self) -> Array:
        """Which values are missing in every kind of column."""
        return self.are_in(BLANKS)

    @cached_property
    def is_soft_blank(self) -> Array:
        """Which values are missing beside numbers and dates."""
        return self.is_blank | self.are_in(SOFT_BLANKS, any_case=True)

    @cached_property
    def known(self) -> pa.Array:
        """The values that are not missing beside numbers and dates."""
        return self.distinct.filter(~self.is_soft_blank)

    def are_in(self, words: Iterable[str], *, any_case: bool = False) -> Array:
        """Return which values are one of these words, perhaps in other letters than small ones."""
        texts = pc.utf8_lower(self.distinct) if any_case else self.distinct
        known = pa.array(sorted(words), texts.type)
        return np.asarray(pc.is_in(texts, value_set=known), dtype=bool)

    def counted(self, which: Array) -> Mapping[str, int]:
        """Return how often some of the values stand in the column; the empty text is not counted."""
        some = np.flatnonzero(which)
        words = self.distinct.take(some).to_pylist()
        return {w: int(n) for w, n in zip(words, self.counts[some], strict=True) if w and n}

    def spread(self, values: Sequence[float] | Array, missing: float = np.nan) -> Array:
        """Return one number per row from one per value."""
        return np.append(np.asarray(values), missing)[self.codes]  # code -1 picks the last

    def spread_known(self, values: Array) -> Array:
        """Return one number per row from one per value of `known`."""
        table = np.full(len(self.distinct), np.nan)
        table[~self.is_soft_blank] = values
        return self.spread(table)
