"""Results as matplotlib pictures: each function takes a result and returns Axes.

No global setting is changed and no window is opened.
"""

from datakin.plots.canvas import save
from datakin.plots.pictures import (
    choice,
    effects,
    explanation,
    gain,
    learning_curve,
    map,
    matrix,
    ranking,
    zones,
)

__all__ = [
    "choice",
    "effects",
    "explanation",
    "gain",
    "learning_curve",
    "map",
    "matrix",
    "ranking",
    "save",
    "zones",
]
