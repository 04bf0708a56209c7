"""Distances between the features of two datasets: what else there is beside the score.

By name with `compare`, `rank` and `matrix`; or as a small frozen object, such as ``MMD()``, which has
``between(target, source)`` and the same three methods. OTDD alone looks at labels. Nothing here is
learned that could be used for prediction.
"""

from datakin.distances.classifier import ProxyADistance
from datakin.distances.divergences import JensenShannon, KLDivergence
from datakin.distances.kernel import MMD, Energy
from datakin.distances.methods import compare, matrix, rank
from datakin.distances.otdd import OTDD
from datakin.distances.results import Distance, DistanceMatrix, DistanceRanking
from datakin.distances.transport import Wasserstein

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
