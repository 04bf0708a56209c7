"""Half samples: what a distance would be between two samples of one distribution.

Empirical transport is far from 0 between samples of one distribution. Its level there is measured
on halves of each dataset and subtracted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from datakin._core.exceptions import DatakinError
from datakin._core.repeatability import derive_seed
from datakin.data.features import Array
from datakin.distances.features import Cloud

__all__ = ["debiased", "scrambled"]


def debiased(
    distance: Callable[[Cloud, Cloud], float],
    target: Cloud,
    source: Cloud,
    *,
    splits: int,
    random_state: int,
) -> float:
    """Return the mean cross distance of half samples minus the mean distance within a dataset.

    With halves a and b of both datasets, all of one size, a split gives

        1/2 d(Ta, Sb) + 1/2 d(Tb, Sa) - 1/2 d(Ta, Tb) - 1/2 d(Sa, Sb).

    The half of a row depends on its content alone. So T = S gives exactly 0, a row that stands in
    both datasets never meets itself, and for two samples of one distribution all four terms
    have the same law: the expectation is 0 at any two sizes. Estimates may fall below 0.

    Examples
    --------
    >>> import numpy as np
    >>> keys = scrambled(np.arange(30, dtype=np.uint64), 1)
    >>> cloud = Cloud("a", np.arange(30.0)[:, None], np.zeros(30), keys)
    >>> gap = lambda a, b: abs(float(a.points.mean() - b.points.mean()))
    >>> debiased(gap, cloud, cloud, splits=2, random_state=0)
    0.0
    """
    values = []
    for split in range(splits):
        seed = derive_seed(random_state, "halves", split)
        (ta, tb), (sa, sb) = _halves(target, source, seed)
        across = distance(ta, sb) + distance(tb, sa)
        within = distance(ta, tb) + distance(sa, sb)
        values.append((across - within) / 2)
    return float(np.mean(values))


def _halves(target: Cloud, source: Cloud, seed: int) -> list[tuple[Cloud, Cloud]]:
    sides = [scrambled(cloud.keys, seed) % np.uint64(2) == 0 for cloud in (target, source)]
    size = min(min(int(side.sum()), int((~side).sum())) for side in sides)
    if size < 2:
        raise DatakinError(
            f"The debiased form needs two halves of at least 2 rows that differ in their features. "
            f"Got {size} in the smallest half of {target.name!r} and {source.name!r}; "
            f"use debias=False, or more rows."
        )
    return [
        (cloud.take(np.flatnonzero(side)[:size]), cloud.take(np.flatnonzero(~side)[:size]))
        for cloud, side in zip((target, source), sides, strict=True)
    ]


def scrambled(keys: Array, seed: int) -> Array:
    """Return new 64-bit keys that depend on the old ones and a seed (the splitmix64 finaliser)."""
    z = keys + np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15 >> 32)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Array = z ^ (z >> np.uint64(31))
    return mixed
