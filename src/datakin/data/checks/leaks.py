"""Columns that give the label away: copies of it, and what was only known afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import sparse

from datakin.data.checks.names import is_numbered_alike, names_outcome, shared_words
from datakin.data.features import Array, Features, is_known

COPY = "looks like a copy of the label"
NAMED_LEAK = "tells the label of some rows and is named like it"
KNOWN_BEFORE = "(look whether it was known beforehand)"
COPY_DOUBT = f"may be a copy of the label {KNOWN_BEFORE}"
NAMED_TOLD = f"{NAMED_LEAK} {KNOWN_BEFORE}"
DOUBT = f"may give the label away {KNOWN_BEFORE}"
NAMED_DOUBT = f"named like the label and close to it {KNOWN_BEFORE}"

SOME = 20  # rows from which a copy of the label is named
ENOUGH = 40  # rows from which it is left out, and from which a separation of classes is no chance
RARE = 5  # rows of the smaller class that either needs
SURE = 10  # rows of each class from which a copy is left out
KNOWN = 0.8  # share of a copy's values that must be known for that
SAMPLE = 5000  # rows that are looked at for a doubt
FEW = 20  # values of a column that is looked at value by value
TOLD = 0.95  # share of the errors of guessing that a column must remove to be named
CHANCE = 1e-6  # probability of a value that is in one class only
PURE = 0.95  # share of one class among the rows of a value
SELDOM = 0.3  # share of a rare class
CLOSE = 0.999  # correlation with a response
CLOSE_BY_NAME = 0.7  # the same for a column named like the label


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of a table, for a comparison with its columns."""

    name: str
    y: Array  # class codes (int) or the response (float)
    is_class: bool

    @cached_property
    def counts(self) -> Array:
        """Number of rows of each class; none for a response."""
        return np.bincount(self.y) if self.is_class else np.zeros(0, dtype=np.int64)

    @cached_property
    def ranks(self) -> Array:
        """Ranks of a response."""
        return _ranks(self.y)

    @cached_property
    def rows(self) -> Array:
        """The rows that are looked at for a doubt, evenly spread."""
        n = len(self.y)
        return np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.int64)

    @cached_property
    def sample(self) -> Labels:
        """These rows only."""
        return Labels(self.name, self.y[self.rows], self.is_class)


def leak_of(values: Array, name: str, labels: Labels, names: Sequence[str]) -> str | None:
    """Say how a column gives the label away, if it does; `names` are those of all columns.

    What leaves a column out is sought in all rows, a mere doubt in some.
    """
    copy = _copy_of(values, labels)
    if copy is not None:
        return copy
    shared = shared_words(name, labels.name)
    if shared and labels.is_class and _implies_a_class(values, labels):
        return NAMED_LEAK if names_outcome(shared) else NAMED_TOLD
    some, sample = values[labels.rows], labels.sample
    if (_tells_classes if labels.is_class else _tells_response)(some, sample):
        return DOUBT
    if shared or is_numbered_alike(name, labels.name, names):
        is_ordered = not labels.is_class or len(labels.counts) == 2
        if some.dtype.kind == "f" and is_ordered and _correlation(some, sample.y) > CLOSE_BY_NAME:
            return NAMED_DOUBT
    return None


def _copy_of(values: Array, labels: Labels) -> str | None:
    """Say so if a column has a value of its own for each class, or is linear in a response.

    In few rows an honest sign does so by chance.
    """
    # More values among the first rows than there are classes settle it for most numbers.
    if labels.is_class and values.dtype.kind == "f":
        for some in (values[:100], values[:1000]):
            if len(np.unique(some[~np.isnan(some)])) > len(labels.counts):
                return None
    known = is_known(values)
    column, y = values[known], labels.y[known]
    if not (_is_recoded(column, y, labels) if labels.is_class else _is_linear(column, y)):
        return None
    counts = np.unique(y, return_counts=True)[1]
    # Rows of the smallest class; of a response, those beside its commonest value.
    smallest = counts.min() if labels.is_class else len(y) - counts.max()
    if len(y) < SOME or smallest < RARE:
        return None
    is_sure = len(y) >= ENOUGH and smallest >= SURE and len(y) / len(values) >= KNOWN
    return COPY if is_sure else COPY_DOUBT


def _is_recoded(column: Array, y: Array, labels: Labels) -> bool:
    """Whether values and classes, all of them, are paired one to one."""
    n_classes = np.count_nonzero(labels.counts)
    codes = pd.factorize(column)[0]
    if codes.max(initial=-1) + 1 != n_classes:
        return False
    pairs = codes * len(labels.counts) + y
    return bool(len(np.unique(pairs)) == n_classes == len(np.unique(y)))


def _is_linear(column: Array, y: Array) -> bool:
    """Whether two responses are linear in each other, and not by a few far values alone."""
    if column.dtype.kind != "f" or _correlation(column, y) <= 1 - 1e-9:
        return False
    return _correlation(_ranks(column), _ranks(y)) > CLOSE


def _ranks(values: Array) -> Array:
    """Return ranks, those of equal values their mean; missing values have none."""
    return np.asarray(pd.Series(values).rank().to_numpy())


def _correlation(values: Array, y: Array) -> float:
    """Return the size of the correlation, 0 where there is none."""
    known = ~np.isnan(values)
    if np.count_nonzero(known) < SOME:
        return 0.0
    # A constant has no correlation, and huge numbers overflow: neither is a copy.
    with np.errstate(all="ignore"):
        x, y = values[known] - values[known].mean(), y[known] - y[known].mean()
        found = abs(x @ y) / np.sqrt(x @ x) / np.sqrt(y @ y)
    return float(found) if np.isfinite(found) else 0.0


def _tells_response(values: Array, labels: Labels) -> bool:
    """Whether a number almost is a response, or orders the rows as it does."""
    if values.dtype.kind != "f":
        return False
    ranks = _ranks(values)
    if max(_correlation(values, labels.y), _correlation(ranks, labels.ranks)) <= CLOSE:
        return False
    counts = np.unique(values[~np.isnan(values)], return_counts=True)[1]
    return bool(counts.sum() - counts.max() >= RARE)


def _tells_classes(values: Array, labels: Labels) -> bool:
    """Whether a column tells the classes apart with hardly an error."""
    n_rows, n_others = len(labels.y), len(labels.y) - labels.counts.max()
    if n_rows < ENOUGH or n_others < RARE:
        return False
    codes = _few_codes(values)
    if codes is None and values.dtype.kind == "f" and _separates(values, labels.y):
        return True
    table = _table(values, codes, labels)
    return bool(n_rows - table.max(axis=1).sum() <= (1 - TOLD) * n_others)


def _few_codes(values: Array) -> Array | None:
    """Return a code for each value of a column that has few, from 0, and -1 where it is missing."""
    codes = values
    if values.dtype.kind == "f":
        if len(np.unique(values[:100])) > 2 * FEW:  # spares most columns the count
            return None
        codes = pd.factorize(values)[0]
    return None if codes.max(initial=0) >= min(FEW, len(values) / 10) else codes


def _table(values: Array, codes: Array | None, labels: Labels) -> Array:
    """Return how often each value stands with each class; of many values, known and missing."""
    if codes is None:
        codes = is_known(values).astype(int) - 1
    n_classes = len(labels.counts)
    size = (codes.max(initial=-1) + 2) * n_classes
    counts = np.bincount((codes + 1) * n_classes + labels.y, minlength=size)
    return counts.reshape(-1, n_classes)


def _implies_a_class(values: Array, labels: Labels) -> bool:
    """Whether a value stands with one class, not the largest, too often for chance.

    With a rare class a few exceptions are allowed: some who are said to have died went home.
    """
    if len(labels.y) < ENOUGH or len(labels.y) - labels.counts.max() < RARE:
        return False
    table = _table(values, _few_codes(values), labels)
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
    known = is_known(values)
    values, y = values[known], y[known]
    counts = np.bincount(y)
    counts = counts[counts > 0]
    if len(counts) < 2 or len(values) < ENOUGH or counts.min() < RARE:
        return False
    limit = min((1 - TOLD) * (len(y) - counts.max()), len(y) / 100)
    order = np.argsort(values)
    values, y = values[order], y[order]
    # A row on the wrong side makes two changes of class at most: that settles it for most columns.
    if np.count_nonzero(y[1:] != y[:-1]) - (len(counts) - 1) > 2 * limit:
        return False
    return bool(_wrong_sides(values, y) <= limit)


def _wrong_sides(values: Array, y: Array) -> int:
    """Return how many rows stand on the wrong side of the best thresholds, of sorted values."""
    cuts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1, [len(values)]])
    middle = {c: values[y == c][np.count_nonzero(y == c) // 2] for c in np.unique(y)}
    best = np.zeros(len(cuts), dtype=np.int64)  # errors below each cut, with the classes so far
    for k, c in enumerate(sorted(middle, key=lambda c: float(middle[c]))):
        wrong = np.concatenate([[0], np.cumsum(y != c)])[cuts]
        best = wrong + (np.minimum.accumulate(best - wrong) if k else 0)
    return int(best[-1])


def telling_columns(features: Features, labels: Labels) -> Iterator[tuple[str, Array]]:
    """Yield the names and values of columns that can be ids or give the label away.

    All zeros of a column stand on the same side of it. If they have unlike labels, it neither is a
    copy of the label nor tells it; and an id has one zero at most. Names say nothing here: they are
    x0, x1, ...
    """
    filled = sparse.csc_array(features.numeric[labels.rows] != 0, dtype=float)
    can_tell = (_can_tell_classes if labels.is_class else _can_tell_response)(filled, labels.sample)
    columns = features.numeric.tocsc()
    for j in np.flatnonzero(can_tell):
        yield features.numeric_names[j], columns[:, [j]].toarray()[:, 0]


def _can_tell_classes(filled: sparse.csc_array, labels: Labels) -> Array:
    """Whether the zeros of each column stand with one class, but for a few rows."""
    members = np.eye(len(labels.counts))[labels.y]
    zeros = labels.counts[:, None] - members.T @ filled
    wrong = zeros.sum(axis=0) - zeros.max(axis=0)
    return np.asarray(wrong <= (1 - TOLD) * (len(labels.y) - labels.counts.max()) + 0.5)


@np.errstate(over="ignore", invalid="ignore")  # responses near 1e300 have no variance
def _can_tell_response(filled: sparse.csc_array, labels: Labels) -> Array:
    """Whether a response, or its ranks, vary little among the zeros of each column.

    A column that is the same in some rows has a squared correlation of at most one less the share of
    the response's squares within these rows.
    """
    n_zeros = len(labels.y) - filled.sum(axis=0)
    can_tell = np.zeros(filled.shape[1], dtype=bool)
    for y in (labels.y, labels.ranks):
        centred = y - y.mean()
        total = centred @ centred
        sums, squares = (v.sum() - v @ filled for v in (centred, centred**2))
        within = squares - sums**2 / np.maximum(n_zeros, 1)
        can_tell |= within <= (1 - CLOSE**2 + 1e-6) * total
    return can_tell
