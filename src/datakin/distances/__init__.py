"""Distances between the features of two datasets: what else there is beside the score.

By name with `compare`, `rank` and `matrix`; or as a small frozen object, such as ``MMD()``, which has
``between(target, source)`` and the same three methods. OTDD alone looks at labels. Nothing here is
learned that could be used for prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from datakin._core.checks import check_choice, check_options
from datakin.distances.divergences import JensenShannon, KLDivergence
from datakin.distances.kernel import MMD, Energy, ProxyADistance
from datakin.distances.protocol import Distance, DistanceMatrix, DistanceRanking, Rival
from datakin.distances.transport import OTDD, Wasserstein

__all__ = [
    "MMD",
    "OTDD",
    "Distance",
    "DistanceMatrix",
    "DistanceRanking",
    "Energy",
    "JensenShannon",
    "KLDivergence",
    "ProxyADistance",
    "Wasserstein",
    "compare",
    "matrix",
    "rank",
]

METHODS: dict[str, type[Rival]] = {
    "kl": KLDivergence,
    "js": JensenShannon,
    "wasserstein": Wasserstein,
    "mmd": MMD,
    "energy": Energy,
    "otdd": OTDD,
    "proxy_a": ProxyADistance,
}


def compare(target: Any, source: Any, method: str = "otdd", **options: Any) -> Distance:
    """Measure the distance between a target and a source.

    Parameters
    ----------
    target, source : Dataset or (X, y)
    method : {"otdd", "kl", "js", "wasserstein", "mmd", "energy", "proxy_a"}
        Which distance.
    **options
        Parameters of the distance's class. The ``method`` of `Wasserstein` is not among them: use
        ``Wasserstein(method="sliced").compare(target, source)``.

    Returns
    -------
    Distance

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    >>> round(compare((X, y), (X + [3.0, 4.0], y), method="wasserstein").score, 6)
    5.0
    """
    return _made(method, options).compare(target, source)


def rank(
    target: Any,
    sources: Any,
    method: str = "otdd",
    *,
    on_result: Callable[[Distance], None] | None = None,
    **options: Any,
) -> DistanceRanking:
    """Rank sources for a target by a distance, nearest first.

    Parameters
    ----------
    target : Dataset or (X, y)
    sources : list of datasets, or mapping of name to dataset
    on_result : callable, optional
        Called with the Distance of each source as soon as it is finished.
    method, **options
        As in `compare`.

    Returns
    -------
    DistanceRanking

    Examples
    --------
    >>> from datakin.synthetic import make_demo
    >>> target, sources = make_demo(60, 60)
    >>> rank(target, [s.dataset for s in sources], method="energy").method
    'Energy'
    """
    return _made(method, options).rank(target, sources, on_result=on_result)


def matrix(datasets: Any, method: str = "otdd", **options: Any) -> DistanceMatrix:
    """Measure the distances between all datasets.

    Parameters
    ----------
    datasets : list of datasets, or mapping of name to dataset
    method, **options
        As in `compare`.

    Returns
    -------
    DistanceMatrix
        Symmetric: for a distance with a direction (KL), the mean of both.
    """
    return _made(method, options).matrix(datasets)


def _made(method: Any, options: dict[str, Any]) -> Rival:
    """Return the distance of a name, with its options."""
    check_choice("method", method, tuple(METHODS))
    kind: Any = METHODS[method]
    check_options(options, [each.name for each in fields(kind)], f"method {method!r}")
    made: Rival = kind(**options)
    return made
