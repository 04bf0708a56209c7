"""Columns that say much more in one of two tables; and what is only reported: cut ranges, copied rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import rankdata, spearmanr

from datakin.data import Dataset
from datakin.data.checks.copies import copied_share
from datakin.data.checks.units import distance
from datakin.data.features import Array, is_known
from datakin.explaining.suspects.suspect import (
    Suspect,
    known,
    leaving_out,
    numbers_of,
    shared_numbers,
)
from datakin.learners.learner import responses
from datakin.results.explanation_parts import LACKING
from datakin.results.words import named, number, percent, short

STRONG = 0.88  # How well a leak predicts the label: 2 AUC - 1, or the correlation of ranks.
WEAK = 0.35  # How well it may do so in the other table.
AHEAD = 0.2  # How far it is ahead of any other column: a rule that is turned has two strong ones.
ROWS = 5  # Rows from which a level has a mean label of its own.
FEWEST = 20  # Values from which a column is looked at.
HAVING = 0.5  # Share of missing values up to which a table has a column that the other lacks.
# The same two shares for columns that go along with one that is lacking.
HALF, HARDLY_ANY = 0.5, 0.1
ENOUGH = 30  # Values from which ranges are compared.
RICH = 20  # Different values from which the range of a column is looked at.
OUTSIDE = 0.1  # Share of the other table's values that must be beyond the cut.
RARE = 0.01  # Probability of such a cut among all columns, below which it is one.
KINKED = 0.3  # Share of the other table's density at the cut, from which it is a cut and no tail.
ALIKE = 0.12  # Distance up to which two distributions inside the cut are alike.
SHARE = 0.1  # Share of the rows with a copy, from which they are reported.


def leaking_columns(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns that give nearly all of the label away in one of the tables only."""
    shared = [name for name in target.columns if name in set(source.columns)]
    if len(shared) < 2:
        return
    tables = target, source
    strengths = [np.array([_strength(table, name) for name in shared]) for table in tables]
    for side in (0, 1):
        here, there = strengths[side], strengths[1 - side]
        best = int(np.argmax(here))
        next_best = max(float(np.delete(here, best).max(initial=0.0)), float(there.max()))
        if here[best] < STRONG or here[best] - next_best < AHEAD or there[best] > WEAK:
            continue
        table, other = tables[side], tables[1 - side]
        seen = (
            f"{short(shared[best])} alone nearly tells the label in {short(table.name)} "
            f"({_scale(here[best], table)}) and not in {short(other.name)} "
            f"({_scale(there[best], other)}): it may give the label away there."
        )
        yield leaving_out("leak", "", [shared[best]], seen)


def _scale(strength: float, table: Dataset) -> str:
    return f"AUC {0.5 + strength / 2:.2f}" if table.classes else f"correlation {strength:.2f}"


def _strength(dataset: Dataset, name: str) -> float:
    """Return how well one column orders the rows by their label, 0 to 1; the best of several classes."""
    column, levels = dataset.features.column(name)
    at = is_known(column)
    if at.sum() < FEWEST or at.mean() < 0.5:
        return 0.0
    column, Y = column[at], responses(dataset.y, len(dataset.classes))[0][at]
    values = np.broadcast_to(column, Y.T.shape) if levels is None else _level_means(column, Y).T
    return max(_ordering(x, y, bool(dataset.classes)) for x, y in zip(values, Y.T, strict=True))


def _level_means(codes: Array, Y: Array) -> Array:
    """Return the mean label of each row's level; rare levels have that of all."""
    counts = np.bincount(codes)
    sums = np.array([np.bincount(codes, weights=y) for y in Y.T]).T
    means = np.where(
        (counts >= ROWS)[:, None], sums / np.maximum(counts, 1)[:, None], Y.mean(axis=0)
    )
    return np.asarray(means[codes])


def _ordering(x: Array, y: Array, is_class: bool) -> float:
    if y.min() == y.max() or x.min() == x.max():
        return 0.0
    if not is_class:
        return float(abs(spearmanr(x, y).statistic))
    n, m = (
        float(y.sum()),
        float(len(y) - y.sum()),
    )  # the AUC, a hundred times faster than scikit-learn's
    return abs(2 * (float(rankdata(x)[y > 0.5].sum()) - n * (n + 1) / 2) / (n * m) - 1)


def lacking_columns(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns that one of the tables hardly has: all of them together, then one by one.

    What is not asked of some rows is often not asked as a whole; then leaving out one column is not enough.
    """
    shares = {name: (_missing(target, name), _missing(source, name)) for name in target.columns}
    order = sorted(shares, key=lambda name: -abs(shares[name][0] - shares[name][1]))

    def lacking(side: int, least: float, most: float) -> list[str]:
        return [n for n in order if shares[n][side] >= least and shares[n][1 - side] <= most]

    for side in (0, 1):
        single = lacking(side, LACKING, HAVING)
        more = [name for name in lacking(side, HALF, HARDLY_ANY) if name not in single]
        together = [[*single, *more]] if single and len(single) + len(more) > 1 else []
        for names in (*together, *([name] for name in single)):
            if len(names) < len(shares):
                yield _lacking(names, shares[names[0]], side, (target, source))


def _missing(dataset: Dataset, name: str) -> float:
    """Return the share of a column's values that are missing."""
    if name not in dataset.columns:
        return 1.0
    return float(np.mean(~is_known(dataset.features.column(name)[0])))


def _lacking(
    names: list[str], shares: tuple[float, float], side: int, tables: tuple[Dataset, Dataset]
) -> Suspect:
    """Return the suspicion; what the source lacks is of use in the target, and no option is proposed."""
    target, source = (short(table.name) for table in tables)
    is_one = len(names) == 1
    if not set(names) & set(tables[1].columns):
        seen = f"{source} has no {named(names, noun='of the columns')}"
    elif is_one:
        seen = (
            f"{short(names[0])} is missing in {percent(shares[0])}% of the rows of {target} and in "
            f"{percent(shares[1])}% of those of {source}"
        )
    else:
        lacks, has = (target, source) if side == 0 else (source, target)
        seen = f"{named(names, noun='columns')} are mostly missing in {lacks} and not in {has}"
    if side == 0:
        so = f"what is learned on {source} relies on {'it' if is_one else 'them'}"
    else:
        so = f"{source} tells little of {'its effect' if is_one else 'their effects'}"
    table = tables[side].name
    return leaving_out("lacking", table, names, f"{seen}: {so}.", is_proposed=side == 0)


def cut_ranges(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns of numbers of which one table has only a part of the range."""
    names = shared_numbers(target, source)
    for name in names:
        for table, other in ((target, source), (source, target)):
            part, whole = columns = [known(numbers_of(each, name)) for each in (table, other)]
            if min(map(len, columns)) < ENOUGH or min(len(np.unique(c)) for c in columns) < RICH:
                break
            cut = _cut(part, whole)
            if cut is None or _p_value(part, whole) * len(names) >= RARE:
                continue
            bound, outside = cut
            seen = (
                f"{short(name)} is {bound} in {short(table.name)}, where {percent(outside, 0)}% of the rows "
                f"of {short(other.name)} lie beyond."
            )
            yield Suspect("range", table.name, (name,), seen)


def _p_value(part: Array, whole: Array) -> float:
    """Return how often one of two draws of the same column ends so early, at either of its ends.

    The values beyond are the outermost of both; all of them come from the same table.
    """
    n, m = len(part), len(whole)
    beyond = max(int(np.sum(whole > part.max())), int(np.sum(whole < part.min())))
    k = np.arange(beyond)
    return 4 * float(np.exp(np.sum(np.log((m - k) / (n + m - k)))))


def _cut(part: Array, whole: Array) -> tuple[str, float] | None:
    """Return where a table is cut off, in words, and how much of one that is not is beyond."""
    for words, end, sign, quantile in (
        ("never above", float(part.max()), 1, 0.9),
        ("never below", float(part.min()), -1, 0.1),
    ):
        beyond = sign * whole > sign * end
        outside, inside = float(beyond.mean()), whole[~beyond]
        if outside < OUTSIDE or len(inside) < ENOUGH:
            continue
        # A tail thins out; a cut ends where there are still as many rows as elsewhere.
        edge = np.mean(sign * part > sign * np.quantile(inside, quantile))
        noise = 1.63 * np.sqrt(1 / len(inside) + 1 / len(part))
        if edge > KINKED * 0.1 and distance(np.sort(part), np.sort(inside)) < max(ALIKE, noise):
            return f"{words} {number(end)}", outside
    return None


def repeated_rows(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield tables many of whose rows have a copy, and not by chance."""
    for table, other in ((target, source), (source, target)):
        share = copied_share(table)
        if share > SHARE and share > 3 * copied_share(other):
            seen = (
                f"{percent(share, 0)}% of the rows of {short(table.name)} have a copy there: leave "
                f"copies out, or give rows that belong together as groups."
            )
            yield Suspect("copies", table.name, (), seen)
