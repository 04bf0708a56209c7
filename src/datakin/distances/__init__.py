"""The rivals of the Cross-Learning Score: distances between the features of two datasets.

Each distance is a small frozen object with ``between(target, source)``, and ``compare``, ``rank``
and ``matrix`` as the Cross-Learning Score has them. OTDD alone looks at labels. This room learns
nothing that could be used for prediction.
"""

from datakin.distances.classifier import ProxyADistance
from datakin.distances.divergences import JensenShannon, KLDivergence
from datakin.distances.kernel import MMD, Energy
from datakin.distances.otdd import OTDD
from datakin.distances.transport import Wasserstein

__all__ = [
    "MMD",
    "OTDD",
    "Energy",
    "JensenShannon",
    "KLDivergence",
    "ProxyADistance",
    "Wasserstein",
]
