"""From mixed columns to one matrix: numbers as they are, a column for each frequent level.

Only features are looked at, of the target and of all sources together. Numbers are scaled here by
nothing more than a power of two or a shift, so that 32 bits hold them; learners scale for themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datakin.data.features import MISSING, Array, Features
from datakin.learning.encoding import MAX_LEVELS, laid_out
from datakin.learning.scaling import standardised
from datakin.learning.stack.scaler import Scaler

__all__ = ["TableEncoder"]

LEAST = 5  # rows of a level that gets a column
FARTHEST = 1e9  # spreads of the target; what lies beyond could not be squared and summed


@dataclass(frozen=True, eq=False)
class TableEncoder:
    """How tables become matrices.

    Attributes
    ----------
    numeric_names : tuple of str
        Columns of numbers, in the order of the matrix.
    scaler : Scaler
        Of these columns: their centres and spreads in the first table, the target, so that one source
        changes no number of another; over all tables where the target's numbers do not vary.
    category_names : tuple of str
    levels : tuple of tuples of (str or None)
        The levels that have a column; None for a missing value. All others look alike.
    """

    numeric_names: tuple[str, ...]
    scaler: Scaler
    category_names: tuple[str, ...]
    levels: tuple[tuple[str | None, ...], ...]

    @classmethod
    def learn(cls, tables: Sequence[Features]) -> TableEncoder:
        """Learn from tables with the same columns."""
        first = tables[0]
        levels = []
        for j in range(first.codes.shape[1]):
            counts: dict[str | None, int] = {}
            for table in tables:
                codes, n = np.unique(table.codes[:, j], return_counts=True)
                for code, count in zip(codes, n, strict=True):
                    level = None if code == MISSING else table.levels[j][code]
                    counts[level] = counts.get(level, 0) + int(count)
            levels.append(_frequent(counts))
        return cls(first.numeric_names, _scaler(tables), first.category_names, tuple(levels))

    def apply(self, features: Features) -> Array:
        """Return the matrix of a table that has these columns; missing numbers stay NaN."""
        chosen = features.select((*self.numeric_names, *self.category_names))
        numeric = standardised(_numbers(chosen), self.scaler.centers, self.scaler.scales)
        numeric = np.clip(numeric, -FARTHEST, FARTHEST)
        blocks = [numeric]
        for j, kept in enumerate(self.levels):
            position = {level: code for code, level in enumerate(chosen.levels[j])}
            codes = [MISSING if level is None else position.get(level, -9) for level in kept]
            blocks.append((chosen.codes[:, [j]] == np.array(codes)).astype(float))
        return np.hstack(blocks)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of the matrix."""
        made = [
            f"{name}={'' if level is None else level}"
            for name, kept in zip(self.category_names, self.levels, strict=True)
            for level in kept
        ]
        return (*self.numeric_names, *made)


def _scaler(tables: Sequence[Features]) -> Scaler:
    """Return the scaler of the columns of numbers."""
    own = _numbers(tables[0])
    found = Scaler.learn(own)
    known = ~np.isnan(own)
    lows = np.where(known, own, np.inf).min(axis=0, initial=np.inf)
    highs = np.where(known, own, -np.inf).max(axis=0, initial=-np.inf)
    varies = lows < highs
    if varies.all():
        return found
    whole = Scaler.learn(np.vstack([_numbers(table) for table in tables]))
    return Scaler(
        np.where(varies, found.medians, whole.medians),
        np.where(varies, found.centers, whole.centers),
        np.where(varies, found.scales, whole.scales),
    )


def _numbers(features: Features) -> Array:
    numeric = laid_out(features).numeric
    return np.asarray(numeric, dtype=float)


def _frequent(counts: dict[str | None, int]) -> tuple[str | None, ...]:
    order = sorted(counts, key=lambda level: (-counts[level], level is None, str(level)))
    kept = [level for level in order[:MAX_LEVELS] if counts[level] >= LEAST]
    # With one level there is nothing to tell apart.
    return tuple(sorted(kept, key=lambda v: (v is None, str(v)))) if len(counts) > 1 else ()
