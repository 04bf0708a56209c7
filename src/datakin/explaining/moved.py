"""Where the features of two tables lie: can they be told apart, column by column, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from datakin.data.features import Array
from datakin.explaining.ladder import LEVEL
from datakin.learners.encoding import TableEncoder
from datakin.learners.folds import draw_folds
from datakin.learners.learner import Rows
from datakin.learners.linear import LinearLearner
from datakin.learners.metrics import class_metrics
from datakin.learners.scaling import Scaler
from datakin.results.explanation_parts import MOVED, ColumnShift

__all__ = [
    "Domain",
    "column_shifts",
    "matrix_columns",
    "rows_outside",
    "tell_apart",
]

FOLDS = 5
FARTHEST = 10.0  # times: rows of the source never count for more than this
NEIGHBOUR = 5  # the neighbour that a distance is measured to
MARGIN = 0.1  # of a range, beyond which a number is outside
INSIDE = 0.99  # share of the source's rows that lie inside
BLOCK = 1_000  # rows whose distances are held at once


@dataclass(frozen=True, eq=False)
class Domain:
    """What a classifier between the two tables says.

    Attributes
    ----------
    auc, low, high : float
    ratio : ndarray
        For each row of the source, how much more frequent such rows are in the target; mean 1.
    """

    auc: float
    low: float
    high: float
    ratio: Array

    @property
    def has_moved(self) -> bool:
        """Whether the tables can be told apart, and not just barely."""
        return self.low > 0.5 and self.auc >= MOVED

    @property
    def rows_left(self) -> float:
        """Rows of equal weight that the weighted source counts like (Kish, 1965)."""
        return float(self.ratio.sum() ** 2 / np.sum(self.ratio**2))


def matrix_columns(encoder: TableEncoder) -> dict[str, list[int]]:
    """Return the columns of the matrix that each column of the table has become."""
    found = {name: [j] for j, name in enumerate(encoder.numeric_names)}
    at = len(encoder.numeric_names)
    for name, levels in zip(encoder.category_names, encoder.levels, strict=True):
        found[name] = list(range(at, at + len(levels)))
        at += len(levels)
    return found


def tell_apart(
    target: Rows,
    source: Rows,
    n_numeric: int,
    groups: tuple[Array | None, Array | None],
    seed: int,
) -> Domain:
    """Learn to tell rows of the two tables apart, on held-out rows; both count the same.

    The classifier is the penalised logistic regression, with squares of the numbers: it sees means and
    spreads.
    """
    n, m = len(target), len(source)
    both = np.vstack([target.X, source.X])
    X = np.hstack([both, np.clip(both[:, :n_numeric], -1e3, 1e3) ** 2])
    is_target = np.repeat([1, 0], [n, m])
    weights = np.concatenate([target.weights / n, source.weights / m])
    rows = Rows(X, is_target[:, None].astype(float), weights * (n + m) / 2, "binary")
    together = None
    if any(each is not None for each in groups):
        here, there = (
            np.arange(size) if each is None else each
            for each, size in zip(groups, (n, m), strict=True)
        )
        together = np.concatenate([here, int(here.max()) + 1 + there])
    folds = draw_folds(is_target, True, together, seed, FOLDS)
    p = LinearLearner().held_out(rows, folds)[0]
    both_p = np.hstack([1 - p, p])
    codes = (p[:, 0] > 0.5).astype(int)
    found = class_metrics("", [both_p], [codes], is_target, rows.weights, groups=together)
    odds = p[n:, 0] / np.maximum(1 - p[n:, 0], 1e-9)
    ratio = np.clip(odds, 1 / FARTHEST, FARTHEST)
    low, high = found.intervals["auc"]
    return Domain(found.values["auc"], low, high, ratio / ratio.mean())


def rows_outside(target: Rows, source: Rows) -> Array:
    """Return which of the target's rows lie farther out than 99% of the source's, or beyond a range.

    How far out is the distance to the fifth neighbour in the source, of standardised columns. Among many
    columns one alone hardly moves that distance; so a row is outside, too, where one of its numbers lies
    beyond all of the source's, by a tenth of their range.
    """
    scaler = Scaler.learn(np.vstack([target.X, source.X]))
    A, B = scaler.apply(target.X), scaler.apply(source.X)
    k = min(NEIGHBOUR, len(B) - 1)
    limit = float(np.quantile(_distances(B, B, k), INSIDE))
    far = _distances(A, B, k - 1) > limit * (1 + 1e-9) + 1e-12
    low, high = B.min(axis=0), B.max(axis=0)
    room = MARGIN * (high - low)
    varies = high > low
    beyond = ((low - room > A) | (high + room < A)) & varies
    return np.asarray(far | beyond.any(axis=1))


def _distances(A: Array, B: Array, k: int) -> Array:
    """Return the distance of each row to its neighbour number k, counted from 0."""
    found = np.empty(len(A))
    squares = np.sum(B**2, axis=1)
    for start in range(0, len(A), BLOCK):
        part = A[start : start + BLOCK]
        d2 = np.sum(part**2, axis=1)[:, None] + squares - 2 * part @ B.T
        found[start : start + BLOCK] = np.partition(d2, k, axis=1)[:, k]
    return np.sqrt(np.maximum(found, 0.0))


def column_shifts(target: Rows, source: Rows, encoder: TableEncoder) -> tuple[ColumnShift, ...]:
    """Return how each column differs; what surely moved most comes first."""
    found = []
    place = matrix_columns(encoder)
    for name in encoder.numeric_names:
        found.append(_of_numbers(name, place[name][0], target, source, encoder))
    for name, levels in zip(encoder.category_names, encoder.levels, strict=True):
        found.append(_of_levels(name, place[name], levels, target, source))
    return tuple(sorted(found, key=lambda each: -_sure(each)))


def _sure(each: ColumnShift) -> float:
    """Return how far a column moved at least: a mean of five values may lie anywhere."""
    if np.isnan(each.low):
        return abs(each.difference)
    return max(each.low, -each.high, 0.0)


def _of_numbers(
    name: str, at: int, target: Rows, source: Rows, encoder: TableEncoder
) -> ColumnShift:
    sides = [_moments(rows.X[:, at], rows.weights) for rows in (target, source)]
    (mean, variance, n), (other, spread, m) = sides
    where = encoder.numeric_names.index(name)
    center, scale = float(encoder.scaler.centers[where]), float(encoder.scaler.scales[where])
    if not n or not m:
        nan = float("nan")
        difference, low, high = 0.0, nan, nan
    else:
        unit = np.sqrt((variance + spread) / 2)
        difference = float((mean - other) / unit) if unit > 1e-12 else 0.0
        error = np.sqrt(1 / n + 1 / m + difference**2 / (2 * (n + m)))
        reach = float(norm.ppf(0.5 + LEVEL / 2) * error)
        low, high = difference - reach, difference + reach
    here, there = (_in_units(center + scale * each, scale) for each in (mean, other))
    missing = (_share(np.isnan(rows.X[:, at]), rows) for rows in (target, source))
    return ColumnShift(name, "number", difference, low, high, "", here, there, *missing)


def _in_units(mean: float, scale: float) -> float:
    """Return a mean without what is left of it by rounding, where it is 0."""
    return 0.0 if abs(mean) < 1e-9 * scale else mean


def _moments(x: Array, weights: Array) -> tuple[float, float, int]:
    """Return mean, variance and number of what is not missing."""
    known = ~np.isnan(x)
    n = int(known.sum())
    if not n or not weights[known].any():
        return float("nan"), 0.0, 0
    mean = float(np.average(x[known], weights=weights[known]))
    return mean, float(np.average((x[known] - mean) ** 2, weights=weights[known])), n


def _of_levels(
    name: str, at: list[int], levels: tuple[str | None, ...], target: Rows, source: Rows
) -> ColumnShift:
    nan = float("nan")
    if not at:
        return ColumnShift(name, "category", 0.0, nan, nan, "", nan, nan)
    here, there = (
        np.average(rows.X[:, at], axis=0, weights=rows.weights) for rows in (target, source)
    )
    apart = np.abs(here - there)
    # What has no column of its own is one more level.
    rest = abs(float(here.sum() - there.sum()))
    most = int(np.argmax(apart))
    level = levels[most]
    unknown = [k for k, each in zip(at, levels, strict=True) if each is None]
    missing = (_share(rows.X[:, unknown].sum(axis=1) > 0, rows) for rows in (target, source))
    return ColumnShift(
        name,
        "category",
        (float(apart.sum()) + rest) / 2,
        nan,
        nan,
        "" if level is None else level,
        float(here[most]),
        float(there[most]),
        *missing,
    )


def _share(is_so: Array, rows: Rows) -> float:
    return float(np.average(is_so, weights=rows.weights))
