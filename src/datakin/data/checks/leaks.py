"""Columns that give the label away: copies of it, and what was only known afterwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import numpy as np
import pandas as pd

from datakin.data.features import MISSING, Array

__all__ = ["COPY", "DOUBT", "NAMED_LEAK", "Labels", "leak_of"]

COPY = "looks like a copy of the label"
NAMED_LEAK = "gives the label away and shares a word with it"
DOUBT = "may give the label away (look whether it was known beforehand)"
NAMED_DOUBT = "named like the label and close to it (look whether it was known beforehand)"

ENOUGH = 40  # rows, and
RARE = 5  # rows of the smaller class, from which a separation is no chance
SAMPLE = 5000  # rows that are looked at
FEW = 20  # values of a column that is looked at value by value
TOLD = 0.95  # share of the errors of guessing that a column must remove to be named
CHANCE = 1e-6  # of a value that stands with one class only
PURE = 0.95  # share of one class among the rows of a value
SELDOM = 0.3  # share of a rare class
CLOSE = 0.999  # correlation with a response
CLOSE_BY_NAME = 0.7  # the same for a column named like the label
COMMON = 7  # letters in common, for names written as one word
# Words that many columns have.
GENERAL = frozenset(
    ["the", "and", "for", "has", "was", "not", "with", "total", "number", "count", "score", "value",
     "label", "target", "class", "type", "code", "mean", "max", "min", "rate", "level", "index",
     "status", "name", "date", "time", "day", "days", "year", "month", "first", "last", "new", "old",
     "patient", "hospital", "unit"]
)  # fmt: skip
LONG_GENERAL = "|".join(sorted(word for word in GENERAL if len(word) > 5))


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of a table, for a comparison with its columns.

    Parameters
    ----------
    name : str
    y : ndarray
        Class codes (int) or the response (float).
    is_class : bool
    """

    name: str
    y: Array
    is_class: bool

    @cached_property
    def counts(self) -> Array:
        """Number of rows of each class; none for a response."""
        return np.bincount(self.y) if self.is_class else np.zeros(0, dtype=np.int64)

    @cached_property
    def rows(self) -> Array:
        """The rows that are looked at, evenly spread."""
        n = len(self.y)
        return np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.int64)

    @cached_property
    def sample(self) -> Labels:
        """These rows only."""
        return Labels(self.name, self.y[self.rows], self.is_class)


def leak_of(values: Array, name: str, labels: Labels, names: Sequence[str]) -> str | None:
    """Say how a column gives the label away, if it does.

    Parameters
    ----------
    values : ndarray
        Floats of a number, codes of a category.
    name : str
    labels : Labels
    names : sequence of str
        All columns: a number behind a name tells nothing where many have one.
    """
    if _is_copy(values, labels):
        return COPY
    sample = labels.sample
    some = values[labels.rows]
    look = _leak_of_classes if labels.is_class else _leak_of_response
    is_named = shares_word(name, labels.name)
    leak = look(some, sample, is_named)
    if leak is None and (is_named or _is_numbered_alike(name, labels.name, names)):
        is_ordered = not labels.is_class or len(labels.counts) == 2
        if some.dtype.kind == "f" and is_ordered and _correlation(some, sample.y) > CLOSE_BY_NAME:
            return NAMED_DOUBT
    return leak


def _is_copy(values: Array, labels: Labels) -> bool:
    """Whether a column has a value of its own for each class, or is a linear function of a response."""
    y = labels.y
    if not labels.is_class:
        return values.dtype.kind == "f" and _correlation(values, y) > 1 - 1e-9
    codes = values
    if values.dtype.kind == "f":
        for some in (values[:100], values[:1000]):
            # More values among the first rows than there are classes settle it.
            if len(np.unique(some[~np.isnan(some)])) > len(labels.counts):
                return False
        codes = pd.factorize(values)[0]
    known = codes != MISSING
    if known.sum() < 10:
        return False
    n_classes = len(np.unique(y))
    if len(np.unique(codes[known])) != n_classes:
        return False
    return len(np.unique(np.column_stack([codes[known], y[known]]), axis=0)) == n_classes


def _correlation(values: Array, y: Array) -> float:
    """Return the size of the correlation, 0 where there is none."""
    known = ~np.isnan(values)
    if known.sum() < 10:
        return 0.0
    # A constant has no correlation, and huge numbers overflow: neither is a copy.
    with np.errstate(all="ignore"):
        found = abs(np.corrcoef(values[known], y[known])[0, 1])
    return float(found) if np.isfinite(found) else 0.0


def _leak_of_response(values: Array, labels: Labels, is_named: bool) -> str | None:
    if values.dtype.kind != "f":
        return None
    if _correlation(values, labels.y) > CLOSE:
        return DOUBT
    ranks = pd.Series(values).rank().to_numpy()
    is_rich = len(np.unique(values[:200])) > FEW
    return DOUBT if is_rich and _correlation(ranks, _ranks(labels)) > CLOSE else None


def _ranks(labels: Labels) -> Array:
    return np.asarray(pd.Series(labels.y).rank().to_numpy())


def _leak_of_classes(values: Array, labels: Labels, is_named: bool) -> str | None:
    counts = np.sort(np.bincount(labels.y))[::-1]
    n_rows = len(labels.y)
    if n_rows < ENOUGH or counts[1:].sum() < RARE:
        return None
    is_number = values.dtype.kind == "f"
    is_rich = is_number and len(np.unique(values[:100])) > 2 * FEW  # spares most columns the count
    codes = pd.factorize(values)[0] if is_number and not is_rich else values
    if is_rich or codes.max(initial=0) >= min(FEW, n_rows / 10):
        if is_number and _separates(values, labels.y):
            return DOUBT
        codes = (np.isnan(values) if is_number else codes == MISSING).astype(np.int64) - 1
    table = np.zeros((codes.max(initial=-1) + 2, len(np.bincount(labels.y))), dtype=np.int64)
    np.add.at(table, (codes + 1, labels.y), 1)  # the first row is that of missing values
    if is_named and _implies_a_class(table):
        return NAMED_LEAK
    wrong = n_rows - table.max(axis=1).sum()
    return DOUBT if wrong <= (1 - TOLD) * (n_rows - counts[0]) else None


def _implies_a_class(table: Array) -> bool:
    """Whether a value stands with one class, not the largest, too often for chance.

    With a rare class a few exceptions are allowed: some who are said to have died went home.
    """
    shares = table.sum(axis=0) / table.sum()
    for row in table[table.sum(axis=1) > 0]:
        k, n = int(row.argmax()), int(row.sum())
        pure = row[k] / n
        if k == int(shares.argmax()) or pure < (PURE if shares[k] <= SELDOM else 1):
            continue
        rest = (1 - pure) * np.log((1 - pure) / (1 - shares[k])) if pure < 1 else 0.0
        # Chernoff's bound on so pure a value by chance.
        if len(table) * np.exp(-n * (pure * np.log(pure / shares[k]) + rest)) < CHANCE:
            return True
    return False


def _separates(values: Array, y: Array) -> bool:
    """Whether thresholds on a number tell the classes apart, but for a few rows in a hundred."""
    known = ~np.isnan(values)
    values, y = values[known], y[known]
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2 or len(values) < ENOUGH or counts.min() < RARE:
        return False
    order = np.argsort([np.median(values[y == c]) for c in classes])
    wrong = 0
    for low, high in zip(classes[order], classes[order][1:], strict=False):
        wrong += _wrong_side(values[y == low], values[y == high])
        if wrong > (1 - TOLD) * (len(y) - counts.max()) or wrong > len(y) / 100:
            return False
    return True


def _wrong_side(low: Array, high: Array) -> int:
    """Return how many of both stand on the wrong side of the best threshold."""
    low, high = np.sort(low), np.sort(high)
    cuts = np.concatenate([low, high])
    above = len(low) - np.searchsorted(low, cuts, side="right")
    below = np.searchsorted(high, cuts, side="right")
    return int((above + below).min())


def shares_word(name: str, label: str) -> bool:
    """Whether two names have a telling word in common.

    Examples
    --------
    >>> shares_word("icu_expired", "hosp_expired")
    True
    >>> shares_word("hospital_size", "hospital_death")
    False
    """
    ours, theirs = _words(name), _words(label)
    if ours & theirs:
        return True
    if len(ours) != 1 and len(theirs) != 1:
        return False
    one, other = (re.sub(LONG_GENERAL, " ", " ".join(sorted(words))) for words in (ours, theirs))
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return match.size >= COMMON


def _words(name: str) -> set[str]:
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[^\W\d_]+", split.lower())
    return {word for word in words if len(word) > 2} - GENERAL


def _is_numbered_alike(name: str, label: str, names: Sequence[str]) -> bool:
    """Whether only a number tells a column from the label, as in G1 and G3."""

    def bare(text: str) -> str:
        return re.sub(r"\d+", "", text)

    if name == label or bare(name) != bare(label) or bare(label) == label:
        return False
    return sum(bare(each) == bare(label) for each in names) <= 4
