"""A column that gives the label away in one table and not in the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import rankdata

from datakin._core.typed_options import typed
from datakin.data import Dataset
from datakin.data.features import MISSING, Array
from datakin.explaining.edits import without
from datakin.explaining.suspects.suspect import Suspect
from datakin.learners.learner import responses
from datakin.results.words import short

__all__ = ["leaking_columns"]

STRONG = 0.88  # how well a leak tells the label: 2 AUC - 1, or the correlation of ranks
WEAK = 0.35  # how well at most it does so in the other table
AHEAD = 0.2  # how far it is ahead of any other column of either: a rule that is turned has two strong ones
ROWS = 5  # of a level whose labels are looked at
FEWEST = 20  # values of a column, from which it is looked at


def leaking_columns(target: Dataset, source: Dataset) -> Iterator[Suspect]:
    """Yield columns that tell nearly all of the label in one of the tables only."""
    shared = [name for name in target.columns if name in set(source.columns)]
    if len(shared) < 2 or target.features.is_sparse or source.features.is_sparse:
        return
    told = [np.array([_told(each, name) for name in shared]) for each in (target, source)]
    for side, table in enumerate((target, source)):
        here, there = told[side], told[1 - side]
        best = int(np.argmax(here))
        next_best = max(float(np.delete(here, best).max(initial=0.0)), float(there.max()))
        if here[best] < STRONG or here[best] - next_best < AHEAD:
            continue
        if there[best] <= WEAK:
            other = source if side == 0 else target
            yield _suspect(shared[best], here[best], there[best], table, other)


def _suspect(name: str, here: float, there: float, table: Dataset, other: Dataset) -> Suspect:
    return Suspect(
        cause="leak",
        table="",
        columns=(name,),
        seen=(
            f"{short(name)} alone nearly tells the label in {short(table.name)} ({_scale(here, table)}) and "
            f"not in {short(other.name)} ({_scale(there, other)}): it may give the label away there."
        ),
        python=f"ignore=[{name!r}]",
        typed=typed("ignore", name),
        mended=lambda one, two: (without(one, [name]), without(two, [name])),
        changes_target=True,
    )


def _scale(told: float, table: Dataset) -> str:
    if table.classes:
        return f"AUC {0.5 + told / 2:.2f}"
    return f"correlation {told:.2f}"


def _told(dataset: Dataset, name: str) -> float:
    """Return how well one column orders the rows by their label, 0 to 1; the best of several classes."""
    features = dataset.features
    Y = responses(dataset.y, len(dataset.classes))[0]
    if name in features.numeric_names:
        column = features.numeric[:, features.numeric_names.index(name)]
        there = ~np.isnan(column)
        values = np.repeat(column[there][:, None], Y.shape[1], axis=1)
    else:
        codes = features.codes[:, features.category_names.index(name)]
        there = codes != MISSING
        values = _level_means(codes[there], Y[there])
    if there.sum() < FEWEST or there.mean() < 0.5:
        return 0.0
    return max(_one(values[:, c], Y[there, c], bool(dataset.classes)) for c in range(Y.shape[1]))


def _level_means(codes: Array, Y: Array) -> Array:
    """Return the mean label of each row's level; rare levels have that of all."""
    counts = np.bincount(codes)
    sums = np.array([np.bincount(codes, weights=y) for y in Y.T]).T
    means = np.where(
        (counts >= ROWS)[:, None], sums / np.maximum(counts, 1)[:, None], Y.mean(axis=0)
    )
    return np.asarray(means[codes])


def _one(x: Array, y: Array, is_class: bool) -> float:
    if y.min() == y.max() or x.min() == x.max():
        return 0.0
    ranks = rankdata(x)
    if not is_class:
        return float(abs(np.corrcoef(ranks, rankdata(y))[0, 1]))
    n, m = float(y.sum()), float(len(y) - y.sum())
    auc = (float(ranks[y > 0.5].sum()) - n * (n + 1) / 2) / (n * m)
    return abs(2 * auc - 1)
